//! Boards as notations: in one line, or drawn.

use super::example::EXAMPLE;
use super::format::{Detected, Format, Notation};
use super::obf::OBF;
use super::position::{line, read_drawn, read_line};
use crate::notation::grammar::diagram::{write_board, write_diagram};

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
