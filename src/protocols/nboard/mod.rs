//! The NBoard protocol, versions 1 and 2, complete; `../README.md` has its commands.

mod memory;
pub mod parse;
pub mod print;
mod progress;
mod session;
mod state;

pub use state::NBoard;
