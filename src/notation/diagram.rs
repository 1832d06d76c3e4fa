//! Boards as text: 64 characters and a side, drawn diagrams, the `exampleBoard` file of othelloAI, hexadecimal.
//!
//! Squares are given from a1 to h1, then a2 … h8. `spellings.rs` has the table of all that is read.

use super::ParseError;
use super::plain::plain;
use super::side::{Said, said};
use super::squares::{parse_cells, parse_drawn};
use crate::board::diagram::{FILES, row};
use crate::board::{Color, Position, Square};

/// Order of the squares in a 64-bit number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BitOrder {
    /// a1 is bit 0 and h1 bit 7, as in this crate.
    #[default]
    A1Lsb,
    /// a1 is bit 63 and h1 bit 56.
    A1Msb,
}

impl BitOrder {
    /// Turns a bitboard of this crate into this order, and back.
    pub fn convert(self, bits: u64) -> u64 {
        match self {
            Self::A1Lsb => bits,
            Self::A1Msb => bits.reverse_bits(),
        }
    }
}

/// Reads 64 characters and a side, in any alphabet: `---…--- X`.
pub fn parse_board(text: &str) -> Result<Position, ParseError> {
    read_board("board", text).map(|(position, _)| position)
}

/// Reads a drawn board of several lines: letters, row numbers, frames and a panel at the right are allowed.
///
/// The side to move stands in the panel or in a line of its own before or after the rows: `X`, `Black to move`.
pub fn parse_diagram(text: &str) -> Result<Position, ParseError> {
    read_board("diagram", text).map(|(position, _)| position)
}

/// Reads a board in one line or drawn, and what stands behind the side.
pub(super) fn read_board(subject: &'static str, text: &str) -> Result<(Position, String), ParseError> {
    let plain = plain(text);
    let lines = plain.lines().filter(|line| !line.trim().is_empty()).count();
    let cells = match lines {
        0..8 => parse_cells(subject, &plain, 0..plain.len()),
        _ => parse_drawn(subject, &plain),
    };
    let position = cells.and_then(|cells| {
        let position = cells.with_side(subject, &plain, plain.trim_end().len())?;
        Ok((position, cells.note))
    });
    position.map_err(|error| error.quoting(text))
}

/// The board of a saved game of othelloAI: position and the time limit in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExampleBoard {
    /// The position.
    pub position: Position,
    /// Time limit for the computer's move, seconds.
    pub seconds: u32,
}

/// Reads the `exampleBoard` file of othelloAI: 8 lines of `0 B W`, a line `B` or `W`, a line with seconds.
pub fn parse_example_board(text: &str) -> Result<ExampleBoard, ParseError> {
    const SUBJECT: &str = "othelloAI board";
    let mut discs = [0u64; 2];
    let mut lines = text.split_inclusive('\n');
    let mut offset = 0;
    let mut next = || {
        let line = lines.next().unwrap_or("");
        let start = offset;
        offset += line.len();
        (start, line)
    };
    for rank in 0..8u8 {
        let (start, line) = next();
        let mut file = 0;
        for (i, c) in line.char_indices().filter(|&(_, c)| !c.is_whitespace()) {
            let color = match c {
                _ if file == 8 => None,
                '0' => Some(None),
                'B' | 'b' => Some(Some(Color::Black)),
                'W' | 'w' => Some(Some(Color::White)),
                _ => None,
            };
            let expected = if file == 8 { "the end of the row" } else { "0, B or W" };
            let color = color.ok_or_else(|| ParseError::at(SUBJECT, text, start + i, expected))?;
            if let Some(color) = color {
                discs[usize::from(color == Color::White)] |= Square::at(file, rank).bit();
            }
            file += 1;
        }
        if file != 8 {
            let end = start + line.trim_end().len();
            return Err(ParseError::at(SUBJECT, text, end, format!("8 squares in row {}", rank + 1)));
        }
    }
    let (start, line) = next();
    let side = match line.trim() {
        "B" | "b" => Color::Black,
        "W" | "w" => Color::White,
        _ => return Err(ParseError::at(SUBJECT, text, start, "the side to move, B or W")),
    };
    let (start, line) = next();
    let Ok(seconds) = line.trim().parse() else {
        return Err(ParseError::at(SUBJECT, text, start, "the time limit in seconds"));
    };
    let rest = &text[offset..];
    if !rest.trim().is_empty() {
        return Err(ParseError::at(SUBJECT, text, offset, "the end of the file"));
    }
    Ok(ExampleBoard { position: Position::from_discs(discs[0], discs[1], side), seconds })
}

/// Reads two bitboards in hexadecimal and a side: `black white X`.
///
/// Each board has 16 digits, with or without `0x`.
pub fn parse_hex(text: &str, order: BitOrder) -> Result<Position, ParseError> {
    const SUBJECT: &str = "hexadecimal board";
    let mut boards = [0u64; 2];
    let mut offset = 0;
    for (board, expected) in boards
        .iter_mut()
        .zip(["Black's discs, 16 hexadecimal digits", "White's discs, 16 hexadecimal digits"])
    {
        offset += text[offset..].len() - text[offset..].trim_start().len();
        let word = text[offset..].split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or("");
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
        // `from_str_radix` would take a sign.
        let plain = digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        *board = plain
            .then(|| u64::from_str_radix(digits, 16).ok())
            .flatten()
            .ok_or_else(|| ParseError::at(SUBJECT, text, offset, expected))?;
        offset += word.len();
        offset += usize::from(text[offset..].starts_with(','));
    }
    if boards[0] & boards[1] != 0 {
        return Err(ParseError::at(SUBJECT, text, 0, "two boards without a common square"));
    }
    offset += text[offset..].len() - text[offset..].trim_start().len();
    let Said::Side(side) = said(&text[offset..], None) else {
        return Err(ParseError::at(SUBJECT, text, offset, "the side to move, X or O"));
    };
    Ok(Position::from_discs(order.convert(boards[0]), order.convert(boards[1]), side))
}

/// Writes two bitboards in hexadecimal and the side, as [`parse_hex`] reads them.
pub fn write_hex(position: &Position, order: BitOrder) -> String {
    let board = |color| order.convert(position.discs(color));
    format!("{:016x} {:016x} {}", board(Color::Black), board(Color::White), disc(position.side))
}

/// `X` or `O`.
pub fn disc(color: Color) -> char {
    match color {
        Color::Black => 'X',
        Color::White => 'O',
    }
}

/// Writes 64 characters `X O -`, a blank and the side to move.
pub fn write_board(position: &Position) -> String {
    let squares: String = Square::all().map(|square| position.disc_at(square).map_or('-', disc)).collect();
    format!("{squares} {}", disc(position.side))
}

/// Draws the board with letters and numbers around it; legal moves are `.`, other empty squares `-`.
///
/// [`parse_diagram`] reads it back.
pub fn write_diagram(position: &Position) -> String {
    let moves = position.board.moves();
    let empty = |square: Square| if moves & square.bit() != 0 { '.' } else { '-' };
    let mark = |square| position.disc_at(square).map_or_else(|| empty(square), disc);
    let rows: String = (1..=8).map(|rank| format!("{rank} {} {rank}\n", row(rank - 1, mark))).collect();
    format!("  {FILES}\n{rows}  {FILES}\n{}\n", side_to_move(position))
}

/// The last line of a drawn board.
pub fn side_to_move(position: &Position) -> &'static str {
    match position.side {
        Color::Black => "Black to move",
        Color::White => "White to move",
    }
}

/// Writes the `exampleBoard` file of othelloAI.
pub fn write_example_board(board: &ExampleBoard) -> String {
    let letter = |color| if color == Color::Black { 'B' } else { 'W' };
    let mark = |square| board.position.disc_at(square).map_or('0', letter);
    let rows: String = (0..8).map(|rank| row(rank, mark) + "\n").collect();
    format!("{rows}{}\n{}\n", letter(board.position.side), board.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(text: &str) -> Result<(Position, String), String> {
        read_board("board", text).map_err(|error| error.to_string())
    }

    const START: &str = "---------------------------OX------XO---------------------------";

    #[test]
    fn every_alphabet_gives_the_start() {
        let alphabets = [
            ("X", "O", "-"),
            ("x", "o", "."),
            ("*", "0", "_"),
            ("B", "W", "0"),
            ("b", "w", "-"),
            ("●", "○", "·"),
        ];
        for (black, white, empty) in alphabets {
            for (side, color) in [(black, Color::Black), (white, Color::White)] {
                let board: String = START
                    .chars()
                    .map(|c| match c {
                        'X' => black,
                        'O' => white,
                        _ => empty,
                    })
                    .collect();
                let (blacks, whites) = (Position::START.board.player, Position::START.board.opponent);
                let want = Position::from_discs(blacks, whites, color);
                for text in
                    [format!("{board} {side}"), format!("{board}{side}"), format!(" {board}\n{color}\n")]
                {
                    assert_eq!(parse_board(&text), Ok(want), "{text}");
                }
            }
        }
        assert_eq!(write_board(&Position::START), format!("{START} X"));
    }

    #[test]
    fn the_zero_is_white_beside_other_empty_marks() {
        let text = format!("{} *", START.replace('X', "*").replace('O', "0"));
        assert_eq!(parse_board(&text), Ok(Position::START));
    }

    #[test]
    fn boards_of_cases() {
        let start = |note: &str| Ok((Position::START, note.to_owned()));
        assert_eq!(both("...........................10......01........................... 0"), start(""));
        let edax = "  A B C D E F G H\n1 - - - - - - - - 1\n2 - - - - - - - - 2 * to move\n3 - - - . - - - - 3\n\
                    4 - - . O * - - - 4 *: discs =  2    moves =  4\n5 - - - * O . - - 5 O: discs =  2    moves =  4\n\
                    6 - - - - . - - - 6  empties = 60      ply =  1\n7 - - - - - - - - 7\n8 - - - - - - - - 8\n  A B C D E F G H\n";
        assert_eq!(both(edax), start(""));
        let columns = "-OOOOOO---OOOO-XXXOOXXXX-OOXXOOX-OXOOOXX-XXXXXXX--OOXX-X-OOOO-X- Black 32 -34";
        let (position, note) = both(columns).unwrap();
        assert_eq!((position.side, note.as_str()), (Color::Black, "32 -34"));
        let error = both(&format!("{START} 0")).unwrap_err();
        assert!(error.contains("Black in some files and White in others"), "{error}");
    }

    #[test]
    fn faults_are_named_where_they_are() {
        let error = |text: &str| parse_board(text).unwrap_err().to_string();
        assert_eq!(error(""), "board, column 1: expected square a1 of 64, found the end");
        assert_eq!(error(START), "board, column 65: expected the side to move, X or O, found the end");
        assert_eq!(
            error(&format!("--Z{START}")),
            r#"board, column 3: expected square c1 of 64 (X, O or -), found "Z-----------------------..."#
                .to_string()
                + "\""
        );
        assert!(error(&format!("{START} -")).contains("column 66: expected the side to move"));
        assert!(error(&format!("{START} X O")).contains("column 66: expected the side to move"));
    }

    #[test]
    fn drawings_are_read_back() {
        let drawn = write_diagram(&Position::START);
        assert_eq!(drawn.lines().nth(3), Some("3 - - - . - - - - 3"));
        assert_eq!(parse_diagram(&drawn), Ok(Position::START));
        let framed = "+-a-b-c-d-e-f-g-h-+\n".replace(|c: char| c.is_ascii_lowercase(), "-")
            + &START
                .as_bytes()
                .chunks(8)
                .map(|r| format!("| {} |\n", str::from_utf8(r).unwrap()))
                .collect::<String>()
            + "+--------+\nX to move";
        assert_eq!(parse_diagram(&framed), Ok(Position::START));
        let error = parse_diagram(&drawn.replace("4 - - . O", "4 - - . Z")).unwrap_err();
        assert!(error.to_string().starts_with("diagram, line 5, column 9: expected square d4"), "{error}");
    }

    #[test]
    fn the_example_board_of_othello_ai_is_read() {
        // 24 white and 16 black discs, White to move, five seconds.
        let text = "0 0 0 0 0 0 0 0\n0 0 W W W W 0 0\n0 B W W B W B 0\nB B W B W W B W\n\
                    B W B W W W W 0\n0 W W B B B W 0\n0 W W W W B B 0\n0 0 B W B 0 0 0\nW\n5\n";
        let board = parse_example_board(text).unwrap();
        assert_eq!(board.position.side, Color::White);
        assert_eq!(board.position.discs(Color::White).count_ones(), 24);
        assert_eq!(board.position.discs(Color::Black).count_ones(), 16);
        assert_eq!(board.seconds, 5);
        assert_eq!(write_example_board(&board), text);
        assert_eq!(parse_example_board(&text.replace(' ', "").replace('\n', "\r\n")), Ok(board));
        let error = |text: &str| parse_example_board(text).unwrap_err().to_string();
        assert!(
            error(&text.replacen("W B W B 0", "W B W 5 0", 1))
                .contains("line 3, column 13: expected 0, B or W")
        );
        assert!(error(&text.replace("\nW\n", "\nX\n")).contains("line 9, column 1: expected the side"));
        assert!(error(&text.replace("\n5\n", "\n-5\n")).contains("line 10, column 1: expected the time"));
        assert!(error(&text[..20]).contains("line 2, column 4: expected 8 squares in row 2"));
    }

    #[test]
    fn bit_orders_agree_with_their_pages() {
        // "Top left is 2^63, top right is 2^56" in a page that counts from the other end.
        assert_eq!(BitOrder::A1Msb.convert(1), 1 << 63);
        assert_eq!(BitOrder::A1Msb.convert(1 << 7), 1 << 56);
        for order in [BitOrder::A1Lsb, BitOrder::A1Msb] {
            assert_eq!(order.convert(order.convert(0x1234_5678_9ABC_DEF0)), 0x1234_5678_9ABC_DEF0);
            assert_eq!(parse_hex(&write_hex(&Position::START, order), order), Ok(Position::START));
        }
        assert_eq!(write_hex(&Position::START, BitOrder::A1Lsb), "0000000810000000 0000001008000000 X");
        let error = |text| parse_hex(text, BitOrder::A1Lsb).unwrap_err().to_string();
        assert!(error("0000000810000000 +000001008000000 X").contains("column 18: expected White's discs"));
        assert!(error("0000000810000000 0000000810000000 X").contains("without a common square"));
        assert!(error("0000000810000000 0000001008000000").contains("column 34: expected the side"));
    }
}
