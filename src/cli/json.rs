//! The fields with which `solve --json` and `show --json` begin; the page is in [`crate::analysis`].

use serde::Serialize;

use super::input::Entry;

/// Where the entry of an object stands in the input.
#[derive(Serialize)]
pub struct Head {
    /// Its number.
    index: u64,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl Head {
    /// The head of the answer to an entry.
    pub fn of(entry: &Entry) -> Self {
        let source = entry.place.source_name().to_string();
        Self { index: entry.index, source, line: entry.place.line }
    }
}
