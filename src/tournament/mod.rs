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

use crate::eval::{Evaluator, WeightsError};

/// The best evaluation there is, made once.
///
/// # Errors
/// When memory is short.
fn evaluator() -> Result<Arc<Evaluator>, WeightsError> {
    static EVALUATOR: OnceLock<Arc<Evaluator>> = OnceLock::new();
    if let Some(made) = EVALUATOR.get() {
        return Ok(made.clone());
    }
    let made = Arc::new(Evaluator::load(None, None)?);
    Ok(EVALUATOR.get_or_init(|| made).clone())
}
