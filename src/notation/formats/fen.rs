//! FEN-like boards: rows with `/` between them, digits for runs of empty squares, then the side.
//!
//! Edax and XBoard write row 8 first with `p` for Black and `P` for White; sites that draw discs (`X`/`O`,
//! `b`/`w`) write row 1 first. So the letters show the order of the rows.

use super::board::read_line;
use super::format::{Format, Notation};
use crate::board::{Color, Position, Square};
use crate::notation::ParseError;
use crate::notation::error::Code;
use crate::notation::grammar::board::{Digits, side, whole};
use crate::notation::scanner::Scanner;

/// Rows with `/` between them.
pub const FEN: Format = Format(&Notation {
    name: "fen",
    about: "8/8/8/3pP3/3Pp3/8/8/8 b",
    read: |text| read_line(FEN, text, position).map(|(entry, _)| entry),
    write: |entry| Ok(write_fen(&entry.position()) + "\n"),
    ..Notation::BASE
});

/// Reads rows and side, and `- - 0 1`, which means nothing.
pub fn parse_fen(text: &str) -> Result<Position, ParseError> {
    whole("FEN", text, position)
}

fn position(scanner: &mut Scanner) -> Result<Position, ParseError> {
    let start = scanner.at;
    let word = scanner.take_while(|c| !c.is_whitespace());
    // Chess programs of drop variants write the discs in hand in brackets behind the board.
    let field = word
        .split_once('[')
        .filter(|(_, hand)| is_hand(hand))
        .map_or(word, |(board, _)| board);
    let discs = rows(scanner, start, field)?;
    let side = side(scanner, Digits::No)?;
    let end = |c: char| c.is_whitespace() || c == ';';
    let line = scanner.rest().split('\n').next().unwrap_or_default();
    let counters: Vec<&str> = line
        .split(end)
        .filter(|word| !word.is_empty())
        .take(4)
        .collect();
    if let ["-", "-", half, whole] = counters[..]
        && [half, whole]
            .iter()
            .all(|number| number.bytes().all(|b| b.is_ascii_digit()))
    {
        for counter in counters {
            scanner.skip_blanks();
            scanner.take(counter);
        }
    }
    Ok(Position::from_discs(discs[0], discs[1], side))
}

/// Black's and White's discs of rows from byte `start` on.
fn rows(scanner: &Scanner, start: usize, field: &str) -> Result<[u64; 2], ParseError> {
    let row_8_first = field.contains(['p', 'P']);
    let mut discs = [0u64; 2];
    let mut seen = [None, None];
    let mut row = 0u8;
    let mut file = 0u8;
    let mut before = '/';
    let mut empty = None;
    for (at, c) in field.char_indices() {
        let error = |expected| {
            Err(scanner
                .error_at(start + at, expected)
                .with(Code::BoardSquares))
        };
        let is_pair = before.is_ascii_digit() && c.is_ascii_digit();
        before = c;
        let color = match c {
            _ if is_pair => return error("one number for a run of empty squares"),
            '/' if file < 8 => return error("8 squares in the row"),
            '/' if row == 7 => return error("the end of the board after 8 rows"),
            '/' => {
                row += 1;
                file = 0;
                continue;
            }
            '1'..='8' if file + (c as u8 - b'0') > 8 => {
                return error("at most 8 squares in the row");
            }
            '1'..='8' => {
                file += c as u8 - b'0';
                continue;
            }
            _ if file == 8 => return error("/ after 8 squares"),
            '-' | '.' | '·' if !row_8_first => {
                if *empty.get_or_insert(c) != c {
                    return error("one sign for empty squares");
                }
                file += 1;
                continue;
            }
            'p' if row_8_first => Color::Black,
            'P' if row_8_first => Color::White,
            'X' | 'x' | '*' | 'B' | 'b' | '●' if !row_8_first => Color::Black,
            'O' | 'o' | 'W' | 'w' | '○' if !row_8_first => Color::White,
            _ => return error("a disc or a number of empty squares"),
        };
        if *seen[color as usize].get_or_insert(c) != c {
            return error("one sign for each color");
        }
        let rank = if row_8_first { 7 - row } else { row };
        discs[color as usize] |= Square::at(file, rank).bit();
        file += 1;
    }
    match (row, file) {
        (7, 8) => Ok(discs),
        _ => Err(scanner
            .error_at(start + field.len(), "8 rows of 8 squares")
            .with(Code::BoardSquares)),
    }
}

/// Whether a text behind `[` is the discs in hand and the bracket.
fn is_hand(text: &str) -> bool {
    let inner = text.strip_suffix(']');
    inner.is_some_and(|inner| {
        inner
            .chars()
            .all(|c| "pPxXoObBwW*-".contains(c) || c.is_ascii_digit())
    })
}

/// Writes the form of Edax and XBoard: `8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1`.
pub fn write_fen(position: &Position) -> String {
    let letter = |color| if color == Color::Black { 'p' } else { 'P' };
    let mark = |square| position.disc_at(square).map_or('-', letter);
    let row = |rank| {
        (0..8)
            .map(|file| mark(Square::at(file, rank)))
            .collect::<String>()
    };
    let mut rows = (0..8).rev().map(row).collect::<Vec<_>>().join("/");
    for run in (1..=8).rev() {
        rows = rows.replace(&"-".repeat(run), &run.to_string());
    }
    format!(
        "{rows} {} - - 0 1",
        if position.side == Color::Black {
            'b'
        } else {
            'w'
        }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::Rng;

    #[test]
    fn the_start_is_read_in_both_row_orders() {
        let text = "8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1";
        assert_eq!(write_fen(&Position::START), text);
        for text in [
            text,
            "8/8/8/3pP3/3Pp3/8/8/8[PPPPpppp] b - - 0 1",
            "8/8/8/3pP3/3Pp3/8/8/8[] b",
            "8/8/8/3OX3/3XO3/8/8/8 X",
            " 8/8/8/3wb3/3bw3/8/8/8 b\n",
        ] {
            assert_eq!(parse_fen(text), Ok(Position::START), "{text}");
        }
        assert!(parse_fen("8/8/8/3pP3/3Pp3/8/8/8[PP b").is_err());
    }

    #[test]
    fn positions_round_trip() {
        let mut rng = Rng::new(5);
        for _ in 0..1000 {
            let (a, b) = (rng.next(), rng.next());
            let side = if rng.below(2) == 0 {
                Color::Black
            } else {
                Color::White
            };
            let position = Position::from_discs(a & !b, b & !a & rng.next(), side);
            let text = write_fen(&position);
            assert!(
                parse_fen(&text) == Ok(position) || !text.contains(['p', 'P']),
                "{text}"
            );
        }
    }

    #[test]
    fn faults_are_named_where_they_are() {
        for (text, error) in [
            (
                "",
                "FEN, column 1: expected 8 rows of 8 squares, found the end",
            ),
            (
                "8/8/7/8/8/8/8/8 b",
                "column 6: expected 8 squares in the row",
            ),
            ("8/8/X8/8/8/8/8/8 b", "column 6: expected at most 8 squares"),
            (
                "8/8/44/8/8/8/8/8 b",
                "column 6: expected one number for a run",
            ),
            ("8/8/8P/8/8/8/8/8 b", "column 6: expected / after 8"),
            (
                "8/8/8/8/8/8/8/8/8 b",
                "column 16: expected the end of the board",
            ),
            ("8/8/8/3nP3/8/8/8/8 b", "column 8: expected a disc"),
            ("8/8/8/8/8/8/8/8 z", "column 17: expected the side to move"),
            ("8/8/8/8/8/8/8/8", "column 16: expected the side to move"),
        ] {
            assert!(
                parse_fen(text).unwrap_err().to_string().contains(error),
                "{text}"
            );
        }
    }
}
