//! Labeled positions: made by play and search, taken from games, kept on disk, read for learning.

pub mod correction;
pub mod dataset;
pub mod records;
pub mod selfplay;
pub mod wthor;
