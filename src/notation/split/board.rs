//! Finds the end of a drawn board, line by line.

use crate::notation::formats::{BOARD, Format};
use crate::notation::text::board::{RowKind, row_kind};
use crate::notation::text::plain::plain;

/// More lines than a drawn board with its frame has.
pub const MAX_BOARD_LINES: usize = 40;
/// The most lines of other text between a board and its side.
const MAX_OTHERS: usize = 3;
/// Signs that close a board in the form of a list.
pub const BRACKETS: &[char] = &['[', ']', '(', ')', '{', '}', ',', ';'];

/// The end of an entry, by its next line.
pub enum Next {
    Before,
    After,
    Inside,
    /// Perhaps inside the line.
    Brackets,
}

#[derive(Debug, Default)]
pub struct Board {
    rows: usize,
    lines: usize,
    has_side: bool,
    /// Lines of other text below the rows.
    others: usize,
    wants_seconds: bool,
}

impl Board {
    /// The end of the board, by its next `line`; `text` has the lines before.
    pub fn next(&mut self, line: &str, text: &str) -> Next {
        let trimmed = line.trim();
        self.lines += 1;
        if self.lines > MAX_BOARD_LINES {
            return Next::Before;
        }
        if self.wants_seconds {
            let is_number = !trimmed.is_empty() && trimmed.bytes().all(|b| b.is_ascii_digit());
            return if is_number { Next::After } else { Next::Before };
        }
        let is_whole = self.rows == 8 && self.has_side;
        match row_kind(&plain(line)) {
            _ if !trimmed.is_empty()
                && !text.is_empty()
                && trimmed.trim_matches(BRACKETS).is_empty() =>
            {
                Next::Inside
            }
            RowKind::Frame if trimmed.is_empty() && is_whole => Next::After,
            RowKind::Frame => Next::Inside,
            RowKind::Row | RowKind::RowAndSide if self.rows == 8 => Next::Before,
            RowKind::Row => {
                self.rows += 1;
                Next::Inside
            }
            RowKind::RowAndSide => {
                self.rows += 1;
                self.has_side = true;
                // The side to move follows the last row.
                if self.rows == 8 {
                    Next::After
                } else {
                    Next::Inside
                }
            }
            RowKind::Board if self.rows == 0 => {
                self.rows = 8;
                if self.has_side {
                    Next::After
                } else {
                    Next::Inside
                }
            }
            RowKind::Side if self.rows == 8 && !is_whole => {
                // The file of othelloAI has the seconds in one more line.
                let is_example = |b: u8| b.is_ascii_whitespace() || b"0BWbw".contains(&b);
                self.has_side = true;
                self.wants_seconds = trimmed.len() == 1 && text.bytes().all(is_example);
                if self.wants_seconds {
                    Next::Inside
                } else {
                    Next::After
                }
            }
            RowKind::Side if is_whole => Next::After,
            RowKind::Side if self.rows == 0 && self.has_side => Next::Before,
            RowKind::Side if !is_whole => {
                self.has_side = true;
                Next::Inside
            }
            RowKind::Count => Next::Inside,
            // A digit may be the side, words may precede it.
            RowKind::Other if self.rows == 8 && !is_whole && self.others < MAX_OTHERS => {
                let is_words = Format::detect(line) == BOARD && line.len() < 64;
                self.others += 1;
                if is_words { Next::Inside } else { Next::Before }
            }
            _ if text.is_empty() => Next::After,
            _ => Next::Before,
        }
    }
}
