//! The two phases of a search and all their differences.
//!
//! A midgame search looks some plies ahead and asks the evaluation; a solving search goes to the end of
//! the game, so its depth is the number of empties and its scores are even numbers of discs. The idea of
//! one trait for the differences is neural-reversi's `SearchStrategy`.

use super::node::DISC;
use super::probcut_table::{MIDGAME, SOLVING};
use crate::search::params::{self, Number, Thresholds};

/// The constants of a phase; `params.rs` describes those of the same name. Depths are in plies.
pub(in crate::search) trait Phase {
    /// Leaves are finished games.
    const SOLVING: bool;
    /// Width of a null window: the distance of neighboring scores, 1/128 disc.
    const STEP: i32;
    const TABLE_DEPTH: Number;
    const PROBCUT_DEPTH: Number;
    const PROBCUT_DIVISOR: i32;
    const MOBILITY_SPREAD: Number;
    const THRESHOLDS: Thresholds;
    const ETC_DEPTH: Number;
    const EVAL_ORDER_DEPTH: Number;
    const FORCED_DEPTH: Number;
    const REDUCTION_DEPTH: Number;
    const SPLIT_DEPTH: i32;
    /// Whether evaluations that order moves use the evaluation cache.
    const ORDER_CACHED: bool;
    const ORDER_POTENTIAL: Number;
    /// Ordering: weight of the square's class.
    const ORDER_SQUARE: Number;
    /// Ordering: weight of one of the mover's stable discs on the border (a corner counts twice).
    const ORDER_STABLE: Number;
    const ORDER_EVAL: Number;

    /// Usual deviation of a search of `deep` plies from ProbCut's shallow one, 1/128 disc.
    fn deviation(empties: i32, deep: i32) -> i32;
}

/// A depth that no node reaches.
const NEVER: Number = Number::fixed(i32::MAX);

/// Leaves are evaluated.
pub(in crate::search) struct Midgame;
/// Leaves are finished games.
pub(in crate::search) struct Solving;

impl Phase for Midgame {
    const SOLVING: bool = false;
    const STEP: i32 = 1;
    const TABLE_DEPTH: Number = params::TABLE_DEPTH;
    const PROBCUT_DEPTH: Number = params::PROBCUT_DEPTH;
    const PROBCUT_DIVISOR: i32 = params::PROBCUT_DIVISOR;
    const MOBILITY_SPREAD: Number = params::MOBILITY_SPREAD;
    const THRESHOLDS: Thresholds = params::THRESHOLDS;
    const ETC_DEPTH: Number = params::ETC_DEPTH;
    const EVAL_ORDER_DEPTH: Number = params::EVAL_ORDER_DEPTH;
    const FORCED_DEPTH: Number = params::FORCED_DEPTH;
    const REDUCTION_DEPTH: Number = params::REDUCTION_DEPTH;
    const SPLIT_DEPTH: i32 = params::SPLIT_DEPTH;
    const ORDER_CACHED: bool = true;
    const ORDER_POTENTIAL: Number = params::ORDER_POTENTIAL;
    // The evaluation orders squares better: 16 costs 1.3 ± 0.5 % more nodes.
    const ORDER_SQUARE: Number = Number::fixed(0);
    const ORDER_STABLE: Number = Number::fixed(0);
    const ORDER_EVAL: Number = params::ORDER_EVAL;

    #[inline]
    fn deviation(empties: i32, deep: i32) -> i32 {
        let row = &MIDGAME[(empties as usize / 4).min(MIDGAME.len() - 1)];
        i32::from(row[(deep as usize).min(row.len() - 1)])
    }
}

impl Phase for Solving {
    const SOLVING: bool = true;
    const STEP: i32 = 2 * DISC;
    const TABLE_DEPTH: Number = Number::fixed(0);
    const PROBCUT_DEPTH: Number = params::PROBCUT_EMPTIES;
    const PROBCUT_DIVISOR: i32 = params::PROBCUT_SOLVE_DIVISOR;
    // 30, as in the midgame, costs solves of 20 empties 0.5 % more nodes.
    const MOBILITY_SPREAD: Number = Number::fixed(0);
    const THRESHOLDS: Thresholds = params::SOLVE_THRESHOLDS;
    const ETC_DEPTH: Number = params::ETC_EMPTIES;
    const EVAL_ORDER_DEPTH: Number = params::EVAL_ORDER_EMPTIES;
    const FORCED_DEPTH: Number = Number::fixed(-1);
    const REDUCTION_DEPTH: Number = NEVER;
    const SPLIT_DEPTH: i32 = params::SPLIT_EMPTIES;
    // Only one look-up in five hits; the misses cost more time than the hits save.
    const ORDER_CACHED: bool = false;
    const ORDER_POTENTIAL: Number = params::SOLVE_ORDER_POTENTIAL;
    const ORDER_SQUARE: Number = params::SOLVE_ORDER_SQUARE;
    // Evaluation 14 instead of 10 and square 8 instead of 16: -1.3 ± 0.2 % nodes.
    const ORDER_STABLE: Number = params::SOLVE_ORDER_STABLE;
    const ORDER_EVAL: Number = params::SOLVE_ORDER_EVAL;

    #[inline]
    fn deviation(_empties: i32, deep: i32) -> i32 {
        i32::from(SOLVING[(deep as usize).min(SOLVING.len() - 1)])
    }
}
