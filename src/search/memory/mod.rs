//! What a search remembers of positions.

mod eval_cache;
mod transposition;

pub(super) use eval_cache::EvalCache;
pub(super) use transposition::{TableEntry, TranspositionTable};
