//! The line between a running search and the outside: a stop request in, the node count out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A flag shared by the one who stops a search and the search; clones share it.
///
/// It also holds the count of nodes, the only one there is, so that progress can be shown between
/// iterations. Searches that use one after the other go on counting.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<StopState>);

#[derive(Debug, Default)]
struct StopState {
    requested: AtomicBool,
    nodes: AtomicU64,
}

impl Stop {
    /// A flag not yet raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the search to end. Takes effect within a few milliseconds.
    pub fn request(&self) {
        self.0.requested.store(true, Ordering::Relaxed);
    }

    /// Takes the wish back: a search that begins now runs.
    pub fn withdraw(&self) {
        self.0.requested.store(false, Ordering::Relaxed);
    }

    /// Whether the search has been asked to end.
    #[inline(always)]
    pub fn is_requested(&self) -> bool {
        self.0.requested.load(Ordering::Relaxed)
    }

    /// Adds nodes to the count and returns the sum; a search calls it where it checks its clock.
    pub(crate) fn add_nodes(&self, nodes: u64) -> u64 {
        self.0.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes
    }

    /// Nodes counted so far; may lag behind the search by some thousands.
    pub fn nodes(&self) -> u64 {
        self.0.nodes.load(Ordering::Relaxed)
    }
}
