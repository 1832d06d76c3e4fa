//! The notations: a file or folder each, with the beginning of its entries, its reader and its writer.
//!
//! A new notation is a file with a constant of `Notation`, and its line in the list below.

pub mod board;
pub mod example;
pub mod fen;
pub(super) mod format;
pub mod ggf;
pub mod hex;
pub mod json;
pub mod moves;
pub mod obf;
pub mod pgn;
pub mod repaired;
pub mod sgf;
pub mod wthor;

pub use board::{BOARD, DIAGRAM};
pub use example::EXAMPLE;
pub use fen::FEN;
pub use format::Format;
pub use ggf::GGF;
pub use hex::HEX;
pub use json::JSON;
pub use moves::MOVES;
pub use obf::OBF;
pub use pgn::PGN;
pub use sgf::{GOGUI, SGF};
pub use wthor::WTHOR;

impl Format {
    /// Every notation. A text is in the last one whose entries begin as it does.
    pub const ALL: [Self; 13] = [
        MOVES, BOARD, DIAGRAM, EXAMPLE, OBF, HEX, FEN, PGN, JSON, GGF, SGF, GOGUI, WTHOR,
    ];
}
