//! FEN-like boards: rows with `/` between them, digits for runs of empty squares, then the side.
//!
//! Edax and XBoard write row 8 first with `p` for Black and `P` for White; sites that draw discs (`X`/`O`,
//! `b`/`w`) write row 1 first. So the letters show the order of the rows.

use super::format::{Detected, Format, Notation};
use crate::board::{Color, Move, Position, Square};
use crate::notation::ParseError;
use crate::notation::text::plain::{NOTHING, first_word, plain};
use crate::notation::text::side::color_of_word;
use crate::notation::text::token::lex_move;

/// Rows with `/` between them.
pub const FEN: Format = Format(&Notation {
    name: "fen",
    about: "8/8/8/3pP3/3Pp3/8/8/8 b",
    begins: is_board,
    read: |text| Ok(Detected::of(FEN, parse_fen(text)?)),
    write: |entry| Ok(write_fen(&entry.position()) + "\n"),
    ..Notation::BASE
});

/// Whether the first word has the slashes of rows and is no list of moves.
fn is_board(text: &str) -> bool {
    let rows = first_word(text);
    let is_square = |part: &str| {
        let part = part.trim_matches(|c: char| !c.is_alphanumeric());
        part.len() == 2 && matches!(lex_move(part), Some((Move::Place(_), _)))
    };
    rows.matches('/').count() >= 6
        && !rows.split('/').all(is_square)
        && rows.contains(|c: char| c.is_ascii_digit() || "pP".contains(c))
}

const SUBJECT: &str = "FEN";

/// Reads rows and side and ignores further fields (`- - 0 1`).
pub fn parse_fen(text: &str) -> Result<Position, ParseError> {
    let plain = plain(text)
        .replace(NOTHING, " ")
        .replace(['"', '\'', '`'], " ");
    read_fen(&plain).map_err(|error| error.quoting(text))
}

fn read_fen(text: &str) -> Result<Position, ParseError> {
    let error = |at, expected| ParseError::at(SUBJECT, text, at, expected);
    let start = text.len() - text.trim_start().len();
    let word = text[start..]
        .split(char::is_whitespace)
        .next()
        .unwrap_or("");
    // Chess programs of drop variants write the discs in hand in brackets behind the board.
    let field = word
        .split_once('[')
        .filter(|(_, hand)| is_hand(hand))
        .map_or(word, |(board, _)| board);
    let row_8_first = field.contains(['p', 'P']);
    let mut discs = [0u64; 2];
    let (mut row, mut file) = (0u8, 0u8);
    for (at, c) in field.char_indices() {
        let error = |expected| Err(error(start + at, expected));
        let color = match c {
            '/' if file < 8 => return error("8 squares in the row"),
            '/' if row == 7 => return error("the end of the board after 8 rows"),
            '/' => {
                (row, file) = (row + 1, 0);
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
            'p' if row_8_first => Color::Black,
            'P' if row_8_first => Color::White,
            'X' | 'x' | '*' | 'B' | 'b' if !row_8_first => Color::Black,
            'O' | 'o' | 'W' | 'w' if !row_8_first => Color::White,
            _ => return error("a disc or a number of empty squares"),
        };
        let rank = if row_8_first { 7 - row } else { row };
        discs[color as usize] |= Square::at(file, rank).bit();
        file += 1;
    }
    let end = start + word.len();
    if (row, file) != (7, 8) {
        return Err(error(end, "8 rows of 8 squares"));
    }
    let at = text.len() - text[end..].trim_start().len();
    let side = text[at..].split_whitespace().next().unwrap_or("");
    let color = color_of_word(side).or_else(|| (side == "*").then_some(Color::Black));
    let side = color.ok_or_else(|| error(at, "the side to move, b or w"))?;
    Ok(Position::from_discs(discs[0], discs[1], side))
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
            ("8/8/81/8/8/8/8/8 b", "column 6: expected at most 8 squares"),
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
