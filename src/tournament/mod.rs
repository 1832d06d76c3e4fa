//! Matches between engines.
//!
//! ```text
//! players   programs by their protocols, this engine, the early programs; their names and options
//! matches   schedule, games, files and statistics
//! ```

pub mod matches;
pub mod players;
