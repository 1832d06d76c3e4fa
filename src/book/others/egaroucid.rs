//! Egaroucid's books: `.egbk3` read and written, `.egbk2` read.
//!
//! ```text
//! header  `DICUORAGE` · version u8 · positions i32
//! record  mover u64 · opponent u64 · value i8 · level i8 · lines u32 · leaf: value i8, move i8, level i8
//!         of version 2: mover u64 · opponent u64 · value i8 · level i8 · links u8 × (value i8, move i8)
//! ```
//!
//! Here a1 is bit 63. Boards and moves are turned alike, so taking bit 0 for a1 gives an image of the position, with
//! its moves. There are no links: a move's score is that of the position it leads to, a pass being passed over.

use std::io::{self, Seek, SeekFrom, Write};

use super::super::BookError;
use super::super::level::{Origin, Program, SearchLevel};
use super::edax::set_value;
use super::kind::{EGAROUCID, Kind};
use super::record::{Item, PASS, Record, count_bytes, counted};
use super::source::Source;
use crate::board::{Board, Score};
use crate::util::bytes::Cursor;

/// Where the header counts positions.
const COUNT_AT: u64 = 10;
/// A leaf's value that is not set.
const UNSET: i8 = -126;
/// The number of no leaf.
const NO_LEAF: i8 = 65;

/// All items of a book of either version.
pub fn items(
    source: &mut Source,
    kind: Kind,
) -> Result<impl Iterator<Item = Result<Item, BookError>> + '_, BookError> {
    source.seek(COUNT_AT)?;
    let told = i32::from_le_bytes(source.need()?);
    let read = if kind == Kind::EgaroucidOld { old_record } else { record };
    Ok(counted(source, (COUNT_AT, told), read))
}

fn record(source: &mut Source) -> Result<Option<Record>, BookError> {
    let at = source.at();
    let Some(bytes) = source.array::<25>()? else { return Ok(None) };
    let parse = |bytes: &[u8]| {
        let mut cursor = Cursor::new(bytes);
        let board = Board { player: cursor.u64()?, opponent: cursor.u64()? };
        let (value, level) = (cursor.i8()?, cursor.i8()?);
        cursor.u32()?;
        let (leaf_value, leaf, leaf_level) = (cursor.i8()?, cursor.i8()?, cursor.i8()?);
        let empties = board.empty_count();
        let mut record = Record::of(at, board, search_level(level, empties));
        set_value(&mut record, value.into());
        if (0..=PASS as i8).contains(&leaf) && leaf_value != UNSET {
            let score = Score::from_discs(leaf_value.into());
            record.level = search_level(leaf_level, empties);
            record.leaf = Some((leaf as u8, score));
            record.rest = score;
        } else if let Some(value) = record.value {
            record.rest = value;
        }
        Some(record)
    };
    Ok(parse(&bytes))
}

fn old_record(source: &mut Source) -> Result<Option<Record>, BookError> {
    let at = source.at();
    let Some(bytes) = source.array::<19>()? else { return Ok(None) };
    let mut cursor = Cursor::new(&bytes);
    let mut parse = || {
        let board = Board { player: cursor.u64()?, opponent: cursor.u64()? };
        let (value, level, links) = (cursor.i8()?, cursor.i8()?, cursor.byte()?);
        let mut record = Record::of(at, board, search_level(level, board.empty_count()));
        set_value(&mut record, value.into());
        record.rest = record.value.unwrap_or(record.rest);
        Some((record, links))
    };
    let Some((record, links)) = parse() else { return Ok(None) };
    // What they tell, the positions that they lead to tell as well.
    for _ in 0..links {
        source.need::<2>()?;
    }
    Ok(Some(record))
}

/// What a level searches, with so many empties; tables of Egaroucid 7.
pub fn search_level(level: i8, empties: u32) -> SearchLevel {
    let origin = Origin { program: Program::Egaroucid, level };
    // 70: entered by a person.
    let Some(depth) = u8::try_from(level).ok().filter(|level| (1..=60).contains(level)) else {
        return SearchLevel { origin: Some(origin), ..SearchLevel::own(0, 73) };
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
    // Between the two the percentage falls in steps; the least is what holds of all.
    let midgame = if depth <= 10 { 100 } else { 74 };
    SearchLevel::of_steps(depth, midgame, &[(exact, 100), (selective.min(60), 88)], empties, origin)
}

/// A position as Egaroucid writes it.
pub struct EgaroucidRecord {
    pub board: Board,
    pub value: i8,
    pub level: i8,
    pub lines: u32,
    pub leaf: Option<(u8, i8)>,
}

/// Lines are counted so far.
pub const MOST_LINES: u32 = 4_000_000_000;

/// Writes a book for Egaroucid.
pub struct EgaroucidWriter<W> {
    out: W,
    positions: u32,
}

impl<W: Write + Seek> EgaroucidWriter<W> {
    /// A writer of an empty book.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(EGAROUCID)?;
        out.write_all(&[3, 0, 0, 0, 0])?;
        Ok(Self { out, positions: 0 })
    }

    /// Writes a position.
    pub fn push(&mut self, record: &EgaroucidRecord) -> io::Result<()> {
        self.positions += 1;
        let EgaroucidRecord { board, value, level, lines, leaf } = record;
        let (leaf, leaf_value) = leaf.map_or((NO_LEAF, UNSET), |(mv, value)| (mv as i8, value));
        let mut bytes = Vec::with_capacity(25);
        bytes.extend(board.player.to_le_bytes());
        bytes.extend(board.opponent.to_le_bytes());
        bytes.extend([*value as u8, *level as u8]);
        bytes.extend(lines.to_le_bytes());
        bytes.extend([leaf_value as u8, leaf as u8, *level as u8]);
        self.out.write_all(&bytes)
    }

    /// Writes the count; gives it back.
    pub fn finish(mut self) -> io::Result<u32> {
        let count = count_bytes(self.positions)?;
        self.out.seek(SeekFrom::Start(COUNT_AT))?;
        self.out.write_all(&count)?;
        self.out.flush()?;
        Ok(self.positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_search_as_the_table_says() {
        let told = |level, empties| {
            let SearchLevel { depth, percent, exact, .. } = search_level(level, empties);
            (depth, percent, exact)
        };
        assert_eq!(told(8, 16), (16, 100, true));
        assert_eq!(told(8, 17), (8, 100, false));
        assert_eq!(told(21, 24), (24, 100, true));
        assert_eq!(told(21, 30), (30, 88, false));
        assert_eq!(told(21, 31), (21, 74, false));
        assert_eq!(told(52, 42), (42, 100, true));
        assert_eq!(told(53, 46), (46, 100, true));
        assert_eq!(told(54, 48), (48, 100, true));
        assert_eq!(told(60, 60), (60, 100, true));
        assert_eq!(told(-1, 40), (0, 73, false));
        assert_eq!(told(70, 10), (0, 73, false));
    }
}
