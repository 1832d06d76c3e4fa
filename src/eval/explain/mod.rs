//! Why: what a player looks at, ranked by how much of the network's value goes with it.
//!
//! The network reads patterns and tells no reasons. What stands here is measured from outside, over positions of many
//! games: its static value is fitted, by least squares, as a sum of terms that people know. A term is a count for
//! one side less the same count for the other, and its contribution `weight × difference`, in discs, with a
//! weight that depends on the empties. Two things are fitted, each by itself:
//!
//! - *positions*: how the values of positions differ;
//! - *moves*: how the values after the moves of one position differ from their mean.
//!
//! They have weights of their own, since players choose: a square that is bad to move to is taken in games
//! where it is good, and so looks harmless over positions. What the sum leaves is told as the rest, and how much it
//! leaves in general as a [`Share`]. A weight is what goes with a term while the others stand still, and no proof of a
//! cause. `emilia train explain` repeats the fit.

pub mod terms;
mod weights;

use super::Evaluator;
use crate::board::{Board, Square, squares};

pub use terms::{NAMES, TERMS};
pub use weights::{SHARES, WEIGHTS};

/// Numbers of empties for which weights are fitted; between them weights go in a straight line, outside they stay.
pub const KNOTS: [u32; 7] = [4, 12, 20, 28, 36, 44, 52];
/// Weights of positions: one for each term, then what it is worth to be the side to move.
pub const PARTS: usize = TERMS + 1;

/// The weights at all knots, in discs for one of difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TermWeights {
    /// Of the terms of a position, and of its turn.
    pub positions: [[f64; PARTS]; KNOTS.len()],
    /// Of the terms after a move, against the mean of the moves.
    pub moves: [[f64; TERMS]; KNOTS.len()],
}

/// How much of the network's values the terms explain in games that were not fitted: `R²`, 1 being all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Of the differences between positions.
    pub positions: f64,
    /// Of the differences between the moves of a position.
    pub moves: f64,
}

/// What a term contributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Index into [`NAMES`].
    pub term: usize,
    /// Count for the side to move; of a move, by how much it changes for the side that makes it.
    pub player: i32,
    /// The same for the other side.
    pub opponent: i32,
    /// Discs for one of difference.
    pub weight: f64,
    /// The contribution in discs; of a move, against the mean of the moves.
    pub discs: f64,
}

/// A legal move: what it gives and takes, seen from the side that makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReasons {
    /// Where.
    pub square: Square,
    /// The value after it, in discs.
    pub value: f64,
    /// How much more that is than the mean of all moves.
    pub gain: f64,
    /// What the gain is made of, the largest contributions first.
    pub parts: Vec<Part>,
}

/// Why a position is worth what the network says. Everything is seen from the side to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The network's static value in discs; of a finished game the result.
    pub value: f64,
    /// What the value is made of, the largest contributions first.
    pub parts: Vec<Part>,
    /// What it is worth to be the side to move, in discs.
    pub turn: f64,
    /// Every legal move, the best first.
    pub moves: Vec<MoveReasons>,
    /// Regions of empty squares, the smallest first.
    pub regions: Vec<u64>,
    /// How much the terms explain at this stage of games.
    pub share: Share,
}

impl MoveReasons {
    /// What the terms do not explain of the gain.
    pub fn rest(&self) -> f64 {
        self.gain - sum(&self.parts)
    }
}

impl Explanation {
    /// Explains `board` by `evaluator`, which must be the embedded network: the weights are its own.
    pub fn of(board: Board, evaluator: &Evaluator) -> Self {
        let empties = board.empty_count();
        let [player, opponent] = terms::counts(board);
        let weights = blend(empties, &WEIGHTS.positions);
        let part = |term| {
            let (player, opponent, weight) = (player[term], opponent[term], weights[term]);
            // No zero with a minus.
            let discs = weight * f64::from(player - opponent) + 0.0;
            Part { term, player, opponent, weight, discs }
        };
        let mut regions = terms::regions(board.empties());
        regions.sort_by_key(|region| region.count_ones());
        Self {
            value: value(board, evaluator),
            parts: ranked((0..TERMS).map(part).collect()),
            turn: weights[TERMS],
            moves: moves(board, evaluator),
            regions,
            share: SHARES[nearest_knot(empties)],
        }
    }

    /// What the terms and the turn do not explain of the value.
    pub fn rest(&self) -> f64 {
        self.value - self.turn - sum(&self.parts)
    }
}

/// The static value in discs for the side to move; of a finished game the result.
pub fn value(board: Board, evaluator: &Evaluator) -> f64 {
    match board.is_over() {
        true => f64::from(board.final_score()),
        false => evaluator.evaluate(board, &evaluator.features(board)).discs(),
    }
}

/// The knots whose weights count at a number of empties, by index, with their shares.
pub fn knots(empties: u32) -> [(usize, f64); 2] {
    let upper = KNOTS.iter().position(|&knot| empties <= knot).unwrap_or(KNOTS.len() - 1).max(1);
    let (low, high) = (KNOTS[upper - 1], KNOTS[upper]);
    let share = f64::from(empties.clamp(low, high) - low) / f64::from(high - low);
    [(upper - 1, 1.0 - share), (upper, share)]
}

/// The knot nearest to a number of empties, by index.
pub fn nearest_knot(empties: u32) -> usize {
    (0..KNOTS.len()).min_by_key(|&knot| KNOTS[knot].abs_diff(empties)).expect("there are knots")
}

/// The weights at a number of empties.
pub fn blend<const N: usize>(empties: u32, weights: &[[f64; N]; KNOTS.len()]) -> [f64; N] {
    let [(low, below), (high, above)] = knots(empties);
    std::array::from_fn(|part| below * weights[low][part] + above * weights[high][part])
}

/// What each legal move gives and takes, the best first.
fn moves(board: Board, evaluator: &Evaluator) -> Vec<MoveReasons> {
    let before = terms::counts(board);
    let weights = blend(board.empty_count().saturating_sub(1), &WEIGHTS.moves);
    let after = |square: Square| {
        let after = board.after(square, board.flip(square));
        let [theirs, ours] = terms::counts(after);
        let part = |term: usize| {
            let (player, opponent) = (ours[term] - before[0][term], theirs[term] - before[1][term]);
            Part { term, player, opponent, weight: weights[term], discs: 0.0 }
        };
        let parts = (0..TERMS).map(part).collect();
        MoveReasons { square, value: -value(after, evaluator), gain: 0.0, parts }
    };
    let mut moves: Vec<MoveReasons> = squares(board.moves()).map(after).collect();
    compare(&mut moves);
    moves.sort_by(|a, b| b.value.total_cmp(&a.value));
    moves
}

/// Sets gains and contributions against the mean of the moves, whose parts stand in the order of the terms.
fn compare(moves: &mut [MoveReasons]) {
    let count = moves.len() as f64;
    let difference = |part: &Part| f64::from(part.player - part.opponent);
    let mean_value = moves.iter().map(|mv| mv.value).sum::<f64>() / count;
    let means: [f64; TERMS] =
        std::array::from_fn(|term| moves.iter().map(|mv| difference(&mv.parts[term])).sum::<f64>() / count);
    for mv in moves {
        mv.gain = mv.value - mean_value;
        for part in &mut mv.parts {
            part.discs = part.weight * (difference(part) - means[part.term]);
        }
        mv.parts = ranked(std::mem::take(&mut mv.parts));
    }
}

/// The largest contributions first.
fn ranked(mut parts: Vec<Part>) -> Vec<Part> {
    parts.sort_by(|a, b| b.discs.abs().total_cmp(&a.discs.abs()));
    parts
}

fn sum(parts: &[Part]) -> f64 {
    parts.iter().map(|part| part.discs).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Symmetry;
    use crate::board::testing::game_boards;

    #[test]
    fn knots_share_what_lies_between_them() {
        assert_eq!(knots(4), [(0, 1.0), (1, 0.0)]);
        assert_eq!(knots(0), knots(4));
        assert_eq!(knots(12), [(0, 0.0), (1, 1.0)]);
        assert_eq!(knots(14), [(1, 0.75), (2, 0.25)]);
        assert_eq!(knots(60), [(5, 0.0), (6, 1.0)]);
        assert_eq!((nearest_knot(0), nearest_knot(25), nearest_knot(60)), (0, 3, 6));
    }

    #[test]
    fn all_eight_images_have_the_same_reasons() {
        let evaluator = Evaluator::classic();
        for board in game_boards(3, 7).step_by(5) {
            let reasons = Explanation::of(board, &evaluator);
            for symmetry in Symmetry::all() {
                let image = Explanation::of(symmetry.apply(board), &evaluator);
                assert_eq!(image.value, reasons.value);
                assert!((image.rest() - reasons.rest()).abs() < 1e-9);
                let gains = |reasons: &Explanation| {
                    reasons.moves.iter().map(|mv| (mv.gain * 1e6) as i64).collect::<Vec<_>>()
                };
                assert_eq!(gains(&image), gains(&reasons));
            }
        }
    }

    #[test]
    fn a_corner_taken_is_told_first() {
        let board = Board::drawn([
            "- O X - - - - -",
            "- - - - - - - -",
            "- - - - - - - -",
            "- - - O X - - -",
            "- - - X O - - -",
            "- - - - - - - -",
            "- - - - - - - -",
            "- - - - - - - -",
        ]);
        let reasons = Explanation::of(board, &Evaluator::classic());
        let corner = reasons.moves.iter().find(|mv| mv.square.index() == 0).expect("a1 is legal");
        let best = corner.parts.iter().take(3).find(|part| NAMES[part.term] == "corners").expect("it counts");
        assert_eq!((best.player, best.opponent), (1, 0));
        assert!(best.discs > 1.0, "{best:?}");
        let mean: f64 = reasons.moves.iter().map(|mv| mv.gain).sum();
        assert!(mean.abs() < 1e-9, "gains are against the mean: {mean}");
    }

    #[test]
    fn a_finished_game_has_its_result_and_no_moves() {
        let board = Board { player: 0b111, opponent: 0 };
        let reasons = Explanation::of(board, &Evaluator::classic());
        assert_eq!((reasons.value, reasons.moves.len()), (64.0, 0));
        assert_eq!(reasons.regions.len(), 1);
    }
}
