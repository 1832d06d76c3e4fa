//! What a program is checked for.

use std::fmt;

/// What a program is checked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// NBoard.
    NBoard,
    /// GTP 2.
    Gtp,
    /// Edax's console.
    Edax,
    /// Cassio's engine protocol.
    Cassio,
}

impl From<crate::peers::Protocol> for Protocol {
    fn from(protocol: crate::peers::Protocol) -> Self {
        match protocol {
            crate::peers::Protocol::NBoard => Self::NBoard,
            crate::peers::Protocol::Gtp => Self::Gtp,
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NBoard => "NBoard",
            Self::Gtp => "GTP",
            Self::Edax => "Edax's console",
            Self::Cassio => "Cassio",
        })
    }
}
