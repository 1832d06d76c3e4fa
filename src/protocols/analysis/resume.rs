//! What an earlier run has already answered, read from its output.

use std::collections::HashSet;
use std::io::{self, BufRead};

use serde::Deserialize;

use super::request::{Id, Tag};

/// The answers that need not be given again.
#[derive(Debug, Default)]
pub struct Done {
    answered: HashSet<(Key, Option<usize>)>,
}

/// A request as its answers tell it.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Id(Id),
    Line(u64),
}

/// The part of an answer that tells whose it is and whether it is the last.
#[derive(Deserialize)]
struct Trace {
    id: Option<IdTrace>,
    line: Option<u64>,
    turn: Option<usize>,
    #[serde(default)]
    partial: bool,
    #[serde(default)]
    cancelled: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum IdTrace {
    Number(i64),
    Text(String),
}

impl Done {
    /// Reads the output of an earlier run and how many of its bytes are whole lines.
    ///
    /// A last line without an end was being written when the run was killed: it counts for nothing, like
    /// any line that is no answer, a partial one or one of a cancelled search.
    ///
    /// # Errors
    /// When reading fails.
    pub fn read(mut source: impl BufRead) -> io::Result<(Self, u64)> {
        let mut done = Self::default();
        let mut whole = 0;
        let mut line = Vec::new();
        loop {
            line.clear();
            let length = source.read_until(b'\n', &mut line)?;
            if line.last() != Some(&b'\n') {
                return Ok((done, whole));
            }
            whole += length as u64;
            done.add(&line);
        }
    }

    fn add(&mut self, line: &[u8]) {
        let Ok(trace) = serde_json::from_slice::<Trace>(line) else { return };
        let key = match (trace.id, trace.line) {
            (Some(IdTrace::Number(number)), _) => Key::Id(Id::Number(number)),
            (Some(IdTrace::Text(text)), _) => Key::Id(Id::Text(text)),
            (None, Some(line)) => Key::Line(line),
            (None, None) => return,
        };
        if !trace.partial && !trace.cancelled {
            self.answered.insert((key, trace.turn));
        }
    }

    /// Whether this turn of the request has been answered.
    pub fn contains(&self, tag: &Tag, turn: Option<usize>) -> bool {
        if self.answered.is_empty() {
            return false;
        }
        let key = tag.id.clone().map_or(Key::Line(tag.line), Key::Id);
        self.answered.contains(&(key, turn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_answers_are_done_and_others_are_not() {
        let output = concat!(
            "{\"id\":\"a\",\"score\":1.0}\n",
            "{\"id\":\"b\",\"turn\":3}\n",
            "{\"id\":\"c\",\"partial\":true}\n",
            "{\"id\":\"d\",\"cancelled\":true}\n",
            "{\"id\":null,\"line\":5,\"error\":\"bad\"}\n",
            "rubbish\n",
            "{\"id\":7}\n",
            "{\"id\":\"torn\"}",
        );
        let (done, whole) = Done::read(output.as_bytes()).unwrap();
        assert_eq!(whole as usize, output.len() - "{\"id\":\"torn\"}".len());
        let text = |id: &str| Tag { id: Some(Id::Text(id.into())), line: 1 };
        assert!(done.contains(&text("a"), None));
        assert!(done.contains(&text("b"), Some(3)) && !done.contains(&text("b"), Some(4)));
        for id in ["c", "d", "torn"] {
            assert!(!done.contains(&text(id), None), "{id}");
        }
        assert!(done.contains(&Tag { id: Some(Id::Number(7)), line: 1 }, None));
        assert!(done.contains(&Tag { id: None, line: 5 }, None));
        assert!(!done.contains(&Tag { id: None, line: 6 }, None));
    }
}
