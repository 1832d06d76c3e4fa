//! Boards as text: 64 characters and a side, or drawn.
//!
//! Squares are given from a1 to h1, then a2 … h8. `spellings.rs` has the table of all that is read.

use super::format::{Detected, Format, Notation, Shape};
use super::list::is_move_list;
use super::plain::plain;
use super::squares::{RowKind, parse_cells, parse_drawn, row_kind};
use super::{ParseError, movelist};
use crate::board::diagram::{FILES, row};
use crate::board::{Color, Position, Square};

/// As far as this a text is looked at for the rows of a board.
const MAX_LINES: usize = 100;

/// 64 characters and a side.
pub const BOARD: Format = Format(&Notation {
    name: "board",
    about: "64 characters and a side",
    is_of_games: false,
    shape: Shape::Drawn,
    begins: |text| {
        let first = text.lines().next().unwrap_or_default();
        row_kind(first) != RowKind::Other && !is_move_list(first)
    },
    read: |text, _| read(BOARD, text),
    read_all: None,
    sheet: None,
    write: |entry, _| Ok(write_board(&entry.position()) + "\n"),
    losses: |_| Vec::new(),
});

/// A board of several lines.
pub const DIAGRAM: Format = Format(&Notation {
    name: "diagram",
    about: "a drawn board",
    is_of_games: false,
    shape: Shape::Drawn,
    begins: |text| {
        let lines = || text.lines().take(MAX_LINES).filter(|line| !line.trim().is_empty());
        let is_row = |line: &&str| matches!(row_kind(line), RowKind::Row | RowKind::RowAndSide);
        lines().count() >= 8 && ((BOARD.0.begins)(text) || lines().filter(is_row).count() >= 8)
    },
    read: |text, _| read(DIAGRAM, text),
    read_all: None,
    sheet: None,
    write: |entry, _| Ok(write_diagram(&entry.position()) + "\n"),
    losses: |_| Vec::new(),
});

fn read(format: Format, text: &str) -> Result<Detected, ParseError> {
    let (position, comment) = read_board(format.name(), text)?;
    let behind = movelist::read_game(position, &comment);
    if behind.is_ok_and(|(game, note)| game.moves().len() > 1 && note.is_empty()) {
        let told = "moves behind the side may go on from the position or be a remark: in the next line, behind \
                    \"moves:\", they go on; behind # they say nothing";
        return Err(ParseError::doubtful(format.name(), text, 0, told));
    }
    Ok(Detected { comment, ..Detected::of(format, position) })
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
fn read_board(subject: &'static str, text: &str) -> Result<(Position, String), ParseError> {
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
}
