//! One pass over the plies of books too large for memory, from the last to the first (a retrograde pass).
//!
//! A move leads to a position with one disc more, so memory holds the values of one ply: 28 bytes a position.
//! Entries of several books for one position are merged on the way.

use super::BookError;
use super::graph::Node;
use super::key::BookKey;
use super::reader::{Book, Grouped};

/// A value of each position of a ply.
pub struct Ply<V> {
    keys: Vec<BookKey>,
    values: Vec<V>,
}

impl<V: Copy> Ply<V> {
    const fn new() -> Self {
        Self { keys: Vec::new(), values: Vec::new() }
    }

    /// The value of a position.
    pub fn get(&self, key: BookKey) -> Option<V> {
        self.keys.binary_search(&key).ok().map(|at| self.values[at])
    }
}

/// Visits every position of the books from the last ply to the first, within a ply by key; `visit` gets the values
/// that it returned for the ply before.
///
/// The others are merged into the first book as [`Entry::merge`](super::Entry::merge) does.
pub fn sweep<V: Copy, E: From<BookError>>(
    books: &[&Book],
    with_games: bool,
    mut visit: impl FnMut(BookKey, Node, &Ply<V>) -> Result<Option<V>, E>,
) -> Result<(), E> {
    let mut below = Ply::new();
    for discs in (0..=64).rev() {
        let mut here = Ply::new();
        for item in Grouped::new(books.iter().map(|book| book.ply(discs))) {
            let (key, entries) = item?;
            let Some(board) = key.board().filter(|board| board.moves() != 0) else { continue };
            let mut node = Node::new(board);
            let mut entries = entries.into_iter();
            node.entry = entries.next().unwrap_or_default();
            entries.for_each(|other| node.entry.merge(board, &other, with_games));
            if let Some(value) = visit(key, node, &below)? {
                here.keys.push(key);
                here.values.push(value);
            }
        }
        below = here;
    }
    Ok(())
}
