//! Talking to an engine under test.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::check::{CheckResult, Miss, Target, fail, ms};
use crate::board::{Game, Move, Position, squares};
use crate::notation::ggf::GgfGame;
use crate::notation::moves::{MoveToken, parse_game};
use crate::peers::gtp::{Reply, begin_of_answer, rest_of_answer};
use crate::peers::nboard::parse_reply;
use crate::peers::process::{OutputLine, Process, Silence};

/// For anything that is not thinking.
pub(super) const SOON: Duration = Duration::from_secs(10);
/// For a short search on a busy machine.
pub(super) const LATER: Duration = Duration::from_secs(30);

/// A position with many moves and no solution in sight: searches go on for as long as they may.
pub(super) const OPENING: &str = "f5d6c3d3c4f4f6f3e6e7";
/// A whole game: Black takes all discs.
pub(super) const WIPE_OUT: &str = "e6f4e3f6g5d6e7f5c5";

/// The game of a transcript of ours.
pub(super) fn game(moves: &str) -> Game {
    parse_game(Position::START, moves).expect("the transcripts here are legal")
}

/// The game of [`OPENING`].
pub(super) fn opening() -> Game {
    game(OPENING)
}

/// A position in which the side to move must pass, found by random play.
pub(super) fn forced_pass() -> Game {
    let mut rng = crate::util::rng::Rng::new(12);
    loop {
        let mut game = Game::default();
        while !game.is_over() {
            let moves = game.position().board.moves();
            if moves == 0 {
                return game;
            }
            let pick = rng.below(moves.count_ones()) as usize;
            let square = squares(moves).nth(pick).expect("the pick is one of them");
            game.play_square(square).expect("it is legal");
        }
    }
}

/// The text of a game for `set game`.
pub(super) fn ggf(game: &Game, clock: &str, seconds: f64) -> String {
    let mut text = GgfGame::new(game.start())
        .with_tag("PC", "NBoard")
        .with_tag("PB", "a")
        .with_tag("PW", "b")
        .with_tag("RE", "?")
        .with_tag("TI", clock);
    for &mv in game.moves() {
        text.push(MoveToken { mv, eval: None, seconds: Some(seconds) }).expect("it was legal before");
    }
    text.to_string()
}

/// An NBoard engine.
pub(super) struct NBoard {
    pub(super) process: Process,
    pings: u32,
}

impl NBoard {
    /// Starts the engine and says hello.
    pub(super) fn start(target: &Target) -> Result<Self, Miss> {
        let mut engine = Self::silent(target)?;
        engine.process.send("nboard 2");
        engine.sync()?;
        Ok(engine)
    }

    /// Starts the engine and says nothing.
    pub(super) fn silent(target: &Target) -> Result<Self, Miss> {
        Ok(Self { process: target.spawn()?, pings: 100 })
    }

    /// Starts the engine, says hello and gives it a game.
    pub(super) fn at(target: &Target, game: &Game) -> Result<Self, Miss> {
        let engine = Self::start(target)?;
        engine.load(game);
        Ok(engine)
    }

    /// As [`NBoard::at`], with searches that go on for as long as they may.
    pub(super) fn deep(target: &Target, game: &Game) -> Result<Self, Miss> {
        let mut engine = Self::at(target, game)?;
        engine.send("set depth 60");
        engine.sync()?;
        Ok(engine)
    }

    pub(super) fn send(&self, line: &str) {
        self.process.send(line);
    }

    /// Gives it a game without clocks.
    pub(super) fn load(&self, game: &Game) {
        self.send(&format!("set game {}", ggf(game, "0", 0.0)));
    }

    /// Sends a ping; gives all lines before its pong.
    pub(super) fn sync(&mut self) -> Result<Vec<String>, Miss> {
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        self.send(&format!("ping {}", self.pings));
        self.until(SOON, |text| text == pong).map(|mut lines| {
            lines.pop();
            lines.into_iter().map(|line| line.text).collect()
        })
    }

    /// All lines up to and with the first that `last` accepts.
    pub(super) fn until(
        &mut self,
        within: Duration,
        mut last: impl FnMut(&str) -> bool,
    ) -> Result<Vec<OutputLine>, Miss> {
        let deadline = Instant::now() + within;
        let mut lines = Vec::new();
        loop {
            match self.process.next_line(deadline) {
                Ok(line) => {
                    lines.push(line);
                    if lines.last().is_some_and(|line| last(&line.text)) {
                        return Ok(lines);
                    }
                    if lines.len() > 20_000 {
                        return fail("more than 20,000 lines without the one waited for");
                    }
                }
                Err(silence) => {
                    let seen = lines.last().map_or("nothing", |line: &OutputLine| &line.text);
                    return fail(format!("{silence}; last seen: {seen}"));
                }
            }
        }
    }

    /// All lines for this long.
    pub(super) fn listen(&mut self, time: Duration) -> Result<Vec<OutputLine>, Miss> {
        let deadline = Instant::now() + time;
        let mut lines = Vec::new();
        loop {
            match self.process.next_line(deadline) {
                Ok(line) => lines.push(line),
                Err(Silence::Deadline) => return Ok(lines),
                Err(silence) => return Err(silence.into()),
            }
        }
    }

    /// Sends `go` and waits for its one answer: the text after `===`, and how long it took.
    pub(super) fn go(&mut self, within: Duration) -> Result<(String, Duration), Miss> {
        let start = Instant::now();
        self.send("go");
        let lines = self.until(within, |text| text.starts_with("==="))?;
        let last = lines.last().map_or_else(|| (String::new(), start), |line| (line.text.clone(), line.at));
        Ok((last.0[3..].to_owned(), last.1.saturating_duration_since(start)))
    }

    /// Sends `go`; the move of the answer.
    pub(super) fn go_move(&mut self) -> Result<Move, Miss> {
        let (text, _) = self.go(LATER)?;
        match parse_reply(&text) {
            Some((mv, _)) => Ok(mv),
            None => fail(format!("`==={text}` names no move")),
        }
    }

    /// The moves that `hint 64` names at depth 1, upper case.
    pub(super) fn hinted(&mut self, expected: usize) -> Result<BTreeSet<String>, Miss> {
        self.send("set depth 1");
        self.sync()?;
        self.send("hint 64");
        let mut seen = BTreeSet::new();
        let mut note = |text: &str| {
            let mut words = text.split_whitespace();
            if matches!(words.next(), Some("search" | "book")) {
                seen.extend(words.next().and_then(|pv| pv.get(..2)).map(str::to_ascii_uppercase));
            }
            seen.len()
        };
        let deadline = Instant::now() + SOON;
        while expected > 0 && Instant::now() < deadline {
            match self.process.next_line(deadline) {
                Ok(line) if note(&line.text) >= expected => break,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        for line in self.sync()? {
            note(&line);
        }
        Ok(seen)
    }

    /// Fails unless the engine's moves are those of `position`.
    pub(super) fn expect_position(&mut self, position: &Position, after: &str) -> Result<(), Miss> {
        let board = position.board;
        let expected: BTreeSet<String> = match board.moves() {
            0 if board.is_over() => BTreeSet::new(),
            0 => BTreeSet::from(["PA".to_owned()]),
            moves => squares(moves).map(|square| format!("{square:#}")).collect(),
        };
        let seen = self.hinted(expected.len())?;
        if seen == expected {
            return Ok(());
        }
        let text = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        fail(format!("after {after}: hints {} instead of {}", text(&seen), text(&expected)))
    }

    /// Sends something odd and fails unless the engine still lives in the same position.
    pub(super) fn survives(&mut self, line: &str, position: &Position) -> Result<(), Miss> {
        self.send(line);
        let shown: String = line.chars().take(40).collect();
        self.expect_position(position, &format!("`{shown}`"))
    }

    /// Waits for the exit; fails unless it is within a second and with status 0.
    pub(super) fn exits(&mut self, after: &str) -> CheckResult {
        let start = Instant::now();
        match self.process.exit_within(Duration::from_secs(3)) {
            None => fail(format!("still running 3 s after {after}")),
            Some(status) if !status.success() => fail(format!("{status} after {after}")),
            Some(_) if start.elapsed() > Duration::from_millis(1_000) => {
                fail(format!("{} after {after}", ms(start.elapsed())))
            }
            Some(_) => Ok(format!("{} after {after}", ms(start.elapsed()))),
        }
    }

    /// Lines on stderr among the last of the traffic.
    pub(super) fn complaints(&self) -> Vec<String> {
        self.process.tail().into_iter().filter(|line| line.starts_with("! ")).collect()
    }
}

/// A GTP engine.
pub(super) struct Gtp {
    pub(super) process: Process,
}

impl Gtp {
    pub(super) fn start(target: &Target) -> Result<Self, Miss> {
        Ok(Self { process: target.spawn()? })
    }

    /// Sends a command and reads one whole answer; strict about its form. `id` is what must be echoed.
    pub(super) fn ask_id(&mut self, id: &str, command: &str, within: Duration) -> Result<Reply, Miss> {
        self.process.send(&format!("{id}{}{command}", if id.is_empty() { "" } else { " " }));
        self.answer(id, command, within)
    }

    /// Reads one whole answer.
    pub(super) fn answer(&mut self, id: &str, command: &str, within: Duration) -> Result<Reply, Miss> {
        let deadline = Instant::now() + within;
        let shown: String = command.chars().take(40).collect();
        let silent = |what: &str, silence| Miss::Fail(format!("{silence} ({what} of `{shown}`)"));
        let first = self.process.next_line(deadline).map_err(|silence| silent("answer", silence))?.text;
        let is_strict = |begin: &Reply| {
            let (Ok(text) | Err(text)) = begin;
            text.is_empty() || text.starts_with(' ')
        };
        let Some(begin) = begin_of_answer(&first, id).filter(is_strict) else {
            return fail(format!("`{shown}` was answered `{first}`"));
        };
        let rest = rest_of_answer(&mut self.process, begin, deadline);
        let (reply, end) = rest.map_err(|silence| silent("end", silence))?;
        if !end.is_empty() {
            return fail(format!("the answer to `{shown}` ends with blanks instead of an empty line"));
        }
        Ok(reply)
    }

    pub(super) fn ask(&mut self, command: &str) -> Result<Reply, Miss> {
        self.ask_id("", command, LATER)
    }

    /// Asks; the command must succeed.
    pub(super) fn must(&mut self, command: &str) -> Result<String, Miss> {
        self.ask(command)?.map_err(|text| Miss::Fail(format!("`{command}`: ? {text}")))
    }

    /// Asks; the command must fail.
    pub(super) fn refused(&mut self, command: &str) -> Result<String, Miss> {
        match self.ask(command)? {
            Ok(text) => fail(format!("`{command}` was accepted: = {text}")),
            Err(text) => Ok(text),
        }
    }

    /// Starts the engine, with a second per move if it takes that.
    pub(super) fn quick(target: &Target) -> Result<Self, Miss> {
        let mut engine = Self::start(target)?;
        engine.ask("time_settings 0 1 0").map(drop)?;
        Ok(engine)
    }

    /// Plays a transcript from the start.
    pub(super) fn set_up(&mut self, game: &Game) -> Result<(), Miss> {
        self.must("clear_board")?;
        for (position, mv) in game.steps() {
            self.must(&format!("play {} {}", position.side, mv.in_words()))?;
        }
        Ok(())
    }

    /// The board's rows as text, to see whether two positions are the same.
    pub(super) fn board(&mut self) -> Result<String, Miss> {
        self.must("showboard")
    }

    /// Nothing more must be printed.
    pub(super) fn quiet(&mut self) -> Result<(), Miss> {
        match self.process.next_line(Instant::now() + Duration::from_millis(150)) {
            Ok(line) => fail(format!("stray line `{}`", line.text)),
            Err(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_are_what_they_are_called() {
        assert!(game(WIPE_OUT).is_over());
        assert!(game(OPENING).position().board.moves().count_ones() > 6);
        let pass = forced_pass();
        assert!(pass.position().board.moves() == 0 && !pass.is_over());
        assert!(GgfGame::parse(&ggf(&pass, "5:00", 0.5)).unwrap().game() == &pass);
    }
}
