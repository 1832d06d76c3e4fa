//! Opening books, to look into.

use std::ffi::c_char;

use super::boundary::{free, owned, path, present, value_of};
use super::rules::EmiliaBoard;
use crate::book::{Book, BookMove};

/// An open book.
pub struct EmiliaBook(Book);

/// A move of a book.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmiliaBookMove {
    /// The square; of squares that the position's symmetry makes equal, only one.
    pub square: u8,
    /// Whether there is a score; only games contain a move without one.
    pub has_score: bool,
    /// In discs, for the side to move.
    pub score: f64,
    /// Games won by the side to move.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost by the side to move.
    pub losses: u32,
}

/// Opens a book; null opens the small book of the library. Returns null if it cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_book_open(file: *const c_char) -> *mut EmiliaBook {
    // SAFETY: the caller's promise.
    let Some(file) = (unsafe { path(file) }) else {
        return std::ptr::null_mut();
    };
    owned(
        file.as_deref()
            .map_or_else(Book::inside, Book::open)
            .map(EmiliaBook),
    )
}

/// Closes a book; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_book_free(book: *mut EmiliaBook) {
    // SAFETY: the caller's promise.
    unsafe { free(book) }
}

/// The number of positions of the book.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_book_positions(book: *const EmiliaBook) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { book.as_ref() }.map_or(0, |EmiliaBook(book)| book.base().header().positions)
}

/// Writes the book's moves of a position, the best score first, at most `capacity` of them. Returns the number of known
/// moves: 0 if the book does not have the position or the side to move must pass; -1 if the book cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_book_moves(
    book: *const EmiliaBook,
    board: EmiliaBoard,
    moves: *mut EmiliaBookMove,
    capacity: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let book = present(unsafe { book.as_ref() }, "a book");
    let Some((EmiliaBook(book), board)) = book.zip(board.board()) else {
        return -1;
    };
    let Some(found) = value_of(book.probe(board)) else {
        return -1;
    };
    let found = found.filter(|found| !found.passed);
    let mut known = found.map_or(Vec::new(), |found| found.entry.moves);
    known.sort_by_key(BookMove::rank);
    for (index, mv) in known.iter().take(capacity).enumerate() {
        let row = EmiliaBookMove {
            square: mv.square.index() as u8,
            has_score: mv.score.is_some(),
            score: mv.score.map_or(0.0, |score| score.score().discs()),
            wins: mv.games.wins,
            draws: mv.games.draws,
            losses: mv.games.losses,
        };
        // SAFETY: the caller's promise: `index` is below `capacity`.
        unsafe { moves.add(index).write(row) };
    }
    known.len() as i32
}
