//! Matches between engines, and tuning by matches.
//!
//! ```text
//! players   programs by their protocols, this engine, the early programs; their names and options
//! matches   schedule, games, files and statistics
//! tune      values of the search by games (SPSA)
//! ```

pub mod matches;
pub mod players;
#[cfg(feature = "lab")]
pub mod tune;
