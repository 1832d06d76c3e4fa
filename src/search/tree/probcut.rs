//! ProbCut: a shallow search whose score lies far enough outside the window speaks for the deep one.
//!
//! "Far enough" counts in deviations of deep from shallow searches, measured for our evaluation in
//! `probcut_table.rs`; the level of selectivity says how many of them.
//! Source: Buro, "ProbCut: an effective selective extension of alpha-beta" (1995); the levels and the
//! look at the static score first are Edax's.

use super::node::{Node, NonPv, Window};
use super::phase::{Midgame, Phase, Solving, Thresholds};
use super::worker::Worker;
use crate::board::Score;
use crate::search::params::PROBCUT_NESTING;
use crate::search::task::Selectivity;

/// Depth of the search that stands for one of `depth` plies: a fraction of it, of the same parity.
#[inline]
fn shallow_depth<P: Phase>(depth: i32) -> i32 {
    2 * (depth / P::PROBCUT_DIVISOR.get()) + (depth & 1)
}

/// What ProbCut believes to know of a search before it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// Depth in plies of the search that stands for it.
    pub shallow: u8,
    /// Deviation of its score from that search's, 1/128 disc.
    pub sigma: i32,
    thresholds: &'static Thresholds,
}

impl Forecast {
    /// Of a midgame search of `deep` plies of a position with so many empties.
    pub fn midgame(empties: u32, deep: u8) -> Self {
        Self::of::<Midgame>(empties as i32, deep.into())
    }

    /// Of solving a position with so many empties.
    pub fn solving(empties: u8) -> Self {
        Self::of::<Solving>(empties.into(), empties.into())
    }

    #[inline(always)]
    fn of<P: Phase>(empties: i32, deep: i32) -> Self {
        let shallow = shallow_depth::<P>(deep);
        let sigma = P::deviation(empties, shallow, deep);
        Self { shallow: shallow as u8, sigma, thresholds: &P::THRESHOLDS }
    }

    /// How far outside the window its score must be to be believed, 1/128 disc; `None` at 100 %, where it is not.
    pub fn margin(&self, selectivity: Selectivity) -> Option<i32> {
        self.thresholds.get(selectivity as usize).map(|threshold| threshold * self.sigma / 100)
    }
}

impl Worker<'_> {
    /// A bound for the null window below `beta`, if a shallow search makes it likely enough.
    pub fn probcut<P: Phase>(&mut self, node: &Node, depth: i32, beta: i32) -> Option<i32> {
        let threshold = *P::THRESHOLDS.get(self.context.selectivity as usize)?;
        if self.context.probcut_level >= PROBCUT_NESTING.get() {
            return None;
        }
        let empties = node.board.empty_count() as i32;
        let Forecast { shallow, sigma, .. } = Forecast::of::<P>(empties, depth);
        let margin = threshold * sigma / 100;
        let doubt = threshold * (sigma + P::deviation(empties, 0, depth)) / 200;
        let alpha = beta - P::STEP;
        let score = self.evaluate(node);

        let high = beta + margin;
        if score >= beta - doubt + margin
            && high <= Score::MAX.units()
            && self.predict(node, shallow.into(), high - 1)? >= high
        {
            return Some(beta);
        }
        let low = alpha - margin;
        if score <= alpha + doubt - margin
            && low >= Score::MIN.units()
            && self.predict(node, shallow.into(), low)? <= low
        {
            return Some(alpha);
        }
        None
    }

    /// The shallow search itself, with the null window above `alpha`; `None` when the search has ended.
    fn predict(&mut self, node: &Node, depth: i32, alpha: i32) -> Option<i32> {
        self.context.probcut_level += 1;
        let value = self.pvs::<NonPv, Midgame>(node, depth, Window::above(alpha, Midgame::STEP));
        self.context.probcut_level -= 1;
        (!self.control.stopped).then_some(value)
    }

    /// A bound for the null window above `alpha` of a node one or two plies above the leaves, where
    /// the shallow search is a look at the static score.
    #[inline(always)]
    pub fn static_cut(&mut self, node: &Node, depth: i32, alpha: i32) -> Option<i32> {
        let threshold = *Midgame::THRESHOLDS.get(self.context.selectivity as usize)?;
        let sigma = Midgame::deviation(node.board.empty_count() as i32, 0, depth);
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forecasts_are_what_the_tree_uses() {
        let forecast = Forecast::midgame(36, 12);
        assert_eq!(i32::from(forecast.shallow), shallow_depth::<Midgame>(12));
        assert_eq!(forecast.sigma, Midgame::deviation(36, forecast.shallow.into(), 12));
        assert_eq!(
            Forecast::solving(20).sigma,
            Solving::deviation(20, Forecast::solving(20).shallow.into(), 20)
        );
        assert_eq!(forecast.margin(Selectivity::P95), Some(2 * forecast.sigma));
        assert_eq!(forecast.margin(Selectivity::Full), None);
    }

    #[test]
    fn shallow_searches_are_shallower_and_of_equal_parity() {
        for depth in 4..60 {
            for shallow in [shallow_depth::<Midgame>(depth), shallow_depth::<Solving>(depth)] {
                assert!(shallow < depth && shallow % 2 == depth % 2);
            }
        }
    }
}
