//! Boards as notations: in one line, or drawn.

use super::format::{Detected, Format, Notation, Shape};
use super::moves::is_move_list;
use crate::notation::ParseError;
use crate::notation::text::board::{RowKind, row_kind};
use crate::notation::text::diagram::{read_board, write_board, write_diagram};
use crate::notation::text::move_list::read_game;

/// As far as this a text is looked at for the rows of a board.
const MAX_LINES: usize = 100;

/// 64 characters and a side.
pub const BOARD: Format = Format(&Notation {
    name: "board",
    about: "64 characters and a side",
    shape: Shape::Drawn,
    begins: |text| {
        let first = text.lines().next().unwrap_or_default();
        row_kind(first) != RowKind::Other && !is_move_list(first)
    },
    read: |text| read(BOARD, text),
    write: |entry| Ok(write_board(&entry.position()) + "\n"),
    ..Notation::BASE
});

/// A board of several lines.
pub const DIAGRAM: Format = Format(&Notation {
    name: "diagram",
    about: "a drawn board",
    shape: Shape::Drawn,
    begins: |text| {
        let lines = || {
            text.lines()
                .take(MAX_LINES)
                .filter(|line| !line.trim().is_empty())
        };
        let is_row = |line: &&str| matches!(row_kind(line), RowKind::Row | RowKind::RowAndSide);
        lines().count() >= 8 && ((BOARD.0.begins)(text) || lines().filter(is_row).count() >= 8)
    },
    read: |text| read(DIAGRAM, text),
    write: |entry| Ok(write_diagram(&entry.position()) + "\n"),
    ..Notation::BASE
});

fn read(format: Format, text: &str) -> Result<Detected, ParseError> {
    let (position, comment) = read_board(format.name(), text)?;
    let behind = read_game(position, &comment);
    if behind.is_ok_and(|(game, note)| game.moves().len() > 1 && note.is_empty()) {
        let message = "moves behind the side may go on from the position or be a remark: write moves into the next line \
                       behind \"moves:\", a remark behind #";
        return Err(ParseError::doubtful(format.name(), text, 0, message));
    }
    Ok(Detected {
        comment,
        ..Detected::of(format, position)
    })
}
