//! Jobs and reports of the engine: plain data.

use crate::board::Board;
use crate::search::{Info, Limits, SearchResult, Task};

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

/// The number of a job, counted from 1 per engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

/// A report of the worker, in the order of events.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A job waits until the evaluation is loaded.
    Loading {
        /// The job.
        job: JobId,
    },
    /// An iteration of a search has ended.
    Iteration {
        /// The search.
        job: JobId,
        /// Its lines, best first.
        info: Info,
    },
    /// An analysis has scored one position of its game.
    Analyzed {
        /// The analysis.
        job: JobId,
        /// Index of the position: moves, passes included, played before it.
        ply: usize,
        /// The search of it, from the side to move there.
        result: SearchResult,
    },
    /// A setting cannot be used; the engine continues without it.
    Warning {
        /// The problem and its cause, in one line.
        text: String,
    },
    /// A job has ended; no further event belongs to it.
    Finished {
        /// The job.
        job: JobId,
        /// How it ended.
        outcome: Outcome,
    },
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// A search, complete or stopped.
    Searched(SearchResult),
    /// An analysis.
    Analyzed {
        /// Ended by a stop request before the first position was reached.
        stopped: bool,
    },
    /// The transposition table is empty.
    Cleared,
    /// Evaluation, table and memory are ready.
    Prepared,
}
