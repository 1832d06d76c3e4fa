//! A board together with the colour to move.

use super::{Board, Color};

/// A position: the board seen from the side to move, and which side that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// Discs, from the side to move.
    pub board: Board,
    /// The side to move. It may lack a legal move, or the game may be over.
    pub side: Color,
}

impl Position {
    /// The usual start, Black to move.
    pub const START: Self = Self { board: Board::START, side: Color::Black };

    /// The position with these discs and `side` to move.
    pub fn from_discs(black: u64, white: u64, side: Color) -> Self {
        let board = match side {
            Color::Black => Board { player: black, opponent: white },
            Color::White => Board { player: white, opponent: black },
        };
        Self { board, side }
    }

    /// Discs of `color`.
    pub fn discs(&self, color: Color) -> u64 {
        if color == self.side { self.board.player } else { self.board.opponent }
    }
}
