//! Where answers are kept, and searches that need not be made because they are.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};

use super::output;
use crate::analysis::judge::{Judgement, Question};
use crate::analysis::store::Store;
use crate::search::{Observer, Search, SearchResult, Silent, Stop, Task};

/// Whether answers are kept; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct StoreArgs {
    /// Keep answers in this folder, and search nothing that is answered there.
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Most that the store takes, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256, requires = "store")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    store_size: u64,
}

impl StoreArgs {
    /// The store, if there is to be one, for searches by `weights` with `hash` MiB on so many threads.
    ///
    /// # Errors
    /// When its folder cannot be made, or its file is none of a store.
    pub fn open(
        &self,
        weights: &str,
        hash: usize,
        threads: usize,
        is_literal: bool,
    ) -> Result<Option<Arc<Store>>> {
        let Some(folder) = &self.store else { return Ok(None) };
        let searcher = format!("{}, {weights}, {hash} MiB, {threads} threads", program()?);
        let limit = self.store_size << 20;
        let store = Store::open(folder, limit, searcher, is_literal, |text| output::message(text));
        Ok(Some(Arc::new(store.context("option --store")?)))
    }
}

/// What tells this program from any that might answer otherwise: its commit, or without one its bytes.
fn program() -> Result<String> {
    let version = env!("EMILIA_VERSION");
    if version.ends_with(')') && !version.ends_with("-dirty)") {
        return Ok(version.to_owned());
    }
    let path = std::env::current_exe().context("finding the program")?;
    let bytes = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
    Ok(format!("{version} {:08x}", crc32fast::hash(&bytes)))
}

/// Tells what the store was good for.
pub fn tell(store: Option<&Store>) {
    if let Some(store) = store {
        output::message(store);
    }
}

/// The answer that is kept to `task`, if one is: without nodes or time.
pub fn find(store: Option<&Store>, task: &Task) -> Option<SearchResult> {
    let Judgement { mut info, .. } = store?.find(&Question::of(*task))?;
    info.nodes = 0;
    let best = info.lines.first().and_then(|line| line.pv.first().copied());
    Some(SearchResult { best, info, stopped: false })
}

/// Searches from an empty table, so that a position takes the same nodes alone and in any file, and keeps the answer.
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
        store.keep(&Question::of(*task), &Judgement { info: result.info.clone(), played: None });
    }
    result
}

/// The answer that is kept, or that of a search.
pub fn answer(store: Option<&Store>, with: &mut Search, task: &Task) -> SearchResult {
    find(store, task).unwrap_or_else(|| search(store, with, task, &Stop::new(), &mut Silent))
}
