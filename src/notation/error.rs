//! The one error of all text and file parsers.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

use crate::board::{Color, Game, IllegalMove, IllegalReason, Move};

/// Longest excerpt of the input that an error quotes, in characters.
const EXCERPT: usize = 24;

/// The fault of an input: its notation, its place, its kind.
///
/// Displays as one line without control characters; it quotes the input as typed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{subject}, {location}: {fault}")]
pub struct ParseError {
    /// The notation, such as `OBF line`.
    pub subject: &'static str,
    /// The place of the fault.
    pub location: Location,
    /// The kind of fault.
    pub fault: Fault,
    /// Its code, which programs and other languages go by.
    pub code: Code,
    /// The game up to the fault, if any of it could be read.
    pub readable: Option<Box<Game>>,
}

macro_rules! codes {
    ($($code:ident $name:literal,)*) => {
        /// The codes of faults; section 10 of `emilia help notations` explains them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum Code {
            $($code,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$code,)*];

            /// Its name, which stays the same in all versions.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }
        }
    };
}

codes! {
    Empty "empty",
    Syntax "syntax",
    UnknownWord "unknown-word",
    IllegalMove "illegal-move",
    WrongSide "wrong-side",
    WrongNumber "wrong-number",
    BehindResult "behind-result",
    BoardSquares "board-squares",
    NoSide "no-side",
    TwoSides "two-sides",
    BesideBoard "beside-board",
    BoardInGame "board-in-game",
    BelowBoard "below-board",
    TwoReadings "two-readings",
    Twice "twice",
    UnknownKey "unknown-key",
    NoMoves "no-moves",
    Cells "cells",
    OtherGame "other-game",
    Several "several",
    Encoding "encoding",
    TooLong "too-long",
    Wthor "wthor",
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

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// An unexpected text.
    Unexpected {
        /// The expected text, in words.
        expected: Cow<'static, str>,
        /// Excerpt of the text found; empty at the end of the input.
        found: String,
    },
    /// The move breaks the rules in its position.
    Illegal {
        /// The move.
        mv: Move,
        /// Which rule.
        reason: IllegalReason,
    },
    /// The text names the other side for the move.
    OtherSide {
        /// The move.
        mv: Move,
        /// The side to move, which has moves.
        side: Color,
    },
    /// Any other fault in words, such as two readings.
    Doubtful(Cow<'static, str>),
}

impl ParseError {
    /// A fault at `location`.
    pub(super) fn new(subject: &'static str, location: Location, fault: Fault) -> Self {
        let code = match &fault {
            Fault::Illegal { .. } => Code::IllegalMove,
            Fault::OtherSide { .. } => Code::WrongSide,
            _ => Code::Syntax,
        };
        Self {
            subject,
            location,
            fault,
            code,
            readable: None,
        }
    }

    /// A fault at byte `offset` of `text`.
    pub(super) fn of(subject: &'static str, text: &str, offset: usize, fault: Fault) -> Self {
        Self::new(subject, Location::of(text, offset), fault)
    }

    /// The same error with another code.
    #[must_use]
    pub(super) fn with(self, code: Code) -> Self {
        Self { code, ..self }
    }

    /// The same error behind this game.
    #[must_use]
    pub(super) fn behind(self, game: &Game) -> Self {
        let is_any = *game != Game::default();
        let readable = is_any.then(|| Box::new(game.clone()));
        Self { readable, ..self }
    }

    /// An unexpected text at byte `offset` of `text`.
    pub(super) fn at(
        subject: &'static str,
        text: &str,
        offset: usize,
        expected: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::of(
            subject,
            text,
            offset,
            Fault::unexpected(expected, text.get(offset..).unwrap_or("")),
        )
    }

    /// The error for a text that begins like no notation.
    pub fn unknown(text: &str) -> Self {
        let expected = "a position or game: moves, a board, OBF, FEN, GGF, SGF, PGN, JSON";
        Self::at(
            "entry",
            text,
            text.len() - text.trim_start().len(),
            expected,
        )
        .with(Code::Empty)
    }

    /// An entry in another notation than the wanted one.
    pub fn other_format(wanted: &'static str, found: &'static str) -> Self {
        let fault =
            Fault::Doubtful(format!("expected the notation {wanted}, found {found}").into());
        Self::new("entry", Location::Text { line: 1, column: 1 }, fault)
    }

    /// A fault of a turn; `ply` counts from 1.
    pub(super) fn of_turn(subject: &'static str, ply: usize, fault: Fault) -> Self {
        Self::new(subject, Location::Ply(ply), fault)
    }

    /// A fault in words at byte `offset` of `text`.
    pub(super) fn doubtful(
        subject: &'static str,
        text: &str,
        offset: usize,
        fault: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::of(subject, text, offset, Fault::Doubtful(fault.into()))
    }

    /// The same error, quoting `text` instead of its plain form; both have the same lines and columns.
    pub(super) fn quoting(mut self, text: &str) -> Self {
        let rest = self.offset(text).map_or("", |offset| &text[offset..]);
        if let Fault::Unexpected { expected, found } = &self.fault
            && !found.is_empty()
            && !rest.is_empty()
            && !rest.starts_with('\n')
        {
            self.fault = Fault::unexpected(expected.clone(), rest);
        }
        self
    }

    /// The byte of `text` with the fault; `None` if the error names a move or a byte.
    pub(super) fn offset(&self, text: &str) -> Option<usize> {
        let Location::Text { line, column } = self.location else {
            return None;
        };
        let begin = text
            .split_inclusive('\n')
            .take(line - 1)
            .map(str::len)
            .sum::<usize>();
        let line = text[begin..].split('\n').next().unwrap_or_default();
        Some(
            begin
                + line
                    .char_indices()
                    .nth(column - 1)
                    .map_or(line.len(), |(start, _)| start),
        )
    }

    /// The same error, `columns` further right, for a text inside a line.
    #[must_use]
    pub(super) fn right(mut self, columns: usize) -> Self {
        if let Location::Text { line: 1, column } = &mut self.location {
            *column += columns;
        }
        self
    }

    /// The same error, `lines` further down, for a text inside a file.
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
        let start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |i| i + 1);
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        // Continuation bytes of UTF-8 are no characters.
        let column = 1 + before[start..]
            .iter()
            .filter(|&&b| b & 0xC0 != 0x80)
            .count();
        Self::Text { line, column }
    }
}

impl From<IllegalMove> for Fault {
    fn from(error: IllegalMove) -> Self {
        Self::Illegal {
            mv: error.mv,
            reason: error.reason,
        }
    }
}

impl Fault {
    /// An unexpected text; the error quotes the beginning of the first line of `found`.
    pub(super) fn unexpected(expected: impl Into<Cow<'static, str>>, found: &str) -> Self {
        let line = found.split(['\n', '\r']).next().unwrap_or("");
        let mut excerpt: String = line.chars().take(EXCERPT).collect();
        if excerpt.len() < line.len() {
            excerpt.push_str("...");
        }
        if excerpt.is_empty() && !found.is_empty() {
            excerpt.push('\n');
        }
        Self::Unexpected {
            expected: expected.into(),
            found: excerpt,
        }
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
            Self::Unexpected { expected, found } => match found.as_str() {
                "" => write!(f, "expected {expected}, found the end"),
                found => write!(f, "expected {expected}, found \"{}\"", Shown(found)),
            },
            Self::Illegal { mv, reason } => write!(f, "{mv} is illegal: {reason}"),
            Self::OtherSide { mv, side } => {
                let stated = side.other().title();
                let side = side.title();
                write!(
                    f,
                    "{mv} is written as a move of {stated}, but {side} is to move and has moves"
                )
            }
            Self::Doubtful(words) => f.write_str(words),
        }
    }
}

/// Displays text as typed, and the codes of invisible characters.
pub struct Shown<'a>(pub &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}' => {
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
    fn errors_name_the_place_and_what_was_found() {
        let long = "z".repeat(1 << 20);
        for (text, offset, message) in [
            (
                "f5\nd6 \u{e9}9 z",
                6,
                r#"x, line 2, column 4: expected y, found "é9 z""#,
            ),
            ("f5", 2, "x, column 3: expected y, found the end"),
            ("", 99, "x, column 1: expected y, found the end"),
            (
                "\u{1}\u{200b}ÿ\"",
                0,
                "x, column 1: expected y, found \"\\u{1}\\u{200b}ÿ\"\"",
            ),
            (
                &long,
                0,
                "x, column 1: expected y, found \"zzzzzzzzzzzzzzzzzzzzzzzz...\"",
            ),
        ] {
            assert_eq!(ParseError::at("x", text, offset, "y").to_string(), message);
        }
        let error = ParseError::at("x", "f5\nf5 I9", 6, "y").quoting("ｆ５\nｆ５　Ｉ９");
        assert_eq!(
            error.to_string(),
            "x, line 2, column 4: expected y, found \"Ｉ９\""
        );
    }
}
