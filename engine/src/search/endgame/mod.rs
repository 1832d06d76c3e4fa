//! The allocation-free solver for few empties.
//!
//! Inside, a position's value is the number of discs its mover ends with, `0..=64`, the empties given
//! to the winner (half each in a draw): `score = 2 * count - 64`. Scores are always even, so this is
//! the score on its own grid, and a null window is a single `target`: does the mover end with more?
//! The other side's question is then `63 - target`.

mod cache;
mod last_empties;
mod node;
mod order;
mod solver;

pub(super) use solver::MAX_MOVES;
pub use solver::{CacheSizes, Solver};

use node::Expected;

use crate::board::level::at_level;
use crate::board::{Board, Move, Square};

impl Solver {
    /// Proves on which side of `alpha` (discs, `-65..=64`) the exact score of `board` is.
    ///
    /// Returns an even bound in discs for the side to move: above `alpha` it is a lower bound of the
    /// score, else an upper bound.
    pub fn null_window(&mut self, board: Board, alpha: i32) -> i32 {
        // Scores are even: above an odd alpha means above the even number below it.
        let target = (alpha + 64).div_euclid(2);
        if target < 0 {
            return -64;
        }
        if target >= 64 {
            return 64;
        }
        2 * at_level!(level => self.nws(level, board, target, Expected::Cut)) - 64
    }
}

/// Whole solves: a search asks null windows.
impl Solver {
    /// The exact score of `board` in discs for the side to move.
    ///
    /// The result of each null window sets the next one, in doubling steps.
    pub fn exact(&mut self, board: Board) -> i32 {
        let mut lower = -64;
        let mut upper = 64;
        let mobility = board.moves().len() as i32 - board.opponent_moves().len() as i32;
        let mut guess = 2 * mobility;
        let mut step = 0;
        while lower < upper && !self.stopped {
            let at = if guess == upper { guess - 2 } else { guess };
            let score = self.null_window(board, at);
            if score > at {
                lower = score;
                step = (step.max(0) * 2).max(2);
                guess = (score + step - 2).min(upper);
            } else {
                upper = score;
                step = (step.min(0) * 2).min(-2);
                guess = (score + step).max(lower);
            }
        }
        lower
    }

    /// The best move and the exact score in discs for the side to move; `None` when the game is over.
    pub fn best_move(&mut self, board: Board) -> (Option<Move>, i32) {
        let score = self.exact(board);
        if board.moves().is_empty() {
            let answer = !board.opponent_moves().is_empty();
            return (answer.then_some(Move::Pass), score);
        }
        let keeps = |&square: &Square| {
            let child = board.after(square, board.flip(square));
            self.null_window(child, -score) <= -score
        };
        (board.moves().iter().find(keeps).map(Move::Place), score)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::testing::{random_ending, samples};
    use crate::search::params::{LOOK_EMPTIES, LOOK_NODES};
    use crate::search::task::{Budget, Stop};
    use crate::util::rng::Rng;

    /// Plain alpha-beta on the rules: nothing shared with the solver but the board.
    pub(super) fn naive(board: Board, alpha: i32, beta: i32) -> i32 {
        let moves = board.moves();
        if moves.is_empty() {
            if board.opponent_moves().is_empty() {
                return board.final_score();
            }
            return -naive(board.pass(), -beta, -alpha);
        }
        let mut best = -64;
        for square in moves {
            let child = board.after(square, board.flip(square));
            best = best.max(-naive(child, -beta, -best.max(alpha)));
            if best >= beta {
                break;
            }
        }
        best
    }

    #[test]
    fn exact_agrees_with_minimax() {
        let mut rng = Rng::new(3);
        let mut solver = Solver::new(CacheSizes::default());
        let counts = [300, 600, 1000, 1000, 1000, 1000, 600, 300, 30, 6];
        for (empties, count) in (1..).zip(counts) {
            for _ in 0..samples(count) {
                let board = random_ending(&mut rng, empties);
                assert_eq!(solver.exact(board), naive(board, -64, 64), "{board:?}");
            }
        }
    }

    #[test]
    fn null_window_answers_every_alpha() {
        let mut rng = Rng::new(4);
        let mut solver = Solver::new(CacheSizes { near: 0, far: 0 });
        for empties in 0..8 {
            let full = Board {
                player: 0xFFFF,
                opponent: !0xFFFF,
            };
            let board = if empties == 0 {
                full
            } else {
                random_ending(&mut rng, empties)
            };
            let score = naive(board, -64, 64);
            for alpha in -65..=64 {
                let bound = solver.null_window(board, alpha);
                assert_eq!(bound > alpha, score > alpha, "{board:?} {alpha}");
                assert!(if bound > alpha {
                    bound <= score
                } else {
                    bound >= score
                });
                assert_eq!(bound % 2, 0);
            }
        }
    }

    #[test]
    fn caches_of_a_few_entries_keep_the_scores() {
        let mut rng = Rng::new(5);
        let mut small = Solver::new(CacheSizes { near: 1, far: 1 });
        let mut large = Solver::new(CacheSizes::default());
        for _ in 0..40 {
            let board = random_ending(&mut rng, 11);
            assert_eq!(small.exact(board), large.exact(board), "{board}");
        }
    }

    #[test]
    fn best_move_keeps_the_score() {
        let mut rng = Rng::new(8);
        let mut solver = Solver::new(CacheSizes::default());
        for _ in 0..200 {
            let board = random_ending(&mut rng, 8);
            let (best, score) = solver.best_move(board);
            let next = best
                .and_then(|best| board.play_move(best))
                .expect("the best move is legal");
            assert_eq!(score, -solver.exact(next), "{board}");
            assert_eq!(score, naive(board, -64, 64), "{board}");
        }
    }

    /// The first positions of the FFO test set and a harder one, with their published scores.
    #[test]
    fn published_scores_are_found() {
        let known = [
            (
                "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X",
                18,
            ),
            (
                "-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X",
                10,
            ),
            (
                "----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X",
                2,
            ),
            (
                "--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO- X",
                8,
            ),
            (
                "-XXXX-----OXXX--XOXOXOXXOXOXXOXXOXXOXOOOXXXOXOOX--OXXO---OOOOO-- O",
                10,
            ),
        ];
        let mut solver = Solver::new(CacheSizes::default());
        for (text, score) in known {
            let board = crate::text::parse_board(text).expect("a board").board;
            assert_eq!(solver.exact(board), score, "{board}");
        }
    }

    #[test]
    fn what_looks_at_no_limit_is_small() {
        let mut rng = Rng::new(10);
        let mut solver = Solver::new(CacheSizes { near: 0, far: 0 });
        let mut most = 0;
        for _ in 0..samples(4_000) {
            let board = random_ending(&mut rng, LOOK_EMPTIES - 1);
            let alpha = 2 * rng.below(32) as i32 - 32;
            let before = solver.meter.nodes;
            solver.null_window(board, alpha);
            most = most.max(solver.meter.nodes - before);
        }
        assert!(most + LOOK_NODES <= 2_048, "{most} nodes between two looks");
    }

    #[test]
    fn a_stopped_solve_says_so() {
        let board = random_ending(&mut Rng::new(9), 20);
        let mut solver = Solver::new(CacheSizes::default());
        let stop = Stop::new();
        solver.set_budget(Arc::new(Budget::unlimited(&stop)));
        stop.request();
        solver.exact(board);
        assert!(solver.was_stopped());
        solver.set_budget(Arc::new(Budget::unlimited(&Stop::new())));
        assert!(!solver.was_stopped());
    }
}
