//! Books too large for memory: a retrograde pass ply by ply, and an external merge sort.

use std::fs::File;
use std::io::{self, BufWriter};

use tempfile::TempDir;

use super::BookError;
use super::entry::{Entry, Usual};
use super::file::{BookFile, BookWriter, Entries};
use super::graph::Node;
use super::key::BookKey;
use super::level::USUAL_LEVEL;
use super::reader::{Book, grouped, merged};

/// Visits all positions of the books from the last ply to the first, within a ply by key. `visit` gets the values that
/// it returned for the ply before: a move leads to a position with one disc more.
///
/// [`Entry::merge`](super::Entry::merge) merges the other books into the first.
pub fn each_ply<V: Copy, E: From<BookError>>(
    books: &[&Book],
    with_games: bool,
    mut visit: impl FnMut(BookKey, Node, &dyn Fn(BookKey) -> Option<V>) -> Result<Option<V>, E>,
) -> Result<(), E> {
    // 32 bytes a position.
    let mut below: Vec<(BookKey, V)> = Vec::new();
    for discs in (0..=64).rev() {
        let mut here = Vec::new();
        let value_of = |key| {
            below
                .binary_search_by_key(&key, |(key, _)| *key)
                .ok()
                .map(|at| below[at].1)
        };
        for item in grouped(books.iter().map(|book| book.ply(discs))) {
            let (key, entries) = item?;
            let Some(board) = key.board().filter(|board| !board.moves().is_empty()) else {
                continue;
            };
            let mut node = Node::new(board);
            let mut entries = entries.into_iter();
            node.entry = entries.next().unwrap_or_default();
            entries.for_each(|other| node.entry.merge(board, &other, with_games));
            here.extend(visit(key, node, &value_of)?.map(|value| (key, value)));
        }
        below = here;
    }
    Ok(())
}

/// Entries that are sorted in memory at a time: about 100 MB.
const RUN: usize = 1 << 19;

/// Sorts entries in runs, which are book files in a temporary folder; merges entries of one position.
pub struct Runs {
    held: Vec<(BookKey, Entry)>,
    done: Vec<Book>,
    /// Dropped last, after its files are closed: Windows removes no open file.
    folder: TempDir,
}

impl Runs {
    pub fn new(folder: TempDir) -> Self {
        Self {
            held: Vec::new(),
            done: Vec::new(),
            folder,
        }
    }

    pub fn push(&mut self, key: BookKey, entry: Entry) -> Result<(), BookError> {
        self.held.push((key, entry));
        if self.held.len() < RUN {
            Ok(())
        } else {
            self.write()
        }
    }

    fn write(&mut self) -> Result<(), BookError> {
        self.held.sort_by_key(|(key, _)| *key);
        self.held.dedup_by(|(key, later), (before, first)| {
            let is_same = key == before;
            if let Some(board) = key.board().filter(|_| is_same) {
                first.merge(board, later, true);
            }
            is_same
        });
        let path = self.folder.path().join(format!("run-{}", self.done.len()));
        let mut write = || -> io::Result<()> {
            let out = BufWriter::new(File::create(&path)?);
            let mut writer = BookWriter::new(out, 0, 0, Usual::of(USUAL_LEVEL))?;
            self.held
                .drain(..)
                .try_for_each(|(key, entry)| writer.push(key, &entry))?;
            writer.finish().map(drop)
        };
        write().map_err(BookError::io(&path, "writing"))?;
        self.done.push(Book::over(BookFile::open(&path)?));
        Ok(())
    }

    /// Writes the held entries, and returns the runs as books.
    pub fn finish(&mut self) -> Result<Vec<&Book>, BookError> {
        if !self.held.is_empty() {
            self.write()?;
        }
        Ok(self.done.iter().collect())
    }

    /// All entries, by key, each position once.
    pub fn entries(&mut self) -> Result<Entries<'_>, BookError> {
        let runs = self.finish()?;
        Ok(merged(
            runs.into_iter()
                .map(|run| Box::new(run.iter()) as Entries<'_>),
        ))
    }
}
