//! Search: iterative deepening, principal variation search, endgame solving. Knows no text.

pub mod endgame;
mod info;
mod limits;
mod stop;

pub use info::{Info, Line, Observer, Proof, SearchResult, Silent, Task};
pub use limits::{Clock, Goal, Limits, Selectivity};
pub use stop::Stop;

use std::sync::Arc;
use std::time::Instant;

use crate::board::{Move, Score, squares};
use crate::eval::Evaluator;

/// What a searcher needs before its first search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Search threads, at least 1.
    pub threads: usize,
    /// Size of the transposition table in MiB, at least 1.
    pub hash_mib: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { threads: 1, hash_mib: 64 }
    }
}

/// A searcher: owns the transposition table and threads; keeps what it learned between searches.
pub struct Search {
    evaluator: Arc<Evaluator>,
}

impl Search {
    /// A searcher with an empty table.
    pub fn new(_options: &Options, evaluator: Arc<Evaluator>) -> Self {
        Self { evaluator }
    }

    /// Forgets everything learned.
    pub fn clear(&mut self) {}

    /// Searches `task` until its limits or `stop`; blocks the calling thread.
    ///
    /// Always returns a legal move when there is one, even if stopped at once.
    pub fn run(&mut self, task: &Task, _stop: &Stop, observer: &mut dyn Observer) -> SearchResult {
        let start = Instant::now();
        let mut lines: Vec<Line> = squares(task.board.moves())
            .map(|square| {
                let child = task.board.after(square, task.board.flip(square));
                let features = self.evaluator.features(child);
                Line {
                    pv: vec![Move::Place(square)],
                    score: -self.evaluator.evaluate(child, &features),
                    depth: 1,
                    selectivity: Selectivity::Full,
                    proof: Proof::None,
                }
            })
            .collect();
        lines.sort_by_key(|line| -line.score);
        if lines.is_empty() && !task.board.is_over() {
            lines.push(Line {
                pv: vec![Move::Pass],
                score: Score::ZERO,
                depth: 1,
                selectivity: Selectivity::Full,
                proof: Proof::None,
            });
        }
        lines.truncate(task.multi_pv.max(1));
        let info = Info { lines, nodes: 1, time: start.elapsed() };
        observer.iteration(&info);
        SearchResult { best: info.lines.first().map(|line| line.pv[0]), info, stopped: false }
    }
}
