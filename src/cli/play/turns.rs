//! Turns: the engine's, another player's, and what happens when a move is made.

use std::io;
use std::time::{Duration, Instant};

use super::seat::{Opponent, Seat};
use super::session::Play;
use super::table::MoveNote;
use super::thinking::{Purpose, Thinking};
use crate::board::{Color, Move, Position, Score};
use crate::book::names::name_of_line;
use crate::engine::{Choice, Job};
use crate::search::{Clock, Limits, Line, SearchResult, Task};
use crate::tournament::players::{MoveReply, TimeControl};
use crate::util::printable::escaped;

/// How often another player is asked whether it has a move.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long to wait for another player's move: without a clock, and beyond it.
const PATIENCE: [Duration; 2] = [Duration::from_secs(120), Duration::from_secs(10)];

impl Play {
    pub(super) fn seat(&self, color: Color) -> &Seat {
        &self.setup.seats[usize::from(color == Color::White)]
    }

    pub(super) fn name(&self, color: Color) -> String {
        match self.seat(color) {
            Seat::Human => "Human".into(),
            Seat::Engine => format!("Emilia level {}", self.setup.level),
            Seat::Player(spec) => spec.name.clone(),
        }
    }

    /// Someone at the keyboard moves for the side.
    pub(super) fn is_human(&self, color: Color) -> bool {
        *self.seat(color) == Seat::Human
    }

    /// Lets the side to move be moved for: by the player who sits there, else by the engine.
    pub(super) fn machine_turn(&mut self, now: Instant) -> io::Result<()> {
        match self.seat(self.setup.table.position().side) {
            Seat::Player(_) => self.opponents_turn(now),
            _ => self.engine_turn(now),
        }
    }

    /// Plays the book's move, or starts a search for one.
    fn engine_turn(&mut self, now: Instant) -> io::Result<()> {
        let table = &self.setup.table;
        let Position { board, side } = table.position();
        let task = Task { handicap: self.setup.handicap, ..Task::new(board, self.limits()) };
        let choice = match self.library.choose(table.game(), task) {
            Ok(choice) => choice,
            Err(damage) => {
                self.say(damage)?;
                Choice::Search(task)
            }
        };
        let line = match choice {
            Choice::Book(line) => line,
            Choice::Search(task) => {
                self.start(task, Purpose::Move, now);
                return Ok(());
            }
        };
        let mv = line.pv[0];
        let score = line.score.map(Score::discs);
        if let Some(score) = score {
            self.note(score, "book".into());
        }
        let mut after = self.setup.table.game().clone();
        let name = after.play(mv).ok().and_then(|()| name_of_line(after.positions().iter().map(|p| p.board)));
        let name = name.map(|name| self.setup.language.opening(name));
        let known = name.map_or_else(|| "book".to_owned(), |name| format!("book: {name}"));
        self.tell_move(side, mv, &format!(" ({known})"))?;
        let seconds = self.measures_time().then_some(0.0);
        self.play(mv, MoveNote { seconds, score }, now)
    }

    /// Tells a move that was not typed.
    fn tell_move(&mut self, side: Color, mv: Move, known: &str) -> io::Result<()> {
        let shown = self.setup.style.strong(&mv.in_words());
        self.say_painted(&format!("\n{} plays {shown}{known}", self.colored(side)))
    }

    /// Starts a search.
    pub(super) fn start(&mut self, task: Task, purpose: Purpose, now: Instant) {
        let job = Some(self.engine.start(Job::Search(task)));
        let told = now;
        self.thinking =
            Some(Thinking { job, task, purpose, began: now, told, waiting_is_told: false, so_far: None });
    }

    fn limits(&self) -> Limits {
        let table = &self.setup.table;
        let clock = match (table.move_time, table.remaining(table.position().side), table.clock) {
            (Some(time), _, _) => Clock::Move(time),
            (None, Some(remaining), Some(clock)) => Clock::Game {
                remaining: Duration::from_secs_f64(remaining),
                increment: Duration::from_secs_f64(clock.increment),
            },
            _ => Clock::Unlimited,
        };
        self.setup.level.limits(clock)
    }

    /// Asks the player who sits there for a move.
    fn opponents_turn(&mut self, now: Instant) -> io::Result<()> {
        let side = self.setup.table.position().side;
        let Seat::Player(spec) = self.seat(side).clone() else { return Ok(()) };
        let budget = spec.options.budget(self.setup.table.budget());
        let known = budget.time;
        let left = [side, side.other()].map(|color| {
            let left = self.setup.table.remaining(color).map(Duration::from_secs_f64);
            left.filter(|_| known.is_for_game()).unwrap_or(known.at_start(PATIENCE[0]))
        });
        let patience = if known == TimeControl::Unlimited { PATIENCE[0] } else { left[0] + PATIENCE[1] };
        let opponent = &mut self.opponents[usize::from(side == Color::White)];
        let opponent = match opponent {
            Some(opponent) => opponent,
            none => none.insert(Opponent::start(*spec, self.setup.seed)?),
        };
        opponent.ask(self.setup.table.game(), budget, left, patience);
        let task = Task::new(self.setup.table.position().board, self.limits());
        self.thinking = Some(Thinking {
            job: None,
            task,
            purpose: Purpose::Opponent,
            began: now,
            told: now,
            waiting_is_told: false,
            so_far: None,
        });
        self.look_at = now + LOOK_EVERY;
        Ok(())
    }

    /// Looks whether the player who thinks has a move.
    pub(super) fn look(&mut self, now: Instant) -> io::Result<()> {
        let side = self.setup.table.position().side;
        let thinks = |thinking: &mut Thinking| matches!(thinking.purpose, Purpose::Opponent);
        if !self.thinking.as_mut().is_some_and(thinks) {
            return Ok(());
        }
        self.look_at = now + LOOK_EVERY;
        let opponent = &self.opponents[usize::from(side == Color::White)];
        let Some(reply) = opponent.as_ref().and_then(Opponent::reply) else { return Ok(()) };
        self.thinking = None;
        let told = match reply {
            Ok(MoveReply { mv: Some(mv), note }) if self.setup.table.game().clone().play(mv).is_ok() => {
                if let Some(score) = note.eval {
                    self.note(score, self.name(side));
                }
                self.tell_move(side, mv, "")?;
                let seconds = self.measures_time().then_some(note.time.as_secs_f64());
                return self.play(mv, MoveNote { seconds, score: note.eval }, now);
            }
            Ok(MoveReply { mv: Some(mv), .. }) => format!("wants to play {mv}, which is illegal"),
            Ok(MoveReply { mv: None, .. }) => "resigns".to_owned(),
            Err(fault) => format!("makes no move: {fault}"),
        };
        self.waits = true;
        let (side, name) = (self.colored(side), self.name(side));
        let told = format!("{name}, {told}; go asks it again, undo takes back");
        self.say_painted(&format!("\n{side}, {}", escaped(&told)))
    }

    pub(super) fn engine_moves(
        &mut self,
        task: &Task,
        mut result: SearchResult,
        began: Instant,
        now: Instant,
    ) -> io::Result<()> {
        self.library.settle(task, &mut result);
        let Some(mv) = result.best else { return Ok(()) };
        let score = result.info.lines.first().and_then(Line::discs);
        if let Some(line) = result.info.lines.first() {
            self.note_score(line);
        }
        self.tell_move(self.setup.table.position().side, mv, "")?;
        let time = now.saturating_duration_since(began).as_secs_f64();
        let seconds = self.measures_time().then_some(time);
        self.play(mv, MoveNote { seconds, score }, now)
    }

    /// Times are noise in a script without a clock, so that its files can be compared.
    pub(super) fn measures_time(&self) -> bool {
        self.setup.is_interactive || self.setup.table.clock.is_some()
    }

    pub(super) fn play(&mut self, mv: Move, turn: MoveNote, now: Instant) -> io::Result<()> {
        if let Err(error) = self.setup.table.play(mv, turn) {
            return self.say(format!("{error}; moves lists the legal ones"));
        }
        self.waits = false;
        self.refused = None;
        self.turn_begins(now)?;
        self.keep()
    }

    /// Shows the board, or plays a forced pass first.
    pub(super) fn turn_begins(&mut self, now: Instant) -> io::Result<()> {
        let position = self.setup.table.position();
        self.clock_starts(now);
        if !position.is_over() && position.board.moves() == 0 {
            self.say_painted(&format!("\n{} has no move and passes", self.colored(position.side)))?;
            let passed = self.setup.table.play(Move::Pass, MoveNote::default());
            debug_assert!(passed.is_ok());
        }
        self.show(now)?;
        if self.is_over() { self.say(self.result()) } else { Ok(()) }
    }
}
