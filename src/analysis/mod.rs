#![doc = include_str!("README.md")]
//!
//! # Inside
//!
//! `line → request (pure) → pool: queue, threads, order → work: search → answer (plain data) → line`.

pub mod answer;
pub mod bounds;
mod fields;
pub mod judge;
mod pool;
pub mod reasons;
pub mod request;
mod resume;
pub mod schema;
mod work;

pub use fields::Fault;
pub use pool::Pool;
pub use resume::Done;
pub use schema::SCHEMA;

use std::sync::Arc;

use crate::engine::{Level, Opening};
use crate::eval::Evaluator;
use crate::search::{Clock, Limits};

/// What a request is where it does not say.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    /// Bounds of a search.
    pub limits: Limits,
    /// How many of the best moves to report.
    pub moves: usize,
    /// Whether chances to win are known for the evaluation: they are for the embedded network.
    pub calibrated: bool,
    /// Whether the same input must give the same bytes: what cannot is refused.
    pub reproducible: bool,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            limits: Level::default().limits(Clock::Unlimited),
            moves: 1,
            calibrated: true,
            reproducible: false,
        }
    }
}

/// Everything an analysis session is told before it begins.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Positions searched side by side, at least 1; each by one thread.
    pub threads: usize,
    /// Size of each thread's transposition table in MiB.
    pub hash_mib: usize,
    /// How many positions may be under way; the reader waits when there are as many.
    pub queue: usize,
    /// Whether answers keep the order of the requests.
    pub in_order: bool,
    /// What a request is where it does not say.
    pub defaults: Defaults,
    /// The evaluation, shared by all threads.
    pub evaluator: Arc<Evaluator>,
    /// What answers call the evaluation.
    pub weights: String,
    /// The opening book, if answers shall tell what it knows.
    pub book: Option<Arc<Opening>>,
}

/// What the tests of sessions and of the pool share.
#[cfg(test)]
pub mod testing {
    use super::*;

    /// Small searches by the classic evaluation.
    pub fn settings(threads: usize, queue: usize) -> Settings {
        Settings {
            threads,
            hash_mib: 1,
            queue,
            in_order: false,
            defaults: Defaults { limits: Limits::depth(3), ..Defaults::default() },
            evaluator: Arc::new(Evaluator::classic()),
            weights: "classic".to_owned(),
            book: None,
        }
    }
}
