//! Games and answers, for tests of any crate.

use super::{Answer, Canonical, USUAL_LEVEL};
use crate::board::{Board, Game, Position, Score, Square, SquareSet};
use crate::text::parse_game;

/// An answer of the usual level, with scores in units.
pub fn scored(board: Board, moves: impl IntoIterator<Item = (Square, i32)>) -> Answer {
    let canonical = Canonical::of(board).expect("a move is left");
    let moves = moves
        .into_iter()
        .map(|(square, score)| (canonical.forth(square), Score::from_units(score)));
    Answer {
        key: canonical.key(),
        level: USUAL_LEVEL,
        avoid: SquareSet(0),
        moves: moves.collect(),
    }
}

/// The game of these moves.
pub fn played(moves: &str) -> Game {
    parse_game(Position::START, moves).expect("legal moves")
}
