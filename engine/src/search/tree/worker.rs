//! One searching thread. The searches are methods of [`Worker`] in the other files of this folder.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::killers::Killers;
use super::node::{MAX_PLY, Node, Path, Window};
use super::ordering::Moves;
use crate::board::zobrist::Key;
use crate::board::{Board, Square};
use crate::eval::Evaluator;
use crate::search::endgame::{CacheSizes, Solver};
use crate::search::memory::{EvalCache, TableEntry, TranspositionTable};
use crate::search::task::{Budget, Counters, Meter, Selectivity};
use crate::search::threads::{Crew, Pool, Split, TICK_NODES};
use crate::search::tuning::Tuning;

/// The state that all threads of one search share.
pub(in crate::search) struct SearchState {
    pub evaluator: Arc<Evaluator>,
    pub table: TranspositionTable,
    pub budget: Arc<Budget>,
    pub pool: Pool<SplitPoint>,
    pub crew: Arc<Crew<Self, ThreadMemory>>,
    pub tuning: Tuning,
    /// Times that the caches have been cleared.
    pub clears: u64,
    /// The counts of helpers that have left.
    pub helped: Mutex<Counters>,
}

/// Ends the helpers' part in a search when dropped, also in a panic.
pub(in crate::search) struct EndHelpers<'a>(&'a SearchState);

impl SearchState {
    /// Helpers may take part until the result is dropped.
    pub fn begin(self: &Arc<Self>) -> EndHelpers<'_> {
        self.crew.begin(self);
        EndHelpers(self)
    }
}

impl Drop for EndHelpers<'_> {
    fn drop(&mut self) {
        self.0.pool.finish();
        self.0.crew.end();
    }
}

/// The best move of a node so far, and its value.
#[derive(Clone, Copy)]
pub(in crate::search) struct Best {
    pub value: i32,
    pub square: Option<Square>,
}

/// A node whose moves are shared, and the state of its search.
#[derive(Clone, Copy)]
pub(in crate::search) struct Frame {
    pub node: Node,
    /// The node may be on the principal variation.
    pub pv: bool,
    /// The search is a solving one.
    pub solving: bool,
    /// Depth of the children, plies.
    pub depth: i32,
    /// The window when it was opened.
    pub window: Window,
    pub selectivity: Selectivity,
    pub probcut_level: i32,
    /// The moves that led to the node, for killer moves.
    pub moves_before: [usize; 2],
}

impl Frame {
    /// A null window of five plies at a root, to try split points.
    pub fn null_window(node: Node) -> Self {
        Self {
            node,
            pv: false,
            solving: false,
            depth: 5,
            window: Window { alpha: -1, beta: 0 },
            selectivity: Selectivity::Full,
            probcut_level: 0,
            moves_before: [0; 2],
        }
    }
}

/// The loop over the moves of a node that are shared.
pub(in crate::search) struct SplitPoint {
    pub frame: Frame,
    pub moves: Moves,
    pub best: SharedBest,
    /// The line of `best`, if it may be on the principal variation.
    pub path: Mutex<Path>,
}

/// The best move so far, in one word: the square below the value.
pub(in crate::search) struct SharedBest(AtomicU64);

impl SharedBest {
    /// Bits of the square.
    const SQUARE: u32 = 8;
    /// Makes all values positive.
    const OFFSET: i32 = 1 << 20;

    pub fn new(best: Best) -> Self {
        Self(AtomicU64::new(Self::pack(best)))
    }

    fn pack(Best { value, square }: Best) -> u64 {
        let square = square.map_or(u64::from(u8::MAX), |square| square.index() as u64);
        ((value + Self::OFFSET) as u64) << Self::SQUARE | square
    }

    pub fn get(&self) -> Best {
        let word = self.0.load(Ordering::Acquire);
        Best {
            value: (word >> Self::SQUARE) as i32 - Self::OFFSET,
            square: Square::new(word as u8),
        }
    }

    /// Keeps `new` if its value is higher.
    pub fn raise(&self, new: Best) {
        let new = Self::pack(new);
        let higher = |old| (new >> Self::SQUARE > old >> Self::SQUARE).then_some(new);
        let _ = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, higher);
    }
}

impl SplitPoint {
    /// A loop without moves.
    pub fn new(frame: Frame) -> Self {
        Self {
            frame,
            moves: Moves::new(frame.node.board, 0),
            best: SharedBest(AtomicU64::new(0)),
            path: Mutex::new(Path::EMPTY),
        }
    }

    /// Becomes the loop over the rest of `moves`.
    pub fn begin(&mut self, frame: Frame, moves: &Moves, best: Best) {
        self.frame = frame;
        self.moves.copy_sorted(moves);
        self.best = SharedBest::new(best);
        let path = self.path.get_mut();
        path.unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The window for the next move.
    pub fn window(&self) -> Window {
        let window = self.frame.window;
        Window {
            alpha: window.alpha.max(self.best.get().value),
            ..window
        }
    }
}

/// A thread's caches, which persist between searches.
pub(in crate::search) struct ThreadMemory {
    pub solver: Solver,
    pub eval_cache: EvalCache,
    /// As in [`SearchState`], at the thread's last search.
    clears: u64,
}

impl Default for ThreadMemory {
    fn default() -> Self {
        Self {
            solver: Solver::new(CacheSizes::default()),
            eval_cache: EvalCache::new(),
            clears: 0,
        }
    }
}

/// The moves of the root in the running iteration, and its findings so far.
pub(in crate::search) struct RootMoves {
    pub searched: u64,
    /// Squares that these represent, by the symmetry of the position.
    pub covered: u64,
    pub first: Option<Square>,
    /// The last move that proved better than those before it: value, line, and whether the value is a lower bound.
    pub best: Option<(i32, Path, bool)>,
}

impl RootMoves {
    pub const fn new(searched: u64, covered: u64) -> Self {
        Self {
            searched,
            covered,
            first: None,
            best: None,
        }
    }
}

/// A thread's own part of the search.
pub(in crate::search) struct Worker<'a> {
    pub shared: &'a SearchState,
    pub evaluator: &'a Evaluator,
    /// Number of the thread, the main one being 0.
    pub id: usize,
    pub solver: &'a mut Solver,
    pub eval_cache: &'a mut EvalCache,
    /// Table entries serve only a search of the very same depth: every result then equals minimax.
    pub strict: bool,
    pub counters: Counters,
    pub meter: Meter,

    /// The selectivity of the present node.
    pub selectivity: Selectivity,
    pub probcut_level: i32,
    pub root: RootMoves,
    pub killers: Box<Killers>,
    /// The line of each open-window node on the path.
    pub paths: Box<[Path; MAX_PLY]>,

    /// The split point that this thread works at or below.
    pub split: Option<Arc<Split<SplitPoint>>>,
    /// Closed split points that no thread uses any more: reusing them takes half the time of new ones.
    pub spare: Vec<Arc<Split<SplitPoint>>>,
    /// The search has ended; every value on the way out is void.
    pub stopped: bool,
    /// Nodes over the limit that are allowed, so that the first iteration finds a move to play.
    pub grace: u64,
}

impl<'a> Worker<'a> {
    pub fn new(id: usize, shared: &'a SearchState, memory: &'a mut ThreadMemory) -> Self {
        let ThreadMemory {
            solver,
            eval_cache,
            clears,
        } = memory;
        if std::mem::replace(clears, shared.clears) != shared.clears {
            solver.clear();
        }
        shared.tuning.apply();
        solver.set_budget(Arc::clone(&shared.budget));
        Self {
            shared,
            evaluator: &shared.evaluator,
            id,
            solver,
            eval_cache,
            strict: false,
            counters: Counters::default(),
            meter: Meter::default(),
            selectivity: Selectivity::Full,
            probcut_level: 0,
            root: RootMoves::new(!0, !0),
            killers: Box::new(Killers::new()),
            paths: Box::new([Path::EMPTY; MAX_PLY]),
            split: None,
            spare: Vec::new(),
            stopped: false,
            grace: 0,
        }
    }

    /// The line of the node at `ply` becomes `square` and the line below it.
    #[inline]
    pub fn set_path(&mut self, ply: usize, square: Option<Square>) {
        let code = square.map_or(Path::PASS, |square| square.index() as u8);
        if let Some((path, [below, ..])) = self.paths[ply..].split_first_mut() {
            path.set(code, below);
        }
    }

    /// Keeps a better move of the root, whose line has been set.
    pub fn set_root_best(&mut self, value: i32, beta: i32) {
        self.root.best = Some((value, self.paths[0], value >= beta));
    }

    /// Checks again whether the search has ended or another thread has cut this one off.
    pub fn refresh(&mut self) {
        self.stopped = self.grace == 0 && self.shared.budget.has_ended() || self.is_cut_off();
    }

    /// Whether another thread has cut this one off.
    #[cold]
    fn is_cut_off(&self) -> bool {
        self.split.as_ref().is_some_and(|split| split.is_void())
    }

    /// Reports the nodes and looks whether the search has ended.
    #[cold]
    fn look(&mut self) {
        let budget = &self.shared.budget;
        let has_ended = self.meter.look(budget);
        self.stopped |= has_ended && (self.grace == 0 || budget.is_overspent(self.grace));
        if let Some(simulation) = self.shared.pool.simulation() {
            self.meter.next_look = self.meter.next_look.min(self.meter.nodes + TICK_NODES);
            simulation.advance(self.id, self.meter.nodes, 0);
        }
    }

    /// Whether the search has ended; looks at clock and stop flag once in a while.
    #[inline(always)]
    pub fn has_ended(&mut self) -> bool {
        if self.meter.is_due() {
            self.look();
        }
        if self.shared.pool.is_signaled(self.id) {
            self.stopped |= self.is_cut_off();
        }
        self.stopped
    }

    /// Sets `grace` for the thread and its solver; with grace a search that had ended goes on.
    pub fn set_grace(&mut self, nodes: u64) {
        self.grace = nodes;
        self.stopped &= nodes == 0;
        self.solver.unstoppable = nodes > 0;
    }

    /// Adds this thread's nodes to those of all; the sum.
    pub fn report(&mut self) -> u64 {
        self.meter.report(&self.shared.budget)
    }

    pub fn counters(&self) -> Counters {
        Counters {
            nodes: self.meter.nodes,
            ..self.counters
        }
    }

    /// The static score of `node` in 1/128 disc.
    #[inline(always)]
    pub fn evaluate(&mut self, node: &Node) -> i32 {
        let evaluator = self.evaluator;
        self.eval_cache
            .get(node.board.hash(), || node.evaluate(evaluator))
    }

    #[inline(always)]
    pub fn probe(&mut self, key: Key, board: Board) -> Option<TableEntry> {
        let entry = self.shared.table.probe(key, board);
        self.counters.probes += 1;
        self.counters.hits += u64::from(entry.is_some());
        entry
    }

    /// Whether the bounds of `entry` hold for a search of `depth` at the present selectivity.
    #[inline(always)]
    pub fn can_cut(&self, entry: &TableEntry, depth: i32) -> bool {
        entry.can_cut(depth as u8, self.selectivity)
            && (!self.strict || i32::from(entry.depth) == depth)
    }
}
