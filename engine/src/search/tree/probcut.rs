//! ProbCut: a shallow search with a score far enough outside the window replaces the deep one.
//!
//! The unit of distance is the deviation of deep from shallow searches, measured in `probcut_table.rs`; the selectivity
//! sets the number of deviations. Shallow searches err more if the two sides have few moves: see [`spread`].
//! Source: Buro, "ProbCut: an effective selective extension of alpha-beta" (1995); the levels and the
//! look at the static score first are Edax's.

use super::node::{Node, NonPv, Window};
use super::phase::{Midgame, Phase, Solving};
use super::worker::Worker;
use crate::board::{Board, Score};
use crate::search::params::{PROBCUT_NESTING, SHALLOW_DEPTH, SPREAD, Thresholds, USUAL_MOVES};
use crate::search::task::Selectivity;

/// Depth of the shallow search for one of `depth` plies: a fraction of it, of the same parity. The static score
/// replaces it for the last plies of the midgame.
#[inline]
fn shallow_depth<P: Phase>(depth: i32) -> i32 {
    if !P::SOLVING && depth <= SHALLOW_DEPTH {
        0
    } else {
        2 * (depth / P::PROBCUT_DIVISOR) + (depth & 1)
    }
}

/// ProbCut's prediction of a deep search by a shallow one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// Depth of the shallow search, plies.
    pub shallow: u8,
    /// Deviation of its score from that search's, 1/128 disc.
    pub sigma: i32,
    thresholds: &'static Thresholds,
}

impl Forecast {
    /// The prediction of a midgame search of `deep` plies.
    pub fn midgame(board: Board, deep: u8) -> Self {
        Self::of::<Midgame>(board, deep.into())
    }

    /// The prediction of a solve.
    pub fn solving(board: Board) -> Self {
        Self::of::<Solving>(board, board.empty_count() as i32)
    }

    /// Depth of the shallow search for a midgame search of `deep` plies.
    pub fn depth_for_midgame(deep: u8) -> u8 {
        shallow_depth::<Midgame>(deep.into()) as u8
    }

    /// Depth of the shallow search for a solve with this number of empties, plies.
    pub fn depth_for_solving(empties: u8) -> u8 {
        shallow_depth::<Solving>(empties.into()) as u8
    }

    fn of<P: Phase>(board: Board, deep: i32) -> Self {
        let shallow = shallow_depth::<P>(deep);
        let sigma = deviation::<P>(board, deep);
        Self {
            shallow: shallow as u8,
            sigma,
            thresholds: &P::THRESHOLDS,
        }
    }

    /// The distance from the window for a cut, 1/128 disc; `None` at 100 %, where there are no cuts.
    pub fn margin(&self, selectivity: Selectivity) -> Option<i32> {
        self.thresholds
            .get(selectivity as usize)
            .map(|threshold| threshold * self.sigma / 100)
    }
}

/// The deviation of a search of `deep` plies of `board` from the shallow one, 1/128 disc.
#[inline(always)]
fn deviation<P: Phase>(board: Board, deep: i32) -> i32 {
    P::deviation(board.empty_count() as i32, deep) * spread::<P>(board) / 1000
}

/// The factor of the deviations of `board`, in thousandths: 1000 is usual.
///
/// With 28 to 35 empties two plies change the static score by 5.0 discs (RMSE) where the two sides have 12 to 15 moves
/// together, by 3.1 where they have 20 to 23, by 2.1 where they have 28 to 31, and at all depths the logarithm of the
/// deviation falls by 0.025 to 0.035 a move (20,000 positions of WTHOR's games); here the deviation itself falls linearly.
/// At 40,000 nodes a move +443 =167 -390 of 1,000 games, Elo +18 [-1, +38], and with solves cut by it too +883 =344 -773
/// of 2,000, +19 [+5, +33].
#[inline(always)]
fn spread<P: Phase>(board: Board) -> i32 {
    let per_move = P::MOBILITY_SPREAD.get();
    let moves = (board.moves().len() + board.opponent_moves().len()) as i32;
    let more = moves - USUAL_MOVES[board.empty_count() as usize / 4];
    (1000 - per_move * more).clamp(*SPREAD.start(), *SPREAD.end())
}

impl Worker<'_> {
    /// A bound for the null window below `beta`, if a shallow search makes it likely enough.
    pub fn probcut<P: Phase>(&mut self, node: &Node, depth: i32, beta: i32) -> Option<i32> {
        let threshold = *P::THRESHOLDS.get(self.selectivity as usize)?;
        if self.probcut_level >= PROBCUT_NESTING.get() {
            return None;
        }
        let shallow = shallow_depth::<P>(depth);
        let margin = threshold * deviation::<P>(node.board, depth) / 100;
        let alpha = beta - P::STEP;
        // The static score must be beyond the margin as well: otherwise too many cuts are wrong.
        let score = self.evaluate(node);

        let high = beta + margin;
        if score >= high
            && high <= Score::MAX.units()
            && self.predict(node, shallow, high - 1)? >= high
        {
            return Some(beta);
        }
        let low = alpha - margin;
        if score <= low && low >= Score::MIN.units() && self.predict(node, shallow, low)? <= low {
            return Some(alpha);
        }
        None
    }

    /// The shallow search itself, with the null window above `alpha`; `None` when the search has ended.
    fn predict(&mut self, node: &Node, depth: i32, alpha: i32) -> Option<i32> {
        self.probcut_level += 1;
        let value = self.pvs::<NonPv, Midgame>(node, depth, Window::above(alpha, Midgame::STEP));
        self.probcut_level -= 1;
        (!self.stopped).then_some(value)
    }

    /// A bound for the null window above `alpha` of a node one or two plies above the leaves; the static score replaces
    /// the shallow search.
    #[inline(always)]
    pub fn static_probcut(&mut self, node: &Node, depth: i32, alpha: i32) -> Option<i32> {
        let threshold = *Midgame::THRESHOLDS.get(self.selectivity as usize)?;
        let margin = threshold * deviation::<Midgame>(node.board, depth) / 100;
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
    use crate::board::testing::random_position;
    use crate::util::rng::Rng;

    #[test]
    fn forecasts_are_what_the_tree_uses() {
        let mut rng = Rng::new(7);
        let midgame = random_position(&mut rng, 60 - 36);
        let ending = random_position(&mut rng, 60 - 20);
        let forecast = Forecast::midgame(midgame, 12);
        assert_eq!(i32::from(forecast.shallow), shallow_depth::<Midgame>(12));
        let usual = Midgame::deviation(36, 12);
        assert_eq!(forecast.sigma, usual * spread::<Midgame>(midgame) / 1000);
        let solve = Forecast::solving(ending);
        assert_eq!(solve.shallow, Forecast::depth_for_solving(20));
        assert_eq!(solve.sigma, Solving::deviation(20, 20));
        assert_eq!(forecast.margin(Selectivity::P95), Some(2 * forecast.sigma));
        assert_eq!(forecast.margin(Selectivity::Full), None);
    }

    #[test]
    fn many_moves_make_searches_surer() {
        let mut rng = Rng::new(8);
        let boards: Vec<Board> = (0..200)
            .map(|_| random_position(&mut rng, 60 - 30))
            .collect();
        let moves = |board: &Board| board.moves().len() + board.opponent_moves().len();
        let few = boards
            .iter()
            .min_by_key(|board| moves(board))
            .expect("there are boards");
        let many = boards
            .iter()
            .max_by_key(|board| moves(board))
            .expect("there are boards");
        assert!(spread::<Midgame>(*few) > 1000 && spread::<Midgame>(*many) < 1000);
        assert!(boards.iter().all(|&board| spread::<Solving>(board) == 1000));
    }

    #[test]
    fn shallow_searches_are_shallower_and_of_equal_parity() {
        for depth in 4..60 {
            for shallow in [
                shallow_depth::<Midgame>(depth),
                shallow_depth::<Solving>(depth),
            ] {
                assert!(shallow < depth && shallow % 2 == depth % 2);
            }
        }
    }
}
