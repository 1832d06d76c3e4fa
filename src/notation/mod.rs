//! Texts and files: move lists, diagrams, OBF, GGF, SGF, PGN, FEN, JSON, WTHOR. Every parser is total.
//!
//! Any bytes give a value or a [`ParseError`] with the place and the expectation; nothing panics, and memory stays in
//! proportion to the input. Games with illegal moves can be repaired, see [`repair`].
//!
//! ```text
//! text     boards, sides and lists of moves as people write them
//! formats  a file for each notation: begins, reads, writes
//! recognize (which notation a text is) · split (a text of many entries) · repair (games with an illegal move)
//! record (a game with its tags and result) · ggf, wthor (all that these two files hold)
//! ```
//!
//! [`diagram`] and [`moves`] need no feature; the feature `formats` adds the rest.
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
mod result;
mod text;

#[cfg(feature = "formats")]
mod clock;
#[cfg(feature = "formats")]
pub mod formats;
#[cfg(feature = "formats")]
pub mod ggf;
#[cfg(feature = "formats")]
mod recognize;
#[cfg(feature = "formats")]
pub(crate) mod record;
#[cfg(feature = "formats")]
pub mod repair;
#[cfg(feature = "formats")]
mod scanner;
#[cfg(feature = "formats")]
pub(crate) mod split;
#[cfg(feature = "formats")]
pub mod tags;
#[cfg(all(test, feature = "formats"))]
mod tests;
#[cfg(feature = "formats")]
pub mod wthor;

pub use error::{Fault, Location, ParseError};
pub use result::{FORFEIT_DISCS, GameResult, How, Outcome};
pub use text::{diagram, moves};

#[cfg(feature = "formats")]
pub use self::{
    formats::format::{Detected, Format, ScoredMove, WriteError},
    formats::ggf::{ggf_record, record_ggf},
    formats::repaired::{Repaired, repair_record},
    formats::{example, fen, hex, json, obf, pgn, sgf},
    recognize::{is_entry, moves_below, parse_position},
    record::NamedGame,
    tags::Tags,
};
