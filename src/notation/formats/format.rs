//! The description of a notation: name, reader, writer, losses.
//!
//! Each notation has a file with a constant of [`Notation`]; `formats/mod.rs` lists them all.

use std::fmt;

use thiserror::Error;

use crate::board::{Game, Move, Position};
use crate::notation::ggf::GgfGame;
pub use crate::notation::grammar::remarks::ScoredMove;
use crate::notation::repair::{Turn, counted};
use crate::notation::wthor::WthorOrigin;
use crate::notation::{NamedGame, Outcome, ParseError};
use crate::util::printable::replaced;

/// A notation of positions or games.
#[derive(Clone, Copy)]
pub struct Format(pub(in crate::notation) &'static Notation);

/// The description of a notation.
pub struct Notation {
    /// One word of small letters.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// Its entries are games, not positions.
    pub is_of_games: bool,
    /// Reads the first entry of a text.
    pub read: fn(&str) -> Result<Detected, ParseError>,
    /// Reads the only game of a text without playing it; `None` if anything but a move is wrong.
    pub sheet: Option<fn(&str) -> Option<Sheet>>,
    /// Writes an entry, with its line ends.
    pub write: fn(&Detected) -> Result<String, WriteError>,
    /// The parts of a game that the notation cannot hold, in words; [`Format::losses`] adds those that the reader dropped.
    pub losses: fn(&NamedGame) -> Vec<String>,
}

impl Notation {
    /// A notation of positions, one a line.
    pub const BASE: Self = Self {
        name: "",
        about: "",
        is_of_games: false,
        read: |text| Err(ParseError::unknown(text)),
        sheet: None,
        write: |_| Err(WriteError("a file of the WTHOR base is written as a whole")),
        losses: |_| Vec::new(),
    };
}

/// A game before its moves are played.
pub struct Sheet {
    /// The entry without its moves.
    pub entry: Detected,
    /// The moves.
    pub turns: Vec<Turn>,
    /// The outcome that the last board must show.
    pub end: Outcome,
}

/// Why an entry cannot be written in a notation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct WriteError(pub &'static str);

/// An entry that was read: a position or a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Detected {
    /// Its notation.
    pub format: Format,
    /// The game; a position is a game without moves.
    pub record: NamedGame,
    /// Scores of moves in the position, in discs for its side to move; from OBF only.
    ///
    /// Some files end with a pass at -127 discs as a mark; it is kept.
    pub scores: Vec<ScoredMove>,
    /// The text around the position or moves: a remark, a name, columns of values.
    pub comment: String,
    /// The source of the game, in notations that hold more than a record.
    pub origin: Option<Origin>,
}

/// The source of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The text of GGF in one line.
    Ggf(String),
    /// The record in a file of the WTHOR base.
    Wthor(WthorOrigin),
}

impl Detected {
    /// A game without scores and comment.
    pub fn new(format: Format, record: NamedGame) -> Self {
        Self {
            format,
            record,
            scores: Vec::new(),
            comment: String::new(),
            origin: None,
        }
    }

    /// A position without scores and comment.
    pub fn of(format: Format, position: Position) -> Self {
        Self::new(format, Game::new(position).into())
    }

    /// The game of GGF with its clocks and times, if it was read from GGF.
    pub fn ggf(&self) -> Option<GgfGame> {
        match &self.origin {
            Some(Origin::Ggf(text)) => GgfGame::parse(text).ok(),
            _ => None,
        }
    }

    /// The record in a file of the WTHOR base, if it was read from one.
    pub fn wthor(&self) -> Option<&WthorOrigin> {
        match &self.origin {
            Some(Origin::Wthor(origin)) => Some(origin),
            _ => None,
        }
    }

    /// The position; of a game the last position.
    pub fn position(&self) -> Position {
        self.record.game.position()
    }

    /// The best known score in discs for the side to move; marks at -127 do not count.
    pub fn known_score(&self) -> Option<i32> {
        self.scores
            .iter()
            .filter(|scored| scored.discs.abs() <= 64)
            .map(|scored| scored.discs)
            .max()
    }

    /// The known score of `mv`, in discs for the side to move.
    pub fn score_of(&self, mv: Move) -> Option<i32> {
        self.scores
            .iter()
            .find(|scored| scored.mv == mv)
            .map(|scored| scored.discs)
    }
}

impl Sheet {
    /// A game that ends with the result that its text states.
    pub fn new(entry: Detected, turns: Vec<Turn>) -> Self {
        let end = counted(entry.record.stated);
        Self { entry, turns, end }
    }
}

impl Format {
    /// Its name: one word of small letters.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// A description in one line.
    pub fn about(self) -> &'static str {
        self.0.about
    }

    /// Whether its entries are games, not positions.
    pub fn is_of_games(self) -> bool {
        self.0.is_of_games
    }

    /// Reads the first entry of `text` in this notation.
    ///
    /// # Errors
    /// The first fault. WTHOR is no text, see [`super::wthor`].
    pub fn parse(self, text: &str) -> Result<Detected, ParseError> {
        (self.0.read)(text)
    }

    /// The entry in this notation, with its line ends; U+FFFD replaces control characters of its texts.
    ///
    /// # Errors
    /// An entry that the notation cannot hold.
    pub fn write(self, entry: &Detected) -> Result<String, WriteError> {
        (self.0.write)(entry).map(replaced)
    }

    /// The parts of a game that the notation loses or replaces, in words; empty for notations of positions.
    pub fn losses(self, record: &NamedGame) -> Vec<String> {
        let mut lost = (self.0.losses)(record);
        if self.is_of_games() {
            lost.extend(record.left_out.iter().map(|what| what.clone().into_owned()));
        }
        lost
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.name)
    }
}
