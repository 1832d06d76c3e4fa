//! The rules of a book of another program: those that a position keeps by itself, and those between positions.
//!
//! Positions are looked up by 64 bits of hash in parts of so many that memory is bounded: a larger file is read again
//! for each part.

use std::collections::HashMap;

use super::super::BookError;
use super::kind::Kind;
use super::open::OtherBook;
use super::record::{Fault, Item, Name, PASS, Record, Rule, legal_moves};
use crate::board::{Board, Score, Square};

/// Positions that are held at a time: 16 bytes each.
const PART: u64 = 1 << 23;

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Positions that could be read.
    pub positions: u64,
    /// Moves of theirs that were compared with the position they lead to.
    pub links: u64,
    /// Broken rules.
    pub faults: u64,
}

/// What must hold of the position that a move leads to.
#[derive(Clone, Copy)]
enum Expect {
    /// It is there.
    There,
    /// It is there with this value.
    Worth(Score),
    /// If it is there, its value is at least this.
    AtLeast(Score),
}

/// A position that a move leads to.
struct Child {
    mv: u8,
    board: Board,
    expect: Expect,
}

/// Checks all rules and gives every broken one to `tell`.
///
/// # Errors
/// When the system refuses, and those of `tell`.
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
    let mut count = |fault: &Fault, checked: &mut Checked| {
        checked.faults += 1;
        tell(fault)
    };
    for number in 0..parts {
        let is_here = |hash: u64| (u128::from(hash) * u128::from(parts)) >> 64 == u128::from(number);
        let mut table: Vec<(u64, Option<i16>)> = Vec::new();
        each::<E>(book, &mut |item| {
            match item {
                Item::Record(record) => {
                    let hash = hash(record.board.canonical().0);
                    if is_here(hash) {
                        table.push((hash, record.value.map(|value| value.units() as i16)));
                    }
                    if number == 0 {
                        checked.positions += 1;
                        let mut faults = Vec::new();
                        record.check(kind, &mut |rule| faults.push(rule));
                        for rule in faults {
                            let fault = Fault { at: record.at, board: Some(record.board), rule };
                            count(&fault, &mut checked)?;
                        }
                    }
                }
                Item::Fault(fault) if number == 0 => count(&fault, &mut checked)?,
                Item::Fault(_) => {}
            }
            Ok(())
        })?;
        table.sort_unstable();
        // A node of Zebra's is told once for its discs, whichever side is to move: no two are doubles by that.
        let twice = |pair: &[(u64, _)]| {
            pair[0].0 == pair[1].0 && !matches!(kind, Kind::Zebra | Kind::ZebraText | Kind::ZebraPacked)
        };
        let mut doubles: HashMap<u64, bool> =
            table.windows(2).filter(|pair| twice(pair)).map(|pair| (pair[0].0, false)).collect();
        each::<E>(book, &mut |item| {
            let Item::Record(record) = item else { return Ok(()) };
            let at = |rule| Fault { at: record.at, board: Some(record.board), rule };
            if let Some(before) = doubles.get_mut(&hash(record.board.canonical().0))
                && std::mem::replace(before, true)
            {
                count(&at(Rule::Double), &mut checked)?;
            }
            for child in children(kind, &record) {
                let hash = hash(child.board);
                if is_here(hash) {
                    checked.links += 1;
                    let found =
                        table.binary_search_by_key(&hash, |(hash, _)| *hash).ok().map(|at| table[at].1);
                    if let Some(rule) = broken(&record, &child, found) {
                        count(&at(rule), &mut checked)?;
                    }
                }
            }
            Ok(())
        })?;
    }
    Ok(checked)
}

/// Gives every item to `answer`; damage is a fault like any other.
fn each<E: From<BookError>>(
    book: &mut OtherBook,
    answer: &mut dyn FnMut(Item) -> Result<(), E>,
) -> Result<(), E> {
    let items = match book.items() {
        Ok(items) => items,
        Err(BookError::Damaged { offset, what, .. }) => {
            return answer(Item::Fault(Fault { at: offset, board: None, rule: Rule::Form(what) }));
        }
        Err(error) => return Err(error.into()),
    };
    for item in items {
        answer(match item {
            Err(BookError::Damaged { offset, what, .. }) => {
                Item::Fault(Fault { at: offset, board: None, rule: Rule::Form(what) })
            }
            item => item?,
        })?;
    }
    Ok(())
}

/// The least that a position takes in a file.
fn least_bytes(kind: Kind) -> u64 {
    match kind {
        Kind::Edax => 42,
        Kind::EdaxText => 70,
        Kind::Egaroucid => 25,
        Kind::EgaroucidOld => 19,
        Kind::Zebra => 18,
        Kind::ZebraText | Kind::ZebraPacked => 12,
        Kind::NTest => 9,
    }
}

/// What is known of the positions that the moves lead to.
fn children(kind: Kind, record: &Record) -> Vec<Child> {
    let board = record.board;
    if board.player & board.opponent != 0 {
        return Vec::new();
    }
    let play = |mv: u8| match Square::new(mv) {
        Some(square) => board.play(square),
        None => (mv == PASS && board.moves() == 0).then(|| board.pass()),
    };
    let passed = |after: Board| if after.moves() == 0 { after.pass() } else { after };
    let child = |mv: u8, expect, passes: bool| {
        let after = play(mv)?;
        let board = if passes { passed(after) } else { after };
        Some(Child { mv, board: board.canonical().0, expect })
    };
    match kind {
        Kind::Edax => {
            let links = record.links.iter();
            links.filter_map(|&(mv, score)| child(mv, Expect::Worth(-score), false)).collect()
        }
        Kind::EdaxText if record.leaf.is_none() => {
            let passes = Some(PASS).filter(|_| board.moves() == 0 && board.pass().moves() != 0);
            legal_moves(board).chain(passes).filter_map(|mv| child(mv, Expect::There, false)).collect()
        }
        Kind::EdaxText | Kind::NTest => Vec::new(),
        _ => {
            let Some(value) = record.value else { return Vec::new() };
            let expected = |mv: u8| {
                let after = play(mv)?;
                let again = after.moves() == 0;
                // A side that moves twice: the other's bound, seen from the same side.
                (!again).then(|| child(mv, Expect::AtLeast(-value), true)).flatten()
            };
            legal_moves(board).filter_map(expected).collect()
        }
    }
}

/// The rule that a child breaks; `found` is its value, if it is there and has one.
fn broken(record: &Record, child: &Child, found: Option<Option<i16>>) -> Option<Rule> {
    let mv = Name(child.mv);
    let Some(is) = found else {
        return match child.expect {
            Expect::There => Some(Rule::NoLeaf(mv)),
            Expect::Worth(_) => Some(Rule::Missing(mv)),
            Expect::AtLeast(_) => None,
        };
    };
    let is = Score::from_units(is?.into());
    match child.expect {
        Expect::Worth(told) if told != is => Some(Rule::LinkScore { mv, told: -told, is: -is }),
        Expect::AtLeast(least) if is < least => record.value.map(|value| Rule::Less { value, mv, is: -is }),
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
