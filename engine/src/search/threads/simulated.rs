//! Threads in simulated time, of which each node takes one unit.
//!
//! Only the thread that is furthest behind runs, so a search is deterministic, and its time is that of as many free
//! processors as it has threads. The costs of locks, shared caches and waking are those of opening and joining.

use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Time for opening a split point, in nodes, as `emilia bench kernels` measures it on two cores. Two threads search 24 XOT
/// positions to 24 plies 1.53 times as fast and to 28 plies 1.70 times; two real cores 1.57 ± 0.04 and 1.64 ± 0.07 times (Zen 3),
/// 1.46 ± 0.03 and 1.54 ± 0.01 times (a Xeon). Real costs of many threads were higher.
pub(in crate::search) const OPEN_COST: u64 = 1;
/// Time for joining a split point.
pub(in crate::search) const JOIN_COST: u64 = 4;
/// A thread looks this often whether others are behind it.
pub(in crate::search) const TICK_NODES: u64 = 100;

/// The threads of a simulation: coroutines that share one thread of the system. Each runs until it gives way to another.
pub trait Coroutines: Send + Sync {
    /// Makes a coroutine for each number from 1 to `helpers`. It calls `help` with its number when another first gives way
    /// to it, and gives way to 0 when `help` returns. The caller has the number 0.
    fn begin(&self, helpers: usize, help: Rc<dyn Fn(usize)>);

    /// The coroutine `from`, which runs, gives way to `to`. Returns when another gives way to `from`; does nothing if `to`
    /// has ended.
    fn give_way(&self, from: usize, to: usize);
}

/// The clocks of the threads of one search.
pub(in crate::search) struct Simulation {
    coroutines: Arc<dyn Coroutines>,
    /// Only one thread of the system uses it.
    state: Mutex<State>,
}

struct State {
    clocks: Vec<Clock>,
    is_over: bool,
}

#[derive(Clone, Copy, Default)]
struct Clock {
    now: u64,
    /// The thread's nodes when the clock was last set.
    nodes: u64,
    /// Waits for an event.
    waits: bool,
    /// Time spent waiting.
    idle: u64,
}

impl Simulation {
    /// Clocks for this number of threads, of which the first one runs.
    pub fn new(threads: usize, coroutines: Arc<dyn Coroutines>) -> Self {
        let clock = |id| Clock {
            waits: id > 0,
            ..Clock::default()
        };
        let state = State {
            clocks: (0..threads).map(clock).collect(),
            is_over: false,
        };
        Self {
            coroutines,
            state: Mutex::new(state),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The other threads take part, each as a call of `help` with its number.
    pub fn begin(&self, help: Rc<dyn Fn(usize)>) {
        let helpers = self.lock().clocks.len() - 1;
        self.coroutines.begin(helpers, help);
    }

    /// Lets the thread that is furthest behind run.
    fn switch(&self, id: usize, state: MutexGuard<'_, State>) {
        let runs = |&next: &usize| !state.clocks[next].waits;
        let next = (0..state.clocks.len())
            .filter(runs)
            .min_by_key(|&next| (state.clocks[next].now, next))
            .expect("a thread has work");
        drop(state);
        if next != id {
            self.coroutines.give_way(id, next);
        }
    }

    /// A thread has searched this number of nodes in all, and something that took the time `cost`.
    pub fn advance(&self, id: usize, nodes: u64, cost: u64) {
        let mut state = self.lock();
        let clock = &mut state.clocks[id];
        clock.now += nodes - clock.nodes + cost;
        clock.nodes = nodes;
        if !state.is_over {
            self.switch(id, state);
        }
    }

    /// A thread waits for an event.
    pub fn wait(&self, id: usize) {
        let mut state = self.lock();
        if !state.is_over {
            state.clocks[id].waits = true;
            self.switch(id, state);
        }
    }

    /// An event at the time of thread `id`: all that wait look again.
    pub fn wake(&self, id: usize) {
        let mut state = self.lock();
        let now = state.clocks[id].now;
        for clock in state.clocks.iter_mut().filter(|clock| clock.waits) {
            let waited = now.saturating_sub(clock.now);
            clock.now += waited;
            clock.idle += waited;
            clock.waits = false;
        }
    }

    /// The search has ended: helpers leave.
    pub fn finish(&self) {
        let mut state = self.lock();
        state.is_over = true;
        let threads = state.clocks.len();
        drop(state);
        for id in 1..threads {
            self.coroutines.give_way(0, id);
        }
    }

    /// The time of the whole search, and the sum of the time that threads waited.
    pub fn times(&self) -> (u64, u64) {
        let state = self.lock();
        let end = state.clocks[0].now;
        let idle = |clock: &Clock| clock.idle + end.saturating_sub(clock.now);
        (end, state.clocks.iter().map(idle).sum())
    }
}
