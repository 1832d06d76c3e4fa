//! A stop request and a node count, shared with a running search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A stop flag that a search and its caller share; clones share it.
///
/// It also has the node count, so that callers can show progress between iterations. Later searches with the same flag
/// continue the count.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<StopState>);

#[derive(Debug, Default)]
struct StopState {
    requested: AtomicBool,
    nodes: AtomicU64,
}

impl Stop {
    /// A flag without a request.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the search to end. Takes effect within a few milliseconds.
    pub fn request(&self) {
        self.0.requested.store(true, Ordering::Relaxed);
    }

    /// Withdraws the request: a search that begins now runs.
    pub fn withdraw(&self) {
        self.0.requested.store(false, Ordering::Relaxed);
    }

    /// Whether a stop is requested.
    #[inline(always)]
    pub fn is_requested(&self) -> bool {
        self.0.requested.load(Ordering::Relaxed)
    }

    /// Adds nodes to the count and returns the sum; a search calls it when it checks its clock.
    pub(crate) fn add_nodes(&self, nodes: u64) -> u64 {
        self.0.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes
    }

    /// Nodes counted so far; may lag behind the search by some thousands.
    pub fn nodes(&self) -> u64 {
        self.0.nodes.load(Ordering::Relaxed)
    }
}
