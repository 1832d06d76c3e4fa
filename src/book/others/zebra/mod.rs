//! Zebra's books: `.bin` and `.cmp`.
//!
//! ```text
//! .bin  2718 i16 · 2818 i16 · nodes i32 · nodes × (hash 2 × i32 · score for Black, for White i16 · deviation i16
//!       · its score i16 · flags u16)
//! .cmp  nodes i32 · moves i32 · children of each node i16 · moves i16 · scores 2 × i16 · deviations i16
//!       · their scores i16 · flags u16
//! ```
//!
//! There are no boards: they are found by play from the start (`.bin`) or along the moves (`.cmp`), so the nodes are
//! held in memory, 21 bytes each. A deviation is the best move that leads out of the book, 10 · row + column on the
//! image that the hash names. Scores are Black's.

mod bin;
mod cmp;
mod hash;
mod node;

#[cfg(test)]
pub mod testing;

pub use bin::items;
pub use cmp::packed_items;
