//! The opening book: what searches and games told of positions, kept in a file and never lost.
//!
//! ```text
//! Book (opened, probed, taught) ─┬─ file     sorted, checksummed; written whole, replaced at once
//!                                └─ journal  what was learned since, record by record; one writer
//! Graph (in memory)  values from the leaves up ─→ expand: which positions are worth a search next
//! sweep              the same a ply at a time, for books that do not fit into memory
//! policy             which of a position's moves to play
//! names              what a position is called
//! ```
//!
//! Positions are kept once for their eight images and both colours; a side without a move is passed over. The
//! room knows no search: whoever builds a book brings the answers.
//!
//! ```
//! use emilia::{board::Board, book::Book};
//!
//! // The small book inside; `Book::open` takes a path.
//! let book = Book::inside()?;
//! let found = book.probe(Board::START)?.expect("the start");
//! for mv in &found.entry.moves {
//!     println!("{} {:?}, {} games", mv.square, mv.score.map(|score| score.score.discs()), mv.games.count());
//! }
//! # assert!(!found.entry.moves.is_empty());
//! # Ok::<(), emilia::book::BookError>(())
//! ```

mod entry;
mod error;
pub(crate) mod expand;
pub(crate) mod file;
pub mod graph;
pub(crate) mod journal;
mod key;
mod learn;
mod level;
pub mod names;
#[cfg(feature = "cli")]
pub(crate) mod others;
pub mod policy;
pub(crate) mod runs;
pub(crate) mod sweep;

pub use entry::{BookMove, Entry, Games, LOOK_REACH, MoveScore, Searched, Usual, Value};
pub use error::BookError;
pub use journal::{Answer, LearnedGame, Record};
pub use key::{BookKey, Canonical, representative};
pub use level::{Origin, Program, SearchLevel, USUAL_LEVEL};

use std::cmp::Reverse;
use std::collections::{HashMap, hash_map};
use std::io;
use std::path::{Path, PathBuf};

use crate::board::{Board, Square};
use crate::util::file::{is_replacement, replace_with, work_folder};

use file::{BookFile, BookWriter};
use graph::Graph;
use journal::Journal;
use runs::PlyFiles;
use sweep::{Entries, Plies, joined, sweep};

/// Moves of a game that count: openings, not what follows.
pub const GAME_PLIES: usize = 30;

/// An open book: the file, and over it what the journal says.
///
/// Any number of processes may read a book while one writes; a reader keeps what it saw when it opened.
#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    file: BookFile,
    /// Entries that the journal changed, as they are with its records.
    changed: HashMap<BookKey, Entry>,
    /// Games in the journal.
    games: u64,
    journal: Option<Journal>,
}

/// What records change.
#[derive(Default)]
struct Staged {
    entries: HashMap<BookKey, Entry>,
    games: u64,
}

/// A book's answer about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The entry; its squares are those of the position asked about, its scores for the side that moves there.
    pub entry: Entry,
    /// The side asked about must pass: `entry` is the other side's.
    pub passed: bool,
}

impl Book {
    /// Opens a book for reading.
    ///
    /// # Errors
    /// When there is none, or the file or its journal is damaged.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        Self::open_between(path, || ())
    }

    /// The small book inside the program: one to read only.
    ///
    /// # Errors
    /// As [`Book::open`], but its pages are whole.
    pub fn inside() -> Result<Self, BookError> {
        let file = BookFile::inside()?;
        Ok(Self::over(file, None))
    }

    /// [`Book::open`]; `between` is called each time after the book and before its journal is read.
    ///
    /// A writer that folds puts the new book in its place, then empties the journal and gives it the new book's number.
    /// What is read in the midst of that may be the book before with the journal after: it counts only if the numbers
    /// of both are the same before and afterwards.
    fn open_between(path: &Path, mut between: impl FnMut()) -> Result<Self, BookError> {
        let journal = journal::path_of(path);
        let mut file = BookFile::open(path)?;
        loop {
            between();
            let before = journal::generation(&journal);
            let contents = journal::read(&journal);
            let now = BookFile::open(path)?;
            if now.header() == file.header() && journal::generation(&journal) == before {
                let mut book = Self::over(file, None);
                book.take_in(contents?)?;
                return Ok(book);
            }
            file = now;
        }
    }

    /// Opens a book for writing, and makes an empty one where there is none.
    ///
    /// # Errors
    /// As [`Book::open`]; and when another process writes to it.
    pub fn edit(path: &Path) -> Result<Self, BookError> {
        let mut journal = Journal::lock(&journal::path_of(path))?;
        remove_leftovers(path);
        let file = match BookFile::open(path) {
            Err(error) if error.is_not_found() => {
                write_file(path, 0, 0, USUAL_LEVEL, std::iter::empty())?;
                BookFile::open(path)?
            }
            file => file?,
        };
        let contents = journal.load()?;
        let generation = file.header().generation;
        if contents.generation != Some(generation) && contents.generation.is_none_or(|old| old < generation) {
            // A new journal, or one already folded in whose writer died before it could empty it.
            journal.restart(generation)?;
        }
        let mut book = Self::over(file, Some(journal));
        book.take_in(contents)?;
        Ok(book)
    }

    fn over(file: BookFile, journal: Option<Journal>) -> Self {
        Self { path: file.path().to_owned(), file, changed: HashMap::new(), games: 0, journal }
    }

    /// Applies a journal's records, if they belong to this book and are not yet part of it.
    fn take_in(&mut self, contents: journal::Contents) -> Result<(), BookError> {
        let Some(generation) = contents.generation else { return Ok(()) };
        let own = self.file.header().generation;
        if generation > own {
            let path = journal::path_of(&self.path);
            return Err(BookError::Foreign { path, what: "the journal of a newer copy of this book" });
        }
        if generation == own {
            let mut staged = Staged::default();
            contents.records.iter().try_for_each(|record| self.stage(&mut staged, record))?;
            self.commit(staged);
        }
        Ok(())
    }

    /// Where the book is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file under the journal.
    pub fn base(&self) -> &BookFile {
        &self.file
    }

    /// Entries that the journal adds or changes.
    pub fn changed(&self) -> usize {
        self.changed.len()
    }

    /// Games whose results the book counts.
    pub fn games(&self) -> u64 {
        self.file.header().games + self.games
    }

    /// Of the positions that the journal changed and nothing searched, with at least so many empties, the one
    /// that most games reached; of equals the earliest in play.
    pub fn unsearched(&self, empties: u32) -> Option<BookKey> {
        let open = self
            .changed
            .iter()
            .filter(|(key, entry)| entry.searched.is_none() && 64 - key.discs().min(64) >= empties);
        open.max_by_key(|(key, entry)| (entry.games().count(), Reverse(**key))).map(|(key, _)| *key)
    }

    /// What is known of a position, or `None`.
    ///
    /// # Errors
    /// When the part of the book that would tell is damaged.
    pub fn probe(&self, board: Board) -> Result<Option<Found>, BookError> {
        let Some(canonical) = Canonical::of(board) else { return Ok(None) };
        let Some(mut entry) = self.entry(canonical.key())? else { return Ok(None) };
        for mv in &mut entry.moves {
            mv.square = canonical.back(mv.square);
        }
        entry.moves.sort_by_key(|mv| mv.square);
        Ok(Some(Found { entry, passed: canonical.passed }))
    }

    /// The entry with a key.
    ///
    /// # Errors
    /// When the page that would hold it is damaged.
    pub fn entry(&self, key: BookKey) -> Result<Option<Entry>, BookError> {
        match self.changed.get(&key) {
            Some(entry) => Ok(Some(entry.clone())),
            None => self.file.get(key),
        }
    }

    /// All entries, by key, as they are read.
    pub fn iter(&self) -> impl Iterator<Item = Result<(BookKey, Entry), BookError>> + '_ {
        self.with_changed(self.file.entries(), |_| true)
    }

    /// All entries, by key.
    ///
    /// # Errors
    /// The first damage.
    pub fn entries(&self) -> Result<Vec<(BookKey, Entry)>, BookError> {
        self.iter().collect()
    }

    /// Entries of the file, and in their place and besides those that the journal changed.
    fn with_changed<'a>(
        &'a self,
        file: impl Iterator<Item = Result<(BookKey, Entry), BookError>> + 'a,
        is_asked: impl Fn(&BookKey) -> bool,
    ) -> Entries<'a> {
        let mut changed: Vec<_> = self.changed.iter().filter(|(key, _)| is_asked(key)).collect();
        changed.sort_unstable_by_key(|(key, _)| **key);
        let unchanged =
            file.filter(|item| item.as_ref().map_or(true, |(key, _)| !self.changed.contains_key(key)));
        let changed = changed.into_iter().map(|(key, entry)| Ok((*key, entry.clone())));
        joined(vec![Box::new(unchanged), Box::new(changed)])
    }

    /// Takes in what was learned: it is in the journal when this returns. Games that the book counts already are left
    /// out; returns how many records were not.
    ///
    /// # Errors
    /// When the journal cannot be written; nothing is then taken in.
    pub fn learn(&mut self, records: &[Record]) -> Result<usize, BookError> {
        let mut staged = Staged::default();
        let mut new = Vec::with_capacity(records.len());
        for record in records {
            if let Record::Game(game) = record
                && game.is_counted(|key, square| self.games_of(&staged, key, square))?
            {
                continue;
            }
            self.stage(&mut staged, record)?;
            new.push(record.clone());
        }
        self.journal.as_mut().expect("only a book opened for writing learns").append(&new)?;
        self.commit(staged);
        Ok(new.len())
    }

    /// The games of a move, with what is about to be taken in.
    fn games_of(&self, staged: &Staged, key: BookKey, square: Square) -> Result<Games, BookError> {
        if let Some(entry) = staged.entries.get(&key).or_else(|| self.changed.get(&key)) {
            return Ok(entry.games_of(square));
        }
        Ok(self.file.get(key)?.map_or(Games::default(), |entry| entry.games_of(square)))
    }

    /// Makes what was learned outlast a power cut.
    ///
    /// # Errors
    /// When the system could not write it.
    pub fn sync(&self) -> Result<(), BookError> {
        self.journal.as_ref().map_or(Ok(()), Journal::sync)
    }

    /// Adds to `staged` the entries that a record changes, as they will be.
    fn stage(&self, staged: &mut Staged, record: &Record) -> Result<(), BookError> {
        let mut change = |key: BookKey, change: &dyn Fn(&mut Entry)| {
            let entry = match staged.entries.entry(key) {
                hash_map::Entry::Occupied(held) => held.into_mut(),
                hash_map::Entry::Vacant(place) => place.insert(self.entry(key)?.unwrap_or_default()),
            };
            change(entry);
            Ok(())
        };
        match record {
            Record::Answer(answer) => {
                if let Some(board) = answer.key.board() {
                    change(answer.key, &|entry| entry.absorb(board, answer))?;
                }
            }
            Record::Game(game) => {
                for (key, square, result) in game.steps() {
                    change(key, &|entry| entry.move_mut(square).games.add(result))?;
                }
                staged.games += 1;
            }
        }
        Ok(())
    }

    fn commit(&mut self, staged: Staged) {
        self.changed.extend(staged.entries);
        self.games += staged.games;
    }

    /// Brings every value up to date, writes the book anew with what the journal held, and empties the journal.
    ///
    /// Returns how many values changed.
    ///
    /// # Errors
    /// As [`Book::rewrite`].
    pub fn fold(&mut self) -> Result<usize, BookError> {
        self.unite(&[], false, self.games())
    }

    /// Takes in what other books know, the worthier search of each position, brings every value up to date, and writes
    /// the book anew.
    ///
    /// Memory holds the values of one ply. Returns how many values are not those that the books had.
    ///
    /// # Errors
    /// When a book is damaged, and as [`Book::rewrite`].
    pub fn unite(&mut self, others: &[&dyn Plies], with_games: bool, games: u64) -> Result<usize, BookError> {
        let folder = work_folder(&self.path).map_err(BookError::io(&self.path, "writing beside the book"))?;
        let mut plies = PlyFiles::new(folder.path());
        let mut changed = 0;
        let books: Vec<&dyn Plies> =
            std::iter::once(&*self as &dyn Plies).chain(others.iter().copied()).collect();
        sweep(&books, with_games, |key, mut node, below| {
            let links = node.links(|key| below.get(key));
            changed += usize::from(node.settle(&links));
            plies.push(key, &node.entry)?;
            Ok::<_, BookError>(node.entry.value)
        })?;
        let (level, plies) = plies.finish()?;
        self.replace(games, level, plies.iter().rev().flat_map(BookFile::entries))?;
        Ok(changed)
    }

    /// Writes the book anew with these positions, and empties the journal.
    ///
    /// # Errors
    /// When the system refuses: the book and the journal then stand as before.
    pub fn rewrite(&mut self, games: u64, graph: Graph) -> Result<(), BookError> {
        let level = graph.usual_level();
        self.replace(games, level, graph.into_entries().map(Ok))
    }

    fn replace(
        &mut self,
        games: u64,
        level: Option<SearchLevel>,
        entries: impl Iterator<Item = Result<(BookKey, Entry), BookError>>,
    ) -> Result<(), BookError> {
        let generation = self.file.header().generation + 1;
        let written = write_file(&self.path, generation, games, level.unwrap_or(USUAL_LEVEL), entries);
        let file = BookFile::open(&self.path)?;
        if file.header().generation != generation {
            return written;
        }
        // From here on the journal's records are part of the book, and its older number says so.
        self.file = file;
        self.changed.clear();
        self.games = 0;
        self.journal.as_mut().expect("only a book opened for writing is rewritten").restart(generation)
    }
}

impl Plies for Book {
    fn ply(&self, discs: u32) -> Entries<'_> {
        self.with_changed(self.file.ply(discs), |key| key.discs() == discs)
    }
}

/// Removes what killed writers left beside the book, half-written; the caller holds the book's lock.
fn remove_leftovers(path: &Path) {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|file| is_replacement(name, file)) {
            // One that cannot be removed is only in the way.
            let path = entry.path();
            let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(path));
        }
    }
}

/// Writes a book file, replacing what stood there.
fn write_file(
    path: &Path,
    generation: u64,
    games: u64,
    level: SearchLevel,
    entries: impl Iterator<Item = Result<(BookKey, Entry), BookError>>,
) -> Result<(), BookError> {
    replace_with(path, |out| {
        let mut writer = BookWriter::new(out, generation, games, Usual::of(level))?;
        for item in entries {
            let (key, entry) = item.map_err(io::Error::other)?;
            writer.push(key, &entry)?;
        }
        writer.finish().map(drop)
    })
    .map_err(BookError::io(path, "writing the book"))
}

#[cfg(test)]
mod tests;
