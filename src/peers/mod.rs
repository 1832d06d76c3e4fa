//! Programs at the other end of a pipe: those that play matches and those that are checked.

pub mod gtp;
pub mod nboard;
pub mod process;

use std::fmt;

/// What a program speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// NBoard.
    NBoard,
    /// GTP 2.
    Gtp,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NBoard => "NBoard",
            Self::Gtp => "GTP",
        })
    }
}
