//! Turns: the engine's, and every move that is made or taken back.

use std::io;
use std::time::Instant;

use super::seat::Seat;
use super::state::{Play, Purpose};
use crate::board::{Color, Move, Position, Score};
use crate::book::names::name_of_line;
use crate::engine::Choice;
use crate::notation::ggf::Ply;
use crate::search::{Limits, Line, SearchResult, Task};

impl Play {
    /// Plays the book's move, or starts a search for one.
    pub(super) fn engine_turn(&mut self, now: Instant) -> io::Result<()> {
        let Position { board, side } = self.position();
        let task = Task {
            handicap: self.setup.handicap,
            ..Task::new(board, self.limits())
        };
        let choice = self
            .library
            .choose(self.setup.table.game(), task)
            .or_else(|damage| {
                self.say(damage)?;
                io::Result::Ok(Choice::Search(task))
            })?;
        let line = match choice {
            Choice::Book(line) => line,
            Choice::Search(task) => {
                self.start(task, Purpose::Move(task), now);
                return Ok(());
            }
        };
        let mv = line.pv[0];
        let score = line.score.map(Score::discs);
        let mut after = self.setup.table.game().clone();
        let name = after
            .play(mv)
            .ok()
            .and_then(|()| name_of_line(after.positions().iter().map(|p| p.board)));
        let name = name.map(|name| self.setup.language.opening(name));
        let known = name.map_or_else(|| "book".to_owned(), |name| format!("book: {name}"));
        self.announce(side, mv, &format!(" ({known})"))?;
        self.plays(mv, 0.0, score, now)
    }

    fn announce(&mut self, side: Color, mv: Move, note: &str) -> io::Result<()> {
        let shown = self.setup.style.strong(&mv.in_words());
        self.say_painted(&format!("\n{} plays {shown}{note}", self.colored(side)))
    }

    fn limits(&self) -> Limits {
        let clock = self.setup.table.search_clock(self.position().side);
        self.setup.level.limits(clock)
    }

    pub(super) fn engine_moves(
        &mut self,
        task: &Task,
        mut result: SearchResult,
        now: Instant,
    ) -> io::Result<()> {
        self.library.vary(task, &mut result);
        let Some(mv) = result.best else { return Ok(()) };
        self.announce(self.position().side, mv, "")?;
        self.plays(
            mv,
            self.thought(now),
            result.info.lines.first().and_then(Line::discs),
            now,
        )
    }

    fn plays(
        &mut self,
        mv: Move,
        seconds: f64,
        score: Option<f64>,
        now: Instant,
    ) -> io::Result<()> {
        let seconds = self.measures_time().then_some(seconds);
        self.play(
            mv,
            Ply {
                seconds,
                eval: score,
                ..Ply::default()
            },
            now,
        )
    }

    pub(super) fn play(&mut self, mv: Move, note: Ply, now: Instant) -> io::Result<()> {
        if let Err(error) = self.setup.table.play(mv, note) {
            return self.say(format!("{error}; moves lists the legal ones"));
        }
        self.waits = false;
        self.turn_begins(now)?;
        self.keep()
    }

    /// Draws the board, after a forced pass.
    pub(super) fn turn_begins(&mut self, now: Instant) -> io::Result<()> {
        let position = self.position();
        self.clock_starts(now);
        if !position.is_over() && position.board.moves().is_empty() {
            self.say_painted(&format!(
                "\n{} has no move and passes",
                self.colored(position.side)
            ))?;
            let passed = self.setup.table.play(Move::Pass, Ply::default());
            debug_assert!(passed.is_ok());
        }
        self.show(now)?;
        if self.is_over() {
            self.say(self.result())
        } else {
            Ok(())
        }
    }

    /// Says that the engine waits for `go`.
    pub(super) fn say_waiting(&mut self) -> io::Result<()> {
        let side = self.position().side;
        let waits = self.waits && !self.is_over() && !self.is_human(side);
        if waits {
            self.say(format!("It is {}'s turn: go lets it move", side.title()))
        } else {
            Ok(())
        }
    }

    /// Takes back to the last turn of a person, or one turn if no person has moved.
    pub(super) fn undo(&mut self, now: Instant) -> io::Result<()> {
        if !self.setup.table.take_back() {
            return self.say("There is nothing to take back");
        }
        let one_back = self.setup.table.clone();
        let can_move = |play: &Self| {
            let position = play.position();
            play.is_human(position.side) && !position.board.moves().is_empty()
        };
        while self.setup.seats.contains(&Seat::Human) && !can_move(self) {
            if !self.setup.table.take_back() {
                self.setup.table = one_back;
                break;
            }
        }
        self.moved_in_game(now)
    }

    /// Plays again to the next turn of a person.
    pub(super) fn redo(&mut self, now: Instant) -> io::Result<()> {
        if !self.setup.table.play_again() {
            return self.say("There is nothing to redo");
        }
        while self.setup.seats.contains(&Seat::Human)
            && !self.is_human(self.position().side)
            && self.setup.table.play_again()
        {}
        self.moved_in_game(now)
    }

    fn moved_in_game(&mut self, now: Instant) -> io::Result<()> {
        self.waits = true;
        self.clock_starts(now);
        self.show(now)?;
        self.say_waiting()?;
        self.keep()
    }
}
