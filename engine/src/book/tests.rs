//! Books as files: reading back, damage, killed writers.

use std::fs;
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::editor::write_file;
use super::entry::tests::{random_entry, usual};
use super::file::{BookFile, BookWriter, PAGE};
use super::graph::Graph;
use super::testing::{played, scored};
use super::*;
use crate::board::testing::{nth, random_game, samples};
use crate::board::{Board, Score, Square, Symmetry};
use crate::util::rng::Rng;
use tempfile::TempDir;

fn book_in(folder: &TempDir) -> PathBuf {
    folder.path().join("test.book")
}

/// Canonical positions of random games, by key.
pub(super) fn random_positions(rng: &mut Rng, count: usize) -> Vec<(BookKey, Board)> {
    let mut found = std::collections::BTreeMap::new();
    while found.len() < count {
        let plies = rng.below(30) as usize;
        let boards = random_game(rng)
            .into_iter()
            .take(plies)
            .filter_map(Canonical::of);
        found.extend(boards.map(|canonical| (canonical.key(), canonical.board)));
    }
    found.into_iter().take(count).collect()
}

fn random_entries(seed: u64, count: usize) -> Vec<(BookKey, Entry)> {
    let mut rng = Rng::new(seed);
    let positions = random_positions(&mut rng, count);
    positions
        .into_iter()
        .map(|(key, board)| (key, random_entry(&mut rng, board)))
        .collect()
}

fn write(path: &Path, entries: &[(BookKey, Entry)]) {
    write_file(path, 1, 77, USUAL_LEVEL, entries.iter().cloned().map(Ok)).unwrap();
}

fn answer(board: Board, score: i32) -> Answer {
    scored(board, [(nth(board.moves().0, 0), score)])
}

pub(super) fn game(moves: &str, result: i8) -> Record {
    let moves = played(moves)
        .moves()
        .iter()
        .filter_map(|mv| mv.square())
        .collect();
    Record::Game(LearnedGame {
        start: Board::START,
        moves,
        result,
    })
}

#[test]
fn a_file_holds_what_was_written() {
    let folder = TempDir::new().unwrap();
    for count in [0, 1, 2, 700, 9_000] {
        let entries = random_entries(count as u64, count);
        write(&book_in(&folder), &entries);
        let file = BookFile::open(&book_in(&folder)).unwrap();
        assert_eq!(
            (file.header().positions, file.header().games),
            (count as u64, 77)
        );
        file.check().unwrap();
        let read: Vec<_> = file.entries().map(Result::unwrap).collect();
        assert!(read == entries, "{count} entries");
        for (key, entry) in entries.iter().step_by(3) {
            assert_eq!(file.get(*key).unwrap().as_ref(), Some(entry));
        }
        let mut rng = Rng::new(99);
        for (key, _) in random_positions(&mut rng, 500) {
            let held = entries.binary_search_by_key(&key, |(key, _)| *key).is_ok();
            assert_eq!(file.get(key).unwrap().is_some(), held);
        }
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let folder = TempDir::new().unwrap();
    let entries = random_entries(3, 1_000);
    write(&book_in(&folder), &entries);
    let whole = fs::read(book_in(&folder)).unwrap();
    let mut rng = Rng::new(10);
    let flipped = folder.path().join("flipped.book");
    for round in 0..samples(200) {
        let bit = if round < 100 {
            rng.below(8 * 200)
        } else {
            rng.below(8 * whole.len() as u32)
        } as usize;
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&flipped, &bytes).unwrap();
        let found = BookFile::open(&flipped).and_then(|file| file.check());
        let text = found.expect_err("a flipped bit is no book").to_string();
        assert!(
            text.contains("flipped.book") && !text.contains('\n'),
            "{text}"
        );
        // A probe finds the entry or the damage, never another answer.
        if let Ok(file) = BookFile::open(&flipped) {
            for (key, entry) in entries.iter().step_by(37) {
                assert!(
                    file.get(*key)
                        .map_or(true, |found| found.as_ref() == Some(entry))
                );
            }
        }
    }
    for length in [0, 1, PAGE - 1, whole.len() - 1, whole.len() - PAGE] {
        fs::write(&flipped, &whole[..length]).unwrap();
        assert!(BookFile::open(&flipped).is_err(), "{length} bytes");
    }
}

#[test]
fn a_header_that_counts_too_much_claims_no_memory() {
    let folder = TempDir::new().unwrap();
    let entries = random_entries(5, 30);
    write(&book_in(&folder), &entries);
    let mut bytes = fs::read(book_in(&folder)).unwrap();
    let page = &mut bytes[..PAGE];
    // Behind checksum, kind, magic, version and the size of a page; then the checksum is set right.
    page[24..32].copy_from_slice(&(1u64 << 48).to_le_bytes());
    let sum = crc32fast::hash(&[&[0; 8], &page[4..]].concat());
    page[..4].copy_from_slice(&sum.to_le_bytes());
    fs::write(book_in(&folder), bytes).unwrap();
    let book = Book::open(&book_in(&folder)).unwrap();
    assert_eq!(book.base().header().positions, 1 << 48);
    assert!(book.base().check().is_err());
    assert_eq!(book.entries().unwrap(), entries);
}

#[test]
fn the_journal_counts_before_it_is_folded_and_after() {
    let folder = TempDir::new().unwrap();
    let mut book = BookEditor::open(&book_in(&folder)).unwrap();
    let known = Record::Answer(answer(Board::START, 40));
    book.learn(&[known, game("f5d6c3d3c4", 2), game("d3c5d6e3", -4)])
        .unwrap();
    let check = |book: &Book| {
        assert_eq!(book.games(), 2);
        let found = book.probe(Board::START).unwrap().unwrap().entry;
        assert_eq!(found.value.unwrap().value, Score::from_units(40));
        assert_eq!(
            found.games(),
            Games {
                wins: 1,
                draws: 0,
                losses: 1
            }
        );
        let child = Board::START.play("c4".parse().unwrap()).unwrap();
        assert_eq!(
            book.probe(child).unwrap().unwrap().entry.games(),
            Games {
                wins: 1,
                draws: 0,
                losses: 1
            }
        );
    };
    check(&book);
    check(&Book::open(&book_in(&folder)).unwrap());
    let entries = book.entries().unwrap();
    let journal = journal::path_of(&book_in(&folder));
    let before = fs::read(&journal).unwrap();
    book.rewrite(book.games(), Graph::new(entries)).unwrap();
    check(&book);
    drop(book);
    check(&Book::open(&book_in(&folder)).unwrap());
    assert_eq!(fs::metadata(&journal).unwrap().len(), 24);
    // As if the process had died between the new book and the emptied journal: nothing counts twice.
    fs::write(&journal, before).unwrap();
    check(&Book::open(&book_in(&folder)).unwrap());
    check(&BookEditor::open(&book_in(&folder)).unwrap());
    assert_eq!(fs::metadata(&journal).unwrap().len(), 24);
}

#[test]
fn a_game_given_again_counts_once() {
    let folder = TempDir::new().unwrap();
    let mut book = BookEditor::open(&book_in(&folder)).unwrap();
    let learn = |book: &mut BookEditor, records: &[Record]| book.learn(records).unwrap();
    // Within a batch, in another one, as a mirror image, and after the book was rewritten.
    assert_eq!(
        learn(
            &mut book,
            &[game("f5d6c3", 4), game("f5d6c3", 4), game("f5d6c4", 4)]
        ),
        2
    );
    assert_eq!(learn(&mut book, &[game("f5d6c3", 4)]), 0);
    assert_eq!(learn(&mut book, &[game("e6f4c3", 4)]), 0);
    book.fold().unwrap();
    assert_eq!(learn(&mut book, &[game("f5d6c3", 4)]), 0);
    // Another winner and more moves are other games, a beginning of the same moves is not.
    assert_eq!(
        learn(
            &mut book,
            &[game("f5d6c3", -4), game("f5d6", -4), game("f5d6c3d3", 4)]
        ),
        2
    );
    drop(book);
    assert_eq!(Book::open(&book_in(&folder)).unwrap().games(), 4);
}

#[test]
fn a_torn_record_is_lost_alone_and_a_flipped_one_is_named() {
    let folder = TempDir::new().unwrap();
    let mut book = BookEditor::open(&book_in(&folder)).unwrap();
    for score in -1..2 {
        book.learn(&[game("f5d6c3", score)]).unwrap();
    }
    drop(book);
    let journal = journal::path_of(&book_in(&folder));
    let whole = fs::read(&journal).unwrap();
    let record = (whole.len() - 24) / 3;
    for length in 0..=whole.len() {
        fs::write(&journal, &whole[..length]).unwrap();
        let games = length.saturating_sub(24) / record;
        assert_eq!(
            Book::open(&book_in(&folder)).unwrap().games(),
            games as u64,
            "{length} bytes"
        );
        let mut book = BookEditor::open(&book_in(&folder)).unwrap();
        book.learn(&[game("f5f6", 1)]).unwrap();
        drop(book);
        assert_eq!(
            Book::open(&book_in(&folder)).unwrap().games(),
            games as u64 + 1
        );
    }
    // Every third: all bits of a byte come up.
    for bit in (0..8 * whole.len()).step_by(3) {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&journal, &bytes).unwrap();
        assert!(Book::open(&book_in(&folder)).is_err(), "bit {bit}");
        assert!(BookEditor::open(&book_in(&folder)).is_err(), "bit {bit}");
    }
}

#[test]
fn a_killed_writer_leaves_no_litter_for_long() {
    let folder = TempDir::new().unwrap();
    drop(BookEditor::open(&book_in(&folder)).unwrap());
    let others = [
        "test.book.tmp",
        "other.book.new-1b3D5f.tmp",
        "test.book.new.tmp",
    ];
    for name in others.into_iter().chain(["test.book.new-1b3D5f.tmp"]) {
        fs::write(folder.path().join(name), "half").unwrap();
    }
    drop(BookEditor::open(&book_in(&folder)).unwrap());
    assert!(!folder.path().join("test.book.new-1b3D5f.tmp").exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5);
}

/// A disk with room for `room` bytes.
struct SmallDisk {
    disk: Cursor<Vec<u8>>,
    room: usize,
}

impl Write for SmallDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.disk.position() as usize + bytes.len() > self.room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.disk.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for SmallDisk {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.disk.seek(to)
    }
}

#[test]
fn a_full_disk_is_an_error_at_every_page() {
    let entries = random_entries(8, 3_000);
    let written = |room| {
        let disk = SmallDisk {
            disk: Cursor::new(Vec::new()),
            room,
        };
        let mut writer = BookWriter::new(disk, 1, 0, usual())?;
        entries
            .iter()
            .try_for_each(|(key, entry)| writer.push(*key, entry))?;
        writer.finish().map(|disk| disk.disk.into_inner().len())
    };
    let needed = written(usize::MAX).unwrap();
    for room in (0..needed).step_by(PAGE / 2) {
        assert_eq!(
            written(room).unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
    }
    assert_eq!(written(needed).unwrap(), needed);
}

#[test]
fn eight_images_and_both_colors_get_one_answer() {
    let folder = TempDir::new().unwrap();
    let mut book = BookEditor::open(&book_in(&folder)).unwrap();
    let mut rng = Rng::new(21);
    let positions = random_positions(&mut rng, 300);
    for (_, board) in &positions {
        book.learn(&[Record::Answer(answer(*board, rng.below(500) as i32))])
            .unwrap();
    }
    for (_, board) in positions {
        let own = book.probe(board).unwrap().unwrap();
        let child = |board: Board, found: &Found| {
            let best = found.entry.best().unwrap();
            (
                best.score,
                Canonical::of(board.play(best.square).unwrap()).map(Canonical::key),
            )
        };
        for symmetry in Symmetry::all() {
            let image = symmetry.apply(board);
            let found = book.probe(image).unwrap().unwrap();
            assert_eq!(child(image, &found), child(board, &own));
            if image.opponent_moves().is_empty() {
                // The other color must pass: it gets the same entry.
                let passed = book.probe(image.pass()).unwrap().unwrap();
                assert!(passed.passed && passed.entry == found.entry);
            }
        }
    }
}

#[test]
fn answers_come_in_any_order_and_twice() {
    let (_, board) = random_positions(&mut Rng::new(31), 40)[30];
    let legal: Vec<Square> = board.moves().iter().collect();
    let of = |index: usize| Answer {
        avoid: legal[..index].iter().copied().collect(),
        ..scored(board, [(legal[index], 300 - 100 * index as i32)])
    };
    let answers: Vec<Answer> = (0..legal.len().min(4)).map(of).collect();
    let absorbed = |order: &[usize]| {
        let mut entry = Entry::default();
        order
            .iter()
            .for_each(|&index| entry.absorb(board, &answers[index]));
        entry
    };
    let last = answers.len() - 1;
    let forth: Vec<usize> = (0..=last).collect();
    let back: Vec<usize> = (0..=last).rev().chain(0..=last).collect();
    assert_eq!(absorbed(&forth), absorbed(&back));
    let Searched {
        rest, is_looked, ..
    } = absorbed(&forth).searched.unwrap();
    assert_eq!(
        (rest, is_looked),
        (Some(Score::from_units(300 - 100 * last as i32)), false)
    );
    // A worse search changes nothing, a better one the moves that it compared.
    let mut entry = absorbed(&forth);
    let at_depth = |depth, of: usize| Answer {
        level: SearchLevel {
            depth,
            ..USUAL_LEVEL
        },
        ..answers[of].clone()
    };
    entry.absorb(board, &at_depth(10, 0));
    assert_eq!(entry, absorbed(&forth));
    entry.absorb(board, &at_depth(30, last));
    assert_eq!(entry.searched.unwrap().level.depth, 30);
    assert_eq!(
        entry.moves.iter().filter(|mv| mv.score.is_some()).count(),
        answers.len()
    );
}

/// The steps of a fold by hand: the book is replaced, the journal emptied, and its header has not followed yet.
#[test]
fn a_reader_in_the_midst_of_a_fold_misses_nothing() {
    let folder = TempDir::new().unwrap();
    let known = Record::Answer(answer(Board::START, 100));
    let mut writer = BookEditor::open(&book_in(&folder)).unwrap();
    writer.learn(&[known]).unwrap();
    let entry = writer.probe(Board::START).unwrap();
    assert!(entry.is_some());
    let journal = journal::path_of(&book_in(&folder));
    let replace = |generation| {
        let entries = writer.entries().unwrap();
        write_file(
            &book_in(&folder),
            generation,
            0,
            USUAL_LEVEL,
            entries.into_iter().map(Ok),
        )
        .unwrap();
    };
    let empty = || {
        fs::OpenOptions::new()
            .write(true)
            .open(&journal)
            .unwrap()
            .set_len(0)
            .unwrap()
    };
    // The writer stops there, or continues while the reader looks.
    for goes_on in [false, true] {
        let generation = writer.base().header().generation + 1 + u64::from(goes_on);
        let mut looks = 0;
        let reader = Book::open_between(&book_in(&folder), || {
            looks += 1;
            match looks {
                1 => {
                    replace(generation);
                    empty();
                }
                2 if goes_on => fs::write(&journal, journal::header_bytes(generation)).unwrap(),
                _ => {}
            }
        })
        .unwrap();
        assert_eq!(reader.base().header().generation, generation);
        assert_eq!(
            reader.probe(Board::START).unwrap(),
            entry,
            "the writer goes on: {goes_on}"
        );
        assert_eq!(looks, 2);
    }
}

/// `cp` over an open book: the same file, truncated and rewritten.
#[test]
fn an_overwritten_book_is_an_error_and_no_crash() {
    let folder = TempDir::new().unwrap();
    let entries = random_entries(8, 9_000);
    write(&book_in(&folder), &entries);
    let mut other = random_entries(9, 9_000);
    other.truncate(entries.len());
    let mut whole = fs::read(book_in(&folder)).unwrap();
    let refuses = |file: &BookFile| {
        let errors: Vec<String> = entries
            .iter()
            .filter_map(|(key, _)| file.get(*key).err())
            .map(|error| error.to_string())
            .collect();
        assert_eq!(
            errors.len(),
            entries.len(),
            "no answer from a file of which nothing is known"
        );
        assert!(
            errors.iter().all(|text| text.contains("overwrote it")),
            "{}",
            errors[0]
        );
        assert!(file.check().is_err() && file.entries().any(|item| item.is_err()));
    };
    let file = BookFile::open(&book_in(&folder)).unwrap();
    let in_place = fs::OpenOptions::new()
        .write(true)
        .open(book_in(&folder))
        .unwrap();
    in_place.set_len(PAGE as u64).unwrap();
    refuses(&file);
    // As long as before, and another.
    fs::write(book_in(&folder), &whole).unwrap();
    let file = BookFile::open(&book_in(&folder)).unwrap();
    let last = whole.len() - 1;
    whole[last] ^= 1;
    fs::write(book_in(&folder), &whole).unwrap();
    in_place
        .set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    refuses(&file);
    // After a replacement open files still read the old book.
    write(&book_in(&folder), &entries);
    let file = BookFile::open(&book_in(&folder)).unwrap();
    write(&book_in(&folder), &other);
    assert!(
        entries
            .iter()
            .all(|(key, entry)| file.get(*key).unwrap().as_ref() == Some(entry))
    );
}
