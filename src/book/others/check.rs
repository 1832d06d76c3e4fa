//! The rules of a book of another program: those of each position, and those between positions.
//!
//! Positions are looked up by 64 bits of hash, in parts that bound the memory: a larger file is read again for each
//! part.

use std::collections::HashMap;

use super::super::BookError;
use super::kind::Kind;
use super::open::OtherBook;
use super::record::{Fault, Item, PASS, Record, legal_moves, name};
use crate::board::{Board, Score, Square};

/// Positions that are held at a time: 16 bytes each.
const PART: u64 = 1 << 23;

/// Counts of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Positions that could be read.
    pub positions: u64,
    /// Moves that were compared with the position they lead to.
    pub links: u64,
    /// Broken rules.
    pub faults: u64,
}

/// The rule for the position that a move leads to.
#[derive(Clone, Copy)]
enum Expect {
    /// It exists.
    There,
    /// It exists with this value.
    Worth(Score),
    /// If it exists, its value is at least this.
    AtLeast(Score),
}

/// Checks all rules and gives every broken one to `tell`.
pub fn check<E: From<BookError>>(
    book: &mut OtherBook,
    tell: &mut dyn FnMut(&Fault) -> Result<(), E>,
) -> Result<Checked, E> {
    check_in_parts(book, PART, tell)
}

/// [`check`] with so many positions at a time.
pub(super) fn check_in_parts<E: From<BookError>>(
    book: &mut OtherBook,
    part: u64,
    tell: &mut dyn FnMut(&Fault) -> Result<(), E>,
) -> Result<Checked, E> {
    let kind = book.kind();
    let parts = (book.bytes() / least_bytes(kind)).div_ceil(part).max(1);
    let mut checked = Checked::default();
    let mut count = |checked: &mut Checked, fault: Fault| {
        checked.faults += 1;
        tell(&fault)
    };
    for number in 0..parts {
        let is_here = |hash: u64| (u128::from(hash) * u128::from(parts)) >> 64 == u128::from(number);
        let mut values: Vec<(u64, Option<i16>)> = Vec::new();
        for item in book.items_and_damage() {
            match item? {
                Item::Record(record) => {
                    let hash = hash(record.board.canonical().0);
                    if is_here(hash) {
                        values.push((hash, record.value.map(|value| value.units() as i16)));
                    }
                    if number == 0 {
                        checked.positions += 1;
                        for rule in record.faults(kind) {
                            count(&mut checked, Fault::new(record.at, Some(record.board), rule))?;
                        }
                    }
                }
                Item::Fault(fault) if number == 0 => count(&mut checked, fault)?,
                Item::Fault(_) => {}
            }
        }
        values.sort_unstable();
        // A node of Zebra's counts for its discs, whichever side is to move: no two are doubles by that.
        let is_zebra = matches!(kind, Kind::Zebra | Kind::ZebraPacked);
        let doubles = values.windows(2).filter(|pair| pair[0].0 == pair[1].0 && !is_zebra);
        let mut doubles: HashMap<u64, bool> = doubles.map(|pair| (pair[0].0, false)).collect();
        for item in book.items_and_damage() {
            let Item::Record(record) = item? else { continue };
            let at = |rule| Fault::new(record.at, Some(record.board), rule);
            if let Some(before) = doubles.get_mut(&hash(record.board.canonical().0))
                && std::mem::replace(before, true)
            {
                count(&mut checked, at("the position is told twice".to_owned()))?;
            }
            for (mv, child, expect) in children(kind, &record) {
                let hash = hash(child);
                if !is_here(hash) {
                    continue;
                }
                checked.links += 1;
                let found = values.binary_search_by_key(&hash, |(hash, _)| *hash).ok().map(|at| values[at].1);
                if let Some(rule) = broken(&record, mv, expect, found) {
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
        Kind::ZebraPacked => 12,
        Kind::NTest => 9,
    }
}

/// The moves, the positions they lead to as least images, and the rules for those.
fn children(kind: Kind, record: &Record) -> Vec<(u8, Board, Expect)> {
    let board = record.board;
    let play = |mv: u8| match Square::new(mv) {
        Some(square) => board.play(square),
        None => (mv == PASS && board.moves() == 0).then(|| board.pass()),
    };
    let child = |mv: u8, expect| Some((mv, play(mv)?.canonical().0, expect));
    match (kind, record.value) {
        _ if board.player & board.opponent != 0 => Vec::new(),
        (Kind::Edax, _) => {
            record.links.iter().filter_map(|&(mv, score)| child(mv, Expect::Worth(-score))).collect()
        }
        (Kind::EdaxText, _) if record.leaf.is_none() => {
            let pass = Some(PASS).filter(|_| board.moves() == 0 && board.pass().moves() != 0);
            legal_moves(board).chain(pass).filter_map(|mv| child(mv, Expect::There)).collect()
        }
        (Kind::EdaxText | Kind::NTest, _) | (_, None) => Vec::new(),
        (_, Some(value)) => {
            // Where the other side must pass, the side to move has another bound.
            let moves = legal_moves(board).filter(|&mv| play(mv).is_some_and(|after| after.moves() != 0));
            moves.filter_map(|mv| child(mv, Expect::AtLeast(-value))).collect()
        }
    }
}

/// The rule that a move breaks; `found` is the value of the position it leads to, if that exists and has one.
fn broken(record: &Record, mv: u8, expect: Expect, found: Option<Option<i16>>) -> Option<String> {
    let mv = name(mv);
    match (expect, found.map(|value| value.map(|units| Score::from_units(units.into())))) {
        (Expect::There, None) => Some(format!("no leaf is told, but {mv} is not in the book")),
        (Expect::Worth(_), None) => Some(format!("{mv} leads to a position that is not in the book")),
        (Expect::Worth(told), Some(Some(is))) if told != is => {
            Some(format!("{mv} is told to be worth {}, but the position it leads to says {}", -told, -is))
        }
        (Expect::AtLeast(least), Some(Some(is))) if is < least => {
            record.value.map(|value| format!("the value {value} is less than that of {mv}, {}", -is))
        }
        _ => None,
    }
}

/// Names a board.
fn hash(board: Board) -> u64 {
    let mix = |bits: u64| {
        let bits = (bits ^ bits >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (bits ^ bits >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
    };
    let bits = mix(board.player).wrapping_add(board.opponent.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let bits = mix(bits);
    bits ^ bits >> 32
}
