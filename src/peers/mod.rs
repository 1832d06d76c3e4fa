//! Programs at the other end of a pipe: those that play matches and those that are checked.

pub mod nboard;
pub mod process;
