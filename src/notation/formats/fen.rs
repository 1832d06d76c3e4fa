//! FEN-like boards: rows with `/` between them, digits for runs of empty squares, then the side.
//!
//! Edax and XBoard write row 8 first with `p` for Black and `P` for White; sites that draw discs (`X`/`O`,
//! `b`/`w`) write row 1 first. So the letters tell the order of the rows.

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
    read: |text, _| Ok(Detected::of(FEN, parse_fen(text)?)),
    write: |entry, _| Ok(write_fen(&entry.position()) + "\n"),
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

/// Reads rows and side; further fields (`- - 0 1`) are not looked at.
pub fn parse_fen(text: &str) -> Result<Position, ParseError> {
    let plain = plain(text).replace(NOTHING, " ").replace(['"', '\'', '`'], " ");
    read_fen(&plain).map_err(|error| error.quoting(text))
}

fn read_fen(text: &str) -> Result<Position, ParseError> {
    let start = text.len() - text.trim_start().len();
    let length = text[start..].find(char::is_whitespace).unwrap_or(text.len() - start);
    // Chess programs of drop variants write the discs in hand in brackets behind the board.
    let field = match text[start..start + length].split_once('[') {
        Some((board, hand)) if is_hand(hand) => board,
        _ => &text[start..start + length],
    };
    let row_8_first = field.contains(['p', 'P']);
    let mut discs = [0u64; 2];
    let (mut row, mut file) = (0u8, 0u8);
    for (i, c) in field.char_indices() {
        let error = |expected: &'static str| ParseError::at(SUBJECT, text, start + i, expected);
        let color = match c {
            '/' if file < 8 => return Err(error("8 squares in the row")),
            '/' if row == 7 => return Err(error("the end of the board after 8 rows")),
            '/' => {
                (row, file) = (row + 1, 0);
                continue;
            }
            '1'..='8' => {
                file += c as u8 - b'0';
                if file > 8 {
                    return Err(error("at most 8 squares in the row"));
                }
                continue;
            }
            _ if file == 8 => return Err(error("/ after 8 squares")),
            'p' if row_8_first => Color::Black,
            'P' if row_8_first => Color::White,
            'X' | 'x' | '*' | 'B' | 'b' if !row_8_first => Color::Black,
            'O' | 'o' | 'W' | 'w' if !row_8_first => Color::White,
            _ => return Err(error("a disc or a number of empty squares")),
        };
        let rank = if row_8_first { 7 - row } else { row };
        discs[usize::from(color == Color::White)] |= Square::at(file, rank).bit();
        file += 1;
    }
    let end = start + length;
    if (row, file) != (7, 8) {
        return Err(ParseError::at(SUBJECT, text, end, "8 rows of 8 squares"));
    }
    let at = text.len() - text[end..].trim_start().len();
    let word = text[at..].split_whitespace().next().unwrap_or("");
    let side = color_of_word(word).or_else(|| (word == "*").then_some(Color::Black));
    let side = side.ok_or_else(|| ParseError::at(SUBJECT, text, at, "the side to move, b or w"))?;
    Ok(Position::from_discs(discs[0], discs[1], side))
}

/// Whether a text behind `[` is the discs in hand and the bracket.
fn is_hand(text: &str) -> bool {
    let inner = text.strip_suffix(']');
    inner.is_some_and(|inner| inner.chars().all(|c| "pPxXoObBwW*-".contains(c) || c.is_ascii_digit()))
}

/// Writes the form of Edax and XBoard: `8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1`.
pub fn write_fen(position: &Position) -> String {
    let (black, white) = (position.discs(Color::Black), position.discs(Color::White));
    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut empties = 0;
        for file in 0..8 {
            let bit = Square::at(file, rank).bit();
            if (black | white) & bit == 0 {
                empties += 1;
                continue;
            }
            if empties > 0 {
                text.push_str(&empties.to_string());
                empties = 0;
            }
            text.push(if black & bit != 0 { 'p' } else { 'P' });
        }
        if empties > 0 {
            text.push_str(&empties.to_string());
        }
        if rank > 0 {
            text.push('/');
        }
    }
    let side = if position.side == Color::Black { 'b' } else { 'w' };
    text + &format!(" {side} - - 0 1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::Rng;

    #[test]
    fn the_start_is_read_in_both_row_orders() {
        let text = "8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1";
        assert_eq!(parse_fen(text), Ok(Position::START));
        assert_eq!(write_fen(&Position::START), text);
        assert_eq!(parse_fen("8/8/8/3pP3/3Pp3/8/8/8[PPPPpppp] b - - 0 1"), Ok(Position::START));
        assert_eq!(parse_fen("8/8/8/3pP3/3Pp3/8/8/8[] b"), Ok(Position::START));
        assert!(parse_fen("8/8/8/3pP3/3Pp3/8/8/8[PP b").is_err());
        assert_eq!(parse_fen("8/8/8/3OX3/3XO3/8/8/8 X"), Ok(Position::START));
        assert_eq!(parse_fen(" 8/8/8/3wb3/3bw3/8/8/8 b\n"), Ok(Position::START));
    }

    #[test]
    fn positions_round_trip() {
        let mut rng = Rng::new(5);
        for _ in 0..1000 {
            let (a, b) = (rng.next(), rng.next());
            let side = if rng.below(2) == 0 { Color::Black } else { Color::White };
            let position = Position::from_discs(a & !b, b & !a & rng.next(), side);
            let text = write_fen(&position);
            assert!(parse_fen(&text) == Ok(position) || !text.contains(['p', 'P']), "{text}");
        }
    }

    #[test]
    fn faults_are_named_where_they_are() {
        let error = |text| parse_fen(text).unwrap_err().to_string();
        assert_eq!(error(""), "FEN, column 1: expected 8 rows of 8 squares, found the end");
        assert!(error("8/8/7/8/8/8/8/8 b").contains("column 6: expected 8 squares in the row"));
        assert!(error("8/8/81/8/8/8/8/8 b").contains("column 6: expected at most 8 squares"));
        assert!(error("8/8/8P/8/8/8/8/8 b").contains("column 6: expected / after 8"));
        assert!(error("8/8/8/8/8/8/8/8/8 b").contains("column 16: expected the end of the board"));
        assert!(error("8/8/8/3nP3/8/8/8/8 b").contains("column 8: expected a disc"));
        assert!(error("8/8/8/8/8/8/8/8 z").contains("column 17: expected the side to move"));
        assert!(error("8/8/8/8/8/8/8/8").contains("column 16: expected the side to move"));
    }
}
