//! What a search reports: plain data, no text.

use std::time::Duration;

use super::limits::Selectivity;
use crate::board::{Move, Score};

/// How much of a reported score is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// A heuristic or selective score.
    None,
    /// The sign is proven, the size is a bound.
    WinLossDraw,
    /// The exact final score in discs.
    Exact,
}

/// One line of a search: a root move and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Principal variation, the root move first. Passes are explicit.
    pub pv: Vec<Move>,
    /// Score for the side to move at the root.
    pub score: Score,
    /// Nominal depth in plies; the number of empties when searched to the end.
    pub depth: u8,
    /// Selectivity of the search that gave the score.
    pub selectivity: Selectivity,
    /// How much is proven.
    pub proof: Proof,
}

/// A finished iteration: the best lines, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// One line per root move asked for.
    pub lines: Vec<Line>,
    /// Nodes so far, all threads.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// What to play: `None` when the game is over, `Move::Pass` when the side to move has no move.
    pub best: Option<Move>,
    /// The last finished lines, best first; empty only when the game is over.
    pub info: Info,
    /// Ended by a stop request rather than by its limits.
    pub stopped: bool,
}

/// Receives reports while a search runs, on the search's thread. Must be quick and must not block.
pub trait Observer {
    /// An iteration has ended.
    fn iteration(&mut self, info: &Info);
}

/// Ignores all reports.
pub struct Silent;

impl Observer for Silent {
    fn iteration(&mut self, _info: &Info) {}
}
