//! Texts and files: move lists, diagrams, OBF, GGF, SGF, PGN, FEN, JSON, WTHOR. Every parser is total.
//!
//! Any bytes give a value or a [`ParseError`] with the place and the expectation; nothing panics, and memory stays in
//! proportion to the input. Games with illegal moves can be repaired, see [`repair`].
//!
//! ```text
//! grammar  boards, sides and lists of moves; NOTATIONS.md is the page of all rules
//! formats  a file for each notation: reads, writes
//! read (an entry's beginning decides its reader) · split (a text of many entries) · table (rows and columns)
//! record (a game with its tags and result) · repair (games with an illegal move) · ggf, wthor (all of these files)
//! ```
//!
//! ```
//! use emilia::notation::{parse_position, sgf::write_sgf};
//!
//! let read = parse_position("F5 d6 C3 d3 c4")?;
//! assert_eq!((read.format.name(), read.position().side.to_string()), ("moves", "white".to_owned()));
//! println!("{}", write_sgf(&read.record));
//! let error = parse_position("f5 d6 x3").unwrap_err();
//! assert!(error.to_string().contains("expected"), "{error}");
//! # Ok::<(), emilia::notation::ParseError>(())
//! ```

mod error;
mod grammar;
mod result;
mod scanner;

mod clock;
pub mod formats;
pub mod ggf;
mod keys;
pub(crate) mod read;
pub(crate) mod record;
pub mod repair;
mod rows;
pub(crate) mod split;
mod table;
pub mod tags;
#[cfg(test)]
mod tests;
pub mod wthor;

pub use error::{Code, Fault, Location, ParseError};
pub use grammar::{diagram, moves};
pub use result::{FORFEIT_DISCS, GameResult, How, Outcome};

pub(crate) use self::read::{is_fen, pasted};
pub use self::{
    formats::format::{Detected, Format, Origin, ScoredMove, WriteError},
    formats::ggf::{ggf_record, record_ggf},
    formats::repaired::{Repaired, repair_record},
    formats::{example, fen, hex, json, obf, pgn, sgf},
    read::{is_entry, parse_games, parse_position},
    record::NamedGame,
    tags::Tags,
};
