//! Finds the ends of brackets and objects in a text that comes line by line.

use crate::notation::ParseError;
use crate::notation::error::Code;
use crate::notation::grammar::remarks::holds_board;
use crate::notation::grammar::words::begins_with_moves;
use crate::notation::keys::{Key, meaning};

/// An entry in the text around entries.
const ENTRY: &str = "{}";

/// How far the brackets of a list or object have been followed.
#[derive(Debug, Default)]
pub struct Scan {
    at: usize,
    /// The open brackets.
    open: Vec<u8>,
    in_quotes: bool,
    /// The first byte of the open object, and the number of brackets around it.
    object: Option<(usize, usize)>,
    /// An object has ended: the brackets around it are no entry.
    has_object: bool,
    /// An object is around the list of games.
    is_wrapped: bool,
    /// The text around the entries, with `{}` for one or several of them in a row.
    around: String,
}

/// The next end in a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// An object: its first byte and the byte behind it. More may follow in the list around it.
    Object(usize, usize),
    /// The outermost bracket ends before this byte. A list without objects is an entry itself.
    Closed {
        at: usize,
        is_list: bool,
    },
    Open,
    /// The bracket at this byte closes another one.
    Wrong(usize),
}

impl Scan {
    /// The next end in `text`, which has grown since the last call.
    ///
    /// Each object in an outermost list, or in the list under `games`, has its end.
    pub fn next(&mut self, text: &str) -> Step {
        while let Some(&byte) = text.as_bytes().get(self.at) {
            let at = self.at;
            self.at += 1;
            match byte {
                b'\\' if self.in_quotes => self.at += 1,
                b'"' => self.in_quotes = !self.in_quotes,
                b'{' | b'[' if !self.in_quotes => self.opened(text, at, byte),
                b'}' | b']' if !self.in_quotes => {
                    let opens = if byte == b'}' { b'{' } else { b'[' };
                    if self.open.pop() != Some(opens) {
                        return Step::Wrong(at);
                    }
                    match self.object {
                        Some((begin, around)) if self.open.len() <= around => {
                            (self.object, self.has_object) = (None, !self.open.is_empty());
                            return Step::Object(begin, self.at);
                        }
                        None if self.open.is_empty() => {
                            let is_list = !std::mem::take(&mut self.has_object);
                            return Step::Closed {
                                at: self.at,
                                is_list,
                            };
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        Step::Open
    }

    fn opened(&mut self, text: &str, at: usize, byte: u8) {
        self.is_wrapped &= !self.open.is_empty();
        match self.object {
            None if byte == b'{' => self.object = Some((at, self.open.len())),
            // The list or object under `games` or `data` holds the entries.
            Some((begin, around))
                if self.open.len() == around + 1 && is_wrapper(&text[begin..at]) =>
            {
                self.object = (byte == b'{').then_some((at, self.open.len()));
                (self.has_object, self.is_wrapped) = (true, true);
            }
            _ => {}
        }
        self.open.push(byte);
    }

    /// Whether an object around a list of games is open, or has just closed.
    pub fn is_wrapped(&self) -> bool {
        self.is_wrapped
    }

    /// Whether an object has ended inside open brackets.
    pub fn has_object(&self) -> bool {
        self.has_object
    }

    /// Takes the text before an entry, or before the end.
    pub fn note(&mut self, between: &str, is_entry: bool) {
        if is_entry && between.trim() == "," && self.around.ends_with(ENTRY) {
            return;
        }
        self.around.push_str(between.trim());
        self.around.push_str(if is_entry { ENTRY } else { "" });
    }

    /// The text around the entries, each of which is `{}` in it.
    pub fn around(&self) -> &str {
        &self.around
    }

    /// Forgets the text before byte `at`, which entries have taken.
    pub fn cut(&mut self, at: usize) {
        self.at -= at;
        self.object = self.object.map(|(begin, around)| (begin - at, around));
    }

    pub fn is_closed(&self) -> bool {
        self.open.is_empty()
    }
}

/// Whether a text ends with the key of a list of games.
fn is_wrapper(text: &str) -> bool {
    let key = text.trim_end().strip_suffix(':').unwrap_or("").trim_end();
    let key = key.to_ascii_lowercase();
    key.ends_with("\"games\"") || key.ends_with("\"data\"")
}

/// The fault of a text around entries, each of which is `{}` in it: no list, or moves or a board beside a list of games.
pub fn lost(around: &str, is_wrapped: bool) -> Option<ParseError> {
    if around == ENTRY {
        return None;
    }
    if serde_json::from_str::<serde_json::Value>(around).is_err() {
        return Some(ParseError::at("JSON game", around, 0, "a list of objects"));
    }
    if !is_wrapped {
        let is_list = around
            .chars()
            .all(|c| c.is_whitespace() || "[]{},".contains(c));
        return (!is_list).then(|| ParseError::at("JSON game", around, 0, "a list of objects"));
    }
    // Every second part stands in quotes.
    let has_game = around.split('"').skip(1).step_by(2).any(|part| {
        let is_key = !matches!(part, "games" | "data");
        is_key && matches!(meaning(part), Some(Key::Start | Key::Moves)) || begins_with_moves(part)
    });
    (has_game || holds_board(around)).then(|| {
        let message = "moves or a board beside a list of games";
        ParseError::doubtful("JSON game", around, 0, message).with(Code::UnknownKey)
    })
}
