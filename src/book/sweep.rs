//! One pass over the plies of books too large for memory, from the last to the first.
//!
//! A move leads to a position with one disc more, so of all values only those of the ply before are held: 28 bytes a
//! position of the largest ply. What several books know of a position is merged on the way.

use std::iter::Peekable;

use super::BookError;
use super::entry::Entry;
use super::graph::Node;
use super::key::BookKey;

/// Entries in the order of their keys.
pub type Entries<'a> = Box<dyn Iterator<Item = Result<(BookKey, Entry), BookError>> + 'a>;

/// A book that can be read ply by ply.
pub trait Plies {
    /// The entries of positions with so many discs, in the order of their keys.
    fn ply(&self, discs: u32) -> Entries<'_>;
}

/// What is remembered of the positions of a ply.
pub struct Ply<V> {
    keys: Vec<BookKey>,
    values: Vec<V>,
}

impl<V: Copy> Ply<V> {
    const fn new() -> Self {
        Self { keys: Vec::new(), values: Vec::new() }
    }

    /// What is remembered of a position.
    pub fn get(&self, key: BookKey) -> Option<V> {
        self.keys.binary_search(&key).ok().map(|at| self.values[at])
    }
}

/// The entries of several books, in the order of their keys, those of one position together.
struct Grouped<'a> {
    books: Vec<Peekable<Entries<'a>>>,
}

impl Iterator for Grouped<'_> {
    type Item = Result<(BookKey, Vec<Entry>), BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut least: Option<BookKey> = None;
        for book in &mut self.books {
            match book.peek() {
                Some(Ok((key, _))) => least = Some(least.map_or(*key, |least| least.min(*key))),
                Some(Err(_)) => return book.next().map(|item| item.map(|(key, entry)| (key, vec![entry]))),
                None => {}
            }
        }
        let least = least?;
        let mut entries = Vec::with_capacity(1);
        for book in &mut self.books {
            while let Some(Ok((_, entry))) =
                book.next_if(|item| item.as_ref().is_ok_and(|(key, _)| *key == least))
            {
                entries.push(entry);
            }
        }
        Some(Ok((least, entries)))
    }
}

/// The entries of several books that have no position in common, in the order of their keys.
pub fn joined<'a>(books: Vec<Entries<'a>>) -> Entries<'a> {
    let books = books.into_iter().map(Iterator::peekable).collect();
    Box::new(Grouped { books }.flat_map(|item| match item {
        Ok((key, entries)) => entries.into_iter().map(|entry| Ok((key, entry))).collect(),
        Err(error) => vec![Err(error)],
    }))
}

/// Visits every position of the books from the last ply to the first, within a ply by key; `visit` is given what it
/// returned for the ply before.
///
/// The first book's word counts; the others are merged into it as [`Entry::merge`] does.
///
/// # Errors
/// The first damage, and those of `visit`.
pub fn sweep<V: Copy, E: From<BookError>>(
    books: &[&dyn Plies],
    with_games: bool,
    mut visit: impl FnMut(BookKey, Node, &Ply<V>) -> Result<Option<V>, E>,
) -> Result<(), E> {
    let mut below = Ply::new();
    for discs in (0..=64).rev() {
        let mut here = Ply::new();
        let books = books.iter().map(|book| book.ply(discs).peekable()).collect();
        for item in (Grouped { books }) {
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
