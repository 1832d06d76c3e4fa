//! Boards as notations: in one line, or drawn; and the text behind positions of any notation.

use super::example::EXAMPLE;
use super::format::{Detected, Format, Notation};
use super::moves::listed;
use super::obf::OBF;
use super::{FEN, HEX};
use crate::board::Position;
use crate::notation::ParseError;
use crate::notation::error::Code;
use crate::notation::grammar::board::{Tail, ggf_board, squares_and_side, tail};
use crate::notation::grammar::diagram::{write_board, write_diagram};
use crate::notation::grammar::drawn;
use crate::notation::read::Class;
use crate::notation::scanner::{Scanner, plain};

/// 64 characters and a side.
pub const BOARD: Format = Format(&Notation {
    name: "board",
    about: "64 characters and a side",
    read: |text| {
        let (entry, is_scored) = read_line(BOARD, text, line)?;
        let format = if is_scored { OBF } else { entry.format };
        Ok(Detected { format, ..entry })
    },
    write: |entry| Ok(write_board(&entry.position()) + "\n"),
    ..Notation::BASE
});

/// A board of several lines.
pub const DIAGRAM: Format = Format(&Notation {
    name: "diagram",
    about: "a drawn board",
    read: |text| {
        let (entry, is_example) = read_drawn(DIAGRAM, text)?;
        let format = if is_example { EXAMPLE } else { entry.format };
        Ok(Detected { format, ..entry })
    },
    write: |entry| Ok(write_diagram(&entry.position()) + "\n"),
    ..Notation::BASE
});

/// Reads a position by `board`, and the scores, moves or remark behind it; also whether `;` stands there.
pub fn read_line(
    format: Format,
    text: &str,
    board: fn(&mut Scanner) -> Result<Position, ParseError>,
) -> Result<(Detected, bool), ParseError> {
    let plain = plain(text);
    let mut scanner = Scanner::new(format.name(), &plain);
    scanner.skip_blanks();
    let read = board(&mut scanner).and_then(|position| {
        let tail = tail(&mut scanner, position)?;
        let is_scored = tail.scores.is_some();
        Ok((with_tail(format, position, tail), is_scored))
    });
    read.map_err(|error| error.quoting(text))
}

/// The position in a text and nothing else: a board, a FEN or bitboards, with the side to move.
pub fn bare(text: &str) -> Result<Detected, ParseError> {
    let format = match Class::of(text)? {
        Class::Board => BOARD,
        Class::Fen => FEN,
        Class::Bitboards => HEX,
        _ => {
            let error = ParseError::at("position", text, 0, "a board, a FEN or bitboards");
            return Err(error.with(Code::BoardSquares));
        }
    };
    let found = format.parse(text)?;
    match found.record.game.moves().is_empty() && !text.contains([';', '#', '%']) {
        true => Ok(found),
        false => {
            let expected = "a position and nothing else";
            let error = ParseError::at("position", text, text.len(), expected);
            Err(error.with(Code::BesideBoard))
        }
    }
}

/// A board in one line, or GGF's board.
pub fn line(scanner: &mut Scanner) -> Result<Position, ParseError> {
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
pub fn line_ends(scanner: &Scanner) -> Result<(), ParseError> {
    let line = scanner.rest().split('\n').next().unwrap_or_default();
    match line.trim().is_empty() {
        true => Ok(()),
        false => Err(scanner.error("the end of the line").with(Code::BesideBoard)),
    }
}

/// Reads a drawn board, and the moves below it; also whether it is othelloAI's.
pub fn read_drawn(format: Format, text: &str) -> Result<(Detected, bool), ParseError> {
    let drawn = drawn::parse_begin(text)?;
    let plain = plain(text);
    let mut scanner = Scanner::new(format.name(), &plain);
    let lines = plain.split_inclusive('\n').take(drawn.lines);
    scanner.at = lines.map(str::len).sum();
    // The board ends with its line, as a board in one line does.
    scanner.at -= usize::from(plain[..scanner.at].ends_with('\n'));
    let tail = tail(&mut scanner, drawn.position).map_err(|error| error.quoting(text))?;
    Ok((
        with_tail(format, drawn.position, tail),
        drawn.seconds.is_some(),
    ))
}

/// A position with the text behind it; its moves make it a game.
fn with_tail(format: Format, position: Position, tail: Tail) -> Detected {
    let mut entry = Detected::of(format, position);
    let mut remarks = vec![tail.remark];
    if let Some((game, list)) = tail.list {
        entry = listed(game, list);
        remarks.push(std::mem::take(&mut entry.comment));
    }
    remarks.retain(|remark| !remark.is_empty());
    entry.comment = remarks.join(" ");
    entry.scores.extend(tail.scores.into_iter().flatten());
    entry
}
