//! What an earlier run has already answered, read from its output.

use std::collections::HashMap;
use std::io::{self, BufRead};

use serde::Deserialize;

use super::answer::Origin;
use super::request::{Request, Tag};
use crate::util::append_file::whole_lines;

/// The answers that need not be given again, with how often each stands there.
#[derive(Debug, Default)]
pub struct Done(HashMap<Origin, usize>);

/// The part of an answer that tells whose it is and whether it is the last.
#[derive(Deserialize)]
struct Trace {
    #[serde(flatten)]
    origin: Origin,
    #[serde(default)]
    partial: bool,
    #[serde(default)]
    cancelled: bool,
}

impl Done {
    /// Reads the output of an earlier run and how many of its bytes are whole lines.
    ///
    /// A last line without an end was being written when the run was killed: it counts for nothing, like
    /// any line that is no answer, a partial one or one of a cancelled search.
    ///
    /// # Errors
    /// When reading fails.
    pub fn read(source: impl BufRead) -> io::Result<(Self, u64)> {
        let mut done = Self::default();
        let whole = whole_lines(source, |line| {
            if let Ok(Trace { origin, partial: false, cancelled: false }) = serde_json::from_slice(line) {
                // Faults tell the line beside the id.
                let line = origin.line.filter(|_| origin.id.is_none());
                *done.0.entry(Origin { line, ..origin }).or_default() += 1;
            }
            io::Result::Ok(())
        })?;
        Ok((done, whole))
    }

    /// Takes the turns that have been answered out of the request; gives how many.
    pub fn take_from(&mut self, request: &mut Request) -> usize {
        let asked = request.turns.len();
        request.turns.retain(|turn| !self.take(&request.tag, turn.number));
        asked - request.turns.len()
    }

    /// Whether this turn of the request has been answered.
    pub fn take(&mut self, tag: &Tag, turn: Option<usize>) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let origin = Origin::new(tag, turn);
        let Some(count) = self.0.get_mut(&origin).filter(|count| **count > 0) else { return false };
        // Requests of the same text are told apart by nothing: one answer is for one of them.
        *count -= usize::from(origin.request.is_some());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::Id;
    use super::*;

    #[test]
    fn whole_answers_are_done_and_others_are_not() {
        let output = concat!(
            "{\"id\":\"a\",\"score\":1.0}\n",
            "{\"id\":\"b\",\"turn\":3}\n",
            "{\"id\":\"c\",\"partial\":true}\n",
            "{\"id\":\"d\",\"cancelled\":true}\n",
            "{\"id\":null,\"line\":5,\"error\":\"bad\"}\n",
            "{\"id\":\"e\",\"line\":6,\"error\":\"bad\"}\n",
            "rubbish\n",
            "{\"id\":7}\n",
            "{\"id\":null,\"request\":\"0000000a\"}\n",
            "{\"id\":\"torn\"}",
        );
        let (mut done, whole) = Done::read(output.as_bytes()).unwrap();
        assert_eq!(whole as usize, output.len() - "{\"id\":\"torn\"}".len());
        let text = |id: &str| Tag { id: Some(Id::Text(id.into())), line: 1, checksum: None };
        assert!(done.take(&text("a"), None) && done.take(&text("e"), None));
        assert!(done.take(&text("b"), Some(3)) && !done.take(&text("b"), Some(4)));
        for id in ["c", "d", "torn"] {
            assert!(!done.take(&text(id), None), "{id}");
        }
        assert!(done.take(&Tag { id: Some(Id::Number(7)), line: 1, checksum: None }, None));
        assert!(done.take(&Tag { id: None, line: 5, checksum: None }, None));
        assert!(!done.take(&Tag { id: None, line: 6, checksum: None }, None));
        // One answer is for one request of the same text.
        let same = Tag { id: None, line: 9, checksum: Some("0000000a".to_owned()) };
        assert!(done.take(&same, None) && !done.take(&same, None));
    }
}
