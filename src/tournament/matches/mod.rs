//! A match: its games, their files, and what they prove.
//!
//! ```text
//! players and openings → runner → referee (one game)
//!   → log (the game file; identity tells whose; pgn beside it) → scoreboard (what counts) → stats → rating → standings
//! ```

pub mod identity;
pub mod log;
pub mod openings;
pub mod pgn;
pub mod rating;
pub mod referee;
pub mod runner;
pub mod scoreboard;
pub mod standings;
pub mod stats;
