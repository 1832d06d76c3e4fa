//! Parts of a book that is being made, as book files of their own in a folder for work.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::BookError;
use super::entry::{Entry, Usual};
use super::file::{BookFile, BookWriter};
use super::key::BookKey;
use super::level::{SearchLevel, USUAL_LEVEL, commonest};
use super::sweep::{Entries, Plies};

/// Entries that are sorted in memory at a time: about 100 MB.
const RUN: usize = 1 << 19;

impl Plies for BookFile {
    fn ply(&self, discs: u32) -> Entries<'_> {
        Box::new(self.ply(discs))
    }
}

/// A book file that is being written.
struct Part {
    path: PathBuf,
    writer: BookWriter<BufWriter<File>>,
}

impl Part {
    fn create(path: PathBuf) -> Result<Self, BookError> {
        let begin = || BookWriter::new(BufWriter::new(File::create(&path)?), 0, 0, Usual::of(USUAL_LEVEL));
        let writer = begin().map_err(writing(&path))?;
        Ok(Self { path, writer })
    }

    fn push(&mut self, key: BookKey, entry: &Entry) -> Result<(), BookError> {
        self.writer.push(key, entry).map_err(writing(&self.path))
    }

    fn finish(self) -> Result<BookFile, BookError> {
        self.writer.finish().map_err(writing(&self.path))?;
        BookFile::open(&self.path)
    }
}

fn writing(path: &Path) -> impl FnOnce(io::Error) -> BookError + use<> {
    BookError::io(path, "writing")
}

/// The plies of a book that come from the last to the first, each a file.
pub struct PlyFiles<'a> {
    folder: &'a Path,
    open: Option<(u32, Part)>,
    done: Vec<BookFile>,
    levels: HashMap<SearchLevel, u64>,
}

impl<'a> PlyFiles<'a> {
    pub fn new(folder: &'a Path) -> Self {
        Self { folder, open: None, done: Vec::new(), levels: HashMap::new() }
    }

    /// Takes the next entry: of the same ply with a higher key, or the first of an earlier ply.
    pub fn push(&mut self, key: BookKey, entry: &Entry) -> Result<(), BookError> {
        let discs = key.discs();
        if self.open.as_ref().is_none_or(|(open, _)| *open != discs) {
            self.close()?;
            self.open = Some((discs, Part::create(self.folder.join(format!("ply-{discs}")))?));
        }
        if let Some(searched) = entry.searched {
            *self.levels.entry(searched.level).or_default() += 1;
        }
        let (_, part) = self.open.as_mut().expect("it was just opened");
        part.push(key, entry)
    }

    fn close(&mut self) -> Result<(), BookError> {
        if let Some((_, part)) = self.open.take() {
            self.done.push(part.finish()?);
        }
        Ok(())
    }

    /// The level of most searches, and the plies, the last first.
    pub fn finish(mut self) -> Result<(Option<SearchLevel>, Vec<BookFile>), BookError> {
        self.close()?;
        Ok((commonest(self.levels), self.done))
    }
}

/// Entries that come in any order: sorted as far as memory allows, each run a file.
pub struct Runs {
    held: Vec<(BookKey, Entry)>,
    done: Vec<BookFile>,
    /// Last, so that it goes when no file in it is open any more: Windows removes none that is.
    folder: TempDir,
}

impl Runs {
    /// Runs in a folder that goes away with them.
    pub fn new(folder: TempDir) -> Self {
        Self { held: Vec::new(), done: Vec::new(), folder }
    }

    /// Takes an entry.
    ///
    /// # Errors
    /// When a run cannot be written.
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
        let mut part = Part::create(self.folder.path().join(format!("run-{}", self.done.len())))?;
        for (key, entry) in self.held.drain(..) {
            part.push(key, &entry)?;
        }
        self.done.push(part.finish()?);
        Ok(())
    }

    /// Writes what is held, and gives the runs as books.
    ///
    /// # Errors
    /// When a run cannot be written.
    pub fn finish(&mut self) -> Result<Vec<&dyn Plies>, BookError> {
        if !self.held.is_empty() {
            self.write()?;
        }
        Ok(self.done.iter().map(|run| run as &dyn Plies).collect())
    }
}
