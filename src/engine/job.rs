//! The jobs of the engine.

use crate::board::Board;
use crate::search::{Limits, Task};

/// A piece of work for the worker.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Job {
    /// Search one position, as `go` and `hint` do.
    Search(Task),
    /// Score every position of a game, last to first.
    Analyze(Analysis),
    /// Empty the transposition table.
    Clear,
    /// Prepare evaluation, table and memory for a search.
    Prepare,
}

/// A retrograde analysis: late positions first, so that the table helps the earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The positions of the game in playing order, the start first.
    pub positions: Vec<Board>,
    /// Bounds of the search of each position.
    pub limits: Limits,
}
