//! A retrograde pass over books too large for memory, from the last ply to the first.
//!
//! A move leads to a position with one disc more, so memory holds the values of one ply: 32 bytes a position.

use super::BookError;
use super::graph::Node;
use super::key::BookKey;
use super::reader::{Book, Grouped};

/// The values of a ply's positions, by key.
pub struct Ply<V>(Vec<(BookKey, V)>);

impl<V: Copy> Ply<V> {
    /// The value of a position.
    pub fn get(&self, key: BookKey) -> Option<V> {
        self.0.binary_search_by_key(&key, |(key, _)| *key).ok().map(|at| self.0[at].1)
    }
}

/// Visits every position of the books from the last ply to the first, within a ply by key. `visit` gets the values
/// that it returned for the ply before.
///
/// The other books are merged into the first as [`Entry::merge`](super::Entry::merge) does.
pub fn each_ply<V: Copy, E: From<BookError>>(
    books: &[&Book],
    with_games: bool,
    mut visit: impl FnMut(BookKey, Node, &Ply<V>) -> Result<Option<V>, E>,
) -> Result<(), E> {
    let mut below = Ply(Vec::new());
    for discs in (0..=64).rev() {
        let mut here = Vec::new();
        for item in Grouped::new(books.iter().map(|book| book.ply(discs))) {
            let (key, entries) = item?;
            let Some(board) = key.board().filter(|board| board.moves() != 0) else { continue };
            let mut node = Node::new(board);
            let mut entries = entries.into_iter();
            node.entry = entries.next().unwrap_or_default();
            entries.for_each(|other| node.entry.merge(board, &other, with_games));
            here.extend(visit(key, node, &below)?.map(|value| (key, value)));
        }
        below = Ply(here);
    }
    Ok(())
}
