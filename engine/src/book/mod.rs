//! The opening book: scores and game results of positions, in a file and its journal.
//!
//! ```text
//! Book (opened, probed) ──────────┬─ file     sorted, checksummed; written whole, replaced at once
//! BookEditor (the one that writes)┘─ journal  the records since then; one writer
//! Graph (in memory)  values from the leaves up ─→ expand: which positions are worth a search next
//! large              the same ply by ply (a retrograde pass), and an external merge sort, for books larger than memory
//! policy             which of a position's moves to play
//! names              names of openings
//! ```
//!
//! A position is stored once for its eight images and both colors, after a forced pass. This room does not
//! search: its callers bring the answers.
//!
//! ```
//! use emilia_engine::{board::Board, book::Book};
//!
//! // The small book inside; `Book::open` takes a path.
//! let book = Book::inside()?;
//! let found = book.probe(Board::START)?.expect("the start");
//! for mv in &found.entry.moves {
//!     println!("{} {:?}, {} games", mv.square, mv.known().map(|score| score.discs()), mv.games.count());
//! }
//! # assert!(!found.entry.moves.is_empty());
//! # Ok::<(), emilia_engine::book::BookError>(())
//! ```

mod editor;
pub(crate) mod entry;
mod error;
#[allow(missing_docs, reason = "the room exports the items for users")]
pub(crate) mod expand;
#[allow(missing_docs, reason = "the room exports the items for users")]
pub(crate) mod file;
#[allow(missing_docs, reason = "the room exports the items for users")]
pub(crate) mod graph;
#[allow(missing_docs, reason = "the room exports the items for users")]
pub(crate) mod journal;
mod key;
#[allow(missing_docs, reason = "the room exports the items for users")]
pub(crate) mod large;
mod learn;
mod level;
pub mod names;
pub mod policy;
mod reader;
pub(crate) mod testing;

pub use editor::BookEditor;
pub use entry::{BookMove, Entry, Games, MoveScore, Searched, Value};
pub use error::BookError;
pub use journal::{Answer, GAME_PLIES, LearnedGame, Record};
pub use key::{BookKey, Canonical, representative};
pub use level::{Origin, Program, SearchLevel, USUAL_LEVEL};
pub use reader::{Book, Found};

#[cfg(test)]
mod tests;
