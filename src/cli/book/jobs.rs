//! Positions searched side by side, by `grow` and `verify --deeper`.

use std::sync::Arc;

use anyhow::Result;

use crate::analysis::store::Store;
use crate::book::SearchLevel;
use crate::cli::search_args::EvalArgs;
use crate::cli::store_args::StoreArgs;
use crate::engine::Options;
use crate::search::{self, Limits, Search, Selectivity};

/// How many searches at once, and with what.
#[derive(clap::Args)]
#[command(next_help_heading = "Engine")]
pub struct JobArgs {
    /// Positions searched side by side, one thread each
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = Options::parse_threads)]
    jobs: usize,
    /// Size of the hash table of each job, in MiB
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = Options::parse_hash_mib)]
    hash: usize,
    #[command(flatten)]
    eval: EvalArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl JobArgs {
    /// A searcher for each job, and the store that all of them share.
    pub fn searches(&self) -> Result<(Vec<Search>, Option<Arc<Store>>)> {
        let evaluator = Arc::new(self.eval.evaluator()?);
        let store = self.store.open(&self.eval.name(&evaluator)?, self.hash, 1, false)?;
        let options = search::Options { threads: 1, hash_mib: self.hash };
        let searches = (0..self.jobs).map(|_| Search::new(&options, Arc::clone(&evaluator)));
        Ok((searches.collect(), store))
    }
}

/// The bounds of a search at this level.
pub fn limits(level: SearchLevel) -> Limits {
    let selectivity = Selectivity::from_percent(level.percent.into());
    let limits = Limits::depth(level.depth);
    Limits { selectivity: selectivity.unwrap_or(limits.selectivity), ..limits }
}
