//! ProbCut: a shallow search whose score lies far enough outside the window speaks for the deep one.
//!
//! "Far enough" counts in deviations of deep from shallow searches, measured for our evaluation in
//! `probcut_table.rs`; the level of selectivity says how many of them.
//! Source: Buro, "ProbCut: an effective selective extension of alpha-beta" (1995); the levels and the
//! look at the static score first are Edax's.

use crate::board::Score;

use super::Selectivity;
use super::node::{Midgame, Node, Null, Stage};
use super::params::{PROBCUT_DIVISOR, PROBCUT_NESTING, PROBCUT_SOLVE_DIVISOR};
use super::probcut_table::{MIDGAME, PHASE, SOLVING};
use super::thread::Worker;

/// Deviations that a shallow score must be outside of the window, in hundredths.
///
/// By level: 52, 73, 87, 95, 98, 99 % of a normal distribution lie inside. Nothing is cut at 100 %.
const THRESHOLDS: [i32; 6] = [70, 110, 150, 200, 260, 330];

/// Deviation of a search of `deep` plies from one of `shallow`, 1/128 disc.
#[inline]
fn deviation<S: Stage>(empties: i32, shallow: i32, deep: i32) -> i32 {
    let row = if S::SOLVING {
        &SOLVING[(shallow as usize).min(SOLVING.len() - 1)][..]
    } else {
        let phase = &MIDGAME[(empties as usize / PHASE).min(MIDGAME.len() - 1)];
        &phase[(shallow as usize).min(phase.len() - 1)][..]
    };
    i32::from(row[(deep as usize).min(row.len() - 1)])
}

/// Depth of the search that stands for one of `depth` plies: a fraction of it, of the same parity.
#[inline]
fn shallow_depth<S: Stage>(depth: i32) -> i32 {
    let divisor = if S::SOLVING { PROBCUT_SOLVE_DIVISOR } else { PROBCUT_DIVISOR };
    2 * (depth / divisor) + (depth & 1)
}

impl Worker<'_> {
    /// A bound for the null window below `beta`, if a shallow search makes it likely enough.
    pub fn probcut<S: Stage>(&mut self, node: &Node, depth: i32, beta: i32) -> Option<i32> {
        let threshold = *THRESHOLDS.get(self.selectivity as usize)?;
        if self.probcut_level >= PROBCUT_NESTING {
            return None;
        }
        let empties = node.board.empty_count() as i32;
        let shallow = shallow_depth::<S>(depth);
        let sigma = deviation::<S>(empties, shallow, depth);
        let margin = threshold * sigma / 100;
        let doubt = threshold * (sigma + deviation::<S>(empties, 0, depth)) / 200;
        let alpha = beta - S::STEP;
        let score = self.evaluate(node);

        let high = beta + margin;
        if score >= beta - doubt + margin && high <= Score::MAX.units() {
            let value = self.foretell(node, shallow, high - 1)?;
            if value >= high {
                return Some(beta);
            }
        }
        let low = alpha - margin;
        if score <= alpha + doubt - margin && low >= Score::MIN.units() {
            let value = self.foretell(node, shallow, low)?;
            if value <= low {
                return Some(alpha);
            }
        }
        None
    }

    /// A bound for the null window above `alpha` of a node two plies above the leaves, where the
    /// shallow search is a look at the static score.
    #[inline(always)]
    pub fn static_cut(&mut self, node: &Node, depth: i32, alpha: i32) -> Option<i32> {
        let threshold = *THRESHOLDS.get(self.selectivity as usize)?;
        let sigma = deviation::<Midgame>(node.board.empty_count() as i32, 0, depth);
        let margin = threshold * sigma / 100;
        let score = self.evaluate(node);
        if score > alpha + margin {
            Some(alpha + 1)
        } else if score <= alpha - margin {
            Some(alpha)
        } else {
            None
        }
    }

    /// The shallow search itself, with the null window above `alpha`; `None` when the search has ended.
    fn foretell(&mut self, node: &Node, depth: i32, alpha: i32) -> Option<i32> {
        self.probcut_level += 1;
        let value = self.pvs::<Null, Midgame>(node, depth, alpha, alpha + 1);
        self.probcut_level -= 1;
        (!self.stopped).then_some(value)
    }
}

/// The passes of a solve before the exact one: bolder ones first, more of them the longer it takes.
///
/// With 52 instead of 73 % first, and nothing between it and the exact pass up to 23 empties, 84
/// positions of 20 empties took 8 % less time and FFO #40-44 13 % less. From 24 empties on bolder or
/// fewer passes cost more than they save: FFO #45-49 +5 % nodes with 52 %, +8 % more without 87 %.
pub(super) fn passes(empties: u8) -> &'static [Selectivity] {
    use Selectivity::{P52, P73, P87, P95, P99};
    match empties {
        0..=14 => &[],
        15..=23 => &[P52],
        24..=26 => &[P73, P87, P95],
        _ => &[P73, P87, P95, P99],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::node::Solving;

    #[test]
    fn shallow_searches_are_shallower_and_of_equal_parity() {
        for depth in 4..60 {
            for shallow in [shallow_depth::<Midgame>(depth), shallow_depth::<Solving>(depth)] {
                assert!(shallow < depth && shallow % 2 == depth % 2);
            }
        }
    }
}
