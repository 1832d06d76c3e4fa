//! The doubt of errors and moves: negative natural logarithms of likelihoods, in 1/100, good enough for an order.
//!
//! Factors that all kinds of errors share, such as the choice of the turn, do not count.

use super::edit::Edit;
use crate::board::{Board, Move, Position, Square};

/// Digits or letters that look alike, by their numbers from 0: 3 and 8, 1 and 7, 6 and 8, b and d.
const ALIKE: [(u8, u8); 4] = [(2, 7), (0, 6), (5, 7), (1, 3)];
/// Two distant moves swapped, or an unrelated move more: each has many forms.
const FAR: i32 = 400;

/// Doubt that this error was made; `moves` are the written ones.
pub fn of_error(edit: &Edit, moves: &[Option<Move>]) -> i32 {
    match *edit {
        Edit::Misread { was: None, .. } | Edit::Superfluous { was: None, .. } => 200,
        Edit::Misread {
            was: Some(Move::Pass),
            ..
        } => 700,
        Edit::Misread {
            was: Some(Move::Place(was)),
            now,
            ..
        } => misreading(was, now),
        Edit::Swapped {
            first: (first, _),
            second: (second, _),
        } if second - first == 1 => 70,
        Edit::Swapped { .. } => FAR,
        // The doubt is in the move.
        Edit::Missing { .. }
        | Edit::Superfluous {
            was: Some(Move::Pass),
            ..
        } => 0,
        Edit::Superfluous { turn, was } => {
            let beside =
                [turn.wrapping_sub(1), turn + 1].map(|turn| moves.get(turn).copied().flatten());
            if beside.contains(&was) { 70 } else { FAR }
        }
    }
}

/// A wrong letter or digit, next to the right one or like it; both exchanged; anything.
fn misreading(was: Square, now: Square) -> i32 {
    let is_near = |one: u8, other: u8| {
        one.abs_diff(other) == 1 || ALIKE.contains(&(one.min(other), one.max(other)))
    };
    let is_turned = (was.file(), was.rank()) == (now.rank(), now.file());
    match (was.file() == now.file(), was.rank() == now.rank()) {
        (true, _) if is_near(was.rank(), now.rank()) => 220,
        (_, true) if is_near(was.file(), now.file()) => 220,
        (false, false) if is_turned => 220,
        (false, false) => 600,
        _ => 350,
    }
}

/// Doubt that people play these moves from `start`: they leave few replies and turn few discs next to empty squares.
pub fn of_moves(start: Position, moves: &[Move]) -> i32 {
    let mut board = start.board;
    let mut sum = 0;
    for mv in moves {
        match *mv {
            Move::Pass => board = board.pass(),
            Move::Place(square) => {
                let flipped = board.flip(square);
                board = board.after(square, flipped);
                sum += board.moves().len() + open_beside(board, flipped);
            }
        }
    }
    25 * sum as i32
}

/// Empty squares next to these discs.
fn open_beside(board: Board, discs: u64) -> u32 {
    const NOT_FILE_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
    let row = discs | (discs << 1 & NOT_FILE_A) | (discs & NOT_FILE_A) >> 1;
    ((row | row << 8 | row >> 8) & board.empties()).count_ones()
}
