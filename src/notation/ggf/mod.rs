//! GGF, the game text of NBoard and the Generic Game Server: `(;GM[Othello]…BO[8 … *]B[f5/0.2/1.5]…;)`.
//!
//! Reading accepts the variants of the programs in use, and is lossless: every tag is kept and written back in its place.
//! GGF has no escape; a value ends at the next `]`.
//!
//! Files hold a match per line: an optional count (`2 ` for a synchro pair), then that many games.

mod game;
mod read;

pub use super::clock::Clock;
pub use game::{GgfGame, Ply, Tag};
pub(super) use read::check_match_type;
