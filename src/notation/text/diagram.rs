//! Boards as text: 64 characters and a side, or drawn.
//!
//! Squares are given from a1 to h1, then a2 … h8.

use super::board::{Source, parse_cells, parse_drawn};
use super::plain::plain;
use crate::board::diagram::{FILES, row};
use crate::board::{Color, Position, Square};
use crate::notation::ParseError;

/// Reads 64 characters and a side, in any alphabet: `---…--- X`.
pub fn parse_board(text: &str) -> Result<Position, ParseError> {
    read_board("board", text).map(|(position, _)| position)
}

/// Reads a drawn board of several lines: letters, row numbers, frames and a panel at the right are allowed.
///
/// The panel or a line before or after the rows names the side to move: `X`, `Black to move`.
pub fn parse_diagram(text: &str) -> Result<Position, ParseError> {
    read_board("diagram", text).map(|(position, _)| position)
}

/// Reads a board in one line or drawn, and the text behind the side.
pub(in crate::notation) fn read_board(
    subject: &'static str,
    text: &str,
) -> Result<(Position, String), ParseError> {
    let plain = plain(text);
    let lines = plain.lines().filter(|line| !line.trim().is_empty()).count();
    let source = Source {
        subject,
        text: &plain,
    };
    let cells = if lines < 8 {
        parse_cells(source, 0..plain.len())
    } else {
        parse_drawn(source)
    };
    let position =
        cells.and_then(|cells| Ok((cells.with_side(source, plain.trim_end().len())?, cells.note)));
    position.map_err(|error| error.quoting(text))
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
    let squares: String = Square::all()
        .map(|square| position.disc_at(square).map_or('-', disc))
        .collect();
    format!("{squares} {}", disc(position.side))
}

/// Draws the board with letters and numbers around it; legal moves are `.`, other empty squares `-`.
///
/// [`parse_diagram`] reads it back.
pub fn write_diagram(position: &Position) -> String {
    let moves = position.board.moves();
    let empty = |square: Square| if moves.contains(square) { '.' } else { '-' };
    let mark = |square| position.disc_at(square).map_or_else(|| empty(square), disc);
    let rows: String = (1..=8)
        .map(|rank| format!("{rank} {} {rank}\n", row(rank - 1, mark)))
        .collect();
    format!("  {FILES}\n{rows}  {FILES}\n{}\n", side_to_move(position))
}

/// The last line of a drawn board.
pub fn side_to_move(position: &Position) -> &'static str {
    match position.side {
        Color::Black => "Black to move",
        Color::White => "White to move",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO---------------------------";

    #[test]
    fn faults_are_named_where_they_are() {
        for (text, error) in [
            (
                String::new(),
                "board, column 1: expected square a1 of 64, found the end",
            ),
            (
                START.into(),
                "board, column 65: expected the side to move, X or O, found the end",
            ),
            (
                format!("--Z{START}"),
                "board, column 3: expected square c1 of 64 (X, O or -), found \"Z-----------------------...\"",
            ),
            (format!("{START} -"), "column 66: expected the side to move"),
            (
                format!("{START} X O"),
                "column 66: expected the side to move",
            ),
        ] {
            let found = parse_board(&text).unwrap_err().to_string();
            assert!(found.contains(error), "{found}");
        }
    }

    #[test]
    fn drawings_are_read_back() {
        let drawn = write_diagram(&Position::START);
        assert_eq!(drawn.lines().nth(3), Some("3 - - - . - - - - 3"));
        assert_eq!(parse_diagram(&drawn), Ok(Position::START));
        let error = parse_diagram(&drawn.replace("4 - - . O", "4 - - . Z")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("diagram, line 5, column 9: expected square d4"),
            "{error}"
        );
    }
}
