//! What goes into a search and what comes out: plain data, no text.

mod budget;
mod counters;
mod handicap;
mod info;
mod limits;
mod options;
mod stop;
mod timer;

pub(super) use budget::{Budget, Meter};
pub use counters::Counters;
pub use handicap::Handicap;
pub use info::{Info, Known, Line, Observer, Proof, SearchResult, Silent};
pub use limits::{Clock, Goal, Limits, Selectivity};
pub use options::{OptionError, Options};
pub use stop::Stop;
pub(crate) use timer::Timer;

use crate::board::Board;

/// What to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// The position.
    pub board: Board,
    /// Bounds.
    pub limits: Limits,
    /// How many best moves to report, at least 1; the rest of the moves is not scored.
    pub multi_pv: usize,
    /// Only these root squares are considered; all legal ones if it contains none of them.
    pub allowed: u64,
    /// Contempt: whom a draw counts for, `+1` for the side to move, `-1` for the other, `0` for neither.
    ///
    /// If it counts for a side, a solved draw is reported as a score of one disc, between a draw and the
    /// smallest win; a win-loss-draw search then asks only for that side's yes or no, and a search that
    /// plays asks it before it asks for the exact score.
    pub draw_value: i8,
    /// Play weakly, for people: for the engine, which has a search for that. [`Search`](super::Search) plays its best.
    pub handicap: Option<Handicap>,
}

impl Task {
    /// Searches `board` for its one best move within `limits`.
    pub fn new(board: Board, limits: Limits) -> Self {
        Self { board, limits, multi_pv: 1, allowed: !0, draw_value: 0, handicap: None }
    }
}
