//! The state of a console, and the effects of its commands.

use std::time::{Duration, Instant};

use super::rows::{HEADER, RULE};
use crate::board::{Color, Game, IllegalMove, Move, Position};
use crate::engine::Level;
use crate::protocols::console::LineWriter;
use crate::protocols::session::{ConsoleOptions, ProtocolSession, SessionOptions};
use crate::search::{Clock, Limits, Line, Task};

pub type EdaxSession = ProtocolSession<Edax>;

/// The default level of Edax.
pub const USUAL_LEVEL: u64 = 21;

/// The limits of a search: the console's depth and selectivity replace the level's. A clock replaces the default level.
pub fn limits(level: Option<Level>, options: &ConsoleOptions, clock: Clock) -> Limits {
    let usual = Level::new(USUAL_LEVEL).expect("it is one of the levels");
    let free = if clock == Clock::Unlimited {
        usual
    } else {
        Level::MAX
    };
    let mut limits = level.unwrap_or(free).limits(clock);
    if let Some(depth) = options.depth {
        (limits.depth, limits.exact_empties) = (depth, depth);
    }
    limits.with_selectivity(options.selectivity.unwrap_or(limits.selectivity))
}

pub struct Edax {
    pub game: Game,
    pub console: ConsoleOptions,
    pub level: Option<Level>,
    /// The time of a move, or of a side's whole game.
    pub clock: Clock,
    pub used: [Duration; 2],
    pub warnings: LineWriter,
    /// When the turn of the side to move began.
    since: Option<Instant>,
}

/// The effect of a command.
pub enum Reaction {
    Text(String),
    /// A warning on stderr.
    Warning(String),
    /// A search, after a text.
    Search(Purpose, Task, String),
    Quit,
}

pub enum Purpose {
    Go,
    /// The number of best moves, and the book moves already shown.
    Hint(usize, Vec<Move>),
}

pub struct Request {
    pub purpose: Purpose,
    pub task: Task,
    pub side: Color,
    pub shown: Vec<Line>,
}

impl Edax {
    pub fn new(options: &SessionOptions) -> Self {
        Self {
            game: Game::default(),
            console: options.console,
            level: options.level,
            clock: options.time,
            used: [Duration::ZERO; 2],
            warnings: LineWriter::stderr(),
            since: None,
        }
    }

    pub fn position(&self) -> Position {
        self.game.position()
    }

    pub fn set_up(&mut self, start: Position) {
        self.game = Game::new(start);
        (self.used, self.since) = ([Duration::ZERO; 2], None);
    }

    /// Plays a move and adds the time since the last move to its side.
    ///
    /// # Errors
    /// When the rules forbid it; nothing changes.
    pub fn play(&mut self, mv: Move, now: Instant) -> Result<(), IllegalMove> {
        let side = self.position().side;
        self.game.play(mv)?;
        if let Some(since) = self.since.replace(now) {
            self.used[side as usize] += now.saturating_duration_since(since);
        }
        Ok(())
    }

    /// The lines above and below the rows of a search; empty without tables.
    pub fn rules(&self) -> [String; 2] {
        match self.console.verbosity {
            0 => [String::new(), String::new()],
            _ => [format!("\n{HEADER}\n{RULE}\n"), format!("{RULE}\n")],
        }
    }

    /// The bounds of a search for the side to move.
    pub fn limits(&self) -> Limits {
        let clock = match self.clock {
            Clock::Game {
                remaining,
                increment,
            } => {
                let used = self.used[self.position().side as usize];
                let left = remaining.saturating_sub(used).max(Duration::from_millis(1));
                Clock::Game {
                    remaining: left,
                    increment,
                }
            }
            clock => clock,
        };
        limits(self.level, &self.console, clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Selectivity;

    #[test]
    fn console_options_replace_the_level() {
        let plain = limits(None, &ConsoleOptions::default(), Clock::Unlimited);
        assert_eq!((plain.depth, plain.selectivity), (21, Selectivity::P73));
        let options = ConsoleOptions {
            depth: Some(9),
            selectivity: Some(Selectivity::P95),
            ..ConsoleOptions::default()
        };
        let asked = limits(Level::new(4).ok(), &options, Clock::Unlimited);
        assert_eq!(
            (asked.depth, asked.exact_empties, asked.selectivity),
            (9, 9, Selectivity::P95)
        );
        let clock = Clock::Move(Duration::from_secs(1));
        assert_eq!(
            limits(None, &ConsoleOptions::default(), clock),
            Level::MAX.limits(clock)
        );
    }

    #[test]
    fn a_side_uses_the_time_until_it_has_moved() {
        let start = crate::util::patience::origin();
        let mut state = Edax::new(&SessionOptions::default());
        let play = |state: &mut Edax, name: &str, millis| {
            state
                .play(
                    Move::Place(name.parse().unwrap()),
                    start + Duration::from_millis(millis),
                )
                .unwrap();
        };
        state.clock = Clock::Game {
            remaining: Duration::from_secs(10),
            increment: Duration::ZERO,
        };
        play(&mut state, "f5", 5);
        play(&mut state, "d6", 1005);
        play(&mut state, "c3", 4005);
        assert_eq!(state.used, [3, 1].map(Duration::from_secs));
        assert!(
            matches!(state.limits().clock, Clock::Game { remaining, .. } if remaining.as_secs() == 9)
        );
    }
}
