//! Texts and files: move lists, diagrams, OBF, GGF, WTHOR. Every parser is total.
//!
//! Any bytes give a value or a [`ParseError`] naming the place and what was expected there; nothing panics, and
//! memory stays in proportion to the input. Writers emit ASCII only.

pub mod diagram;
mod error;
pub mod ggf;
pub mod moves;
pub mod obf;
pub mod sgf;
pub mod wthor;

pub use error::{Fault, ParseError, Place};
