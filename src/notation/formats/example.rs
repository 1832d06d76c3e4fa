//! The `exampleBoard` file of othelloAI.

use super::board::read_drawn;
use super::format::{Format, Notation};
use crate::board::diagram::row;
use crate::board::{Color, Position};
use crate::notation::ParseError;
use crate::notation::error::Code;
use crate::notation::grammar::drawn;

/// The board file of othelloAI.
pub const EXAMPLE: Format = Format(&Notation {
    name: "example",
    about: "the board file of othelloAI",
    read: |text| read_drawn(EXAMPLE, text).map(|(entry, _)| entry),
    write: |entry| Ok(write_example_board(&entry.position())),
    ..Notation::BASE
});

/// Reads the `exampleBoard` file of othelloAI: 8 lines of `0 B W`, a line `B` or `W`, a line with the time limit.
///
/// Returns the position and the time limit in seconds.
pub fn parse_example_board(text: &str) -> Result<(Position, u32), ParseError> {
    let (position, seconds) = drawn::parse(text)?;
    let seconds = seconds.ok_or_else(|| {
        ParseError::at(
            "othelloAI board",
            text,
            text.len(),
            "the time limit in seconds",
        )
        .with(Code::BoardSquares)
    })?;
    Ok((position, seconds))
}

/// Writes the `exampleBoard` file of othelloAI, with five seconds for a move.
pub fn write_example_board(position: &Position) -> String {
    let letter = |color| if color == Color::Black { 'B' } else { 'W' };
    let mark = |square| position.disc_at(square).map_or('0', letter);
    let rows: String = (0..8).map(|rank| row(rank, mark) + "\n").collect();
    format!("{rows}{}\n5\n", letter(position.side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_board_of_othello_ai_is_read() {
        // 24 white and 16 black discs, White to move, five seconds.
        let text = "0 0 0 0 0 0 0 0\n0 0 W W W W 0 0\n0 B W W B W B 0\nB B W B W W B W\n\
                    B W B W W W W 0\n0 W W B B B W 0\n0 W W W W B B 0\n0 0 B W B 0 0 0\nW\n5\n";
        let (position, seconds) = parse_example_board(text).unwrap();
        let count = |color| position.discs(color).count_ones();
        assert_eq!(
            (position.side, count(Color::White), count(Color::Black)),
            (Color::White, 24, 16)
        );
        assert_eq!(write_example_board(&position), text);
        let crlf = text.replace(' ', "").replace('\n', "\r\n");
        assert_eq!(parse_example_board(&crlf), Ok((position, seconds)));
        for (text, error) in [
            (
                text.replacen("W B W B 0", "W B W 5 0", 1),
                "line 3, column 13: expected row 3 of 8",
            ),
            (
                text.replace("\nW\n", "\nX\n"),
                "line 9, column 1: expected the side to move",
            ),
            (
                text.replace("\n5\n", "\n-5\n"),
                "line 10, column 1: expected the time",
            ),
            (
                text[..20].to_owned(),
                "line 2, column 1: expected row 2 of 8",
            ),
        ] {
            assert!(
                parse_example_board(&text)
                    .unwrap_err()
                    .to_string()
                    .contains(error),
                "{text}"
            );
        }
    }
}
