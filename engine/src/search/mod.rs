//! Search: iterative deepening, principal variation search, endgame solving. Knows no text.
//!
//! ```text
//! Search::run → root (plan, iterations, windows, lines) → tree (pvs, shallow, probcut) → endgame
//!                        threads (split points) ───────────┘  └→ memory (tables of positions)
//! task: input and output · params: every number, tuning: other values for them
//! ```
//!
//! ```
//! use std::sync::Arc;
//!
//! use emilia_engine::board::Board;
//! use emilia_engine::eval::Evaluator;
//! use emilia_engine::search::{Limits, Options, Search, Task};
//!
//! // The two best first moves for Black, within 20,000 nodes.
//! let mut search = Search::new(&Options::default(), Arc::new(Evaluator::default()));
//! let task = Task::new(Board::START, Limits::depth(60).with_nodes(20_000)).with_multi_pv(2);
//! for line in search.run(&task).info.lines {
//!     println!("{} {:?}", line.pv[0], line.known());
//! }
//! ```
//!
//! Inside the tree scores are plain integers in 1/128 disc for the side to move.

pub(crate) mod bench;
pub(crate) mod endgame;
mod memory;
pub(crate) mod params;
#[cfg(test)]
mod reference_tests;
mod root;
pub(crate) mod side_by_side;
pub(crate) mod simulated;
pub(crate) mod slices;
pub(crate) mod split_costs;
mod task;
mod threads;
pub(crate) mod tree;
pub(crate) mod tuning;
pub(crate) mod windows;

pub use params::STACK_BYTES;
pub use task::{
    Clock, Counters, Goal, Handicap, Info, Known, Limits, Line, Observer, OptionError, Options,
    Person, Proof, SearchResult, Selectivity, Silent, Stop, Task,
};
pub(crate) use tuning::Tuning;

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use crate::board::Move;
use crate::eval::Evaluator;

use memory::TranspositionTable;
use params::{AMPLE_EMPTIES, AMPLE_MIB};
pub(crate) use root::passes as solve_passes;
use root::{Costs, RootSearch};
use simulated::Simulated;
use slices::Slices;
pub(crate) use task::{Budget, Meter, Timer};
use threads::{Crew, Pool};
use tree::worker::{SearchState, SplitPoint, ThreadMemory, Worker};

/// The table size in MiB that suffices for `task`: solving FFO #40–52 (20 to 27 empties) takes as many nodes
/// as with 512 MiB, to half a percent.
fn ample_mib(task: &Task) -> u64 {
    match task.limits.goal {
        Goal::Play => u64::MAX >> 20,
        Goal::Exact | Goal::WinLossDraw => {
            AMPLE_MIB << task.board.empty_count().saturating_sub(AMPLE_EMPTIES)
        }
    }
}

/// The requested threads, but no more than processors and at least two, so that tests on one processor use threads.
///
/// Three easy solves with 64 threads on two processors took 300 times as long as with two.
fn useful_threads(asked: usize) -> usize {
    let processors = std::thread::available_parallelism().map_or(asked, NonZero::get);
    asked.min(processors.max(2))
}

/// The limits of time of a search that begins now; a move that is the only one gets less.
fn timer(task: &Task, passed: bool) -> Timer {
    let timer = Timer::new(task.limits.clock, task.board.empty_count());
    let is_forced = passed || task.board.moves().len() == 1;
    if is_forced && task.limits.goal == Goal::Play {
        timer.of_forced()
    } else {
        timer
    }
}

/// A searcher: owns the transposition table and threads. The table and caches persist between searches.
pub struct Search {
    evaluator: Arc<Evaluator>,
    table: TranspositionTable,
    /// The main thread's.
    memory: ThreadMemory,
    threads: usize,
    crew: Arc<Crew<SearchState, ThreadMemory>>,
    clears: u64,
    counters: Counters,
    costs: Costs,
    tuning: Tuning,
    slices: Option<Slices>,
    simulated: Option<Simulated>,
    #[cfg(test)]
    strict: bool,
}

impl Search {
    /// A searcher with an empty table. An option outside its range, see [`Options::check`], becomes the nearest within.
    /// Threads beyond the number of processors are not started.
    pub fn new(options: &Options, evaluator: Arc<Evaluator>) -> Self {
        let options = options.clamped();
        Self::with_threads(useful_threads(options.threads), options.hash_mib, evaluator)
    }

    fn with_threads(threads: usize, hash_mib: usize, evaluator: Arc<Evaluator>) -> Self {
        Self {
            evaluator,
            table: TranspositionTable::new(hash_mib),
            memory: ThreadMemory::default(),
            threads,
            crew: Crew::new(threads - 1, Worker::help),
            clears: 0,
            counters: Counters::default(),
            costs: Costs::new(),
            tuning: Tuning::default(),
            slices: None,
            simulated: None,
            #[cfg(test)]
            strict: false,
        }
    }

    /// Clears the table and the caches.
    pub fn clear(&mut self) {
        self.table.clear();
        self.costs = Costs::new();
        self.clears += 1;
    }

    /// Touches the table's memory, or a large part of it, before a clock runs. Stops when `goes_on` returns false; it is
    /// called several times in a millisecond.
    pub fn prefault(&self, goes_on: impl FnMut() -> bool) {
        self.table.prefault(goes_on);
    }

    /// Uses these numbers from now on; the table keeps its entries.
    #[doc(hidden)]
    pub fn set_tuning(&mut self, tuning: Tuning) {
        self.tuning = tuning;
    }

    /// Size of the transposition table in MiB: less than asked for if the system had no more to give.
    pub fn hash_mib(&self) -> usize {
        self.table.mib()
    }

    /// The evaluation of its leaves.
    pub fn evaluator(&self) -> &Arc<Evaluator> {
        &self.evaluator
    }

    /// The counts of the last search, all threads together.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Searches `task` until its limits; blocks the calling thread.
    pub fn run(&mut self, task: &Task) -> SearchResult {
        self.run_with(task, &Stop::new(), &mut Silent)
    }

    /// Searches `task` until its limits or `stop`; `observer` gets every iteration. Blocks the calling thread.
    ///
    /// Returns a legal move if there is one, even when stopped at once. A release build needs at most 1 MiB of the calling
    /// thread's stack; [`STACK_BYTES`] suffice for every build.
    pub fn run_with(
        &mut self,
        task: &Task,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> SearchResult {
        if let Some(result) = self.slices.as_mut().and_then(Slices::repeat) {
            return result;
        }
        let search = |task: &Task, passed, observer: &mut dyn Observer| {
            self.search(task, passed, stop, observer)
        };
        let result = with_passes(task, observer, search);
        if let Some(slices) = self
            .slices
            .as_mut()
            .filter(|slices| slices.paused.is_none())
        {
            slices.done.push(result.clone());
            slices.repeated += 1;
        }
        result
    }

    /// Searches a position with a legal move, `passed` if it was reached by a pass.
    fn search(
        &mut self,
        task: &Task,
        passed: bool,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> SearchResult {
        let paused = self.slices.as_mut().and_then(|slices| slices.paused.take());
        if paused.is_none() {
            self.table.new_search(ample_mib(task));
        }
        self.costs.begin(task.board);
        let paused = paused.unwrap_or_default();
        let timer = timer(task, passed).after(paused.time);
        let budget = Budget::new(stop, timer, task.limits.nodes).after(paused.nodes);
        let simulation = self.simulated.as_ref().map(Simulated::simulation);
        let shared = self.state(budget, Pool::new(self.threads, simulation));
        let mut worker = Worker::new(0, &shared, &mut self.memory);
        #[cfg(test)]
        {
            worker.strict = self.strict;
        }
        let (result, paused) = {
            let _end = shared.begin();
            if let Some(simulated) = &self.simulated {
                simulated.begin(&shared);
            }
            RootSearch::new(&mut worker, task, &mut self.costs, paused).run(observer)
        };
        self.counters = worker.counters();
        if let Some(simulated) = &mut self.simulated {
            simulated.end(&shared);
        }
        self.counters += *shared.helped.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slices) = &mut self.slices {
            slices.paused = paused;
        }
        result
    }

    /// The state of a search.
    fn state(&self, budget: Budget, pool: Pool<SplitPoint>) -> Arc<SearchState> {
        Arc::new(SearchState {
            evaluator: Arc::clone(&self.evaluator),
            table: self.table.clone(),
            budget: Arc::new(budget),
            pool,
            crew: Arc::clone(&self.crew),
            tuning: self.tuning.clone(),
            clears: self.clears,
            helped: Mutex::default(),
        })
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.crew.quit();
    }
}

/// Calls `search` for a position with a move; its second argument reports whether a pass led there.
pub(crate) fn with_passes(
    task: &Task,
    observer: &mut dyn Observer,
    search: impl FnOnce(&Task, bool, &mut dyn Observer) -> SearchResult,
) -> SearchResult {
    let board = task.board;
    if !board.moves().is_empty() {
        return search(task, false, observer);
    }
    if board.opponent_moves().is_empty() {
        let info = Info {
            lines: Vec::new(),
            nodes: 0,
            time: std::time::Duration::ZERO,
        };
        return SearchResult {
            best: None,
            info,
            stopped: false,
        };
    }
    // A forced pass: the other side's search, from our perspective.
    let draw_value = task.draw_value.saturating_neg();
    let after = Task {
        board: board.pass(),
        allowed: crate::board::SquareSet::ALL,
        draw_value,
        ..*task
    };
    let result = search(&after, true, &mut |info: &Info| {
        observer.iteration(&before_pass(info))
    });
    SearchResult {
        best: Some(Move::Pass),
        info: before_pass(&result.info),
        ..result
    }
}

/// The report on the position after a forced pass, for the side that passed.
fn before_pass(info: &Info) -> Info {
    // The line is the pass and the other side's best line.
    let lines = info.lines.first().map(|line| {
        let pv = std::iter::once(Move::Pass)
            .chain(line.pv.iter().copied())
            .collect();
        Line {
            pv,
            bound: -line.bound,
            ..line.clone()
        }
    });
    Info {
        lines: lines.into_iter().collect(),
        ..info.clone()
    }
}
