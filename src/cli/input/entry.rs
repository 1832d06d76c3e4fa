//! An entry of the input: what it is and where it stands.

use std::fmt;
use std::rc::Rc;

use thiserror::Error;

use super::source::Kind;
use crate::board::Position;
use crate::notation::ggf::GgfGame;
use crate::notation::repair::Repairs;
use crate::notation::{Detected, Location, NamedGame, ParseError};

/// What the input consists of, in messages.
pub const ENTRY: &str = "entry";

/// A position or game with the place that it comes from.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Number among all entries of the input, from 1; entries left out by `--skip` count.
    pub index: u64,
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub found: Detected,
    /// How its moves were made legal, if they were not.
    pub repairs: Option<Repairs>,
}

/// Where an entry stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// File, `stdin`, or the argument itself.
    pub source: Rc<str>,
    /// What kind of source that is.
    pub kind: Kind,
    /// Number of the entry in the source, from 1.
    pub number: u64,
    /// Line on which it begins, from 1; `None` in a file that has no lines.
    pub line: Option<usize>,
}

/// An entry or a source that cannot be read: one whole message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct InputError(pub(super) String);

impl Entry {
    /// The position: of a game the last one.
    pub fn position(&self) -> Position {
        self.found.position()
    }

    /// The game; one without moves if the notation is of positions.
    pub fn record(&self) -> &NamedGame {
        &self.found.record
    }

    /// A checksum of what is asked of it: board, moves, known scores.
    pub fn crc32(&self) -> u32 {
        let game = &self.record().game;
        let text = format!("{:?} {:?} {:?}", game.positions()[0], game.moves(), self.found.scores);
        crc32fast::hash(text.as_bytes())
    }

    /// The GGF game with all its tags, if it is one.
    pub fn ggf(&self) -> Option<&GgfGame> {
        self.found.ggf.as_ref()
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
    /// The source's name: a file, `stdin` or `argument`.
    pub fn source_name(&self) -> Rc<str> {
        if self.kind == Kind::Literal { "argument".into() } else { self.source.clone() }
    }

    /// The message for an entry that cannot be read.
    pub(super) fn error(&self, error: ParseError) -> InputError {
        let is_first_line = !matches!(error.location, Location::Text { line: 2.., .. });
        InputError(match (self.kind, self.line) {
            (Kind::Literal, _) => format!("\"{}\" is neither a file nor a position: {error}", self.source),
            (_, Some(line)) if !is_first_line => {
                format!("{}, entry {}: {}", self.source, self.number, error.down(line - 1))
            }
            _ => format!("{self}: {error}"),
        })
    }
}
