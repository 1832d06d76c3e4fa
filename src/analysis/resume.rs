//! What an earlier run has already answered, read from its output.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead};

use serde::Deserialize;

use super::request::{Id, Tag};

/// The answers that need not be given again.
#[derive(Debug, Default)]
pub struct Done {
    answered: HashSet<(Key, Option<usize>)>,
    /// Requests without an id in reproducible answers: equal ones may stand there several times.
    texts: HashMap<(u32, Option<usize>), usize>,
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
    request: Option<String>,
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
            (None, None) => {
                let text = trace.request.and_then(|text| u32::from_str_radix(&text, 16).ok());
                if let Some(text) = text.filter(|_| !trace.partial && !trace.cancelled) {
                    *self.texts.entry((text, trace.turn)).or_default() += 1;
                }
                return;
            }
        };
        if !trace.partial && !trace.cancelled {
            self.answered.insert((key, trace.turn));
        }
    }

    /// Whether this turn of the request has been answered; an answer without an id counts for one request.
    pub fn take(&mut self, tag: &Tag, turn: Option<usize>) -> bool {
        if let (None, Some(text)) = (&tag.id, tag.text)
            && let Some(count) = self.texts.get_mut(&(text, turn)).filter(|count| **count > 0)
        {
            *count -= 1;
            return true;
        }
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
            "{\"id\":null,\"request\":\"0000000a\"}\n",
            "{\"id\":\"torn\"}",
        );
        let (mut done, whole) = Done::read(output.as_bytes()).unwrap();
        assert_eq!(whole as usize, output.len() - "{\"id\":\"torn\"}".len());
        let text = |id: &str| Tag { id: Some(Id::Text(id.into())), line: 1, text: None };
        assert!(done.take(&text("a"), None));
        assert!(done.take(&text("b"), Some(3)) && !done.take(&text("b"), Some(4)));
        for id in ["c", "d", "torn"] {
            assert!(!done.take(&text(id), None), "{id}");
        }
        assert!(done.take(&Tag { id: Some(Id::Number(7)), line: 1, text: None }, None));
        assert!(done.take(&Tag { id: None, line: 5, text: None }, None));
        assert!(!done.take(&Tag { id: None, line: 6, text: None }, None));
        // One answer is for one request of the same text.
        let same = Tag { id: None, line: 9, text: Some(10) };
        assert!(done.take(&same, None) && !done.take(&same, None));
    }
}
