//! One searching thread: what it owns and what it shares.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::board::zobrist::Key;
use crate::board::{Board, Square};
use crate::eval::Evaluator;

use super::counters::Counters;
use super::endgame::{CacheSizes, Solver};
use super::node::{MAX_PLY, Node, Path};
use super::parallel::{NO_SPLIT, Pool};
use super::params::POLL_NODES;
use super::scores::Scores;
use super::time::Timer;
use super::transposition::{Entry, Table};
use super::{Selectivity, Stop};

/// What all threads of one search share.
pub(super) struct Shared<'a> {
    pub evaluator: &'a Evaluator,
    pub table: &'a Table,
    pub stop: &'a Stop,
    pub timer: Timer,
    pub node_limit: u64,
    /// What `stop` had counted when the search began.
    pub nodes_before: u64,
    /// The search must end, for whatever reason.
    pub ended: AtomicBool,
    pub pool: Pool,
}

/// What a thread keeps from one search to the next.
pub(super) struct Memory {
    pub solver: Solver,
    /// Static scores of positions met lately.
    pub scores: Scores,
}

impl Memory {
    pub fn new() -> Self {
        Self { solver: Solver::new(CacheSizes::default()), scores: Scores::new() }
    }
}

/// A thread's own part of the search.
pub(super) struct Worker<'a> {
    /// Number of the thread, the main one being 0.
    pub id: usize,
    /// The split point that this thread works at.
    pub split: usize,
    pub shared: &'a Shared<'a>,
    pub evaluator: &'a Evaluator,
    pub table: &'a Table,
    pub solver: &'a mut Solver,
    pub scores: &'a mut Scores,
    pub counters: Counters,
    /// The search has ended and every value on the way out means nothing.
    pub stopped: bool,
    /// Neither clock nor stop flag end the first iteration, so there is always a move to play.
    pub unstoppable: bool,
    /// How much may be left out at present.
    pub selectivity: Selectivity,
    /// ProbCut searches that the present node lies in.
    pub probcut_level: i32,
    /// Squares considered at the root.
    pub root_mask: u64,
    /// Table entries serve only a search of the very same depth: every result then equals minimax.
    pub strict: bool,
    /// The line of each open-window node on the path.
    pub paths: Box<[Path; MAX_PLY]>,
    next_poll: u64,
    reported: u64,
}

impl<'a> Worker<'a> {
    pub fn new(id: usize, shared: &'a Shared<'a>, memory: &'a mut Memory) -> Self {
        let Memory { solver, scores } = memory;
        solver.set_stop(shared.stop.clone());
        Self {
            id,
            split: NO_SPLIT,
            shared,
            evaluator: shared.evaluator,
            table: shared.table,
            solver,
            scores,
            counters: Counters::default(),
            stopped: false,
            unstoppable: false,
            selectivity: Selectivity::Full,
            probcut_level: 0,
            root_mask: !0,
            strict: false,
            paths: Box::new([Path::EMPTY; MAX_PLY]),
            next_poll: 0,
            reported: 0,
        }
    }

    /// Whether the search has ended; looks at clock and stop flag once in a while.
    #[inline(always)]
    pub fn has_ended(&mut self) -> bool {
        if self.counters.nodes >= self.next_poll {
            self.poll();
        }
        self.stopped |= self.is_cut_off();
        self.stopped
    }

    #[cold]
    fn poll(&mut self) {
        let shared = self.shared;
        let total = self.report();
        let left = shared.node_limit.saturating_sub(total);
        self.next_poll = self.counters.nodes + left.clamp(1, POLL_NODES as u64);
        if left == 0 || shared.stop.is_requested() || shared.timer.is_over() {
            shared.ended.store(true, Ordering::Relaxed);
        }
        self.stopped = !self.unstoppable && shared.ended.load(Ordering::Relaxed);
    }

    /// Adds this thread's nodes to those of all; the sum.
    pub fn report(&mut self) -> u64 {
        let fresh = self.counters.nodes - self.reported;
        self.reported = self.counters.nodes;
        self.shared.stop.add_nodes(fresh) - self.shared.nodes_before
    }

    /// The static score of `node` in 1/128 disc.
    #[inline(always)]
    pub fn evaluate(&mut self, node: &Node) -> i32 {
        let evaluator = self.evaluator;
        self.scores.get(node.board.hash(), || node.evaluate(evaluator))
    }

    /// What the table knows of `board`.
    #[inline(always)]
    pub fn probe(&mut self, key: Key, board: Board) -> Option<Entry> {
        let entry = self.table.probe(key, board);
        self.counters.probes += 1;
        self.counters.hits += u64::from(entry.is_some());
        entry
    }

    /// Whether the bounds of `entry` hold for a search of `depth` at the present selectivity.
    #[inline(always)]
    pub fn serves(&self, entry: &Entry, depth: i32) -> bool {
        entry.serves(depth as u8, self.selectivity) && (!self.strict || i32::from(entry.depth) == depth)
    }

    /// The line of `node` becomes `square` and the line below it.
    #[inline]
    pub fn set_path(&mut self, ply: usize, square: Option<Square>) {
        let code = square.map_or(Path::PASS, |square| square.index() as u8);
        if let Some((path, [below, ..])) = self.paths[ply..].split_first_mut() {
            path.set(code, below);
        }
    }
}
