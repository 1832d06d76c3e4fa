//! The state of a solver: caches, scratch, counts.

use std::sync::Arc;

use super::cache::Cache;
use crate::board::Board;
use crate::search::params::{FAR_CACHE_BITS, NEAR_CACHE_BITS};
use crate::search::task::{Budget, Meter, Stop};

/// Room for the legal moves of any board: drawn ones can have more than the 33 or so of real games.
pub(in crate::search) const MAX_MOVES: usize = 64;

/// A move of a node, with the position it leads to.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) board: Board,
    /// The moves of the side to move there.
    pub(super) known: u64,
    /// Smaller is tried earlier.
    pub(super) rank: i32,
}

impl Child {
    /// Fills lists where there is no move.
    pub(super) const NONE: Self = Self {
        board: Board {
            player: 0,
            opponent: 0,
        },
        known: 0,
        rank: 0,
    };
}

/// Sizes of a solver's caches, in bits: base-2 logarithms of their numbers of 16-byte entries, `0..=30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSizes {
    /// For positions of few empties; should fit the fast caches of one core.
    pub near: u32,
    /// For the larger ones.
    pub far: u32,
}

impl Default for CacheSizes {
    fn default() -> Self {
        Self {
            near: NEAR_CACHE_BITS,
            far: FAR_CACHE_BITS,
        }
    }
}

/// A solver with its caches: one per thread, made once and kept.
pub struct Solver {
    pub(super) near: Cache,
    pub(super) far: Cache,
    /// Scratch for the moves of one node per number of empties.
    pub(super) children: Box<[[Child; MAX_MOVES]; 65]>,
    pub(super) meter: Meter,
    budget: Arc<Budget>,
    /// Continues after the end of the search.
    pub(in crate::search) unstoppable: bool,
    pub(super) stopped: bool,
}

impl Solver {
    /// A solver with empty caches.
    pub fn new(sizes: CacheSizes) -> Self {
        Self {
            near: Cache::new(sizes.near),
            far: Cache::new(sizes.far),
            children: Box::new([[Child::NONE; MAX_MOVES]; 65]),
            meter: Meter::default(),
            budget: Arc::new(Budget::unlimited(&Stop::new())),
            unstoppable: false,
            stopped: false,
        }
    }

    /// Checks `budget` from now on: a solve of `LOOK_EMPTIES` or more ends early when the search has ended.
    pub(in crate::search) fn set_budget(&mut self, budget: Arc<Budget>) {
        self.budget = budget;
        self.unstoppable = false;
        self.stopped = false;
    }

    /// Runs `solve` on the nodes of `meter`, which a search shares with its solver.
    #[inline(always)]
    pub(in crate::search) fn metered<T>(
        &mut self,
        meter: &mut Meter,
        solve: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.meter = *meter;
        let value = solve(self);
        *meter = self.meter;
        value
    }

    /// Reports the nodes and returns whether the search has ended.
    pub(super) fn look(&mut self) -> bool {
        self.stopped |= self.meter.look(&self.budget) && !self.unstoppable;
        self.stopped
    }

    /// Whether a solve since the last [`Self::set_budget`] was aborted; its value is then void.
    #[inline(always)]
    pub fn was_stopped(&self) -> bool {
        self.stopped
    }

    /// Clears the caches.
    pub fn clear(&mut self) {
        self.near.clear();
        self.far.clear();
    }
}
