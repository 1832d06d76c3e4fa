//! After the SUSTech student engine: deepening alpha-beta with a hash table and sorted moves.
//!
//! Source: J. Zhang, "Reversi AI Based on Alpha-Beta pruning": iterative deepening from depth 2 to 4, moves
//! sorted by the evaluation after each ("preprocess"), a hash table of lower and upper values that keeps
//! the deeper entry. The evaluation is `sustech_eval.rs`.

use std::collections::HashMap;

use super::program::Choose;
use super::search::{INFINITE, Moves, after, final_score};
use super::sustech_eval::evaluate;
use crate::board::{Board, Game, Square};
use crate::util::rng::Rng;

/// Entries after which the table is emptied.
const TABLE_SIZE: usize = 1 << 18;

#[derive(Clone, Copy)]
struct Entry {
    depth: u32,
    lower: i32,
    upper: i32,
}

pub(super) struct Sustech {
    depth: u32,
    table: HashMap<Board, Entry>,
}

impl Sustech {
    pub(super) fn new(depth: u32) -> Self {
        Self { depth, table: HashMap::new() }
    }

    fn alpha_beta(&mut self, board: Board, depth: u32, alpha: i32, beta: i32) -> i32 {
        if board.moves() == 0 {
            if board.opponent_moves() == 0 {
                return final_score(board);
            }
            return -self.alpha_beta(board.pass(), depth, -beta, -alpha);
        }
        if depth == 0 {
            return evaluate(board).units();
        }
        let known = self.table.get(&board).copied().filter(|entry| entry.depth == depth);
        if let Some(entry) = known {
            if entry.lower >= beta || entry.lower == entry.upper {
                return entry.lower;
            }
            if entry.upper <= alpha {
                return entry.upper;
            }
        }
        let (mut value, mut low) = (-INFINITE, alpha);
        for square in preprocess(board).iter() {
            let score = -self.alpha_beta(after(board, square), depth - 1, -beta, -low);
            value = value.max(score);
            low = low.max(score);
            if low >= beta {
                break;
            }
        }
        self.update(board, depth, value, alpha, beta);
        value
    }

    /// Stores a value as the bound that it is; a deeper entry stays.
    fn update(&mut self, board: Board, depth: u32, value: i32, alpha: i32, beta: i32) {
        if self.table.len() >= TABLE_SIZE {
            self.table.clear();
        }
        let entry = self.table.entry(board).or_insert(Entry { depth, lower: -INFINITE, upper: INFINITE });
        if entry.depth > depth {
            return;
        }
        if entry.depth < depth {
            *entry = Entry { depth, lower: -INFINITE, upper: INFINITE };
        }
        if value > alpha {
            entry.lower = value;
        }
        if value < beta {
            entry.upper = value;
        }
    }
}

/// The moves by the evaluation after each of them.
fn preprocess(board: Board) -> Moves {
    Moves::sorted(board, |square| -evaluate(after(board, square)).units())
}

impl Choose for Sustech {
    fn choose(&mut self, game: &Game, _rng: &mut Rng) -> Square {
        let board = game.position().board;
        let moves = preprocess(board);
        let mut best = moves.iter().next().expect("the side to move has a move");
        for depth in 2.min(self.depth)..=self.depth {
            let mut alpha = -INFINITE;
            for square in moves.iter() {
                let score = -self.alpha_beta(after(board, square), depth - 1, -INFINITE, -alpha);
                if score > alpha {
                    (alpha, best) = (score, square);
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random_board;
    use super::*;

    fn minimax(board: Board, depth: u32) -> i32 {
        if board.moves() == 0 {
            return if board.opponent_moves() == 0 {
                final_score(board)
            } else {
                -minimax(board.pass(), depth)
            };
        }
        if depth == 0 {
            return evaluate(board).units();
        }
        crate::board::squares(board.moves())
            .map(|square| -minimax(after(board, square), depth - 1))
            .max()
            .expect("there is a move")
    }

    #[test]
    fn hash_and_cuts_change_no_score() {
        let mut rng = Rng::new(2);
        let mut engine = Sustech::new(4);
        for _ in 0..20 {
            let board = random_board(&mut rng);
            for depth in 1..4 {
                assert_eq!(
                    engine.alpha_beta(board, depth, -INFINITE, INFINITE),
                    minimax(board, depth),
                    "{board:?} at depth {depth}"
                );
            }
        }
    }
}
