//! Input and output of a search: plain data, no text.

mod budget;
mod info;
mod limits;
mod options;
mod timer;

pub use budget::Stop;
pub(crate) use budget::{Budget, Meter};
pub use info::{Counters, Info, Known, Line, Observer, Proof, SearchResult, Silent};
pub use limits::{Clock, Goal, Limits, Selectivity};
pub use options::{OptionError, Options};
pub(crate) use timer::Timer;

use crate::board::{Board, SquareSet};
use crate::util::builders::builders;

/// The position to search, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// The position.
    pub board: Board,
    /// Bounds.
    pub limits: Limits,
    /// Number of best moves to report, at least 1; the other moves get no score.
    pub multi_pv: usize,
    /// The root squares to consider; all legal ones if no legal one is among them.
    pub allowed: SquareSet,
    /// Contempt: the side that a draw counts for, `+1` for the side to move, `-1` for the other, `0` for neither.
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
        Self {
            board,
            limits,
            multi_pv: 1,
            allowed: SquareSet::ALL,
            draw_value: 0,
            handicap: None,
        }
    }
}

builders! {
    Task:
    /// Sets the number of best moves that get scores.
    with_multi_pv(multi_pv: usize);
    /// Sets the moves to consider.
    with_allowed(allowed: SquareSet);
    /// Sets the side that a draw counts for: see [`Task::draw_value`].
    with_draw_value(draw_value: i8);
    /// Sets or ends weak play.
    with_handicap(handicap: impl Into<Option<Handicap>>);
}

/// Weak play, for games against people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handicap {
    /// Greatest depth in plies, within the limits of the search.
    pub depth: u8,
    /// Share of the legal moves that are seen, in percent, `0..=100`; one move is always seen.
    pub vision: u8,
    /// Accuracy of the evaluation: no error at 100, a standard deviation of 32 discs at 0.
    pub judgement: u8,
    /// Random seed: which moves are not seen, and which positions are misjudged.
    pub seed: u64,
}

impl Handicap {
    /// Weakness by vision and judgement only; `None` for 100 % of both.
    pub fn of_sight(vision: u8, judgement: u8, seed: u64) -> Option<Self> {
        let is_weak = vision < 100 || judgement < 100;
        is_weak.then_some(Self {
            depth: u8::MAX,
            vision,
            judgement,
            seed,
        })
    }
}
