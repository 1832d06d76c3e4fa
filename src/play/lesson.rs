//! A lesson: a mistake is taken back, with its reason.

use std::io;
use std::time::Instant;

use super::state::{Judged, Play, Purpose};
use crate::board::{Move, Square, SquareSet};
use crate::notation::ggf::Ply;
use crate::search::{Clock, Line, Proof, SearchResult, Task};
use crate::sentences::{Found, Told, of_mistake};
use crate::util::refusal::Refusal;

/// The least cost of a mistake, in discs, unless the player names another one.
pub const MISTAKE: f64 = 4.0;

/// Reads the least cost of a mistake that a lesson takes back, in discs.
pub fn parse_lesson(text: &str) -> Result<f64, Refusal> {
    let discs = text
        .parse::<f64>()
        .ok()
        .filter(|discs| (1.0..=64.0).contains(discs));
    discs.ok_or_else(|| "a lesson takes back mistakes of 1 to 64 discs, such as lesson 4".into())
}

impl Play {
    /// Starts to judge a typed move in a lesson; `false` if the move needs no judgement.
    pub(super) fn is_judged(&mut self, mv: Move, note: Ply, now: Instant) -> bool {
        let moves = self.position().board.moves();
        let (Some(_), Some(square)) = (self.setup.lesson, mv.square()) else {
            return false;
        };
        let is_choice = moves.contains(square) && moves.len() > 1;
        // The second time the player means it.
        if !is_choice || self.refused == Some(square) {
            return false;
        }
        self.search(
            Judged {
                square,
                note,
                best: None,
            },
            SquareSet::ALL,
            now,
        );
        true
    }

    fn search(&mut self, judged: Judged, allowed: SquareSet, now: Instant) {
        let limits = self.judging_level().limits(Clock::Unlimited);
        let board = self.position().board;
        let task = Task {
            allowed: allowed & board.moves(),
            ..Task::new(board, limits)
        };
        self.start(task, Purpose::Lesson(judged), now);
    }

    /// Continues with the result of a search: searches the move itself, plays it, or takes it back.
    pub(super) fn judge(
        &mut self,
        judged: Judged,
        result: &SearchResult,
        now: Instant,
    ) -> io::Result<()> {
        let Judged { square, note, best } = judged;
        // A stopped search is no judgement.
        let Some(line) = result.info.lines.first().filter(|_| !result.stopped) else {
            return self.play(Move::Place(square), note, now);
        };
        let Some(best) = best else {
            if line.pv.first() == Some(&Move::Place(square)) {
                return self.play(Move::Place(square), note, now);
            }
            self.search(
                Judged {
                    square,
                    note,
                    best: Some(line.clone()),
                },
                SquareSet(square.bit()),
                now,
            );
            return Ok(());
        };
        let loss = best
            .discs()
            .zip(line.discs())
            .map(|(best, played)| best - played);
        match (loss, self.setup.lesson) {
            (Some(loss), Some(least)) if loss >= least => {
                self.take_back(square, loss, &best, line, now)
            }
            _ => self.play(Move::Place(square), note, now),
        }
    }

    /// Prints the reason why a move is a mistake instead of playing it.
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
        let position = self.position();
        let values = [("sq", square.into()), ("n", (loss.round() as u32).into())];
        let mut text = vec![language.fill(
            if is_exact {
                "taken-back-exact"
            } else {
                "taken-back"
            },
            &values,
        )];
        // The text must not name the best move: not as a reply, nor in a line that leads to a consequence.
        let names_best = line.pv.iter().any(|mv| Some(mv) == best.pv.first());
        let played_line = if names_best { &[] } else { &line.pv[..] };
        let found = Found {
            best_line: &best.pv,
            played_line,
            ..Found::default()
        };
        text.extend(of_mistake(
            language,
            &position,
            square,
            &found,
            &Told::default(),
        ));
        text.push(language.fill("try-again", &values));
        self.refused = Some(square);
        self.say(text.join(language.gap()))?;
        self.show(now)
    }
}
