//! What a node of the tree is made of, and the kinds that the compiler folds.

use crate::board::{Board, Score, Square};
use crate::eval::{Children, Evaluator, Features};

use super::Selectivity;

/// One disc in the search's integer scores, which count 1/128 disc.
pub(super) const DISC: i32 = Score::DISC;
/// Outside every score.
pub(super) const INFINITY: i32 = Score::INF.units();
/// Longest possible line: 60 moves with a pass between any two, and room at the end.
pub(super) const MAX_PLY: usize = 128;
/// Room for the legal moves of any board: drawn ones can have more than the 33 or so of real games.
pub(super) const MAX_MOVES: usize = 64;

/// A position on the search's path.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub board: Board,
    pub features: Features,
    /// Moves and passes from the root.
    pub ply: usize,
}

impl Node {
    pub fn root(evaluator: &Evaluator, board: Board) -> Self {
        Self { board, features: evaluator.features(board), ply: 0 }
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

    /// The node after a pass.
    #[inline(always)]
    pub fn passed(&self, evaluator: &Evaluator) -> Self {
        Self { board: self.board.pass(), features: evaluator.pass(&self.features), ply: self.ply + 1 }
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
        evaluator.evaluate_child(self.board, children, square, flipped).units()
    }
}

/// Whether a node may lie on the principal variation.
pub(super) trait Kind {
    const PV: bool;
}

/// Searched with an open window; collects a line.
pub(super) struct Pv;
/// Searched with a null window: only which side of it the score lies is asked.
pub(super) struct Null;

impl Kind for Pv {
    const PV: bool = true;
}

impl Kind for Null {
    const PV: bool = false;
}

/// What the leaves of a search are.
pub(super) trait Stage {
    /// Leaves are finished games: all scores are even numbers of discs.
    const SOLVING: bool;
    /// Width of a null window: the distance of neighbouring scores.
    const STEP: i32;
}

/// Leaves are evaluated.
pub(super) struct Midgame;
/// Leaves are finished games.
pub(super) struct Solving;

impl Stage for Midgame {
    const SOLVING: bool = false;
    const STEP: i32 = 1;
}

impl Stage for Solving {
    const SOLVING: bool = true;
    const STEP: i32 = 2 * DISC;
}

/// A line of moves, the first one first. 64 stands for a pass.
#[derive(Clone, Copy)]
pub(super) struct Path {
    len: u8,
    moves: [u8; MAX_PLY],
}

impl Path {
    pub const EMPTY: Self = Self { len: 0, moves: [0; MAX_PLY] };
    /// The code of a pass.
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

/// How far one iteration of the root searches, and how surely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Iteration {
    pub depth: u8,
    pub selectivity: Selectivity,
    pub aim: Aim,
}

/// What an iteration asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// The score that the evaluation gives, so many plies on.
    Estimate,
    /// Who wins when the game is played to its end.
    Sign,
    /// And by how much.
    Exact,
}

impl Iteration {
    /// Whether the leaves are finished games.
    pub fn is_solving(&self) -> bool {
        self.aim != Aim::Estimate
    }
}
