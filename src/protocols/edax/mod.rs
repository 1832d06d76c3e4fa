//! The console of Edax, as the programs drive it that were written for Edax; `../README.md` has its commands.

mod board;
mod commands;
pub mod rows;
mod session;
pub mod solve;
mod state;

pub use commands::{is_edax, selectivity_of, sides_of_mode};
pub use state::{Edax, USUAL_LEVEL, limits};
