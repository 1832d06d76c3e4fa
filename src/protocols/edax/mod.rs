//! The console of Edax for programs that drive Edax; `../README.md` has its commands.

mod board;
mod commands;
pub mod rows;
mod session;
pub mod solve;
mod state;

pub use commands::{is_edax, selectivity_of, sides_of_mode};
pub use state::{Edax, USUAL_LEVEL, limits};
