//! Zebra's books: `.bin` and `.cmp`.
//!
//! ```text
//! .bin  2718 i16 · 2818 i16 · nodes i32 · nodes × (hash 2 × i32 · score for Black, for White i16 · deviation i16
//!       · its score i16 · flags u16)
//! .cmp  nodes i32 · moves i32 · children of each node i16 · moves i16 · scores 2 × i16 · deviations i16
//!       · their scores i16 · flags u16
//! ```
//!
//! There are no boards: play from the start (`.bin`) or along the moves (`.cmp`) finds them, so memory holds the nodes,
//! 21 bytes each. A deviation is the best move out of the book, 10 · row + column on the image of the hash. Scores are
//! Black's.

mod bin;
mod cmp;
mod hash;
mod node;

#[cfg(test)]
pub mod testing;

pub use bin::items;
pub use cmp::packed_items;
