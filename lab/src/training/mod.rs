//! Everything that is fitted to data: the evaluation and the constants that depend on it.
//!
//! ```text
//! labels    games, random prefixes → selfplay → records on disk → dataset (no duplicates, part held out);
//!           exact labels of the WTHOR base; correction of labels by searches
//! fit       network (head, tables, orbits, parts of rows) → floats (parameters) → quantize
//!           → eval/weights.bin → errors by empties
//! probcut   deviations behind ProbCut → search/tree/probcut_table.rs; reliability counts how often they hold
//! chances   chances to win and margins of scores → engine/chances.rs
//! people    the model of people's moves → engine/people/weights.bin
//! worth     values of the facts of sentences → sentences/worth.rs
//! ```

pub mod chances;
mod equations;
pub mod fit;
pub mod labels;
pub mod people;
pub mod probcut;
pub mod worth;
