//! The search of the early programs: alpha-beta over the candidates of each position.

use super::evaluate::{applet, othelloai, pentai, sustech};
use super::program::{LadderOptions, Program};
use crate::board::{Board, Square};
use crate::util::rng::Rng;

/// The score of a finished game, plus its discs; greater than every evaluation.
const WON: i32 = 1_000_000;
/// Greater than every score.
const INFINITE: i32 = 2 * WON;

/// othelloAI searches to the end at this many empties.
const LAST_EMPTIES: u32 = 9;

/// PentAI's candidates at the top plies, the number of those plies, and the candidates below.
const TOP_WIDTH: usize = 9;
const TOP_PLIES: u32 = 3;
const WIDTH: usize = 5;
/// The largest shift of a score, at a judgement of 0; about a corner.
const CONFUSION: i32 = 500;

pub(super) struct Searcher<'a> {
    options: &'a LadderOptions,
    evaluate: fn(Board) -> i32,
    rng: &'a mut Rng,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(options: &'a LadderOptions, rng: &'a mut Rng) -> Self {
        let evaluate = match options.program {
            Program::OthelloAi => othelloai,
            Program::Sustech => sustech,
            Program::Applet => applet,
            _ => pentai,
        };
        Self {
            options,
            evaluate,
            rng,
        }
    }

    /// The first of the best moves; `None` without a legal move.
    pub(super) fn best_move(mut self, board: Board) -> Option<Square> {
        let empties = board.empty_count();
        let to_end = self.options.program == Program::OthelloAi && empties <= LAST_EMPTIES;
        let depth = if to_end {
            empties
        } else {
            self.options.depth.into()
        };
        let candidates = self.candidates(board, 0);
        let mut alpha = -INFINITE;
        let mut best = candidates.first().copied();
        for square in candidates {
            let score = -self.alpha_beta(after(board, square), 1, depth, -INFINITE, -alpha);
            if score > alpha {
                (alpha, best) = (score, Some(square));
            }
        }
        best
    }

    /// The score for the side to move, `ply` moves below the root, searched to `depth`.
    fn alpha_beta(&mut self, board: Board, ply: u32, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        if board.moves().is_empty() {
            if board.opponent_moves().is_empty() {
                let discs = board.final_score();
                return discs.signum() * WON + discs;
            }
            return -self.alpha_beta(board.pass(), ply, depth, -beta, -alpha);
        }
        if ply >= depth {
            return self.shaken((self.evaluate)(board));
        }
        let mut value = -INFINITE;
        for square in self.candidates(board, ply) {
            value =
                value.max(-self.alpha_beta(after(board, square), ply + 1, depth, -beta, -alpha));
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        value
    }

    /// The moves by the evaluation after each, best first; PentAI sees only some of the best few.
    fn candidates(&mut self, board: Board, ply: u32) -> Vec<Square> {
        let mut moves: Vec<Square> = board.moves().iter().collect();
        moves.sort_by_cached_key(|&square| (self.evaluate)(after(board, square)));
        if self.options.program == Program::PentAi {
            moves.truncate(if ply < TOP_PLIES { TOP_WIDTH } else { WIDTH });
            let best = moves.first().copied();
            moves.retain(|_| {
                self.options.vision == 100 || self.rng.below(100) < self.options.vision.into()
            });
            if moves.is_empty() {
                moves.extend(best);
            }
        }
        moves
    }

    /// A score with a random shift, larger with less judgement.
    fn shaken(&mut self, score: i32) -> i32 {
        let most = CONFUSION * (100 - i32::from(self.options.judgement)) / 100;
        if most == 0 {
            score
        } else {
            score - most + self.rng.below(2 * most as u32 + 1) as i32
        }
    }
}

/// The position after the legal move `square`, seen from the other side.
fn after(board: Board, square: Square) -> Board {
    board.after(square, board.flip(square))
}

#[cfg(test)]
mod tests {
    use super::super::tests::random_board;
    use super::*;

    fn minimax(evaluate: fn(Board) -> i32, board: Board, depth: u32) -> i32 {
        if board.moves().is_empty() {
            let discs = board.final_score();
            return match board.opponent_moves() {
                crate::board::SquareSet(0) => discs.signum() * WON + discs,
                _ => -minimax(evaluate, board.pass(), depth),
            };
        }
        if depth == 0 {
            return evaluate(board);
        }
        let scores = board
            .moves()
            .iter()
            .map(|square| -minimax(evaluate, after(board, square), depth - 1));
        scores.max().expect("there is a move")
    }

    #[test]
    fn cuts_change_no_score() {
        let mut rng = Rng::new(2);
        for name in ["othelloai", "sustech", "applet"] {
            let options = LadderOptions::named(name).unwrap();
            for _ in 0..20 {
                let board = random_board(&mut rng);
                for depth in 0..4 {
                    let mut searcher = Searcher::new(&options, &mut rng);
                    let score = searcher.alpha_beta(board, 0, depth, -INFINITE, INFINITE);
                    assert_eq!(
                        score,
                        minimax(searcher.evaluate, board, depth),
                        "{name}: {board:?} at {depth}"
                    );
                }
            }
        }
    }

    #[test]
    fn width_and_vision_bound_the_candidates() {
        let mut rng = Rng::new(1);
        let boards = std::iter::repeat_with(|| random_board(&mut rng));
        let board = boards
            .take(1_000)
            .find(|board| board.moves().len() as usize > TOP_WIDTH)
            .unwrap();
        let mut rng = Rng::new(1);
        let mut seen = |vision, ply| {
            let options = LadderOptions {
                vision,
                ..LadderOptions::named("pentai").unwrap()
            };
            Searcher::new(&options, &mut rng)
                .candidates(board, ply)
                .len()
        };
        assert_eq!((seen(100, 0), seen(100, TOP_PLIES)), (TOP_WIDTH, WIDTH));
        assert!((0..100).all(|_| (1..=2).contains(&seen(1, 0))));
    }
}
