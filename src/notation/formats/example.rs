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
    read: |text, _| Ok(Detected::of(EXAMPLE, parse_example_board(text)?.position)),
    write: |entry, _| Ok(write_example_board(&ExampleBoard { position: entry.position(), seconds: 5 })),
    ..Notation::BASE
});

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
}
