//! Boards as notations: in one line, or drawn.

use super::format::{Detected, Format, Notation};
use super::obf::OBF;
use crate::board::Position;
use crate::notation::ParseError;
use crate::notation::error::Code;
use crate::notation::grammar::board::{ggf_board, squares_and_side, tail};
use crate::notation::grammar::diagram::{write_board, write_diagram};
use crate::notation::grammar::drawn;
use crate::notation::grammar::plain::plain;
use crate::notation::scanner::Scanner;

/// 64 characters and a side.
pub const BOARD: Format = Format(&Notation {
    name: "board",
    about: "64 characters and a side",
    read: |text| read_line(BOARD, text, line),
    write: |entry| Ok(write_board(&entry.position()) + "\n"),
    ..Notation::BASE
});

/// A board of several lines.
pub const DIAGRAM: Format = Format(&Notation {
    name: "diagram",
    about: "a drawn board",
    read: read_drawn,
    write: |entry| Ok(write_diagram(&entry.position()) + "\n"),
    ..Notation::BASE
});

/// Reads a position by `board`, and the scores, moves or remark behind it.
pub(super) fn read_line(
    format: Format,
    text: &str,
    board: fn(&mut Scanner) -> Result<Position, ParseError>,
) -> Result<Detected, ParseError> {
    let plain = plain(text);
    let mut scanner = Scanner::new(format.name(), &plain);
    scanner.skip_blanks();
    let read = board(&mut scanner).and_then(|position| {
        let tail = tail(&mut scanner, position)?;
        let format = if tail.scores.is_some() { OBF } else { format };
        Ok(Detected::with_tail(format, position, tail))
    });
    read.map_err(|error| error.quoting(text))
}

/// A board in one line, or GGF's board.
fn line(scanner: &mut Scanner) -> Result<Position, ParseError> {
    let is_ggf = |rest: &str| rest.strip_prefix("8 ").is_some();
    let is_bracketed = scanner.rest().starts_with('[');
    if !is_ggf(scanner.rest().trim_start_matches('[')) {
        return squares_and_side(scanner);
    }
    scanner.at += if is_bracketed { 2 } else { 1 };
    let position = ggf_board(scanner, false)?;
    if is_bracketed {
        scanner.skip_blanks();
        if !scanner.take("]") {
            return Err(scanner.error("] behind the board"));
        }
    }
    line_ends(scanner)?;
    Ok(position)
}

/// Refuses text behind a position on its line.
pub(super) fn line_ends(scanner: &Scanner) -> Result<(), ParseError> {
    let line = scanner.rest().split('\n').next().unwrap_or_default();
    match line.trim().is_empty() {
        true => Ok(()),
        false => Err(scanner.error("the end of the line").with(Code::BesideBoard)),
    }
}

fn read_drawn(text: &str) -> Result<Detected, ParseError> {
    let drawn = drawn::parse_begin(text)?;
    let plain = plain(text);
    let mut scanner = Scanner::new(DIAGRAM.name(), &plain);
    let lines = plain.split_inclusive('\n').take(drawn.lines);
    scanner.at = lines.map(str::len).sum();
    // The board ends with its line, as a board in one line does.
    scanner.at -= usize::from(plain[..scanner.at].ends_with('\n'));
    let tail = tail(&mut scanner, drawn.position).map_err(|error| error.quoting(text))?;
    let format = if drawn.seconds.is_some() {
        super::EXAMPLE
    } else {
        DIAGRAM
    };
    Ok(Detected::with_tail(format, drawn.position, tail))
}
