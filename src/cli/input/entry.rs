//! An entry of the input and its place.

use std::fmt;
use std::rc::Rc;

use anyhow::{Error, anyhow};
use serde::Serialize;

use super::source::Kind;
use crate::board::Position;
use crate::notation::repair::Repairs;
use crate::notation::{Detected, Location, NamedGame, ParseError};

/// The unit of the input, in messages.
pub const ENTRY: &str = "entry";

/// A position or game of the input.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Number among all entries of the input, from 1; entries before `--skip` count.
    pub index: u64,
    pub place: Place,
    pub found: Detected,
    /// The changes that made its moves legal, if any were made.
    pub repairs: Option<Repairs>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// File, `stdin`, or the argument itself.
    pub source: Rc<str>,
    pub kind: Kind,
    /// Number of the entry in the source, from 1.
    pub number: u64,
    /// Line on which it begins, from 1; `None` in a binary file.
    pub line: Option<usize>,
}

/// The fields with which `solve --json` and `show --json` begin; `emilia help json` explains them.
#[derive(Serialize)]
pub struct Head {
    index: u64,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl Entry {
    /// The position: of a game the last one.
    pub fn position(&self) -> Position {
        self.found.position()
    }

    /// The game; one without moves if the notation is of positions.
    pub fn record(&self) -> &NamedGame {
        &self.found.record
    }

    /// A checksum of board, moves, names and known scores.
    pub fn crc32(&self) -> u32 {
        let NamedGame {
            game, black, white, ..
        } = self.record();
        let text = format!(
            "{:?} {:?} {:?} {black:?} {white:?}",
            game.positions()[0],
            game.moves(),
            self.found.scores
        );
        crc32fast::hash(text.as_bytes())
    }

    pub fn head(&self) -> Head {
        Head {
            index: self.index,
            source: self.place.source(),
            line: self.place.line,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == Kind::Literal {
            return write!(f, "\"{}\"", self.source);
        }
        write!(f, "{}, entry {}", self.source, self.number)?;
        self.line.map_or(Ok(()), |line| write!(f, ", line {line}"))
    }
}

impl Place {
    /// The source in JSON: a file, `stdin` or `argument`.
    pub fn source(&self) -> String {
        match self.kind {
            Kind::Literal => "argument".into(),
            _ => self.source.to_string(),
        }
    }

    /// The message for an entry that cannot be read.
    pub(super) fn error(&self, error: ParseError) -> Error {
        let is_first_line = !matches!(error.location, Location::Text { line: 2.., .. });
        match (self.kind, self.line) {
            (Kind::Literal, _) => anyhow!(
                "\"{}\" is neither a file nor a position: {error}",
                self.source
            ),
            (_, Some(line)) if !is_first_line => {
                anyhow!(
                    "{}, entry {}: {}",
                    self.source,
                    self.number,
                    error.down(line - 1)
                )
            }
            _ => anyhow!("{self}: {error}"),
        }
    }
}
