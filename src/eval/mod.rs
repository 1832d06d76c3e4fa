//! Evaluation: how many discs a position is worth to the side to move.

pub mod classic;
pub mod features;
pub mod liberties;
pub mod linear;
pub mod parameters;
pub mod pattern;
pub mod regions;
pub mod sustech;

use crate::board::{Board, Score, Square};

/// What an evaluator keeps per position, updated from (square, flips) as moves are played.
///
/// One per ply on the search's stack; cheap to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features;

/// An evaluation function: immutable, shared by all search threads.
#[derive(Debug)]
pub enum Evaluator {
    /// The hand-made evaluation of the early programs.
    Classic,
    /// The SUSTech engine's stage table.
    Sustech,
}

impl Default for Evaluator {
    /// The strongest evaluation at hand.
    fn default() -> Self {
        Self::classic()
    }
}

impl Evaluator {
    /// The hand-made evaluation.
    pub fn classic() -> Self {
        Self::Classic
    }

    /// The features of a position, computed from nothing.
    pub fn features(&self, _board: Board) -> Features {
        Features
    }

    /// The features after the side to move played `square` and turned `flipped`.
    #[inline(always)]
    pub fn play(&self, _features: &Features, _square: Square, _flipped: u64) -> Features {
        Features
    }

    /// The features after a pass.
    #[inline(always)]
    pub fn pass(&self, _features: &Features) -> Features {
        Features
    }

    /// The static score of `board` for the side to move; `features` must belong to `board`.
    ///
    /// Always within `Score::MIN..=Score::MAX`. The position need not have a legal move.
    #[inline(always)]
    pub fn evaluate(&self, board: Board, _features: &Features) -> Score {
        match self {
            Self::Classic => classic::evaluate(board),
            Self::Sustech => sustech::evaluate(board),
        }
    }
}
