#![doc = include_str!("json.md")]

use serde::Serialize;

use super::input::Entry;
use crate::notation::diagram::write_board;

/// The page on the JSON of all subcommands, for `emilia help json`.
pub const PAGE: &str = include_str!("json.md");

/// The fields with which the object for every position begins.
#[derive(Serialize)]
pub struct Head {
    index: u64,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    position: String,
    empties: u32,
}

impl Head {
    /// The head of the answer to an entry.
    pub fn of(entry: &Entry) -> Self {
        let position = entry.position();
        Self {
            index: entry.index,
            source: entry.place.source_name().to_string(),
            line: entry.place.line,
            position: write_board(&position),
            empties: position.board.empty_count(),
        }
    }
}
