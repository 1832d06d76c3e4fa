//! The store of answers, and searches that use it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};

use super::output;
use crate::analysis::judge::{Judgement, Question};
use crate::analysis::store::Store;
use crate::search::{Observer, Search, SearchResult, Silent, Stop, Task};
use crate::util::program;

/// Options of the store; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct StoreArgs {
    /// Keep answers in this folder and reuse them instead of searching again.
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Largest size of the store, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256, requires = "store")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    store_size: u64,
}

impl StoreArgs {
    /// The fact for the record of a run: the folder whose answers it may hold.
    pub fn fact(&self) -> Option<String> {
        let folder = self.store.as_ref()?;
        Some(format!("--store {}", folder.display()))
    }

    /// Opens the store, if the options name one, for searches by `weights` with `hash` MiB on `threads` threads.
    pub fn open(
        &self,
        weights: &str,
        hash: usize,
        threads: usize,
        is_literal: bool,
    ) -> Result<Option<Arc<Store>>> {
        let Some(folder) = &self.store else {
            return Ok(None);
        };
        let searcher = format!(
            "{}, {weights}, {hash} MiB, {threads} threads",
            this_program()?
        );
        let limit = self.store_size << 20;
        let store = Store::open(folder, limit, searcher, is_literal, |text| {
            output::message(text)
        });
        Ok(Some(Arc::new(store.context("option --store")?)))
    }
}

/// As [`program::identity`].
pub fn this_program() -> Result<String> {
    program::identity().context("reading the program")
}

/// Prints the use of the store to stderr.
pub fn report(store: Option<&Store>) {
    if let Some(store) = store {
        output::message(store);
    }
}

/// The stored answer to `task`, without nodes or time.
pub fn find(store: Option<&Store>, task: &Task) -> Option<SearchResult> {
    let Judgement { mut info, .. } = store?.find(&Question::of(*task))?;
    info.nodes = 0;
    let best = info.lines.first().and_then(|line| line.pv.first().copied());
    Some(SearchResult {
        best,
        info,
        stopped: false,
    })
}

/// Searches from an empty table, so that a position takes the same nodes in any file, and stores the answer.
pub fn search(
    store: Option<&Store>,
    search: &mut Search,
    task: &Task,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> SearchResult {
    search.clear();
    let result = search.run_with(task, stop, observer);
    if let Some(store) = store.filter(|_| !stop.is_requested()) {
        store.keep(
            &Question::of(*task),
            &Judgement {
                info: result.info.clone(),
                played: None,
            },
        );
    }
    result
}

/// The stored answer, or that of a search.
pub fn answer(store: Option<&Store>, with: &mut Search, task: &Task) -> SearchResult {
    find(store, task).unwrap_or_else(|| search(store, with, task, &Stop::new(), &mut Silent))
}
