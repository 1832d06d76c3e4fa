#![doc = include_str!("README.md")]
//!
//! # Inside
//!
//! `line → request (pure) → workers: queue, threads, order → work: search or store → answer (plain data) → line`.

pub mod answer;
mod check;
mod fields;
pub mod find;
pub mod judge;
pub mod line;
pub mod request;
mod resume;
pub mod schema;
mod short;
pub mod store;
mod summary;
pub mod wire;
pub mod words;
mod work;
mod workers;

pub use crate::sentences::Grade;
pub use fields::{Fault, Whole};
#[cfg(test)]
pub use resume::testing as resume_testing;
pub use resume::{Changed, Done, Earlier, Record, recorded_options};
pub use schema::schema;
pub use short::ShortFields;
pub use summary::{Summary, Totals, is_summary};
pub use workers::{Batch, Workers};

use std::sync::Arc;
use std::time::Duration;

use crate::engine::people::Rating;
use crate::engine::{Level, Opening};
use crate::eval::Evaluator;
use crate::search::{Clock, Limits};
use crate::sentences::Language;
use store::Store;

/// The page of the analysis stream, with a table of all fields.
pub const PAGE: &str = include_str!("README.md");

#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    pub limits: Limits,
    pub moves: usize,
    /// Whether chances to win are known for the evaluation: they are for the embedded network.
    pub calibrated: bool,
    /// The language of sentences about moves, if answers shall have them.
    pub why: Option<Language>,
    /// The rating of the player whose chances to find the moves are added.
    pub rating: Option<Rating>,
    /// The most discs that a trap may cost.
    pub trap: Option<f64>,
    /// Whether the same input must give the same bytes.
    pub reproducible: bool,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            limits: Level::default().limits(Clock::Unlimited),
            moves: 1,
            calibrated: true,
            why: None,
            rating: None,
            trap: None,
            reproducible: false,
        }
    }
}

#[derive(Clone)]
pub struct Settings {
    /// Positions searched side by side, at least 1; each by one thread.
    pub jobs: usize,
    /// Size of each thread's transposition table in MiB.
    pub hash_mib: usize,
    /// How many positions may be under way; the reader waits when there are as many.
    pub queue: usize,
    pub in_order: bool,
    pub defaults: Defaults,
    pub evaluator: Arc<Evaluator>,
    /// The name of the evaluation in answers.
    pub weights: String,
    /// The opening book for the field `book`.
    pub book: Option<Arc<Opening>>,
    /// The fields of short answers; `None` for whole answers.
    pub fields: Option<ShortFields>,
    pub store: Option<Arc<Store>>,
    /// The time of all searches together, from [`Workers::start`] on: each position gets an equal share of the time left.
    /// All requests come before the start.
    pub budget: Option<Duration>,
}

#[cfg(test)]
pub mod testing {
    use super::*;
    use crate::board::{Move, Position, Score};
    use crate::search::{Info, Line, Proof, Selectivity};

    /// A position with a made-up score and best move.
    pub fn judged(position: Position, score: f64, best: Option<Move>) -> answer::Judged {
        let score = Score::nearest(score);
        let selectivity = Selectivity::P73;
        let line = Line {
            pv: best.into_iter().collect(),
            bound: score,
            depth: 4,
            selectivity,
            proof: Proof::None,
        };
        let info = Info {
            lines: vec![line],
            nodes: 1,
            time: Duration::ZERO,
        };
        answer::Judged::new(position, &info, false, "made up")
    }

    pub fn settings(jobs: usize, queue: usize) -> Settings {
        Settings {
            jobs,
            hash_mib: 1,
            queue,
            in_order: false,
            defaults: Defaults {
                limits: Limits::depth(3),
                ..Defaults::default()
            },
            evaluator: Arc::new(Evaluator::Classic),
            weights: "classic".to_owned(),
            book: None,
            fields: None,
            store: None,
            budget: None,
        }
    }
}
