//! The two lowest rungs.

use super::program::Choose;
use crate::board::{Game, Square, squares};
use crate::util::rng::Rng;

/// Plays any legal move.
pub(super) struct Random;

impl Choose for Random {
    fn choose(&mut self, game: &Game, rng: &mut Rng) -> Square {
        let moves = game.position().board.moves();
        let pick = rng.below(moves.count_ones()) as usize;
        squares(moves).nth(pick).expect("the side to move has a move")
    }
}

/// Turns as many discs as possible; any of several equal moves.
pub(super) struct Greedy;

impl Choose for Greedy {
    fn choose(&mut self, game: &Game, rng: &mut Rng) -> Square {
        let board = game.position().board;
        squares(board.moves())
            .max_by_key(|&square| (board.flip(square).count_ones(), rng.next()))
            .expect("the side to move has a move")
    }
}
