//! Edax's books: `.dat` of version 4, and its text.
//!
//! ```text
//! header  `XADEKOOB` · version u8 · release u8 · date 7 · padding 1 · level i32 · fewest empties i32
//!         midgame error i32 · endcut error i32 · verbosity i32 · positions i32
//! record  mover u64 · opponent u64 · wins, draws, losses, lines u32 · value, lower, upper i16 · links u8 · level u8
//!         links × (score i8, move u8) · leaf: score i8, move u8
//! text    64 squares, blank, `X`, then `,` level `,` leaf's move `,` leaf's score
//! ```
//!
//! Numbers are little endian, a1 is bit 0, 64 a pass, 65 no move. A leaf is the best of the moves that are no links.

use std::io::{self, Seek, SeekFrom, Write};

use super::super::BookError;
use super::super::level::{Origin, Program, SearchLevel};
use super::kind::EDAX;
use super::record::{Item, NONE, PASS, Record, count_bytes, counted};
use super::source::Source;
use crate::board::{Board, Score, Square};
use crate::util::bytes::Cursor;

/// Where the header counts positions.
const COUNT_AT: u64 = 38;
const HEADER: usize = 42;
/// A record without its links.
const FIXED: usize = 40;
/// A value that is not set, and the score of no leaf.
const UNSET: i32 = -127;

/// All items of a `.dat`.
pub fn items(source: &mut Source) -> Result<impl Iterator<Item = Result<Item, BookError>> + '_, BookError> {
    let header: [u8; HEADER] = source.need()?;
    let told = i32::from_le_bytes([header[38], header[39], header[40], header[41]]);
    Ok(counted(source, (COUNT_AT, told), record))
}

fn record(source: &mut Source) -> Result<Option<Record>, BookError> {
    let at = source.at();
    let Some(bytes) = source.array::<FIXED>()? else { return Ok(None) };
    let fixed = |bytes: &[u8]| {
        let mut cursor = Cursor::new(bytes);
        let board = Board { player: cursor.u64()?, opponent: cursor.u64()? };
        cursor.take(16)?;
        let value = i32::from(cursor.i16()?);
        cursor.take(4)?;
        Some((board, value, cursor.byte()?, cursor.byte()?))
    };
    let (board, value, links, level) = fixed(&bytes).expect("an array of their length");
    let mut record = Record::of(at, board, search_level(level, board.empty_count()));
    set_value(&mut record, value);
    for _ in 0..links {
        let [score, mv] = source.need()?;
        record.links.push((mv, discs(i32::from(score as i8))));
    }
    let [score, mv] = source.need()?;
    set_leaf(&mut record, mv, i32::from(score as i8));
    Ok(Some(record))
}

fn discs(discs: i32) -> Score {
    Score::from_discs(discs)
}

/// Takes a value in whole discs, if it is one.
pub fn set_value(record: &mut Record, value: i32) {
    match value {
        -64..=64 => record.value = Some(discs(value)),
        UNSET => {}
        _ => record.bad_value = Some(value),
    }
}

fn set_leaf(record: &mut Record, mv: u8, score: i32) {
    if mv == NONE {
        record.leaf = (record.is_over()).then_some((NONE, discs(score)));
    } else {
        record.leaf = Some((mv, discs(score)));
        record.rest = discs(score);
    }
}

/// All items of a text.
pub fn text_items(source: &mut Source) -> impl Iterator<Item = Result<Item, BookError>> + '_ {
    std::iter::from_fn(move || {
        loop {
            let at = source.at();
            match source.line() {
                Ok(Some(line)) if line.is_empty() => {}
                Ok(Some(line)) => {
                    let record = text_record(at, &line).ok_or_else(|| source.damaged(at, LINE));
                    return Some(record.map(Item::Record));
                }
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    })
}

const LINE: &str = "expected a line of 64 squares, a blank, X, and behind commas level, move and score";

fn text_record(at: u64, line: &[u8]) -> Option<Record> {
    let (squares, rest) = line.split_at_checked(64)?;
    let mut board = Board { player: 0, opponent: 0 };
    for (index, square) in squares.iter().enumerate() {
        match square {
            b'X' => board.player |= 1 << index,
            b'O' => board.opponent |= 1 << index,
            b'-' => {}
            _ => return None,
        }
    }
    let fields = std::str::from_utf8(rest).ok()?.strip_prefix(" X,")?;
    let [level, mv, score] = fields.split(',').collect::<Vec<_>>().try_into().ok()?;
    let level: i8 = level.parse().ok().filter(|level| (-1..=60).contains(level))?;
    let mv = match mv {
        "PA" => PASS,
        "--" => NONE,
        name => name.parse::<Square>().ok()?.index() as u8,
    };
    let score: i8 = score.parse().ok()?;
    let mut record = Record::of(at, board, search_level(level.max(0) as u8, board.empty_count()));
    set_leaf(&mut record, mv, score.into());
    Some(record)
}

/// What a level searches, with so many empties: levels up to 10 look ahead so far and solve from twice as far.
///
/// The limits are those of Edax 4.5.6.
pub fn search_level(level: u8, empties: u32) -> SearchLevel {
    let depth = u32::from(level.min(60));
    let computed: [(u32, u8); 6];
    // Up to so many empties it searches to the end, at so many percent.
    let steps: &[(u32, u8)] = match level {
        0..=10 => {
            computed = [(2 * depth, 100); 6];
            &computed
        }
        11..=12 => &[(21, 100), (24, 98)],
        13..=18 => &[(21, 100), (24, 98), (27, 87)],
        19..=21 => &[(24, 100), (27, 98), (30, 87)],
        22..=24 => &[(24, 100), (27, 99), (30, 95), (33, 73)],
        25..=27 => &[(27, 100), (30, 98), (33, 87)],
        28..=29 => &[(27, 100), (30, 99), (33, 95), (36, 73)],
        30..=31 => &[(30, 100), (33, 98), (36, 87)],
        32..=33 => &[(30, 100), (33, 99), (36, 95), (39, 73)],
        34..=35 => &[(30, 100), (33, 99), (36, 98), (39, 87)],
        36..=59 => {
            let of = |plies, percent| (depth + plies - 6, percent);
            computed = [of(0, 100), of(3, 99), of(6, 98), of(9, 95), of(12, 87), of(15, 73)];
            &computed
        }
        60.. => &[(60, 100)],
    };
    let midgame = if level <= 10 { 100 } else { 73 };
    SearchLevel::of_steps(
        depth as u8,
        midgame,
        steps,
        empties,
        Origin { program: Program::Edax, level: depth as i8 },
    )
}

/// What a book for Edax is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `.dat`.
    Binary,
    /// A line a position.
    Text,
}

/// A position as Edax writes it.
pub struct EdaxRecord<'a> {
    pub board: Board,
    pub value: i8,
    pub lower: i8,
    pub upper: i8,
    pub lines: u32,
    pub level: u8,
    pub links: &'a [(u8, i8)],
    pub leaf: (u8, i8),
}

/// Writes a book for Edax.
pub struct EdaxWriter<W> {
    out: W,
    form: Form,
    positions: u32,
    /// How many positions have each level.
    levels: [u32; 61],
    fewest_empties: u32,
}

impl<W: Write + Seek> EdaxWriter<W> {
    /// A writer of an empty book.
    pub fn new(mut out: W, form: Form) -> io::Result<Self> {
        if form == Form::Binary {
            // The header follows when the positions are counted.
            out.write_all(&[0; HEADER])?;
        }
        Ok(Self { out, form, positions: 0, levels: [0; 61], fewest_empties: 60 })
    }

    /// Writes a position.
    pub fn push(&mut self, record: &EdaxRecord<'_>) -> io::Result<()> {
        self.positions += 1;
        self.levels[usize::from(record.level.min(60))] += 1;
        self.fewest_empties = self.fewest_empties.min(record.board.empty_count());
        let EdaxRecord { board, value, lower, upper, lines, level, links, leaf } = record;
        if self.form == Form::Text {
            let square = |square: Square| match square.bit() {
                bit if board.player & bit != 0 => 'X',
                bit if board.opponent & bit != 0 => 'O',
                _ => '-',
            };
            let squares: String = Square::all().map(square).collect();
            let (mv, score) = *leaf;
            let mv = match (Square::new(mv), mv) {
                (Some(square), _) => square.to_string().to_uppercase(),
                (None, PASS) => "PA".to_owned(),
                _ => "--".to_owned(),
            };
            return writeln!(self.out, "{squares} X,{level},{mv},{score}");
        }
        let mut bytes = Vec::with_capacity(64);
        bytes.extend(board.player.to_le_bytes());
        bytes.extend(board.opponent.to_le_bytes());
        for counter in [0, 0, 0, *lines] {
            bytes.extend(u32::to_le_bytes(counter));
        }
        for score in [value, lower, upper] {
            bytes.extend(i16::from(*score).to_le_bytes());
        }
        bytes.extend([links.len() as u8, *level]);
        for (mv, score) in links.iter().chain([leaf]) {
            bytes.extend([*score as u8, *mv]);
        }
        self.out.write_all(&bytes)
    }

    /// Writes the header; gives back how many positions there are.
    pub fn finish(mut self) -> io::Result<u32> {
        if self.form == Form::Binary {
            let mut header = EDAX.to_vec();
            header.extend([4, 4]);
            // No date: two books of the same positions are the same.
            header.extend([0; 8]);
            let level = (0..61).rev().max_by_key(|&level| self.levels[level as usize]).unwrap_or(0);
            for number in [level, self.fewest_empties as i32, 2, 1, 0] {
                header.extend(number.to_le_bytes());
            }
            header.extend(count_bytes(self.positions)?);
            self.out.seek(SeekFrom::Start(0))?;
            self.out.write_all(&header)?;
        }
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
        assert_eq!(told(8, 40), (8, 100, false));
        assert_eq!(told(8, 16), (16, 100, true));
        assert_eq!(told(8, 17), (8, 100, false));
        assert_eq!(told(12, 24), (24, 98, false));
        assert_eq!(told(21, 24), (24, 100, true));
        assert_eq!(told(21, 30), (30, 87, false));
        assert_eq!(told(21, 31), (21, 73, false));
        assert_eq!(told(40, 34), (34, 100, true));
        assert_eq!(told(40, 49), (49, 73, false));
        assert_eq!(told(40, 50), (40, 73, false));
        assert_eq!(told(60, 60), (60, 100, true));
        assert_eq!(told(255, 60).0, 60);
    }
}
