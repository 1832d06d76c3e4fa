//! The reports of a search: plain data, no text.

use std::ops::AddAssign;
use std::time::Duration;

use super::limits::Selectivity;
use crate::board::{Move, Score};

/// The proven part of a reported score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// A heuristic or selective score.
    None,
    /// Only that the score is at least this number.
    AtLeast,
    /// Only that the score is at most this number.
    AtMost,
    /// The sign is proven, the size is a bound.
    WinLossDraw,
    /// The exact final score in discs.
    Exact,
}

impl Proof {
    /// Whether the winner at least is proven.
    pub fn is_proven(self) -> bool {
        matches!(self, Self::WinLossDraw | Self::Exact)
    }
}

/// One line of a search: a root move with its score and proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Principal variation, the root move first. Passes are explicit.
    pub pv: Vec<Move>,
    /// The score for the side to move at the root, or the bound that `proof` names: for comparisons.
    pub bound: Score,
    /// Nominal depth in plies; the number of empties when searched to the end.
    pub depth: u8,
    /// Selectivity of the search that gave the score.
    pub selectivity: Selectivity,
    /// The proven part of the score.
    pub proof: Proof,
}

/// The score or bound of a line, for display: a bound is never shown as a score.
///
/// ```
/// use emilia_engine::search::Known;
///
/// assert_eq!(Known::Score(2.0).score(), Some(2.0));
/// assert_eq!(Known::AtLeast(2.0).score(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known {
    /// The score in discs, estimated or exact.
    Score(f64),
    /// At least this many discs.
    AtLeast(f64),
    /// At most this many discs.
    AtMost(f64),
    /// The winner is proven, the score is not: 1 for the side to move, -1 for the other, 0 for a draw.
    Winner(i32),
}

impl Known {
    /// The score in discs, if it is one.
    pub fn score(self) -> Option<f64> {
        if let Self::Score(discs) = self {
            Some(discs)
        } else {
            None
        }
    }
}

impl Line {
    /// The score, bound or winner.
    pub fn known(&self) -> Known {
        let discs = self.bound.discs();
        match self.proof {
            Proof::None | Proof::Exact => Known::Score(discs),
            Proof::AtLeast => Known::AtLeast(discs),
            Proof::AtMost => Known::AtMost(discs),
            Proof::WinLossDraw => Known::Winner(self.bound.units().signum()),
        }
    }

    /// The score or, where [`known`](Self::known) has none, a bound of it: to compare lines, not to show.
    pub fn bound(&self) -> Score {
        self.bound
    }

    /// Whether the score is proven: a proven draw is 0 discs.
    pub fn is_exact(&self) -> bool {
        self.proof == Proof::Exact || self.known() == Known::Winner(0)
    }

    /// The score in discs; `None` where only a bound or the winner is known.
    pub fn discs(&self) -> Option<f64> {
        self.known().score()
    }
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
    /// The best move: `None` when the game is over, `Move::Pass` when the side to move has no move.
    pub best: Option<Move>,
    /// The last finished lines, best first; empty only when the game is over.
    pub info: Info,
    /// Ended by a stop request rather than by its limits.
    pub stopped: bool,
}

/// The counts of one search, for one thread or all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Positions visited: interior nodes, evaluated leaves, nodes of the endgame solver.
    pub nodes: u64,
    /// Positions looked up in the transposition table.
    pub probes: u64,
    /// Look-ups that found the position.
    pub hits: u64,
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.probes += other.probes;
        self.hits += other.hits;
    }
}

/// Receives reports while a search runs, on the search's thread. Must be quick and must not block. A closure is one.
///
/// ```
/// use std::sync::Arc;
///
/// use emilia_engine::board::Board;
/// use emilia_engine::eval::Evaluator;
/// use emilia_engine::search::{Info, Limits, Options, Search, Stop, Task};
///
/// let mut depths = Vec::new();
/// let mut search = Search::new(&Options::default(), Arc::new(Evaluator::Classic));
/// let task = Task::new(Board::START, Limits::depth(4));
/// search.run_with(&task, &Stop::new(), &mut |info: &Info| depths.push(info.lines[0].depth));
/// assert_eq!(depths.last(), Some(&4));
/// ```
pub trait Observer {
    /// An iteration has ended.
    fn iteration(&mut self, info: &Info);
}

impl<F: FnMut(&Info)> Observer for F {
    fn iteration(&mut self, info: &Info) {
        self(info);
    }
}

/// Ignores all reports.
pub struct Silent;

impl Observer for Silent {
    fn iteration(&mut self, _info: &Info) {}
}
