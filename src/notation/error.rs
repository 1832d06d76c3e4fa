//! The one error of all text and file parsers.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

use crate::board::{IllegalMove, IllegalReason, Move};

/// Longest excerpt of the input that an error quotes, in characters.
const EXCERPT: usize = 24;

/// Why an input is not what it should be: of which kind, where, and how.
///
/// Displayed on one line without control characters, whatever the input was; what the input says is quoted as it was
/// typed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{subject}, {location}: {fault}")]
pub struct ParseError {
    /// The notation that was being read, such as `OBF line`.
    pub subject: &'static str,
    /// Where the fault lies.
    pub location: Location,
    /// What is wrong there.
    pub fault: Fault,
}

/// A location in an input; everything counts from 1 except bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// A character of a text.
    Text {
        /// Line, from 1.
        line: usize,
        /// Character in the line, from 1.
        column: usize,
    },
    /// A byte of a binary file, from 0.
    Byte(usize),
    /// A turn of a game, from 1; passes count.
    Ply(usize),
}

/// What is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Something else should stand there.
    Unexpected {
        /// What should stand there.
        expected: Cow<'static, str>,
        /// Excerpt of what does stand there; empty at the end of the input.
        found: String,
    },
    /// The move breaks the rules in its position.
    Illegal {
        /// The move.
        mv: Move,
        /// Which rule.
        reason: IllegalReason,
    },
    /// Any other fault, in words: two readings, a side out of turn, too much of something.
    Doubtful(Cow<'static, str>),
}

impl ParseError {
    /// A fault at byte `offset` of `text`.
    pub(super) fn of(subject: &'static str, text: &str, offset: usize, fault: Fault) -> Self {
        Self { subject, location: Location::of(text, offset), fault }
    }

    /// An unexpected text at byte `offset` of `text`.
    pub(super) fn at(
        subject: &'static str,
        text: &str,
        offset: usize,
        expected: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::of(subject, text, offset, Fault::unexpected(expected, text.get(offset..).unwrap_or("")))
    }

    /// The error for a text that begins like no notation.
    pub fn unknown(text: &str) -> Self {
        let expected = "a position or game: moves, a board, OBF, FEN, GGF, SGF, PGN, JSON";
        Self::at("entry", text, text.len() - text.trim_start().len(), expected)
    }

    /// A fault of a turn; `ply` counts from 1.
    pub(super) fn of_turn(subject: &'static str, ply: usize, fault: Fault) -> Self {
        Self { subject, location: Location::Ply(ply), fault }
    }

    /// A fault in words at byte `offset` of `text`.
    pub(super) fn doubtful(
        subject: &'static str,
        text: &str,
        offset: usize,
        told: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::of(subject, text, offset, Fault::Doubtful(told.into()))
    }

    /// The same error with the characters of `text`, of which a plainer form of the same lines and columns was read.
    pub(super) fn quoting(mut self, text: &str) -> Self {
        if let (Location::Text { line, column }, Fault::Unexpected { expected, found }) =
            (self.location, &self.fault)
            && !found.is_empty()
        {
            let rest = &text[offset_of(text, line, column)..];
            if !rest.is_empty() && !rest.starts_with('\n') {
                self.fault = Fault::unexpected(expected.clone(), rest);
            }
        }
        self
    }

    /// The byte of `text` that it lies at; `None` if it is told by a move or lies in no text.
    pub(super) fn offset(&self, text: &str) -> Option<usize> {
        match self.location {
            Location::Text { line, column } => Some(offset_of(text, line, column)),
            Location::Byte(_) | Location::Ply(_) => None,
        }
    }

    /// The same error, `lines` further down: for a text that is part of a file.
    #[must_use]
    pub fn down(mut self, lines: usize) -> Self {
        if let Location::Text { line, .. } = &mut self.location {
            *line += lines;
        }
        self
    }
}

impl Location {
    /// The location of byte `offset` of `text`; the end for an offset beyond it.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let bytes = text.as_bytes();
        let before = &bytes[..offset.min(bytes.len())];
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        // Continuation bytes of UTF-8 are not characters of their own.
        let column = 1 + before[start..].iter().filter(|&&b| b & 0xC0 != 0x80).count();
        Self::Text { line, column }
    }
}

/// The byte at which a character of a line begins, both from 1; the end of the line or text for one behind it.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let begin = text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
    let line = text[begin..].split('\n').next().unwrap_or_default();
    begin + line.char_indices().nth(column - 1).map_or(line.len(), |(start, _)| start)
}

impl From<IllegalMove> for Fault {
    fn from(error: IllegalMove) -> Self {
        Self::Illegal { mv: error.mv, reason: error.reason }
    }
}

impl Fault {
    /// Something else than `expected`; `found` is cut to an excerpt at its first line end.
    pub(super) fn unexpected(expected: impl Into<Cow<'static, str>>, found: &str) -> Self {
        let line = found.split(['\n', '\r']).next().unwrap_or("");
        let mut excerpt: String = line.chars().take(EXCERPT).collect();
        if excerpt.len() < line.len() {
            excerpt.push_str("...");
        }
        if excerpt.is_empty() && !found.is_empty() {
            excerpt.push('\n');
        }
        Self::Unexpected { expected: expected.into(), found: excerpt }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { line: 1, column } => write!(f, "column {column}"),
            Self::Text { line, column } => write!(f, "line {line}, column {column}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Ply(ply) => write!(f, "move {ply}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unexpected { expected, found } if found.is_empty() => {
                write!(f, "expected {expected}, found the end")
            }
            Self::Unexpected { expected, found } => {
                write!(f, "expected {expected}, found \"{}\"", Shown(found))
            }
            Self::Illegal { mv, reason } => write!(f, "{mv} is illegal: {reason}"),
            Self::Doubtful(told) => f.write_str(told),
        }
    }
}

/// Text as it was typed; of what cannot be seen, the code.
pub struct Shown<'a>(pub &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {
                write!(f, "{}", c.escape_unicode())
            }
            c if c.is_control() => write!(f, "{}", c.escape_default()),
            c => write!(f, "{c}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_place_and_what_wquoting() {
        let error = ParseError::at("move list", "f5\nd6 \u{e9}9 z", 6, "a move");
        assert_eq!(error.to_string(), r#"move list, line 2, column 4: expected a move, found "é9 z""#);
        let error = ParseError::at("move list", "f5", 2, "a move");
        assert_eq!(error.to_string(), "move list, column 3: expected a move, found the end");
        let error = ParseError::at("x", "\u{1}\u{200b}ÿ\"", 0, "y");
        assert_eq!(error.to_string(), "x, column 1: expected y, found \"\\u{1}\\u{200b}ÿ\"\"");
        let error = ParseError::at("x", "f5\nf5 I9", 6, "y").quoting("ｆ５\nｆ５　Ｉ９");
        assert_eq!(error.to_string(), "x, line 2, column 4: expected y, found \"Ｉ９\"");
        assert_eq!(ParseError::at("x", "", 99, "y").location, Location::Text { line: 1, column: 1 });
    }

    #[test]
    fn excerpts_are_short() {
        let long = "z".repeat(1 << 20);
        assert!(ParseError::at("x", &long, 0, "y").to_string().len() < 100);
    }
}
