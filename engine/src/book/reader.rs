//! Reading a book.

use std::collections::{BTreeMap, HashMap, hash_map};
use std::ops::RangeBounds;
use std::path::Path;

use crc32fast::Hasher;

use super::BookError;
use super::entry::Entry;
use super::file::{BookFile, Entries, Stored};
use super::journal::{self, Record};
use super::key::{BookKey, Canonical};
use crate::board::Board;
use crate::util::target::followed;

/// A book opened for reading: the file, with the records of its journal.
///
/// Any number of processes may read while one [`BookEditor`](super::BookEditor) writes. Readers see the book as of the
/// moment they opened it. A damaged page is an error where it is read.
#[derive(Debug)]
pub struct Book {
    file: BookFile,
    /// The entries that the journal changed.
    changed: BTreeMap<BookKey, Entry>,
    games: u64,
}

/// The entries of several books, in the order of their keys, those of one position together.
pub fn grouped<'a>(
    books: impl IntoIterator<Item = Entries<'a>>,
) -> impl Iterator<Item = Result<(BookKey, Vec<Entry>), BookError>> + 'a {
    let mut books: Vec<_> = books.into_iter().map(Iterator::peekable).collect();
    std::iter::from_fn(move || {
        if let Some(Err(error)) = books
            .iter_mut()
            .find_map(|book| book.next_if(Result::is_err))
        {
            return Some(Err(error));
        }
        let least = books
            .iter_mut()
            .filter_map(|book| Some(book.peek()?.as_ref().ok()?.0))
            .min()?;
        let mut entries = Vec::with_capacity(1);
        for book in &mut books {
            let is_least = |item: &Stored| item.as_ref().is_ok_and(|(key, _)| *key == least);
            while let Some(Ok((_, entry))) = book.next_if(is_least) {
                entries.push(entry);
            }
        }
        Some(Ok((least, entries)))
    })
}

/// The entries of several books, in the order of their keys.
pub fn merged<'a>(books: impl IntoIterator<Item = Entries<'a>>) -> Entries<'a> {
    Box::new(grouped(books).flat_map(|item| match item {
        Ok((key, entries)) => entries.into_iter().map(|entry| Ok((key, entry))).collect(),
        Err(error) => vec![Err(error)],
    }))
}

/// Changes by records that are not committed yet.
#[derive(Default)]
pub(super) struct Staged {
    pub(super) entries: HashMap<BookKey, Entry>,
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
    /// Opens a book for reading. A symbolic link leads to its target, whose journal counts.
    ///
    /// # Errors
    /// When the file does not exist, it or its journal is damaged, or the journal is that of another book.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let path = followed(path).map_err(BookError::io(path, "opening the book"))?;
        Self::open_between(&path, || ())
    }

    /// The small book inside the program: one to read only.
    pub fn inside() -> Result<Self, BookError> {
        Ok(Self::over(BookFile::inside()?))
    }

    /// The book without the records of its journal.
    pub fn without_journal(path: &Path) -> Result<Self, BookError> {
        Ok(Self::over(BookFile::open(path)?))
    }

    /// [`Book::open`]; `between` is called each time after the book and before its journal is read.
    ///
    /// A writer that folds replaces the book, then empties the journal and gives it the new book's number. A reader may
    /// meet the old book with the new journal, so it starts again unless both numbers are the same afterwards.
    pub(super) fn open_between(path: &Path, mut between: impl FnMut()) -> Result<Self, BookError> {
        let journal = journal::path_of(path);
        let mut file = BookFile::open(path)?;
        loop {
            between();
            let before = journal::generation(&journal);
            let contents = journal::read(&journal);
            let now = BookFile::open(path)?;
            if now.header() == file.header() && journal::generation(&journal) == before {
                let mut book = Self::over(file);
                book.take_in(&contents?)?;
                return Ok(book);
            }
            file = now;
        }
    }

    pub(super) fn over(file: BookFile) -> Self {
        Self {
            file,
            changed: BTreeMap::new(),
            games: 0,
        }
    }

    /// Applies a journal's records if they belong to this book and are not yet in it; returns whether they do.
    pub(super) fn take_in(&mut self, contents: &journal::Contents) -> Result<bool, BookError> {
        let belongs = contents.belongs_to(self.path(), self.file.header().generation)?;
        if belongs {
            let mut staged = Staged::default();
            contents
                .records
                .iter()
                .try_for_each(|record| self.stage(&mut staged, record))?;
            self.commit(staged);
        }
        Ok(belongs)
    }

    /// The path of the book, links followed.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The file under the journal.
    #[doc(hidden)]
    pub fn base(&self) -> &BookFile {
        &self.file
    }

    /// Entries that the journal adds or changes.
    pub fn changed(&self) -> usize {
        self.changed.len()
    }

    /// A checksum (CRC-32) of the contents: the file and the records of its journal.
    ///
    /// # Errors
    /// When the file cannot be read, or another program overwrote it.
    pub fn checksum(&self) -> Result<u32, BookError> {
        let mut checksum = Hasher::new();
        self.file.add_to(&mut checksum)?;
        let mut changes = self.games.to_le_bytes().to_vec();
        for (key, entry) in &self.changed {
            changes.extend(key.0.to_le_bytes());
            entry.encode(self.file.header().usual, &mut changes);
        }
        checksum.update(&changes);
        Ok(checksum.finalize())
    }

    /// Games whose results the book counts.
    pub fn games(&self) -> u64 {
        self.file.header().games.saturating_add(self.games)
    }

    /// The entry of a position.
    pub fn probe(&self, board: Board) -> Result<Option<Found>, BookError> {
        let Some(canonical) = Canonical::of(board) else {
            return Ok(None);
        };
        let Some(mut entry) = self.entry(canonical.key())? else {
            return Ok(None);
        };
        for mv in &mut entry.moves {
            mv.square = canonical.back(mv.square);
        }
        entry.moves.sort_by_key(|mv| mv.square);
        Ok(Some(Found {
            entry,
            passed: canonical.passed,
        }))
    }

    /// The entry with a key.
    pub fn entry(&self, key: BookKey) -> Result<Option<Entry>, BookError> {
        match self.changed.get(&key) {
            Some(entry) => Ok(Some(entry.clone())),
            None => self.file.get(key),
        }
    }

    /// All entries, by key; reads page by page.
    pub fn iter(&self) -> impl Iterator<Item = Stored> + '_ {
        self.with_changed(self.file.entries(), ..)
    }

    /// All entries, by key.
    pub fn entries(&self) -> Result<Vec<(BookKey, Entry)>, BookError> {
        self.iter().collect()
    }

    /// The entries of positions with this number of discs, by key.
    pub(super) fn ply(&self, discs: u32) -> Entries<'_> {
        let keys = BookKey::least(discs)..BookKey::least(discs + 1);
        self.with_changed(self.file.ply(discs), keys)
    }

    /// Entries of the file, with those that the journal changed among `keys` in their place.
    fn with_changed<'a>(
        &'a self,
        file: impl Iterator<Item = Stored> + 'a,
        keys: impl RangeBounds<BookKey>,
    ) -> Entries<'a> {
        let unchanged = file.filter(|item| {
            item.as_ref()
                .map_or(true, |(key, _)| !self.changed.contains_key(key))
        });
        let changed = self
            .changed
            .range(keys)
            .map(|(key, entry)| Ok((*key, entry.clone())));
        let books: [Entries<'a>; 2] = [Box::new(unchanged), Box::new(changed)];
        merged(books)
    }

    /// Adds to `staged` the entries that a record changes, as they will be.
    pub(super) fn stage(&self, staged: &mut Staged, record: &Record) -> Result<(), BookError> {
        let mut change = |key: BookKey, change: &dyn Fn(&mut Entry)| {
            let entry = match staged.entries.entry(key) {
                hash_map::Entry::Occupied(held) => held.into_mut(),
                hash_map::Entry::Vacant(place) => {
                    place.insert(self.entry(key)?.unwrap_or_default())
                }
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

    pub(super) fn commit(&mut self, staged: Staged) {
        self.changed.extend(staged.entries);
        self.games += staged.games;
    }
}
