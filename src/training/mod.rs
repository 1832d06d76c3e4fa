//! Learning an evaluation: labelled positions, self-play, fitting, measuring.
//!
//! ```text
//! games, random prefixes → selfplay → records on disk → dataset (no duplicates, part held out)
//!   → fit (linear, network) → eval/weights.bin → error by empties
//! ```

pub mod calibration;
pub mod dataset;
#[cfg(test)]
mod definition;
pub mod error;
pub mod explanation;
pub mod fit;
pub mod foretold;
pub mod head;
pub mod linear;
pub mod linear_parameters;
pub mod margins;
mod minimum;
pub mod network;
pub mod parameters;
pub mod probcut;
mod quantize;
pub mod records;
pub mod reliability;
pub mod selfplay;
pub mod tables;
pub mod theory;
pub mod tying;
