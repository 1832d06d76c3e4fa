//! The parts of a node of the tree: position, window, type, line.

use crate::board::{Board, Score, Square};
use crate::eval::{Children, Evaluator, Features};

/// One disc in the search's integer scores, which count 1/128 disc.
pub(in crate::search) const DISC: i32 = Score::DISC;
/// Outside every score.
pub(in crate::search) const INFINITY: i32 = Score::INF.units();
/// Longest possible line: 60 moves with a pass between any two, and room at the end.
pub(in crate::search) const MAX_PLY: usize = 128;
/// A position on the search's path.
#[derive(Clone, Copy)]
pub(in crate::search) struct Node {
    pub board: Board,
    pub features: Features,
    /// Moves and passes from the root.
    pub ply: usize,
}

impl Node {
    pub fn root(evaluator: &Evaluator, board: Board) -> Self {
        Self {
            board,
            features: evaluator.features(board),
            ply: 0,
        }
    }

    /// The node after a legal move that turns `flipped`.
    #[inline(always)]
    pub fn child(&self, evaluator: &Evaluator, square: Square, flipped: u64) -> Self {
        Self {
            board: self.board.after(square, flipped),
            features: evaluator.play(&self.features, square, flipped),
            ply: self.ply + 1,
        }
    }

    #[inline(always)]
    pub fn passed(&self) -> Self {
        Self {
            board: self.board.pass(),
            features: self.features.pass(),
            ply: self.ply + 1,
        }
    }

    /// The static score in 1/128 disc; a side without discs has lost them all.
    #[inline(always)]
    pub fn evaluate(&self, evaluator: &Evaluator) -> i32 {
        if self.board.player == 0 {
            return -64 * DISC;
        }
        evaluator.evaluate(self.board, &self.features).units()
    }

    /// The static score for the other side after a legal move; `children` are those of `self`.
    #[inline(always)]
    pub fn evaluate_child(
        &self,
        evaluator: &Evaluator,
        children: &Children,
        square: Square,
        flipped: u64,
    ) -> i32 {
        if self.board.opponent == flipped {
            return -64 * DISC;
        }
        evaluator
            .evaluate_child(self.board, children, square, flipped)
            .units()
    }
}

/// The type of a node, as in Stockfish and Reckless.
pub(in crate::search) trait NodeType {
    /// Searched with an open window; collects a line.
    const PV: bool;
    /// The position of the task.
    const ROOT: bool = false;
    type Passed: NodeType;
}

/// The position of the task: has a move, tries `RootMoves`, records its progress.
pub(in crate::search) struct Root;
/// May be on the principal variation.
pub(in crate::search) struct Pv;
/// Searched with a null window.
pub(in crate::search) struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
    type Passed = Pv;
}

impl NodeType for Pv {
    const PV: bool = true;
    type Passed = Self;
}

impl NodeType for NonPv {
    const PV: bool = false;
    type Passed = Self;
}

/// A search window in 1/128 disc: a score inside is exact, else a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct Window {
    /// Scores up to this fail low.
    pub alpha: i32,
    /// Scores from this on fail high.
    pub beta: i32,
}

impl Window {
    /// Outside all scores.
    pub const OPEN: Self = Self {
        alpha: -INFINITY,
        beta: INFINITY,
    };

    /// The null window above `alpha`: does the score exceed it? `step` is the distance of scores.
    #[inline(always)]
    pub fn above(alpha: i32, step: i32) -> Self {
        Self {
            alpha,
            beta: alpha + step,
        }
    }

    /// The same window for the other side.
    #[inline(always)]
    pub fn turned(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// Whether `value` is a score and no bound.
    pub fn contains(self, value: i32) -> bool {
        value > self.alpha && value < self.beta
    }
}

/// A line of moves in playing order; 64 is a pass.
#[derive(Clone, Copy)]
pub(in crate::search) struct Path {
    len: u8,
    moves: [u8; MAX_PLY],
}

impl Path {
    pub const EMPTY: Self = Self {
        len: 0,
        moves: [0; MAX_PLY],
    };
    pub const PASS: u8 = 64;

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Becomes `first` followed by `rest`.
    pub fn set(&mut self, first: u8, rest: &Self) {
        let len = usize::from(rest.len).min(MAX_PLY - 1);
        self.moves[0] = first;
        self.moves[1..=len].copy_from_slice(&rest.moves[..len]);
        self.len = len as u8 + 1;
    }

    pub fn codes(&self) -> &[u8] {
        &self.moves[..usize::from(self.len)]
    }
}
