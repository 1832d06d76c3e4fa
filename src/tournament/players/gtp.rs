//! A player that speaks GTP 2 through a child process.
//!
//! It gets each move by `play`, passes included, and chooses by `genmove`. `time_settings` follows the Othello match tools:
//! `M I 0` is an increment, `0 T 0` a time per move, `0 T N` a time for N moves. `time_left` for both sides precedes each request.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::{Budget, Clock, Fault, MoveReply, MoveRequest, Note, Player, SYNC_PATIENCE};
use crate::board::{Move, Position, Square};
use crate::peers::process::{Process, Silence};
use crate::search;

/// The text of an answer, or the engine's complaint.
type Reply = Result<String, String>;

pub struct GtpPlayer {
    process: Process,
    commands: HashSet<String>,
    /// The moves on the engine's board; `None` when it must be set up again.
    known: Option<Vec<Move>>,
    /// The wait for an answer without a search; longer before its first game.
    patience: Duration,
    name: Option<String>,
    fractions: bool,
}

impl GtpPlayer {
    /// Takes over a process just started.
    ///
    /// # Errors
    /// When it does not list its commands within `patience`.
    pub fn new(process: Process, patience: Duration) -> Result<Self, Fault> {
        let mut player = Self {
            process,
            commands: HashSet::new(),
            known: None,
            patience,
            name: None,
            fractions: true,
        };
        let asked = player.ask("list_commands", patience);
        let (reply, _) = asked.map_err(|fault| fault.with_last_words(&player.process))?;
        let list = reply.map_err(|text| Fault::Start(format!("list_commands: {text}")))?;
        player.commands = list.split_whitespace().map(str::to_owned).collect();
        for part in ["name", "version"] {
            if player.knows(part)
                && let (Ok(text), _) = player.ask(part, patience)?
            {
                let name = player.name.take().unwrap_or_default();
                player.name = Some(format!("{name} {text}").trim().to_owned())
                    .filter(|name| !name.is_empty());
            }
        }
        Ok(player)
    }

    pub fn init(&mut self, commands: &[String]) -> Result<(), Fault> {
        commands.iter().try_for_each(|command| self.tell(command))
    }

    /// Sends a command and waits for its whole answer; also returns the time of its first line.
    fn ask(&mut self, command: &str, patience: Duration) -> Result<(Reply, Instant), Fault> {
        let deadline = Instant::now() + patience;
        let fault = |silence: Silence| Fault::of_silence(&silence, command);
        self.process.send(command);
        let first = |line: &str| {
            let rest = line.strip_prefix(['=', '?'])?.trim();
            Some((line.starts_with('='), rest.to_owned()))
        };
        let ((is_done, mut text), at) = self.process.wait_for(deadline, first).map_err(fault)?;
        // A blank line ends the answer.
        let rest = |line: &str| {
            let is_end = line.trim().is_empty();
            if !is_end {
                text += &format!("\n{}", line.trim_end());
            }
            is_end.then_some(())
        };
        self.process.wait_for(deadline, rest).map_err(fault)?;
        Ok((if is_done { Ok(text) } else { Err(text) }, at))
    }

    /// Sends a command that must succeed.
    fn tell(&mut self, command: &str) -> Result<(), Fault> {
        let (reply, _) = self.ask(command, self.patience)?;
        reply
            .map(drop)
            .map_err(|text| Fault::Protocol(format!("refused `{command}`: {text}")))
    }

    pub fn knows(&self, command: &str) -> bool {
        self.commands.contains(command)
    }

    /// Sends a command with times, again in whole seconds if the engine refuses fractions.
    fn tell_time(&mut self, command: impl Fn(bool) -> String) -> Result<(), Fault> {
        let (reply, _) = self.ask(&command(self.fractions), self.patience)?;
        if reply.is_err() && self.fractions {
            self.fractions = false;
            self.tell(&command(false))?;
        }
        Ok(())
    }

    /// Brings the engine's board to the position of the request.
    fn set_board(&mut self, request: &MoveRequest) -> Result<(), Fault> {
        if request.game.start() != Position::START {
            return Err(Fault::Start(
                "GTP cannot set up a position without moves".to_owned(),
            ));
        }
        let moves = request.game.moves();
        let known = match self.known.take() {
            Some(known) if moves.starts_with(&known) => known.len(),
            _ => {
                self.tell("clear_board")?;
                0
            }
        };
        for (position, mv) in request.game.steps().skip(known) {
            // Every known engine reads lower case.
            let command = format!("play {} {}", position.side, mv.in_words());
            match mv {
                Move::Place(_) => self.tell(&command)?,
                // GRhino refuses a pass: the next move of the other color implies it.
                Move::Pass => drop(self.ask(&command, self.patience)?),
            }
        }
        self.known = Some(moves.to_vec());
        Ok(())
    }

    fn set_clocks(&mut self, request: &MoveRequest) -> Result<(), Fault> {
        if !request.budget.time.runs_down() || !self.knows("time_left") {
            return Ok(());
        }
        let side = request.side();
        for (color, of) in [(side, 0), (side.other(), 1)] {
            let left = request.left[of];
            let moves = request.period[of];
            self.tell_time(|fractions| {
                format!("time_left {color} {} {moves}", seconds(left, fractions))
            })?;
        }
        Ok(())
    }
}

impl Drop for GtpPlayer {
    fn drop(&mut self) {
        self.process.quit();
    }
}

impl Player for GtpPlayer {
    fn new_game(&mut self, budget: &Budget) -> Result<(), Fault> {
        self.known = None;
        self.tell("boardsize 8")?;
        self.tell("clear_board")?;
        self.known = Some(Vec::new());
        if let Some(level) = budget.level.filter(|_| self.knows("set_level")) {
            self.tell(&format!("set_level {level}"))?;
        }
        if budget.time != Clock::UNLIMITED && self.knows("time_settings") {
            self.tell_time(|fractions| time_settings(budget.time, fractions))?;
        }
        self.patience = SYNC_PATIENCE;
        Ok(())
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<MoveReply, Fault> {
        self.set_board(request)?;
        self.set_clocks(request)?;
        let command = format!("genmove {}", request.side());
        let start = Instant::now();
        let (reply, at) = self.ask(&command, request.patience)?;
        let text = reply.map_err(|text| Fault::Protocol(format!("refused `{command}`: {text}")))?;
        let time = at.saturating_duration_since(start);
        let mv =
            if text.trim().eq_ignore_ascii_case("resign") {
                None
            } else {
                let mv = parse_vertex(&text);
                Some(mv.ok_or_else(|| {
                    Fault::Protocol(format!("the answer to `{command}` is `{text}`"))
                })?)
            };
        if let Some(known) = &mut self.known {
            known.extend(mv);
        }
        Ok(MoveReply {
            mv,
            note: Note { eval: None, time },
        })
    }

    fn remarks(&self, budget: &Budget) -> Vec<String> {
        let unknown =
            |command: &str, item: &str| format!("lists no {command}: it does not get {item}");
        let clock = (budget.time != Clock::UNLIMITED && !self.knows("time_settings"))
            .then(|| unknown("time_settings", "its clock"));
        let level = (budget.level.is_some() && !self.knows("set_level"))
            .then(|| unknown("set_level", "the level and keeps its own"));
        let name = self
            .name
            .iter()
            .map(|name| format!("reports the name {name}"));
        name.chain(clock).chain(level).collect()
    }

    fn tail(&self) -> Vec<String> {
        self.process.tail()
    }
}

fn parse_vertex(text: &str) -> Option<Move> {
    match text.trim() {
        text if text.eq_ignore_ascii_case("pass") || text.eq_ignore_ascii_case("pa") => {
            Some(Move::Pass)
        }
        text => text.parse::<Square>().ok().map(Move::Place),
    }
}

/// Seconds as a decimal, or whole, rounded down: better too early than too late.
fn seconds(time: Duration, fractions: bool) -> String {
    if fractions && time.subsec_millis() != 0 {
        format!("{:.3}", time.as_secs_f64())
    } else {
        time.as_secs().to_string()
    }
}

fn time_settings(time: Clock, fractions: bool) -> String {
    let part = |time| seconds(time, fractions);
    match time {
        Clock::Search(search::Clock::Unlimited) => "time_settings 0 0 0".to_owned(),
        Clock::Search(search::Clock::Game {
            remaining: main,
            increment,
        }) => {
            format!("time_settings {} {} 0", part(main), part(increment))
        }
        // A whole second at least: 0 would lift the limit.
        Clock::Search(search::Clock::Move(time)) if !fractions => {
            format!("time_settings 0 {} 0", time.as_secs().max(1))
        }
        Clock::Search(search::Clock::Move(time)) => format!("time_settings 0 {} 0", part(time)),
        Clock::Period { moves, time } if !fractions => {
            format!("time_settings 0 {} {moves}", time.as_secs().max(1))
        }
        Clock::Period { moves, time } => format!("time_settings 0 {} {moves}", part(time)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_read_in_any_case() {
        assert_eq!(parse_vertex("F5"), "f5".parse().ok().map(Move::Place));
        assert_eq!(parse_vertex("f5 "), "f5".parse().ok().map(Move::Place));
        assert_eq!(parse_vertex("PASS"), Some(Move::Pass));
        assert_eq!(parse_vertex("resign"), None);
        assert_eq!(parse_vertex(""), None);
    }

    #[test]
    fn time_settings_follow_the_match_tools() {
        let ms = Duration::from_millis;
        let game = Clock::Search(search::Clock::Game {
            remaining: ms(60_000),
            increment: ms(500),
        });
        assert_eq!(time_settings(game, true), "time_settings 60 0.500 0");
        assert_eq!(time_settings(game, false), "time_settings 60 0 0");
        assert_eq!(
            time_settings(Clock::per_move(ms(100)), true),
            "time_settings 0 0.100 0"
        );
        assert_eq!(
            time_settings(Clock::per_move(ms(100)), false),
            "time_settings 0 1 0"
        );
        let period = Clock::parse("40/0.5").unwrap();
        assert_eq!(time_settings(period, true), "time_settings 0 0.500 40");
        assert_eq!(time_settings(period, false), "time_settings 0 1 40");
    }
}
