//! Files: books, journals, weights, WTHOR, certificates.
//!
//! Each input is tried unchanged and with corrected checksums: otherwise only the checks of checksums would run.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::texts::lawful;
use crate::board::Board;
use crate::book::file::{BookFile, PAGE};
use crate::book::{Book, BookEditor, BookKey, Record, journal};
use crate::certificate::{Checker, Proven};
use crate::eval::Weights;
use crate::notation::wthor::{GameFile, GameRecord, NameFile, NameKind};
use crate::search::endgame::{CacheSizes, Solver};
use crate::util::bytes::Cursor;
use crate::util::rans;

/// Writes the one file of a folder, which each input replaces.
fn holding(folder: &TempDir, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join("input");
    fs::write(&path, bytes).expect("the temporary folder can be written");
    path
}

/// Removes the first piece, after its length in two bytes.
fn piece<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<2>()?;
    let (piece, after) = after.split_at(usize::from(u16::from_le_bytes(*length)).min(after.len()));
    *rest = after;
    Some(piece)
}

/// Pages with checksums; each piece is the beginning of a page, the rest is zero.
pub fn pages(mut rest: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(given) = piece(&mut rest) {
        let mut page = vec![0; PAGE];
        let length = given.len().min(PAGE - 4);
        page[4..4 + length].copy_from_slice(&given[..length]);
        let number = (bytes.len() / PAGE) as u64;
        let sum = crc32fast::hash(&[&number.to_le_bytes(), &page[4..]].concat());
        page[..4].copy_from_slice(&sum.to_le_bytes());
        bytes.extend(page);
        if number == 7 {
            break;
        }
    }
    bytes
}

/// A book file: it is read or refused, and `check` finds every error that a reader could meet.
pub fn book(data: &[u8]) {
    let folder = TempDir::new().expect("the temporary folder can be written");
    for bytes in [data, &pages(data)] {
        let path = &holding(&folder, bytes);
        let Ok(file) = BookFile::open(path) else {
            continue;
        };
        let is_sound = file.check().is_ok();
        let entries: Vec<_> = file.entries().take(100).map_while(Result::ok).collect();
        for (key, entry) in &entries {
            let found = file.get(*key);
            assert!(
                !is_sound || found.as_ref().ok() == Some(&Some(entry.clone())),
                "{found:?}"
            );
            let _ = (entry.best(), entry.games(), entry.outside().count());
            if let Some(board) = key.board() {
                let _ = entry.fault(board);
            }
        }
        if let Ok(book) = Book::open(path) {
            let _ = book.probe(Board::START);
            let _ = book.entries();
        }
    }
}

/// A journal: records that are read are written alike, and a book takes them in.
pub fn journal(mut data: &[u8]) {
    let folder = TempDir::new().expect("the temporary folder can be written");
    let path = holding(&folder, data);
    let _ = journal::read(&path);
    let mut taken = Vec::new();
    while let Some(payload) = piece(&mut data) {
        if let Some(record) = Record::decode(payload) {
            assert_eq!(Record::decode(&record.encode()).as_ref(), Some(&record));
            taken.push(record);
        }
    }
    if taken.is_empty() {
        return;
    }
    fs::remove_file(&path).expect("it was just written");
    let mut book = BookEditor::open(&path).expect("an empty book");
    book.learn(&taken)
        .expect("a record that was read can be written");
    let learned = book.entries().expect("no damage");
    drop(book);
    let mut book = BookEditor::open(&path).expect("its journal is read");
    assert_eq!(book.entries().expect("no damage"), learned);
    book.fold().expect("a book can be rewritten");
    drop(book);
    let book = BookFile::open(&path).expect("it is read again");
    book.check().expect("and is whole");
    assert_eq!(book.header().positions as usize, learned.len());
    for (key, _) in learned {
        assert_eq!(key.board().map(BookKey::of), Some(key));
    }
}

/// Weights: the name and the sections, behind a header that fits them.
pub fn weights(data: &[u8]) {
    let _ = Weights::parse(data);
    let frame = Weights::default().to_bytes();
    let (head, checked) = frame.split_at(frame.len() - 2);
    assert_eq!(
        checked,
        [0, 0],
        "a file without weights ends in the length of its name"
    );
    let mut bytes = [head, data].concat();
    let length = (bytes.len() as u32).to_le_bytes();
    bytes[16..20].copy_from_slice(&length);
    bytes[20..24].copy_from_slice(&crc32fast::hash(data).to_le_bytes());
    if let Ok(weights) = Weights::parse(&bytes) {
        assert_eq!(
            Weights::parse(&weights.to_bytes()).ok().as_ref(),
            Some(&weights)
        );
    }
}

/// Rows packed close to their entropy: as given, behind their number, and as packed, with a byte damaged.
pub fn packed_rows(data: &[u8]) {
    let unpacked = |bytes: &[u8], count| rans::unpacked::<16>(&mut Cursor::new(bytes), count);
    let Some((&count, rest)) = data.split_first() else {
        return;
    };
    if let Some(rows) = unpacked(rest, usize::from(count)) {
        assert_eq!(rows.len(), usize::from(count));
        assert_eq!(unpacked(&rans::pack(&rows), rows.len()), Some(rows));
    }
    let Some((&[low, high, bits], rest)) = data.split_first_chunk::<3>() else {
        return;
    };
    let (rows, _) = rest.as_chunks::<16>();
    let mut packed = rans::pack(rows);
    assert_eq!(unpacked(&packed, rows.len()).as_deref(), Some(rows));
    let at = usize::from(u16::from_le_bytes([low, high])) % packed.len();
    packed[at] ^= bits;
    if let Some(rows) = unpacked(&packed, rows.len()) {
        assert_eq!(unpacked(&rans::pack(&rows), rows.len()), Some(rows));
    }
}

/// Games and names of the WTHOR base.
pub fn wthor(data: &[u8]) {
    if let Ok(file) = GameFile::parse(data) {
        assert_eq!(file.to_bytes().as_deref(), Ok(data));
        for game in file.games.iter().take(100) {
            let Ok(replayed) = game.replay() else {
                continue;
            };
            lawful(&replayed);
            let again =
                GameRecord::from_record(&replayed.clone().into()).expect("from the usual start");
            assert_eq!(again.replay().as_ref(), Ok(&replayed));
        }
    }
    for kind in [NameKind::Players, NameKind::Tournaments] {
        if let Ok(file) = NameFile::parse(data, kind) {
            let bytes = file.to_bytes(kind).expect("as many as were read");
            assert_eq!(bytes.len(), data.len());
        }
    }
}

/// A certificate: the solver confirms every claim that the checker accepts.
pub fn certificate(data: &[u8]) {
    /// More are not solved again.
    const MOST_EMPTIES: u32 = 10;
    let body = data.len().saturating_sub(4);
    let sealed = [&data[..body], &crc32fast::hash(&data[..body]).to_le_bytes()].concat();
    for bytes in [data, &sealed] {
        let Ok(mut checker) = Checker::open(bytes) else {
            continue;
        };
        while let Ok(Some(Proven { claim, .. })) = checker.next() {
            let board = claim.position.board;
            if board.empty_count() <= MOST_EMPTIES {
                let score = Solver::new(CacheSizes::default()).exact(board);
                assert_eq!(i32::from(claim.score), score, "{board:?}");
            }
        }
    }
}
