//! Turns: the engine's, another player's, and every move that is made or taken back.

use std::io;
use std::time::{Duration, Instant};

use super::seat::{Opponent, Seat};
use super::state::{Play, Purpose, Thinking};
use crate::board::{Color, Move, Position, Score};
use crate::book::names::name_of_line;
use crate::engine::Choice;
use crate::notation::ggf::Ply;
use crate::search::{Clock, Limits, Line, SearchResult, Task};
use crate::tournament::players::{MatchClock, MoveReply};
use crate::util::printable::escaped;

/// The interval between looks at an opponent's reply.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The longest wait for an opponent's move: without a clock, and after its time is up.
const PATIENCE: [Duration; 2] = [Duration::from_secs(120), Duration::from_secs(10)];

impl Play {
    /// Asks the player of the side to move for a move; the engine moves for a person.
    pub(super) fn machine_turn(&mut self, now: Instant) -> io::Result<()> {
        match self.seat(self.position().side) {
            Seat::Player(_) => self.opponents_turn(now),
            _ => self.engine_turn(now),
        }
    }

    /// Plays the book's move, or starts a search for one.
    fn engine_turn(&mut self, now: Instant) -> io::Result<()> {
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
        let table = &self.setup.table;
        let left = table.remaining(self.position().side).unwrap_or_default();
        self.setup
            .level
            .limits(table.budget().time.with_left(Duration::from_secs_f64(left)))
    }

    fn opponents_turn(&mut self, now: Instant) -> io::Result<()> {
        let side = self.position().side;
        let Seat::Player(spec) = self.seat(side).clone() else {
            return Ok(());
        };
        let budget = spec.options.budget(self.setup.table.budget());
        let left = [side, side.other()].map(|color| {
            let left = self
                .setup
                .table
                .remaining(color)
                .map(Duration::from_secs_f64);
            left.filter(|_| budget.time.is_for_game())
                .unwrap_or(budget.time.at_start(PATIENCE[0]))
        });
        let is_free = budget.time == Clock::Unlimited;
        let patience = if is_free {
            PATIENCE[0]
        } else {
            left[0] + PATIENCE[1]
        };
        let opponent = match &mut self.opponents[side as usize] {
            Some(opponent) => opponent,
            none => none.insert(Opponent::start(*spec, self.setup.seed)?),
        };
        opponent.ask(self.setup.table.game(), budget, left, patience);
        self.thinks(None, Purpose::Opponent, now);
        self.look_at = now + LOOK_EVERY;
        Ok(())
    }

    /// Plays the move of an opponent that has answered.
    pub(super) fn look(&mut self, now: Instant) -> io::Result<()> {
        if !matches!(
            self.thinking,
            Some(Thinking {
                purpose: Purpose::Opponent,
                ..
            })
        ) {
            return Ok(());
        }
        self.look_at = now + LOOK_EVERY;
        let side = self.position().side;
        let opponent = &self.opponents[side as usize];
        let Some(reply) = opponent.as_ref().and_then(Opponent::reply) else {
            return Ok(());
        };
        self.thinking = None;
        let fault = match reply {
            Ok(MoveReply { mv: Some(mv), note })
                if self.setup.table.game().clone().play(mv).is_ok() =>
            {
                self.announce(side, mv, "")?;
                return self.plays(mv, note.time.as_secs_f64(), note.eval, now);
            }
            Ok(MoveReply { mv: Some(mv), .. }) => format!("wants to play {mv}, which is illegal"),
            Ok(MoveReply { mv: None, .. }) => "resigns".to_owned(),
            Err(fault) => format!("makes no move: {fault}"),
        };
        self.waits = true;
        let text = format!(
            "{}, {fault}; go asks it again, undo takes back",
            self.name(side)
        );
        self.say_painted(&format!("\n{}, {}", self.colored(side), escaped(&text)))
    }

    pub(super) fn engine_moves(
        &mut self,
        task: &Task,
        mut result: SearchResult,
        now: Instant,
    ) -> io::Result<()> {
        self.library.settle(task, &mut result);
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

    /// Says that the engine or an opponent waits for `go`.
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
