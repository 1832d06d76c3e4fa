//! The scores that a player may see: a plain alpha-beta search of every move, and exact scores near the end.

use crate::board::bitboard::CORNERS;
use crate::board::{Board, Score, Square};
use crate::eval::{Evaluator, Features};
use crate::search::endgame::{CacheSizes, Solver};

/// The depths of the searches, plies; the move itself is the first.
pub const DEPTHS: [u8; 3] = [1, 2, 4];
/// Most empties with exact scores.
pub const SOLVED: u32 = 12;
/// The largest loss that the model distinguishes, 1/128 disc.
pub const MOST_LOST: i32 = 16 * Score::DISC;
/// Sizes of the solver's caches in bits: 256 KiB together.
const CACHES: CacheSizes = CacheSizes { near: 10, far: 13 };
/// Outside all scores.
const INFINITE: i32 = 2 * Score::MAX.units();

/// The losses of a position's moves.
pub struct Losses {
    /// Best score at the greatest depth, 1/128 disc for the side to move.
    pub best: i32,
    /// Per depth, per move: the distance to the best score, `0..=MOST_LOST`.
    pub searched: [Vec<i32>; DEPTHS.len()],
    /// The best exact score and the same of exact scores; `None` with more than [`SOLVED`] empties.
    pub exact: Option<(i32, Vec<i32>)>,
    /// Positions visited.
    pub nodes: u64,
}

/// Scores moves; one per thread.
pub struct Scorer<'a> {
    evaluator: &'a Evaluator,
    solver: Solver,
    nodes: u64,
}

impl<'a> Scorer<'a> {
    /// Scores by the evaluation `evaluator`.
    pub fn new(evaluator: &'a Evaluator) -> Self {
        Self {
            evaluator,
            solver: Solver::new(CACHES),
            nodes: 0,
        }
    }

    /// The losses of `moves`, the legal moves of `board`; there is at least one.
    pub fn losses(&mut self, board: Board, moves: &[Square]) -> Losses {
        self.nodes = 0;
        let mut order: Vec<usize> = (0..moves.len()).collect();
        let mut best = 0;
        let searched = DEPTHS.map(|depth| {
            let scores = self.searched(board, moves, &order, depth);
            // Stable: equal moves keep their order.
            order.sort_by_key(|&index| -scores[index]);
            best = scores[order[0]];
            lost(&scores)
        });
        let exact = (board.empty_count() <= SOLVED).then(|| {
            let scores = self.solved(board, moves);
            (scores.iter().copied().max().unwrap_or(0), lost(&scores))
        });
        Losses {
            best,
            searched,
            exact,
            nodes: self.nodes,
        }
    }

    /// The scores at `depth`, tried in `order`: exact within [`MOST_LOST`] of the best, else an upper bound.
    fn searched(&mut self, board: Board, moves: &[Square], order: &[usize], depth: u8) -> Vec<i32> {
        let features = self.evaluator.features(board);
        let mut scores = vec![0; moves.len()];
        let mut best = -INFINITE;
        for &index in order {
            let square = moves[index];
            let flipped = board.flip(square);
            let child = self.evaluator.play(&features, square, flipped);
            let floor = (best - MOST_LOST).max(-INFINITE);
            let board = board.after(square, flipped);
            scores[index] = -self.negamax(board, &child, depth - 1, (-INFINITE, -floor), false);
            best = best.max(scores[index]);
        }
        scores
    }

    /// Fail-soft alpha-beta in the window of `alpha` and `beta`; a pass costs no depth.
    fn negamax(
        &mut self,
        board: Board,
        features: &Features,
        depth: u8,
        (mut alpha, beta): (i32, i32),
        passed: bool,
    ) -> i32 {
        self.nodes += 1;
        let moves = board.moves();
        if moves.is_empty() {
            if passed || board.opponent_moves().is_empty() {
                return Score::from_discs(board.final_score()).units();
            }
            return -self.negamax(board.pass(), &features.pass(), depth, (-beta, -alpha), true);
        }
        match depth {
            0 => return self.evaluator.evaluate(board, features).units(),
            1 => return self.leaves(board, features, beta),
            _ => {}
        }
        let mut best = -INFINITE;
        for (square, flipped) in ordered(board) {
            let child = self.evaluator.play(features, square, flipped);
            let after = board.after(square, flipped);
            best = best.max(-self.negamax(after, &child, depth - 1, (-beta, -alpha), false));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// [`Self::negamax`] at depth 1.
    fn leaves(&mut self, board: Board, features: &Features, beta: i32) -> i32 {
        let children = features.children();
        let mut best = -INFINITE;
        for square in board.moves() {
            self.nodes += 1;
            let flipped = board.flip(square);
            let after = board.after(square, flipped);
            let value = if !after.moves().is_empty() {
                let value = self
                    .evaluator
                    .evaluate_child(board, &children, square, flipped);
                -value.units()
            } else {
                let features = self.evaluator.features(after);
                -self.negamax(after, &features, 0, (-INFINITE, INFINITE), false)
            };
            best = best.max(value);
            if best >= beta {
                break;
            }
        }
        best
    }

    /// The exact scores of the moves, 1/128 disc for the mover.
    fn solved(&mut self, board: Board, moves: &[Square]) -> Vec<i32> {
        let solve = |&square: &Square| {
            let after = board.after(square, board.flip(square));
            -self.solver.exact(after) * Score::DISC
        };
        moves.iter().map(solve).collect()
    }
}

/// The moves of a position with the discs that they turn: corners first, then those that leave few answers.
fn ordered(board: Board) -> Vec<(Square, u64)> {
    let mut moves: Vec<(u32, Square, u64)> = board
        .moves()
        .iter()
        .map(|square| {
            let flipped = board.flip(square);
            let answers = board.after(square, flipped).moves().len();
            let is_corner = square.bit() & CORNERS != 0;
            (if is_corner { 0 } else { answers + 1 }, square, flipped)
        })
        .collect();
    moves.sort_by_key(|&(rank, ..)| rank);
    moves
        .into_iter()
        .map(|(_, square, flipped)| (square, flipped))
        .collect()
}

/// The distance of each score to the best one, at most [`MOST_LOST`].
fn lost(scores: &[i32]) -> Vec<i32> {
    let best = scores.iter().copied().max().unwrap_or(0);
    scores
        .iter()
        .map(|score| (best - score).min(MOST_LOST))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_positions;

    /// The definition: every move to the depth, passes free, a finished game counted.
    fn minimax(board: Board, depth: u8) -> i32 {
        let evaluator = Evaluator::Classic;
        if board.is_over() {
            return Score::from_discs(board.final_score()).units();
        }
        if board.moves().is_empty() {
            return -minimax(board.pass(), depth);
        }
        if depth == 0 {
            return evaluator
                .evaluate(board, &evaluator.features(board))
                .units();
        }
        let children = board.moves().iter().filter_map(|square| board.play(square));
        children
            .map(|child| -minimax(child, depth - 1))
            .max()
            .expect("a move")
    }

    #[test]
    fn losses_are_those_of_plain_minimax() {
        let mut scorer = Scorer::new(&Evaluator::Classic);
        let boards = random_positions(7, 60)
            .into_iter()
            .filter(|board| !board.moves().is_empty());
        for board in boards {
            let moves: Vec<Square> = board.moves().iter().collect();
            let found = scorer.losses(board, &moves);
            let solved = found
                .exact
                .map(|(_, lost)| lost)
                .filter(|_| board.empty_count() <= 7);
            let all = DEPTHS.into_iter().zip(found.searched);
            for (depth, losses) in all.chain(solved.map(|lost| (60, lost))) {
                let after = moves.iter().filter_map(|&square| board.play(square));
                let scores: Vec<i32> = after.map(|child| -minimax(child, depth - 1)).collect();
                assert_eq!(losses, lost(&scores), "depth {depth}\n{board}");
            }
        }
    }
}
