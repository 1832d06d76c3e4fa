//! The table of commands: the names of each and its handler. A move is a command too.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use super::rows::book_row;
use super::state::{EdaxSession, Purpose, Reaction};
use crate::board::{Color, Game, Move, Position};
use crate::engine::{Choice, Level};
use crate::notation::moves::parse_moves;
use crate::protocols::console::printable;
use crate::protocols::squares::read_squares;
use crate::search::{Clock, Selectivity, Task};
use crate::util::commands::Table;
use crate::util::refusal::Refusal;
use crate::util::seconds::parse_seconds;

/// Handles a command; the text is the rest of its line.
type Action = fn(&mut EdaxSession, &str, Instant) -> Reaction;

const COMMANDS: Table<Action> = Table(&[
    ("init i", |session, _, _| set_up(session, Position::START)),
    ("new n", |session, _, _| {
        set_up(session, session.state.game.start())
    }),
    ("setboard", set_board),
    ("play", play_line),
    ("go", |session, _, now| session.go(now)),
    ("hint", hint),
    ("undo u", undo),
    ("mode m", |session, rest, _| {
        set(rest, "mode", 0..=3, |mode| {
            session.state.console.plays = sides_of_mode(mode)
        })
    }),
    ("stop", |session, _, _| {
        session.state.console.plays = [false; 2];
        silent()
    }),
    ("level l", |session, rest, _| {
        set(rest, "level", 0..=60, |number| {
            session.state.level = Level::new(number).ok();
            session.state.console.depth = None;
            session.state.clock = Clock::Unlimited;
        })
    }),
    ("depth d", |session, rest, _| {
        set(rest, "depth", 1..=60, |depth| {
            session.state.console.depth = Some(depth as u8)
        })
    }),
    ("selectivity", |session, rest, _| {
        set(rest, "selectivity", 0..=5, |number| {
            session.state.console.selectivity = Some(selectivity_of(number));
        })
    }),
    ("move-time", |session, rest, _| {
        set_clock(session, rest, Clock::Move)
    }),
    ("game-time t", |session, rest, _| {
        set_clock(session, rest, |remaining| Clock::Game {
            remaining,
            increment: Duration::ZERO,
        })
    }),
    ("verbose", |session, rest, _| {
        set(rest, "verbose", 0..=4, |verbosity| {
            session.state.console.verbosity = verbosity as u8
        })
    }),
    ("quiet", |session, _, _| {
        session.state.console.verbosity = 0;
        silent()
    }),
    ("ponder", |session, rest, _| {
        session.options.ponder = rest.eq_ignore_ascii_case("on");
        silent()
    }),
    // Commands of Edax's book, and settings that Emilia reads only at the start.
    (
        "b book book-usage book-randomness n-tasks hash-table-size noise width name alpha beta all-best",
        |_, _, _| silent(),
    ),
    ("quit q exit eof", |_, _, _| Reaction::Quit),
]);

/// Whether only a client of Edax's console sends `line`.
pub fn is_edax(line: &str) -> bool {
    let (word, rest) = split(line);
    match word.as_str() {
        "init" | "i" | "new" | "level" | "l" | "mode" | "verbose" => true,
        "set" => is_edax(rest),
        _ => false,
    }
}

/// The first word in lower case, and the rest without blanks around.
fn split(line: &str) -> (String, &str) {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word.to_ascii_lowercase(), rest.trim())
}

pub fn run(session: &mut EdaxSession, line: &str, now: Instant) -> Reaction {
    let (mut word, mut rest) = split(line);
    if word.is_empty() || word.starts_with('#') {
        return silent();
    }
    if word == "set" {
        (word, rest) = split(rest);
    }
    rest = rest.strip_prefix('=').map_or(rest, str::trim);
    if let Some(action) = COMMANDS.find(&word) {
        return action(session, rest, now);
    }
    let mv = match word.parse() {
        Ok(square) => Some(Move::Place(square)),
        Err(_) => (word.starts_with("ps") || word.starts_with("pa")).then_some(Move::Pass),
    };
    if let Some(mv) = mv
        && session.state.play(mv, now).is_ok()
    {
        session.library.moved(&session.state.game);
        return Reaction::Text(format!("\nYou play {}\n", name(mv)));
    }
    let line: String = printable(line.trim()).collect();
    let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
    Reaction::Warning(format!(
        "WARNING: Unknown command/Illegal move: \"{word} {rest}\""
    ))
}

/// `F5`, or `PS`.
pub fn name(mv: Move) -> String {
    match mv {
        Move::Place(square) => format!("{square:#}"),
        Move::Pass => "PS".to_owned(),
    }
}

fn silent() -> Reaction {
    Reaction::Text(String::new())
}

/// Calls `set` with a number in its range; a warning for any other text.
fn set(text: &str, name: &str, range: RangeInclusive<u64>, set: impl FnOnce(u64)) -> Reaction {
    number(text, name, range).map_or_else(
        |refusal| Reaction::Warning(refusal.into()),
        |number| {
            set(number);
            silent()
        },
    )
}

fn number(text: &str, name: &str, range: RangeInclusive<u64>) -> Result<u64, Refusal> {
    let number = text
        .split_whitespace()
        .next()
        .and_then(|word| word.parse().ok());
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| {
            let (low, high) = range.into_inner();
            format!("WARNING: {name} = {text} is out of range: {low} to {high}; it stays unchanged")
                .into()
        })
}

/// Edax's numbers of selectivities.
pub fn selectivity_of(number: u64) -> Selectivity {
    let percent = [73, 87, 95, 98, 99, 100];
    Selectivity::at_most(percent[(number as usize).min(percent.len() - 1)])
}

/// Whether the engine plays Black and White in a mode: 0 White, 1 Black, 2 both, 3 neither.
pub fn sides_of_mode(mode: u64) -> [bool; 2] {
    [mode == 1 || mode == 2, mode == 0 || mode == 2]
}

fn set_clock(session: &mut EdaxSession, rest: &str, clock: impl Fn(Duration) -> Clock) -> Reaction {
    match parse_seconds(rest) {
        Ok(time) => {
            (session.state.clock, session.state.level) = (clock(time), None);
            silent()
        }
        Err(expected) => Reaction::Warning(format!("WARNING: {expected}")),
    }
}

fn set_up(session: &mut EdaxSession, start: Position) -> Reaction {
    session.state.set_up(start);
    session.library.set_up(&session.state.game);
    session.clear();
    silent()
}

fn set_board(session: &mut EdaxSession, rest: &str, _: Instant) -> Reaction {
    let bad = || Reaction::Warning("WARNING: board_set: bad string input".to_owned());
    let Some(([black, white], side)) = read_squares(rest) else {
        return bad();
    };
    let empties = 64 - (black | white).count_ones();
    let guessed = if empties.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    };
    let reaction = set_up(
        session,
        Position::from_discs(black, white, side.unwrap_or(guessed)),
    );
    if side.is_none() { bad() } else { reaction }
}

/// The legal moves at the begin of a list, with the forced passes between them.
fn legal_moves(start: Position, text: &str) -> Vec<Move> {
    let mut game = Game::new(start);
    // Moves may have no blanks between them; a pass has two letters, or is a word.
    let length = |word: &str| {
        if word.eq_ignore_ascii_case("pass") {
            word.len()
        } else {
            2
        }
    };
    for word in text.split_whitespace() {
        for part in word.as_bytes().chunks(length(word)) {
            let mv = parse_moves(&String::from_utf8_lossy(part)).ok();
            let played = match mv.as_deref() {
                Some([Move::Place(square)]) => game.play_implying_pass(*square).is_ok(),
                Some([Move::Pass]) => game.pass_if_forced(),
                _ => false,
            };
            if !played {
                return game.moves().to_vec();
            }
        }
    }
    game.moves().to_vec()
}

fn play_line(session: &mut EdaxSession, moves: &str, now: Instant) -> Reaction {
    for mv in legal_moves(session.state.position(), moves) {
        let played = session.state.play(mv, now);
        debug_assert!(played.is_ok(), "they were legal before");
    }
    session.library.moved(&session.state.game);
    silent()
}

fn undo(session: &mut EdaxSession, _: &str, _: Instant) -> Reaction {
    // Two plies where the engine plays one side.
    let [black, white] = session.state.console.plays;
    for _ in 0..1 + usize::from(black != white) {
        session.state.game.undo();
    }
    silent()
}

fn hint(session: &mut EdaxSession, rest: &str, _: Instant) -> Reaction {
    let count = if rest.is_empty() {
        Ok(1)
    } else {
        number(rest, "hint", 1..=60)
    };
    let count = match count {
        Ok(count) => count as usize,
        Err(warning) => return Reaction::Warning(warning.to_string()),
    };
    let position = session.state.position();
    if position.is_over() {
        return silent();
    }
    let [mut head, rule] = session.state.rules();
    if head.is_empty() && !position.board.moves().is_empty() {
        head.push('\n');
    }
    let mut shown = Vec::new();
    for line in session.library.moves(position.board).unwrap_or_default() {
        if let (Some(&mv), Some(score)) = (line.pv.first(), line.score)
            && shown.len() < count
        {
            head += &book_row(mv, position.side, score.discs());
            head.push('\n');
            shown.push(mv);
        }
    }
    if shown.len() == count.min(position.board.moves().len() as usize) {
        return Reaction::Text(head + &rule);
    }
    let task = Task {
        multi_pv: count,
        ..Task::new(position.board, session.state.limits())
    };
    Reaction::Search(Purpose::Hint(count, shown), task, head)
}

impl EdaxSession {
    /// `go`: a pass or a book move at once, or the search for a move.
    pub(super) fn go(&mut self, now: Instant) -> Reaction {
        let position = self.state.position();
        if position.is_over() {
            return Reaction::Text("\n*** Game Over ***\n".to_owned());
        }
        if position.board.moves().is_empty() {
            return Reaction::Text(self.answer(Move::Pass, now));
        }
        let handicap = self.options.handicap;
        let task = Task {
            handicap,
            ..Task::new(position.board, self.state.limits())
        };
        let choice = self.library.choose_or_search(&self.state.game, task);
        match choice {
            Choice::Book(line) => Reaction::Text(self.answer(line.pv[0], now)),
            Choice::Search(task) => {
                let [head, _] = self.state.rules();
                Reaction::Search(Purpose::Go, task, head)
            }
        }
    }

    /// Plays the engine's move; returns the answer.
    pub(super) fn answer(&mut self, mv: Move, now: Instant) -> String {
        let played = self.state.play(mv, now);
        debug_assert!(played.is_ok(), "the search found the illegal move {mv}");
        self.library.moved(&self.state.game);
        // Programs look for these words.
        format!("\nEdax plays {}\n", name(mv))
    }
}
