//! Moves and chances of people.

use super::boundary::{EMILIA_PASS, fail, present, value_of};
use super::engine::{EmiliaEngine, EmiliaReport};
use super::rules::EmiliaBoard;
use crate::board::{Board, Square};
use crate::engine::people::{People, Rating, run_person, share};
use crate::search::{Limits, Person, Silent, Stop, Task};

/// The board with a legal move, the move before and the rating.
fn asked(board: EmiliaBoard, last: u8, rating: u32) -> Option<(Board, Person)> {
    let board = board.board()?;
    if board.moves().is_empty() {
        fail("expected a position with a legal move");
        return None;
    }
    let square = Square::new(last);
    if square.is_none() && last != EMILIA_PASS {
        fail(format_args!(
            "expected a square or a pass as the last move, found {last}"
        ));
        return None;
    }
    let rating = value_of(Rating::new("rating", rating.into()))?.number();
    Some((
        board,
        Person {
            rating,
            last: square,
        },
    ))
}

/// Plays a move like a person of `rating`, 1000 to 2000, and writes its report. `last` is the move before, or
/// `EMILIA_PASS` where there is none. The same seed and board give the same move. False after an error, also where no
/// move is legal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_person(
    engine: *const EmiliaEngine,
    board: EmiliaBoard,
    last: u8,
    rating: u32,
    seed: u64,
    report: *mut EmiliaReport,
) -> bool {
    let given = (!engine.is_null() && !report.is_null()).then_some(board);
    let Some(board) = present(given, "an engine and a place for the report") else {
        return false;
    };
    let Some((board, person)) = asked(board, last, rating) else {
        return false;
    };
    // SAFETY: the caller's promise.
    let evaluator = unsafe { &*engine }.evaluator();
    let task = Task::new(board, Limits::depth(1));
    let result = run_person(evaluator, &task, (person, seed), &Stop::new(), &mut Silent);
    let line = result.info.lines.first().expect("a legal move has a line");
    // SAFETY: the caller's promise.
    unsafe { report.write(EmiliaReport::of(&result.info, line)) };
    true
}

/// Writes for each of the 64 squares the probability that a player of `rating`, 1000 to 2000, plays there: 0 where that
/// is illegal; together 1. `last` is the move before, or `EMILIA_PASS` where there is none. False after an error, also
/// where no move is legal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_find_chances(
    engine: *const EmiliaEngine,
    board: EmiliaBoard,
    last: u8,
    rating: u32,
    chances: *mut f64,
) -> bool {
    let given = (!engine.is_null() && !chances.is_null()).then_some(board);
    let Some(board) = present(given, "an engine and room for 64 chances") else {
        return false;
    };
    let Some((board, person)) = asked(board, last, rating) else {
        return false;
    };
    // SAFETY: the caller's promise.
    let evaluator = unsafe { &*engine }.evaluator();
    let people = People::shipped();
    let sighted = people.see(evaluator, board, person.last);
    let shares = people.chances(&sighted, person.rating.into());
    let mut all = [0.0; 64];
    for (sight, part) in sighted.view.moves.iter().zip(shares) {
        all[sight.square.index()] = share(part);
    }
    // SAFETY: the caller's promise: there is room for 64.
    unsafe { chances.cast::<[f64; 64]>().write_unaligned(all) };
    true
}
