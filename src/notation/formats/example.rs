//! The `exampleBoard` file of othelloAI.

use super::format::{Detected, Format, Notation, Shape};
use crate::board::diagram::row;
use crate::board::{Color, Position, Square};
use crate::notation::ParseError;

/// The board file of othelloAI.
pub const EXAMPLE: Format = Format(&Notation {
    name: "example",
    about: "the board file of othelloAI",
    shape: Shape::Drawn,
    begins: |text| parse_example_board(text).is_ok(),
    read: |text| Ok(Detected::of(EXAMPLE, parse_example_board(text)?.0)),
    write: |entry| Ok(write_example_board(&entry.position())),
    ..Notation::BASE
});

/// Reads the `exampleBoard` file of othelloAI: 8 lines of `0 B W`, a line `B` or `W`, a line with the time limit.
///
/// Returns the position and the time limit in seconds.
pub fn parse_example_board(text: &str) -> Result<(Position, u32), ParseError> {
    let error = |at, expected| Err(ParseError::at("othelloAI board", text, at, expected));
    let mut end = 0;
    let mut lines = text.trim_end().split_inclusive('\n').map(|line| {
        end += line.len();
        (end - line.len(), line.trim_end())
    });
    let mut next = || lines.next().unwrap_or((text.len(), ""));
    let mut squares = String::new();
    for rank in 1..=8 {
        let (begin, line) = next();
        if let Some(at) = line.find(|c: char| !c.is_whitespace() && !"0BbWw".contains(c)) {
            return error(begin + at, "0, B or W");
        }
        squares.extend(line.split_whitespace());
        if squares.len() != 8 * rank {
            return error(begin + line.len(), "8 squares in the row");
        }
    }
    let (begin, line) = next();
    let side = match line.trim() {
        "B" | "b" => Color::Black,
        "W" | "w" => Color::White,
        _ => return error(begin, "the side to move, B or W"),
    };
    let (begin, line) = next();
    let Ok(seconds) = line.trim().parse() else {
        return error(begin, "the time limit in seconds");
    };
    match next() {
        (begin, line) if !line.is_empty() => error(begin, "the end of the file"),
        _ => {
            let is = |square: Square, sign: u8| {
                squares.as_bytes()[square.index()].eq_ignore_ascii_case(&sign)
            };
            let [black, white] = [b'B', b'W'].map(|sign| {
                Square::all()
                    .filter(|square| is(*square, sign))
                    .map(Square::bit)
                    .sum()
            });
            Ok((Position::from_discs(black, white, side), seconds))
        }
    }
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
                "line 3, column 13: expected 0, B or W",
            ),
            (
                text.replace("\nW\n", "\nX\n"),
                "line 9, column 1: expected the side",
            ),
            (
                text.replace("\n5\n", "\n-5\n"),
                "line 10, column 1: expected the time",
            ),
            (
                text[..20].to_owned(),
                "line 2, column 4: expected 8 squares in the row",
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
