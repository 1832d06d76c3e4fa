//! Texts and files: move lists, diagrams, OBF, GGF, SGF, PGN, FEN, JSON, WTHOR. Every parser is total.
//!
//! Any bytes give a value or a [`ParseError`] naming the place and what was expected there; nothing panics, and
//! memory stays in proportion to the input. Games with illegal moves can be repaired, see [`repair`].
//!
//! ```
//! use emilia::notation::{position::parse_position, sgf::write_sgf};
//!
//! let read = parse_position("F5 d6 C3 d3 c4")?;
//! assert_eq!((read.format.name(), read.position().side.to_string()), ("moves", "white".to_owned()));
//! println!("{}", write_sgf(&read.record));
//! let error = parse_position("f5 d6 x3").unwrap_err();
//! assert!(error.to_string().contains("expected"), "{error}");
//! # Ok::<(), emilia::notation::ParseError>(())
//! ```

mod alphabet;
mod brackets;
pub mod diagram;
mod drawing;
mod error;
pub mod example;
pub mod fen;
mod format;
pub mod ggf;
mod ggf_games;
pub mod hex;
pub mod json;
pub mod list;
#[cfg(test)]
mod mixed;
pub mod movelist;
pub mod moves;
pub mod obf;
pub mod pgn;
mod plain;
pub mod position;
mod recognise;
mod record;
pub mod repair;
mod repaired;
mod result;
#[cfg(test)]
mod robustness;
#[cfg(test)]
mod roundtrip;
pub mod sgf;
mod side;
#[cfg(test)]
mod spellings;
pub(crate) mod split;
mod squares;
pub mod tags;
mod titled;
mod token;
pub mod wthor;
pub mod wthor_games;

pub use error::{Fault, Location, ParseError};
pub use format::{BitOrder, Detected, Format, ScoredMove, WriteError};
pub use ggf_games::{GGF, ggf_record, record_ggf};
pub use recognise::{is_entry, moves_below};
pub use record::NamedGame;
pub use repaired::{Repaired, parse_end, repair_record};
pub use result::{FORFEIT_DISCS, GameResult, How, Outcome};
pub use tags::Tags;
