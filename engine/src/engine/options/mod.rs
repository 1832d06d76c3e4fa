//! The options of an engine: each with its range, its default and a typed error.

mod level;
mod strength;

pub use level::Level;
pub use strength::{Elo, Strength};

use std::path::PathBuf;
use std::sync::Arc;

use crate::eval::{EvalKind, Evaluator};
use crate::search::{self, Tuning};
use crate::util::builders::builders;

/// The settings of an engine.
#[derive(Clone, Debug)]
pub struct Options {
    /// Search threads, `1..=256`.
    pub threads: usize,
    /// Size of the transposition table in MiB, `1..=65536`.
    pub hash_mib: usize,
    /// The evaluation; without one, the best that there are weights for.
    pub evaluation: Option<EvalKind>,
    /// The weights of a learned evaluation; the built-in ones without.
    pub weights: Option<PathBuf>,
    /// A loaded evaluation, which engines can share; it overrides `evaluation` and `weights`.
    pub evaluator: Option<Arc<Evaluator>>,
    /// Other values for the numbers of the search.
    #[doc(hidden)]
    pub tuning: Tuning,
}

impl Options {
    /// Those of the searcher.
    pub fn search(&self) -> search::Options {
        search::Options {
            threads: self.threads,
            hash_mib: self.hash_mib,
        }
    }
}

builders! {
    Options:
    /// Sets the number of search threads.
    with_threads(threads: usize);
    /// Sets the size of the transposition table in MiB.
    with_hash_mib(hash_mib: usize);
    /// Sets the evaluation.
    with_evaluation(evaluation: impl Into<Option<EvalKind>>);
    /// Sets the file of weights.
    with_weights(weights: impl Into<Option<PathBuf>>);
    /// Sets a loaded evaluation.
    with_evaluator(evaluator: impl Into<Option<Arc<Evaluator>>>);
    /// Sets other values for the numbers of the search.
    #[doc(hidden)]
    with_tuning(tuning: Tuning);
}

impl Default for Options {
    fn default() -> Self {
        let search::Options { threads, hash_mib } = search::Options::default();
        Self {
            threads,
            hash_mib,
            evaluation: None,
            weights: None,
            evaluator: None,
            tuning: Tuning::default(),
        }
    }
}
