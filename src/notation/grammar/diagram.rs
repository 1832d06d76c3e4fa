//! Boards as text: 64 characters and a side, or drawn.
//!
//! Squares are given from a1 to h1, then a2 … h8.

use super::board::{squares_and_side, whole};
use super::drawn;
use crate::board::diagram::{FILES, row};
use crate::board::{Color, Position, Square};
use crate::notation::ParseError;

/// Reads 64 signs and a side and nothing else: `---…--- X`.
pub fn parse_board(text: &str) -> Result<Position, ParseError> {
    whole("board", text, squares_and_side)
}

/// Reads a drawn board of several lines in a frame of the grammar.
pub fn parse_diagram(text: &str) -> Result<Position, ParseError> {
    drawn::parse(text).map(|(position, _)| position)
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
            (
                format!("-{START} X"),
                "column 65: expected a blank and the side",
            ),
            (format!("{START} -"), "column 66: expected the side to move"),
            (
                format!("{START} X O"),
                "column 67: expected nothing behind the side to move",
            ),
            (format!("{START} X f5"), "column 68: expected the end"),
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
                .starts_with("diagram, line 5, column 9: expected row 4 of 8"),
            "{error}"
        );
    }
}
