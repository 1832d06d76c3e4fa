//! A match: its games, their files and statistics.
//!
//! ```text
//! players and openings → runner → referee (one game)
//!   → files (a line of log for each game, with the identity of the match) → scoreboard → stats → standings
//! ```

pub mod agreement;
pub mod files;
mod health;
pub mod identity;
pub mod log;
pub mod openings;
pub mod pool;
pub mod referee;
pub mod runner;
pub mod scoreboard;
pub mod standings;
pub mod stats;
