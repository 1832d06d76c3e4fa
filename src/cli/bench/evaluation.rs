//! What an evaluation costs where it is used: at the leaves of a depth-first search.
//!
//! The same alpha-beta search runs three times: evaluating, with the values of the first run told
//! again instead, and without keeping features either. All three walk one tree with the same
//! branches, so the differences are what evaluations and features cost, caches and pipeline included.

use std::time::Instant;

use crate::board::{Board, Score, squares};
use crate::eval::{Evaluator, Features};

/// Plies from a root to the leaves.
const DEPTH: u32 = 6;
/// Each way of walking the trees is timed this often; the fastest run counts.
const RUNS: usize = 7;

/// Nanoseconds per call in a search.
pub struct Costs {
    /// Of an evaluation at a leaf.
    pub evaluation: f64,
    /// Of the features of an inner node.
    pub features: f64,
    /// The sum of all values, 1/128 disc.
    pub checksum: u64,
}

/// Measures `evaluator` in searches from `roots`, none of which is at the end of the game.
pub fn costs(evaluator: &Evaluator, roots: &[Board]) -> Costs {
    let mut walk = Walk { evaluator, values: Vec::new(), told: 0, way: Way::Evaluate, inner: 0 };
    let mut fastest = [f64::INFINITY; 3];
    // The ways alternate, so that a disturbance meets them all.
    for _ in 0..RUNS {
        for (way, fastest) in
            [Way::Evaluate, Way::Tell, Way::TellWithoutFeatures].into_iter().zip(&mut fastest)
        {
            *fastest = fastest.min(walk.run(way, roots));
        }
    }
    let [evaluating, telling, bare] = fastest;
    Costs {
        evaluation: (evaluating - telling) / walk.values.len() as f64,
        features: (telling - bare) / walk.inner as f64,
        checksum: walk.values.iter().fold(0, |sum: u64, &value| sum.wrapping_add(value as u64)),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Evaluate,
    Tell,
    TellWithoutFeatures,
}

struct Walk<'a> {
    evaluator: &'a Evaluator,
    /// The values of all leaves in the order in which they are met.
    values: Vec<i32>,
    /// How many of them have been told.
    told: usize,
    way: Way,
    /// Moves made to inner nodes.
    inner: usize,
}

impl Walk<'_> {
    /// Nanoseconds of the searches from all roots.
    fn run(&mut self, way: Way, roots: &[Board]) -> f64 {
        (self.way, self.told, self.inner) = (way, 0, 0);
        if way == Way::Evaluate {
            self.values.clear();
        }
        let start = Instant::now();
        for &root in roots {
            let features = self.evaluator.features(root);
            std::hint::black_box(self.search(root, &features, DEPTH, -i32::MAX, i32::MAX));
        }
        start.elapsed().as_secs_f64() * 1e9
    }

    fn search(&mut self, board: Board, features: &Features, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        let moves = board.moves();
        if moves == 0 {
            if board.opponent_moves() == 0 {
                return board.final_score() * Score::DISC;
            }
            return -self.search(board.pass(), &self.evaluator.pass(features), depth, -beta, -alpha);
        }
        if depth == 1 {
            return self.leaves(board, features, moves, beta);
        }
        let mut children: Vec<_> = squares(moves)
            .map(|square| (square, board.flip(square)))
            .map(|(square, flipped)| (board.after(square, flipped).moves().count_ones(), square, flipped))
            .collect();
        children.sort_unstable();
        let mut best = -i32::MAX;
        for (_, square, flipped) in children {
            self.inner += 1;
            let child = match self.way {
                Way::TellWithoutFeatures => Features::EMPTY,
                _ => self.evaluator.play(features, square, flipped),
            };
            let value = -self.search(board.after(square, flipped), &child, depth - 1, -beta, -alpha);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    fn leaves(&mut self, board: Board, features: &Features, moves: u64, beta: i32) -> i32 {
        let children = features.children();
        let mut best = -i32::MAX;
        for square in squares(moves) {
            let flipped = board.flip(square);
            let value = if self.way == Way::Evaluate {
                let score = self.evaluator.evaluate_child(board, &children, square, flipped);
                self.values.push(score.units());
                score.units()
            } else {
                self.told += 1;
                self.values[self.told - 1]
            };
            best = best.max(-value);
            if best >= beta {
                break;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_walk_one_tree() {
        let evaluator = Evaluator::classic();
        let roots = [Board::START, Board::START.play("f5".parse().expect("a square")).expect("legal")];
        let mut walk =
            Walk { evaluator: &evaluator, values: Vec::new(), told: 0, way: Way::Evaluate, inner: 0 };
        walk.run(Way::Evaluate, &roots);
        let (leaves, inner) = (walk.values.len(), walk.inner);
        assert!(leaves > 1_000 && inner > 500);
        for way in [Way::Tell, Way::TellWithoutFeatures] {
            walk.run(way, &roots);
            assert_eq!((walk.told, walk.inner), (leaves, inner));
        }
    }
}
