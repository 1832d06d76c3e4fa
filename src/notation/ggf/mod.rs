//! GGF, the game text of NBoard and the Generic Game Server: `(;GM[Othello]…BO[8 … *]B[f5/0.2/1.5]…;)`.
//!
//! Reading is tolerant where the programs in use differ, and lossless: every tag is kept as it stood, known or
//! not, and written back in the same order. There is no escape in GGF; a value runs to the next `]`.
//!
//! Files hold a match per line: an optional count (`2 ` for a synchro pair), then that many games.

mod game;
mod read;

pub use super::clock::Clock;
pub use game::{GgfGame, Ply, Tag};
pub(super) use read::check_match_type;
