//! A lesson: a mistake is taken back, with what is wrong with it.

use std::io;
use std::time::Instant;

use super::session::Play;
use super::table::MoveNote;
use super::thinking::{Judged, Purpose, judging_level};
use crate::board::{Move, Square};
use crate::search::{Clock, Line, Proof, SearchResult, Task};
use crate::sentences::{Found, of_mistake};

impl Play {
    /// Judges a typed move, if there is a lesson and the move is a choice; `false` if it is simply played.
    pub(super) fn is_judged(&mut self, mv: Move, note: MoveNote, now: Instant) -> bool {
        let board = self.setup.table.position().board;
        let (Some(_), Some(square)) = (self.setup.lesson, mv.square()) else { return false };
        let is_choice = board.moves() & square.bit() != 0 && board.moves().count_ones() > 1;
        // Played again after it was taken back, it is meant.
        if !is_choice || self.refused == Some(square) {
            return false;
        }
        let task = Task::new(board, judging_level(self.setup.level).limits(Clock::Unlimited));
        self.start(task, Purpose::Lesson(Judged { square, note, best: None }), now);
        true
    }

    /// Goes on with what a search says: searches the move itself, plays it, or takes it back.
    pub(super) fn judge(&mut self, judged: Judged, result: &SearchResult, now: Instant) -> io::Result<()> {
        let Judged { square, note, best } = judged;
        // A judgement that was ended says nothing.
        let Some(line) = result.info.lines.first().filter(|_| !result.stopped) else {
            return self.play(Move::Place(square), note, now);
        };
        let Some(best) = best else {
            if line.pv.first() == Some(&Move::Place(square)) {
                return self.play(Move::Place(square), note, now);
            }
            let board = self.setup.table.position().board;
            let limits = judging_level(self.setup.level).limits(Clock::Unlimited);
            let task = Task { allowed: square.bit(), ..Task::new(board, limits) };
            self.start(task, Purpose::Lesson(Judged { square, note, best: Some(line.clone()) }), now);
            return Ok(());
        };
        let loss = best.discs().zip(line.discs()).map(|(best, played)| best - played);
        match (loss, self.setup.lesson) {
            (Some(loss), Some(least)) if loss >= least => self.take_back(square, loss, &best, line, now),
            _ => self.play(Move::Place(square), note, now),
        }
    }

    /// Tells what is wrong with a move instead of playing it.
    fn take_back(
        &mut self,
        square: Square,
        loss: f64,
        best: &Line,
        line: &Line,
        now: Instant,
    ) -> io::Result<()> {
        let is_exact = best.proof == Proof::Exact && line.proof == Proof::Exact;
        let language = self.setup.language;
        let position = self.setup.table.position();
        let values = [("sq", square.into()), ("n", (loss.round() as u32).into())];
        let mut told = vec![language.fill(if is_exact { "taken-back-exact" } else { "taken-back" }, &values)];
        // The move that is asked for is not given away.
        let reply = line.pv.get(1).filter(|reply| Some(*reply) != best.pv.first());
        let best_square = best.pv.first().and_then(|mv| mv.square());
        let found = Found { best: best_square, reply: reply.copied(), ..Found::default() };
        told.extend(of_mistake(language, &position, square, &found));
        told.push(language.fill("try-again", &values));
        self.refused = Some(square);
        self.say(told.join(language.gap()))?;
        self.note_score(best);
        self.show(now)
    }
}
