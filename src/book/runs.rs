//! Sorted runs of an external merge sort: entries in any order, as book files in a folder for work.

use std::fs::File;
use std::io::{self, BufWriter};

use tempfile::TempDir;

use super::BookError;
use super::entry::{Entry, Usual};
use super::file::{BookFile, BookWriter};
use super::key::BookKey;
use super::level::USUAL_LEVEL;
use super::reader::{Book, Entries, Grouped};

/// Entries that are sorted in memory at a time: about 100 MB.
const RUN: usize = 1 << 19;

/// Entries in any order; those of one position are merged.
pub struct Runs {
    held: Vec<(BookKey, Entry)>,
    done: Vec<Book>,
    /// Last, so that its files are closed when it goes: Windows removes no open file.
    folder: TempDir,
}

impl Runs {
    /// Runs in a folder that goes away with them.
    pub fn new(folder: TempDir) -> Self {
        Self { held: Vec::new(), done: Vec::new(), folder }
    }

    /// Adds an entry.
    pub fn push(&mut self, key: BookKey, entry: Entry) -> Result<(), BookError> {
        self.held.push((key, entry));
        if self.held.len() < RUN { Ok(()) } else { self.write() }
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
            self.held.drain(..).try_for_each(|(key, entry)| writer.push(key, &entry))?;
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

    /// All entries in the order of their keys, of different positions.
    pub fn entries(&mut self) -> Result<Entries<'_>, BookError> {
        let runs = self.finish()?;
        Ok(Grouped::new(runs.into_iter().map(|run| Box::new(run.iter()) as Entries<'_>)).flat())
    }
}
