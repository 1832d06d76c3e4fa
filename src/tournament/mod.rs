//! Matches between engines, and tuning by them.
//!
//! ```text
//! players   who plays: programs by their protocols, our own engine, the early programs; their names and options
//! matches   schedule, games, their files, and what they prove
//! tune      values of the search by games (SPSA)
//! ```

pub mod matches;
pub mod players;
#[cfg(feature = "lab")]
pub mod tune;
