//! Matches between engines: players, referee, openings, runner, statistics; and tuning by them.

pub mod conform;
pub mod ladder;
pub mod ledger;
pub mod log;
pub mod openings;
pub mod player;
pub mod process;
pub mod referee;
pub mod runner;
pub mod spec;
pub mod standings;
pub mod stats;
pub mod tune;

use std::sync::{Arc, OnceLock};

use crate::eval::Evaluator;

/// The best evaluation there is, made once.
fn evaluator() -> Arc<Evaluator> {
    static EVALUATOR: OnceLock<Arc<Evaluator>> = OnceLock::new();
    EVALUATOR.get_or_init(Default::default).clone()
}
