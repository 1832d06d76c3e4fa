//! Texts and files: move lists, diagrams, OBF, GGF, SGF, PGN, FEN, WTHOR. Every parser is total.
//!
//! Any bytes give a value or a [`ParseError`] naming the place and what was expected there; nothing panics, and
//! memory stays in proportion to the input.

mod alphabet;
pub mod diagram;
mod drawing;
mod error;
pub mod fen;
pub mod ggf;
mod ggf_games;
mod losses;
pub mod movelist;
pub mod moves;
pub mod obf;
pub mod pgn;
mod plain;
pub mod position;
mod record;
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
mod token;
pub mod wthor;

pub use error::{Fault, Location, ParseError};
pub use ggf_games::{ggf_record, record_ggf};
pub use losses::losses;
pub use record::NamedGame;
pub use result::{FORFEIT_DISCS, GameResult, How, Outcome};
pub use tags::Tags;
