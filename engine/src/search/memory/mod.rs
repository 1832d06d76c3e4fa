//! The tables of a search.

mod eval_cache;
mod transposition;

pub(super) use eval_cache::EvalCache;
pub(super) use transposition::{TableEntry, TranspositionTable};
