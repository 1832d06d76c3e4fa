//! The rules of another program's book, for each position and between positions.
//!
//! A table of 64-bit hashes finds positions. It holds one part of the positions; each part reads the file again.

use std::collections::HashMap;

use super::OtherBook;
use super::kind::Kind;
use super::record::{Fault, Item, PASS, Reach, Record, legal_moves, name};
use crate::board::{Board, Score, Square};
use crate::book::BookError;

/// Positions of a part: 16 bytes each.
const PART: u64 = 1 << 23;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    pub positions: u64,
    /// Moves that were compared with their positions.
    pub links: u64,
    pub faults: u64,
}

/// Checks all rules and passes every fault to `report`. `reach` gets the bytes read so far, of [`bytes_to_read`].
pub fn check<E: From<BookError>>(
    book: &mut OtherBook,
    report: &mut dyn FnMut(&Fault) -> Result<(), E>,
    reach: &dyn Fn(u64),
) -> Result<Checked, E> {
    check_in_parts(book, PART, report, reach)
}

/// The bytes that [`check`] reads: each part reads the file twice.
pub fn bytes_to_read(book: &OtherBook) -> u64 {
    2 * parts(book, PART) * book.bytes()
}

fn parts(book: &OtherBook, part: u64) -> u64 {
    let positions = book.bytes() / least_bytes(book.kind);
    positions.div_ceil(part).max(1)
}

pub(super) fn check_in_parts<E: From<BookError>>(
    book: &mut OtherBook,
    part: u64,
    report: &mut dyn FnMut(&Fault) -> Result<(), E>,
    reach: &dyn Fn(u64),
) -> Result<Checked, E> {
    let kind = book.kind;
    let bytes = book.bytes();
    let parts = parts(book, part);
    let mut checked = Checked::default();
    let mut count = |checked: &mut Checked, fault: Fault| {
        checked.faults += 1;
        report(&fault)
    };
    for number in 0..parts {
        let is_here =
            |hash: u64| (u128::from(hash) * u128::from(parts)) >> 64 == u128::from(number);
        let mut values: Vec<(u64, Option<i16>)> = Vec::new();
        let mut reading = Reach::new(kind, bytes);
        for item in book.items_and_damage() {
            let item = item?;
            reach(2 * number * bytes + reading.take(&item));
            match item {
                Item::Record(record) => {
                    let hash = record.board.canonical().0.hash().bits();
                    if is_here(hash) {
                        values.push((hash, record.value.map(|value| value.units() as i16)));
                    }
                    if number == 0 {
                        checked.positions += 1;
                        for rule in record.faults(kind) {
                            count(
                                &mut checked,
                                Fault::new(record.at, Some(record.board), rule),
                            )?;
                        }
                    }
                }
                Item::Fault(fault) if number == 0 => count(&mut checked, fault)?,
                Item::Fault(_) => {}
            }
        }
        values.sort_unstable();
        // A node of Zebra's counts for its discs and either side to move: equal ones are no doubles.
        let doubles = values
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0 && kind != Kind::Zebra);
        let mut doubles: HashMap<u64, bool> = doubles.map(|pair| (pair[0].0, false)).collect();
        let mut reading = Reach::new(kind, bytes);
        for item in book.items_and_damage() {
            let item = item?;
            reach((2 * number + 1) * bytes + reading.take(&item));
            let Item::Record(record) = item else {
                continue;
            };
            let at = |rule| Fault::new(record.at, Some(record.board), rule);
            if let Some(before) = doubles.get_mut(&record.board.canonical().0.hash().bits())
                && std::mem::replace(before, true)
            {
                count(&mut checked, at("the position appears twice".to_owned()))?;
            }
            for (mv, child, score) in children(kind, &record) {
                let hash = child.hash().bits();
                if !is_here(hash) {
                    continue;
                }
                checked.links += 1;
                let found = values
                    .binary_search_by_key(&hash, |(hash, _)| *hash)
                    .ok()
                    .map(|at| values[at].1);
                if let Some(rule) = broken(kind, &record, (mv, score), found) {
                    count(&mut checked, at(rule))?;
                }
            }
        }
    }
    Ok(checked)
}

/// The least bytes of a position in a file.
fn least_bytes(kind: Kind) -> u64 {
    match kind {
        Kind::Edax => 42,
        Kind::EdaxText => 70,
        Kind::Egaroucid => 25,
        Kind::Zebra => 18,
        Kind::NTest => 9,
    }
}

/// The moves with a rule for their positions, the least images of those positions, and the scores of links.
fn children(kind: Kind, record: &Record) -> Vec<(u8, Board, Score)> {
    let board = record.board;
    let play = |mv: u8| match Square::new(mv) {
        Some(square) => board.play(square),
        None => (mv == PASS && board.moves().is_empty()).then(|| board.pass()),
    };
    let moves: Vec<(u8, Score)> = match kind {
        _ if board.player & board.opponent != 0 => Vec::new(),
        Kind::Edax => record.links.clone(),
        Kind::EdaxText if record.leaf.is_none() => {
            let pass =
                Some(PASS).filter(|_| board.moves().is_empty() && !board.pass().moves().is_empty());
            legal_moves(board)
                .chain(pass)
                .map(|mv| (mv, Score::ZERO))
                .collect()
        }
        Kind::Egaroucid | Kind::Zebra if record.value.is_some() => {
            // A move after which the other side must pass has another bound.
            let moves = legal_moves(board)
                .filter(|&mv| play(mv).is_some_and(|after| !after.moves().is_empty()));
            moves.map(|mv| (mv, Score::ZERO)).collect()
        }
        _ => Vec::new(),
    };
    moves
        .into_iter()
        .filter_map(|(mv, score)| Some((mv, play(mv)?.canonical().0, score)))
        .collect()
}

/// The rule that a move breaks; `found` is the value of its position, if that exists and has one.
fn broken(
    kind: Kind,
    record: &Record,
    (mv, score): (u8, Score),
    found: Option<Option<i16>>,
) -> Option<String> {
    let mv = name(mv);
    // For the side that moves.
    let known = found.map(|value| value.map(|units| -Score::from_units(units.into())));
    match (kind, known) {
        (Kind::EdaxText, None) => Some(format!("the leaf is missing, but {mv} is not in the book")),
        (Kind::Edax, None) => Some(format!("{mv} leads to a position that is not in the book")),
        (Kind::Edax, Some(Some(is))) if is != score => Some(format!(
            "{mv} has the score {score}, but its position has the value {is}"
        )),
        (Kind::Egaroucid | Kind::Zebra, Some(Some(is))) => {
            let value = record.value.filter(|&value| value < is)?;
            Some(format!("the value {value} is less than that of {mv}, {is}"))
        }
        _ => None,
    }
}

/// Checks and reads any bytes, for tests and fuzzing.
///
/// # Panics
/// When damage is not a fault of one line, or an entry is unsound.
#[cfg(any(test, fuzzing))]
pub fn survive(bytes: &[u8]) {
    let Ok(Some(mut book)) = OtherBook::of_bytes(bytes.to_vec()) else {
        return;
    };
    let all = bytes_to_read(&book);
    let mut report = |fault: &Fault| {
        let line = fault.to_string();
        assert!(
            line.starts_with("byte ") && !line.contains('\n'),
            "{line:?}"
        );
        Ok::<_, BookError>(())
    };
    let checked = check(&mut book, &mut report, &|bytes| assert!(bytes <= all));
    let mut positions = 0;
    for item in book.items_and_damage() {
        if let Item::Record(record) = item.expect("damage is a fault") {
            positions += 1;
            if let Some((key, entry)) = record.entry() {
                let board = key.board().expect("a key is of a board");
                assert_eq!(entry.fault(board), None, "{record:?}");
            }
        }
    }
    assert_eq!(positions, checked.expect("damage is a fault").positions);
}
