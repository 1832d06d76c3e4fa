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
//! Numbers are little endian, a1 is bit 0, 64 a pass, 65 no move. A leaf is the best move without a link.

use super::kind::EDAX;
use super::record::{Item, Items, NONE, PASS, Record, Row};
use super::source::Source;
use crate::board::{Board, Score, Square};
use crate::book::BookError;
use crate::book::{Origin, Program, SearchLevel};
use crate::util::bytes::Cursor;

/// The offset of the number of positions in the header.
pub const COUNT_AT: u64 = 38;
/// A record without its links.
const FIXED: usize = 40;

pub fn record(source: &mut Source) -> Result<Option<Record>, BookError> {
    let at = source.at();
    let Some(bytes) = source.array::<FIXED>()? else {
        return Ok(None);
    };
    let mut cursor = Cursor::new(&bytes);
    let mut fixed = || {
        let board = Board {
            player: cursor.u64()?,
            opponent: cursor.u64()?,
        };
        cursor.take(16)?;
        let value = i32::from(cursor.i16()?);
        cursor.take(4)?;
        Some((board, value, cursor.byte()?, cursor.byte()?))
    };
    let (board, value, links, level) = fixed().expect("an array of their length");
    let mut record = Record::of(at, board, search_level(level, board.empty_count()));
    record.set_value(value);
    for _ in 0..links {
        let [score, mv] = source.need()?;
        record
            .links
            .push((mv, Score::from_discs((score as i8).into())));
    }
    let [score, mv] = source.need()?;
    set_leaf(&mut record, mv, score as i8);
    Ok(Some(record))
}

fn set_leaf(record: &mut Record, mv: u8, score: i8) {
    let score = Score::from_discs(score.into());
    if mv != NONE {
        record.rest = Some(score);
    }
    record.leaf = (mv != NONE || record.is_over()).then_some((mv, score));
}

pub fn text_items(source: &mut Source) -> Items<'_> {
    let record = |source: &mut Source| {
        let at = source.at();
        let Some(line) = source.line()? else {
            return Ok(None);
        };
        // A blank line is no record.
        let record = (!line.is_empty())
            .then(|| text_record(at, &line).ok_or_else(|| source.damaged(at, LINE)));
        Ok(Some(record.transpose()?.map(Item::Record)))
    };
    Box::new(std::iter::from_fn(move || record(source).transpose()).filter_map(Result::transpose))
}

const LINE: &str =
    "expected a line of 64 squares, a blank, X, and behind commas level, move and score";

fn text_record(at: u64, line: &[u8]) -> Option<Record> {
    let (squares, rest) = line.split_at_checked(64)?;
    let bits = |disc: u8| {
        (0..64)
            .filter(|&at| squares[at] == disc)
            .fold(0, |bits, at| bits | 1 << at)
    };
    let board = Board {
        player: bits(b'X'),
        opponent: bits(b'O'),
    };
    squares
        .iter()
        .all(|square| b"XO-".contains(square))
        .then_some(())?;
    let fields = std::str::from_utf8(rest).ok()?.strip_prefix(" X,")?;
    let [level, mv, score] = fields.split(',').collect::<Vec<_>>().try_into().ok()?;
    let level: i8 = level
        .parse()
        .ok()
        .filter(|level| (-1..=60).contains(level))?;
    let mv = match mv {
        "PA" => PASS,
        "--" => NONE,
        name => name.parse::<Square>().ok()?.index() as u8,
    };
    let score: i8 = score.parse().ok()?;
    let mut record = Record::of(
        at,
        board,
        search_level(level.max(0) as u8, board.empty_count()),
    );
    set_leaf(&mut record, mv, score);
    Some(record)
}

/// The search of a level at `empties`, as of Edax 4.5.6: levels up to 10 look ahead that many plies and solve from
/// twice as many empties.
pub fn search_level(level: u8, empties: u32) -> SearchLevel {
    let depth = u32::from(level.min(60));
    let computed: [(u32, u8); 6];
    // Most empties of a search to the end, and its percent.
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
            computed = [
                of(0, 100),
                of(3, 99),
                of(6, 98),
                of(9, 95),
                of(12, 87),
                of(15, 73),
            ];
            &computed
        }
        60.. => &[(60, 100)],
    };
    let midgame = if level <= 10 { 100 } else { 73 };
    let origin = Origin {
        program: Program::Edax,
        level: depth as i8,
    };
    super::level_of_steps(depth as u8, midgame, steps, empties, origin)
}

/// The header of a `.dat`: the commonest level, the fewest empties and the number of positions.
pub fn header(level: u8, fewest_empties: u32, positions: i32) -> Vec<u8> {
    let mut header = EDAX.to_vec();
    header.extend([4, 4]);
    // No date: two books of the same positions are the same.
    header.extend([0; 8]);
    for number in [i32::from(level), fewest_empties as i32, 2, 1, 0, positions] {
        header.extend(number.to_le_bytes());
    }
    header
}

pub fn bytes(row: &Row<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64);
    bytes.extend(row.board.player.to_le_bytes());
    bytes.extend(row.board.opponent.to_le_bytes());
    for counter in [0, 0, 0, row.lines] {
        bytes.extend(u32::to_le_bytes(counter));
    }
    for score in [row.value, row.lower, row.upper] {
        bytes.extend(i16::from(score).to_le_bytes());
    }
    bytes.extend([row.links.len() as u8, row.level as u8]);
    for (mv, score) in row.links.iter().chain([&row.leaf]) {
        bytes.extend([*score as u8, *mv]);
    }
    bytes
}
