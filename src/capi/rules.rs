//! Boards and moves.

use std::ffi::c_char;

use super::boundary::{EMILIA_PASS, present, text, value_of};
use crate::board::{Board, Color, Square};
use crate::notation::parse_position;

/// A board, seen from the side to move. No square may be in both sets.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmiliaBoard {
    /// Discs of the side to move: bit 0 is a1, bit 1 b1, bit 63 h8.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
}

impl From<Board> for EmiliaBoard {
    fn from(Board { player, opponent }: Board) -> Self {
        Self { player, opponent }
    }
}

impl EmiliaBoard {
    /// The board, unless a square is in both sets.
    pub(super) fn board(self) -> Option<Board> {
        let Self { player, opponent } = self;
        let board = (player & opponent == 0).then_some(Board { player, opponent });
        value_of(board.ok_or("expected a board with at most one disc on each square"))
    }
}

/// The start of a game: Black to move.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_start() -> EmiliaBoard {
    Board::START.into()
}

/// Reads a position in any notation of `emilia show`: 64 letters and the side to move, FEN, moves from the start, a
/// game. Writes its last position, and whether Black is to move if `black_to_move` is not null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_parse(
    position: *const c_char,
    board: *mut EmiliaBoard,
    black_to_move: *mut bool,
) -> bool {
    // SAFETY: the caller's promise.
    let Some(position) = (unsafe { text(position) }) else {
        return false;
    };
    let Some(detected) = value_of(parse_position(position)) else {
        return false;
    };
    let position = detected.position();
    // SAFETY: the caller's promise.
    let (board, black_to_move) = unsafe { (board.as_mut(), black_to_move.as_mut()) };
    board
        .into_iter()
        .for_each(|board| *board = position.board.into());
    black_to_move
        .into_iter()
        .for_each(|black| *black = position.side == Color::Black);
    true
}

/// The legal moves, a bit for each square; 0 if the side to move must pass.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_moves(board: EmiliaBoard) -> u64 {
    board.board().map_or(0, |board| board.moves().0)
}

/// Plays a move, `EMILIA_PASS` for a pass, and turns the board to the other side. Returns `false` and changes nothing
/// if the move is illegal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_play(board: *mut EmiliaBoard, square: u8) -> bool {
    // SAFETY: the caller's promise.
    let Some(place) = present(unsafe { board.as_mut() }, "a board") else {
        return false;
    };
    let Some(board) = place.board() else {
        return false;
    };
    let after = match Square::new(square) {
        Some(square) => board.play(square),
        None if square == EMILIA_PASS && board.moves().is_empty() && !board.is_over() => {
            Some(board.pass())
        }
        None => None,
    };
    let after = value_of(after.ok_or_else(|| format!("expected a legal move, found {square}")));
    after.map(|after| *place = after.into()).is_some()
}

/// Whether neither side has a move.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_is_over(board: EmiliaBoard) -> bool {
    board.board().is_some_and(Board::is_over)
}

/// The result of a game that is over, in discs for the side to move; empty squares count for the winner.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_final_score(board: EmiliaBoard) -> i32 {
    board.board().map_or(0, Board::final_score)
}
