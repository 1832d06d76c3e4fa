//! Learning an evaluation: labelled positions, self-play, fitting, measuring.
//!
//! ```text
//! games, random prefixes → selfplay → records on disk → dataset (no duplicates, part held out)
//!   → fit (linear, network) → eval/weights.bin → error by empties
//! ```

pub mod dataset;
pub mod head;
pub mod probcut;
pub mod records;
pub mod selfplay;
pub mod tables;
pub mod tying;
