//! The end of a search: stop flag, clock and limit of nodes, shared by its threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::{Clock, Timer};
use crate::search::params::LOOK_NODES;
use crate::util::clock;

/// A stop flag that a search and its caller share; clones share it.
///
/// It also has the node count, so that callers can show progress between iterations. Later searches with the same flag
/// continue the count.
///
/// ```
/// use emilia_engine::search::Stop;
///
/// let stop = Stop::new();
/// let shared = stop.clone();
/// shared.request();
/// assert!(stop.is_requested());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<StopState>);

#[derive(Debug, Default)]
struct StopState {
    requested: AtomicBool,
    /// In microseconds of [`clock`]; 0 without an end.
    slice_end: AtomicU64,
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

    /// Whether a stop is requested, or the slice is over.
    #[inline(always)]
    pub fn is_requested(&self) -> bool {
        self.0.requested.load(Ordering::Relaxed) || self.is_slice_over()
    }

    /// Ends searches at this microsecond of [`clock`], as a request does; 0 for no end.
    pub(crate) fn end_slice_at(&self, micros: u64) {
        self.0.slice_end.store(micros, Ordering::Relaxed);
    }

    /// Whether only the end of the slice has come: the search goes on in another one.
    #[inline(always)]
    pub(crate) fn is_slice_over(&self) -> bool {
        let end = self.0.slice_end.load(Ordering::Relaxed);
        end != 0 && !self.0.requested.load(Ordering::Relaxed) && clock::micros() >= end
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

/// The bounds of one running search. Its threads report their nodes here.
pub(crate) struct Budget {
    pub stop: Stop,
    pub timer: Timer,
    /// The limit of nodes, all threads together.
    pub nodes: u64,
    /// The count of `stop` at the start of the search, less the nodes of its earlier slices; modulo 2^64.
    before: u64,
    ended: AtomicBool,
}

impl Budget {
    /// The bounds of a search that starts now.
    pub fn new(stop: &Stop, timer: Timer, nodes: Option<u64>) -> Self {
        Self {
            stop: stop.clone(),
            timer,
            nodes: nodes.unwrap_or(u64::MAX),
            before: stop.nodes(),
            ended: AtomicBool::new(false),
        }
    }

    /// The same for a search that has taken `spent` nodes in earlier slices.
    pub fn after(self, spent: u64) -> Self {
        Self {
            before: self.before.wrapping_sub(spent),
            ..self
        }
    }

    /// Only `stop` ends the search.
    pub fn unlimited(stop: &Stop) -> Self {
        Self::new(stop, Timer::new(Clock::Unlimited, 0), None)
    }

    /// Whether the search has ended, for any reason.
    #[inline(always)]
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Whether the threads have reported more than `grace` nodes over the limit.
    pub fn is_overspent(&self, grace: u64) -> bool {
        self.stop.nodes().wrapping_sub(self.before) > self.nodes.saturating_add(grace)
    }
}

/// The nodes of one thread, and its next look at the budget.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meter {
    pub nodes: u64,
    reported: u64,
    /// The thread looks again at this count of nodes.
    pub next_look: u64,
}

impl Meter {
    /// Whether it is time for a look.
    #[inline(always)]
    pub fn is_due(&self) -> bool {
        self.nodes >= self.next_look
    }

    /// Reports the nodes, checks all bounds and returns whether the search has ended.
    #[cold]
    #[inline(never)]
    pub fn look(&mut self, budget: &Budget) -> bool {
        let left = budget.nodes.saturating_sub(self.report(budget));
        self.next_look = self.nodes + left.clamp(1, LOOK_NODES);
        if left == 0 || budget.stop.is_requested() || budget.timer.is_over() {
            budget.ended.store(true, Ordering::Relaxed);
        }
        budget.has_ended()
    }

    /// Adds the nodes since the last report to those of all threads; returns those of the search.
    pub fn report(&mut self, budget: &Budget) -> u64 {
        let fresh = self.nodes - self.reported;
        self.reported = self.nodes;
        budget.stop.add_nodes(fresh).wrapping_sub(budget.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_looks_exactly_at_the_limit_and_then_at_every_node() {
        let stop = Stop::new();
        stop.add_nodes(7);
        let budget = Budget::new(
            &stop,
            Timer::new(Clock::Unlimited, 0),
            Some(LOOK_NODES + 100),
        );
        let mut meter = Meter::default();
        let mut looks = Vec::new();
        while looks.len() < 4 {
            if meter.is_due() {
                looks.push((meter.nodes, meter.look(&budget)));
            }
            meter.nodes += 1;
        }
        let limit = LOOK_NODES + 100;
        assert_eq!(
            looks,
            [
                (0, false),
                (LOOK_NODES, false),
                (limit, true),
                (limit + 1, true)
            ]
        );
        assert_eq!(stop.nodes(), 7 + limit + 1);
        assert!(
            budget.is_overspent(0) && !budget.is_overspent(1) && !budget.is_overspent(u64::MAX)
        );
    }
}
