//! Matches between engines, tuning by them, and whether an engine keeps to its protocol.
//!
//! ```text
//! spec (a player's name) → player (process, our engine, ladder) ─┐
//! openings ──────────────────────────────────────────────────────┴→ runner → referee (one game)
//!   → log (the game file; identity tells whose; pgn beside it) → ledger (what counts) → stats → rating → standings
//! tune      values of the search by games (SPSA)
//! conform   the conformance list of both protocols
//! ```

pub mod conform;
pub mod identity;
pub mod ladder;
pub mod ledger;
pub mod log;
pub mod openings;
pub mod pgn;
pub mod player;
pub mod process;
pub mod rating;
pub mod referee;
pub mod runner;
pub mod spec;
pub mod standings;
pub mod stats;
pub mod terms;
pub mod tune;

use std::sync::{Arc, OnceLock};

use crate::eval::Evaluator;

/// The best evaluation there is, made once.
fn evaluator() -> Arc<Evaluator> {
    static EVALUATOR: OnceLock<Arc<Evaluator>> = OnceLock::new();
    EVALUATOR.get_or_init(Default::default).clone()
}
