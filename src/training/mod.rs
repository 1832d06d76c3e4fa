//! Learning an evaluation, and what its values and searches are worth: all that is fitted to data.
//!
//! ```text
//! games, random prefixes → selfplay → records on disk → dataset (no duplicates, part held out)
//!   → fit: linear · network (head, tables, tying) → floats (parameters, definition) → quantize
//!   → eval/weights.bin → error by empties
//! theory        exact labels of the WTHOR base; correction, what labels of searches did not know
//! probcut       deviations behind ProbCut → search/tree/probcut_table.rs; reliability counts how often they hold
//! calibration   chances to win and margins of scores → engine/chances.rs (foretold, margins, minimum)
//! explanation   weights of the terms behind `emilia explain` → eval/explain
//! ```

pub mod calibration;
pub mod correction;
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
