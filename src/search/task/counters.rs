//! What a search counts while it runs.

use std::ops::AddAssign;

/// Events of one search, one thread or all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Positions visited: interior nodes, evaluated leaves, nodes of the endgame solver.
    pub nodes: u64,
    /// Positions looked up in the transposition table.
    pub probes: u64,
    /// Look-ups that found the position.
    pub hits: u64,
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.probes += other.probes;
        self.hits += other.hits;
    }
}
