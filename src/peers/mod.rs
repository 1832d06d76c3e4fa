//! Programs at the other end of a pipe: those that play matches and those that are checked.

pub mod named_files;
pub mod nboard;
pub mod process;

use std::fmt;

/// The protocols of programs. Matches use the first two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    NBoard,
    Gtp,
    Edax,
    Cassio,
}

impl Protocol {
    /// All of them, each with its name on a command line and in a sentence.
    const ALL: [(Self, &str, &str); 4] = [
        (Self::NBoard, "nboard", "NBoard"),
        (Self::Gtp, "gtp", "GTP"),
        (Self::Edax, "edax", "Edax's console"),
        (Self::Cassio, "cassio", "Cassio"),
    ];

    /// The protocol of this name on a command line.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|(_, known, _)| *known == name)
            .map(|(protocol, ..)| protocol)
    }

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL[*self as usize].2)
    }
}
