//! Egaroucid's books: `.egbk3`.
//!
//! ```text
//! header  `DICUORAGE` · version u8 · positions i32
//! record  mover u64 · opponent u64 · value i8 · level i8 · lines u32 · leaf: value i8, move i8, level i8
//! ```
//!
//! Here a1 is bit 63. Reading bit 0 as a1 turns boards and moves alike, into an image of the position. There are no
//! links: a move's score is that of the next position with a move.

use super::kind::EGAROUCID;
use super::record::{NONE, PASS, Record, Row};
use super::source::Source;
use crate::board::{Board, Score};
use crate::book::BookError;
use crate::book::{Origin, Program, SearchLevel};
use crate::util::bytes::Cursor;

/// The offset of the number of positions in the header.
pub const COUNT_AT: u64 = 10;
/// The value of no leaf.
const UNSET: i8 = -126;

pub fn record(source: &mut Source) -> Result<Option<Record>, BookError> {
    let at = source.at();
    let Some(bytes) = source.array::<25>()? else {
        return Ok(None);
    };
    let parse = |cursor: &mut Cursor<'_>| {
        let board = Board {
            player: cursor.u64()?,
            opponent: cursor.u64()?,
        };
        let value = cursor.i8()?;
        let level = cursor.i8()?;
        let mut record = Record::of(at, board, search_level(level, board.empty_count()));
        record.set_value(value.into());
        record.rest = record.value;
        cursor.u32()?;
        let leaf_value = cursor.i8()?;
        let leaf = cursor.i8()?;
        let leaf_level = cursor.i8()?;
        if (0..=PASS as i8).contains(&leaf) && leaf_value != UNSET {
            let score = Score::from_discs(leaf_value.into());
            record.level = search_level(leaf_level, board.empty_count());
            record.leaf = Some((leaf as u8, score));
            record.rest = Some(score);
        }
        Some(record)
    };
    Ok(parse(&mut Cursor::new(&bytes)))
}

/// The search of a level at `empties`; tables of Egaroucid 7.
pub fn search_level(level: i8, empties: u32) -> SearchLevel {
    let origin = Origin {
        program: Program::Egaroucid,
        level,
    };
    // Level 70 marks values that a person entered.
    let Some(depth) = u8::try_from(level)
        .ok()
        .filter(|level| (1..=60).contains(level))
    else {
        return SearchLevel {
            origin: Some(origin),
            ..SearchLevel::own(0, 73)
        };
    };
    let exact = match depth {
        ..=10 => 2 * u32::from(depth),
        11..=14 => 21,
        15..=19 => 22,
        20..=22 => 24,
        23..=26 => 26,
        27..=28 => 28,
        29..=32 => 30,
        33..=36 => 32,
        37..=40 => 34,
        41..=44 => 36,
        45..=48 => 38,
        49..=51 => 40,
        _ => 42 + 4 * u32::from(depth > 52) + 2 * u32::from(depth.saturating_sub(53)),
    };
    let selective = match depth {
        ..=10 => exact,
        11..=12 => 25,
        13..=17 => 27,
        18..=19 => 29,
        20..=22 => 30,
        23..=24 => 32,
        25..=26 => 34,
        27..=30 => 36,
        31..=34 => 38,
        35..=38 => 40,
        39..=42 => 42,
        43..=46 => 44,
        47..=50 => 46,
        51 => 48,
        52 => 50,
        53..=55 => 54 + 2 * u32::from(depth - 53),
        _ => 60,
    };
    // The percentage falls in steps between the two; the least is valid for all.
    let midgame = if depth <= 10 { 100 } else { 74 };
    super::level_of_steps(
        depth,
        midgame,
        &[(exact, 100), (selective.min(60), 88)],
        empties,
        origin,
    )
}

pub fn header(positions: i32) -> Vec<u8> {
    [&EGAROUCID[..], &[3], &positions.to_le_bytes()].concat()
}

pub fn bytes(row: &Row<'_>) -> Vec<u8> {
    let (leaf, leaf_value) = if row.leaf.0 == NONE {
        (NONE, UNSET)
    } else {
        row.leaf
    };
    let mut bytes = Vec::with_capacity(25);
    bytes.extend(row.board.player.to_le_bytes());
    bytes.extend(row.board.opponent.to_le_bytes());
    bytes.extend([row.value as u8, row.level as u8]);
    bytes.extend(row.lines.to_le_bytes());
    bytes.extend([leaf_value as u8, leaf, row.level as u8]);
    bytes
}
