//! Writing a book: the editor appends to the journal and replaces the file.

use std::ops::Deref;
use std::path::Path;

use super::BookError;
use super::entry::{Levels, Usual};
use super::file::{BookFile, BookWriter, Stored};
use super::graph::Graph;
use super::journal::{self, Journal, Record};
use super::large::{Runs, each_ply};
use super::level::{SearchLevel, USUAL_LEVEL};
use super::reader::{Book, Staged};
use crate::util::file::Replacement;
use crate::util::target::{followed, remove_leftovers, work_folder};

/// A book opened for writing: holds the lock of its journal until dropped. It reads as a [`Book`] does.
#[derive(Debug)]
pub struct BookEditor {
    book: Book,
    journal: Journal,
}

impl Deref for BookEditor {
    type Target = Book;

    fn deref(&self) -> &Book {
        &self.book
    }
}

impl BookEditor {
    /// Opens a book for writing, and makes an empty one if the file does not exist.
    ///
    /// # Errors
    /// As [`Book::open`], and when another process writes to it; nothing changes then.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let path = &followed(path).map_err(BookError::io(path, "opening the book"))?;
        let journal_path = journal::path_of(path);
        // Before the lock: a file that is not a book gets no journal.
        if existing(path)?.is_some_and(|file| file.has_links()) {
            return Err(BookError::foreign(path, LINKED));
        }
        let mut journal = Journal::lock(&journal_path)?;
        let contents = journal.load()?;
        let file = match existing(path)? {
            Some(file) => file,
            None => {
                if !contents.records.is_empty() {
                    return Err(BookError::foreign(&journal_path, journal::OF_NONE));
                }
                write_file(path, 0, 0, USUAL_LEVEL, std::iter::empty())?;
                BookFile::open(path)?
            }
        };
        let generation = file.header().generation;
        let mut book = Book::over(file);
        if book.take_in(&contents)? {
            journal.cut(contents.whole)?;
        } else {
            journal.restart(generation)?;
        }
        remove_leftovers(path);
        Ok(Self { book, journal })
    }

    /// Adds records to the journal, except games that the book has; returns the number of added records.
    ///
    /// # Errors
    /// When [`Record::check`] refuses a record, or the journal cannot be written; nothing changes then.
    pub fn learn(&mut self, records: &[Record]) -> Result<usize, BookError> {
        for (index, record) in records.iter().enumerate() {
            record.check().map_err(|what| BookError::InvalidRecord {
                number: index + 1,
                what,
            })?;
        }
        let mut staged = Staged::default();
        let mut new = Vec::with_capacity(records.len());
        for record in records {
            if let Record::Game(game) = record {
                let staged = |key| staged.entries.get(&key).cloned();
                if game.is_counted(|key| {
                    staged(key).map_or_else(|| self.entry(key), |entry| Ok(Some(entry)))
                })? {
                    continue;
                }
            }
            self.book.stage(&mut staged, record)?;
            new.push(record);
        }
        self.journal.append(&new)?;
        self.book.commit(staged);
        Ok(new.len())
    }

    /// Waits until the disk has the journal, against a power cut.
    pub fn sync(&self) -> Result<(), BookError> {
        self.journal.sync()
    }

    /// Updates all values, writes the file with the journal's records, and empties the journal. Returns the number of
    /// changed values.
    pub fn fold(&mut self) -> Result<usize, BookError> {
        self.unite(&[], false, self.games())
    }

    /// Adds the positions of other books, the worthier search of each, updates all values, and writes the file. Returns
    /// the number of changed values.
    ///
    /// Memory holds the values of one ply and 524,288 positions. Errors are damage and those of
    /// [`BookEditor::rewrite`].
    pub fn unite(
        &mut self,
        others: &[&Book],
        with_games: bool,
        games: u64,
    ) -> Result<usize, BookError> {
        let folder =
            work_folder(self.path()).map_err(BookError::io(self.path(), "writing beside"))?;
        let mut runs = Runs::new(folder);
        let mut levels = Levels::default();
        let mut changed = 0;
        let books: Vec<&Book> = std::iter::once(&self.book)
            .chain(others.iter().copied())
            .collect();
        each_ply(&books, with_games, |key, mut node, below| {
            let links = node.links(below);
            changed += usize::from(node.update(&links));
            levels.add(&node.entry);
            let value = node.entry.value;
            runs.push(key, node.entry)?;
            Ok::<_, BookError>(value)
        })?;
        self.replace(games, levels.commonest(), runs.entries()?)?;
        Ok(changed)
    }

    /// Replaces the file by one with these positions, and empties the journal.
    ///
    /// # Errors
    /// When writing fails, or another book replaced this one: both and the journal are then unchanged.
    #[doc(hidden)]
    pub fn rewrite(&mut self, games: u64, graph: Graph) -> Result<(), BookError> {
        let mut levels = Levels::default();
        graph
            .nodes
            .values()
            .for_each(|node| levels.add(&node.entry));
        let entries = graph
            .nodes
            .into_iter()
            .map(|(key, node)| Ok((key, node.entry)));
        self.replace(games, levels.commonest(), entries)
    }

    fn replace(
        &mut self,
        games: u64,
        level: SearchLevel,
        entries: impl Iterator<Item = Stored>,
    ) -> Result<(), BookError> {
        let path = self.book.path();
        let header = self.base().header();
        if existing(path)?.is_some_and(|found| found.header() != header) {
            let what = "another book than the one that was opened, and is unchanged; restore the opened book, whose \
                        journal has the new records";
            return Err(BookError::foreign(path, what));
        }
        let generation = header.generation + 1;
        let written = write_file(path, generation, games, level, entries);
        let file = BookFile::open(path)?;
        if file.header().generation != generation {
            return written;
        }
        // Now the book has the journal's records; the journal's older generation shows that.
        self.book = Book::over(file);
        self.journal.restart(generation)
    }
}

const LINKED: &str = "a book with several names (hard links), which a change would make different books; copy the file, or \
                      use a symbolic link";

fn existing(path: &Path) -> Result<Option<BookFile>, BookError> {
    match BookFile::open(path) {
        Err(error) if error.is_not_found() => Ok(None),
        file => file.map(Some),
    }
}

pub(super) fn write_file(
    path: &Path,
    generation: u64,
    games: u64,
    level: SearchLevel,
    entries: impl Iterator<Item = Stored>,
) -> Result<(), BookError> {
    let write = || -> std::io::Result<()> {
        let mut out = Replacement::replacing(path)?;
        let mut writer = BookWriter::new(&mut out, generation, games, Usual::of(level))?;
        for item in entries {
            let (key, entry) = item?;
            writer.push(key, &entry)?;
        }
        writer.finish()?;
        out.commit()
    };
    write().map_err(BookError::io(path, "writing the book"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::super::journal::{Answer, LearnedGame};
    use super::super::key::BookKey;
    use super::super::level::{Origin, Program};
    use super::super::tests::{game, random_positions};
    use super::*;
    use crate::board::testing::{play_on, samples};
    use crate::board::{Board, Game, Score, Square, SquareSet, Symmetry};
    use crate::util::rng::Rng;
    use tempfile::TempDir;

    fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let paths = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let files = paths.filter(|path| path.is_file());
        let mut files: Vec<_> = files
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    }

    fn one<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
        from[rng.below(from.len() as u32) as usize]
    }

    /// An answer about one of the positions, and whether a book can hold it.
    fn random_answer(rng: &mut Rng, positions: &[(BookKey, Board)]) -> (Record, bool) {
        let (key, board) = one(rng, positions);
        let legal: Vec<Square> = board.moves().iter().collect();
        let score = |rng: &mut Rng| Score::from_units(rng.below(16_385) as i32 - 8_192);
        let moves = (0..=rng.below(6))
            .map(|_| (one(rng, &legal), score(rng)))
            .collect();
        let origin = (rng.below(4) == 0).then_some(Origin {
            program: Program::Edax,
            level: -1,
        });
        let depth = rng.below(61) as u8;
        let percent = 1 + rng.below(100) as u8;
        let level = SearchLevel {
            depth,
            percent,
            exact: rng.below(2) == 0,
            origin,
        };
        let mut answer = Answer {
            key,
            level,
            avoid: SquareSet(rng.next()) & board.moves(),
            moves,
        };
        let image = Symmetry::all()
            .map(|symmetry| symmetry.apply(board))
            .find(|image| *image != board);
        let fault = rng.below(20);
        match fault {
            0 => answer.moves.clear(),
            1 => answer.key = image.map_or(key, BookKey::of),
            2 => answer.key = BookKey(u128::from(rng.next()) << 64 | u128::from(rng.next())),
            3 => {
                answer.key = BookKey::of(Board {
                    player: board.player | board.opponent,
                    opponent: 0,
                })
            }
            4 => answer.moves[0].0 = one(rng, &(!board.moves()).iter().collect::<Vec<_>>()),
            5 => {
                answer.moves[0].1 =
                    Score::from_units(one(rng, &[-8_193, 8_193, 32_768, i32::MIN, i32::MAX]))
            }
            6 => answer.level.depth = one(rng, &[65, 127, 128, 255]),
            7 => answer.level.percent = one(rng, &[0, 101, 128, 255]),
            8 => answer.moves = vec![answer.moves[0]; one(rng, &[65, 21_837])],
            _ => {}
        }
        (
            Record::Answer(answer),
            fault > 8 || fault == 1 && image.is_none(),
        )
    }

    /// A game of random moves, and whether a book can hold it.
    fn random_record_of_a_game(rng: &mut Rng) -> (Record, bool) {
        let plies = rng.below(37);
        let game = play_on(Game::default(), plies, rng);
        let moves = game.moves().iter().filter_map(|mv| mv.square()).collect();
        let result = (rng.below(129) as i32 - 64) as i8;
        let mut game = LearnedGame {
            start: Board::START,
            moves,
            result,
        };
        let fault = rng.below(12);
        match fault {
            0 => game.start.player |= game.start.opponent,
            1 => game.moves.insert(
                game.moves.len().min(one(rng, &[0, 1, 29])),
                Square::at(3, 3),
            ),
            2 => game.moves.resize(one(rng, &[65, 65_536]), Square::at(3, 3)),
            3 => game.result = one(rng, &[65, 127, -65, -128]),
            _ => {}
        }
        (Record::Game(game), fault > 3)
    }

    #[test]
    fn records_are_refused_or_read_back() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("test.book");
        let mut rng = Rng::new(51);
        let positions = random_positions(&mut rng, 200);
        let mut book = BookEditor::open(&path).unwrap();
        let mut taken = 0;
        let mut refused = 0;
        for round in 0..samples(600) {
            let records: Vec<(Record, bool)> = (0..=rng.below(4))
                .map(|_| match rng.below(2) {
                    0 => random_record_of_a_game(&mut rng),
                    _ => random_answer(&mut rng, &positions),
                })
                .collect();
            let first_bad = records.iter().position(|(_, is_good)| !is_good);
            let records: Vec<Record> = records.into_iter().map(|(record, _)| record).collect();
            let before = contents(folder.path());
            let known = book.entries().unwrap();
            match (book.learn(&records), first_bad) {
                (Ok(_), None) => taken += 1,
                (Err(BookError::InvalidRecord { number, .. }), Some(bad)) if number == bad + 1 => {
                    refused += 1;
                    assert!(contents(folder.path()) == before && book.entries().unwrap() == known);
                }
                (result, bad) => panic!("round {round}: {result:?}, {bad:?}\n{records:?}"),
            }
            let read = Book::open(&path).unwrap();
            assert_eq!(read.games(), book.games());
            assert!(
                read.entries().unwrap() == book.entries().unwrap(),
                "round {round}: {records:?}"
            );
            if round % 100 == 99 {
                book.fold().unwrap();
                book.base().check().unwrap();
            }
        }
        assert!(taken > 100 && refused > 100, "{taken} {refused}");
    }

    /// The path is refused for this reason, and no file appears or changes.
    fn refused(folder: &TempDir, path: &Path, reason: &str) {
        let before = contents(folder.path());
        let text = BookEditor::open(path).unwrap_err().to_string();
        assert!(text.contains(reason) && !text.contains('\n'), "{text}");
        assert!(contents(folder.path()) == before, "{text}");
    }

    #[test]
    fn a_journal_of_another_book_is_neither_taken_in_nor_lost() {
        let folder = TempDir::new().unwrap();
        let [path, aside, old] = ["a.book", "b.book", "old"].map(|name| folder.path().join(name));
        let mut book = BookEditor::open(&path).unwrap();
        book.fold().unwrap();
        fs::copy(&path, &old).unwrap();
        book.fold().unwrap();
        book.fold().unwrap();
        book.learn(&[game("f5d6c3", 4)]).unwrap();
        drop(book);
        // An older copy in the place of the book, a newer one, and no book.
        fs::rename(&path, &aside).unwrap();
        fs::copy(&old, &path).unwrap();
        refused(&folder, &path, "a newer copy");
        assert!(Book::open(&path).is_err());
        let mut newer = BookEditor::open(&aside).unwrap();
        newer.fold().unwrap();
        newer.fold().unwrap();
        newer.learn(&[game("f5d6c3", 4)]).unwrap();
        newer.fold().unwrap();
        drop(newer);
        fs::copy(&aside, &path).unwrap();
        refused(&folder, &path, "an older copy");
        assert!(Book::open(&path).is_err());
        fs::remove_file(&path).unwrap();
        refused(&folder, &path, "a missing book");
        // An empty journal of another copy is no loss.
        fs::copy(&old, &aside).unwrap();
        assert_eq!(Book::open(&aside).unwrap().games(), 0);
        assert_eq!(
            BookEditor::open(&aside)
                .unwrap()
                .learn(&[game("f5d6c3", 4)])
                .unwrap(),
            1
        );
        assert_eq!(Book::open(&aside).unwrap().games(), 1);
    }

    #[test]
    fn a_book_that_was_replaced_is_not_written_over() {
        let folder = TempDir::new().unwrap();
        let (path, other) = (folder.path().join("a.book"), folder.path().join("b.book"));
        let mut theirs = BookEditor::open(&other).unwrap();
        theirs.learn(&[game("f5f6", -4)]).unwrap();
        theirs.fold().unwrap();
        let mut book = BookEditor::open(&path).unwrap();
        book.learn(&[game("f5d6c3", 4)]).unwrap();
        fs::copy(&other, &path).unwrap();
        let before = contents(folder.path());
        let text = book.fold().unwrap_err().to_string();
        assert!(text.contains("a.book"), "{text}");
        let graph = Graph::new([]);
        let text = book.rewrite(0, graph.clone()).unwrap_err().to_string();
        assert!(
            text.contains("another book than the one that was opened"),
            "{text}"
        );
        assert!(contents(folder.path()) == before);
        // One that was removed is written again.
        fs::remove_file(&path).unwrap();
        book.rewrite(1, graph).unwrap();
        assert_eq!(Book::open(&path).unwrap().games(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_book_through_links_is_one_book() {
        use std::os::unix::fs::symlink;

        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("real")).unwrap();
        symlink("real", at("folder")).unwrap();
        symlink("../m.book", at("real/up.book")).unwrap();
        symlink("folder/up.book", at("chain.book")).unwrap();
        symlink(at("chain.book"), at("absolute.book")).unwrap();
        // The book is made through a link that leads nowhere yet.
        let names = [
            "absolute.book",
            "chain.book",
            "folder/up.book",
            "real/up.book",
            "m.book",
        ];
        for (index, name) in names.into_iter().enumerate() {
            let mut book = BookEditor::open(&at(name)).unwrap();
            assert_eq!(
                book.learn(&[game(&"f5d6c3d3c4"[..2 + 2 * index], 2)])
                    .unwrap(),
                1
            );
            for other in names {
                assert!(
                    matches!(BookEditor::open(&at(other)), Err(BookError::Locked { .. })),
                    "{other}"
                );
                assert_eq!(
                    Book::open(&at(other)).unwrap().games(),
                    index as u64 + 1,
                    "{name}, {other}"
                );
            }
            if index % 2 == 0 {
                book.fold().unwrap();
            }
        }
        let paths = contents(&folder.path().join("real"))
            .into_iter()
            .chain(contents(folder.path()));
        let files: Vec<_> = paths.map(|(path, _)| path).collect();
        assert_eq!(
            files,
            [
                "real/up.book",
                "absolute.book",
                "chain.book",
                "m.book",
                "m.book.journal"
            ]
            .map(at)
        );
        assert!(names[..4].iter().all(|name| at(name).is_symlink()));
    }
}
