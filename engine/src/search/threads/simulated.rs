//! Threads in simulated time, of which each node takes one unit.
//!
//! Only the thread that is furthest behind runs, so a search is deterministic, and its time is that of as many free
//! processors as it has threads. The costs of locks, shared caches and waking are those of opening and joining.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Time for opening a split point, in nodes. With these costs two threads search 24 XOT positions to 24 plies 1.34 times as
/// fast, on real processors 1.28 to 1.39 times; FFO #40-44 1.81 times (1.62), where costs hardly count.
pub(in crate::search) const OPEN_COST: u64 = 10;
/// Time for joining a split point.
pub(in crate::search) const JOIN_COST: u64 = 40;
/// A thread looks this often whether others are behind it.
pub(in crate::search) const TICK_NODES: u64 = 100;

/// The clocks of the threads of one search.
pub(in crate::search) struct Simulation {
    state: Mutex<State>,
    threads: Vec<Turn>,
}

/// A thread's turn to run.
#[derive(Default)]
struct Turn {
    comes: Condvar,
    /// Its nodes when its clock was last set.
    nodes: AtomicU64,
}

struct State {
    clocks: Vec<Clock>,
    running: usize,
    /// Threads that take part.
    present: usize,
    is_over: bool,
}

#[derive(Clone, Copy, Default)]
struct Clock {
    now: u64,
    /// Waits for an event.
    waits: bool,
    /// Time spent waiting.
    idle: u64,
}

impl Simulation {
    /// Clocks for this number of threads, of which the first one runs.
    pub fn new(threads: usize) -> Self {
        let clock = |id| Clock {
            waits: id > 0,
            ..Clock::default()
        };
        let clocks = (0..threads).map(clock).collect();
        Self {
            state: Mutex::new(State {
                clocks,
                running: 0,
                present: 1,
                is_over: false,
            }),
            threads: std::iter::repeat_with(Turn::default)
                .take(threads)
                .collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sleep<'a>(&self, id: usize, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        while state.running != id && !state.is_over {
            state = self.threads[id]
                .comes
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// Lets the thread that is furthest behind run.
    fn switch(&self, id: usize, mut state: MutexGuard<'_, State>) {
        let runs = |&next: &usize| !state.clocks[next].waits;
        let next = (0..state.clocks.len())
            .filter(runs)
            .min_by_key(|&next| (state.clocks[next].now, next));
        state.running = next.expect("a thread has work");
        if state.running != id {
            self.threads[state.running].comes.notify_one();
            drop(self.sleep(id, state));
        }
    }

    /// A helper takes part; returns when it is its turn.
    pub fn enter(&self, id: usize) {
        let mut state = self.lock();
        state.present += 1;
        self.threads[0].comes.notify_one();
        drop(self.sleep(id, state));
    }

    /// The main thread begins when all threads take part.
    pub fn begin(&self) {
        let mut state = self.lock();
        while state.present < state.clocks.len() {
            state = self.threads[0]
                .comes
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A thread has searched this number of nodes in all, and something that took the time `cost`.
    pub fn advance(&self, id: usize, nodes: u64, cost: u64) {
        let mut state = self.lock();
        let before = self.threads[id].nodes.swap(nodes, Ordering::Relaxed);
        state.clocks[id].now += nodes - before + cost;
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
            *clock = Clock {
                now: clock.now + waited,
                waits: false,
                idle: clock.idle + waited,
            };
        }
    }

    /// The search has ended: helpers leave.
    pub fn finish(&self) {
        self.lock().is_over = true;
        self.threads.iter().for_each(|turn| turn.comes.notify_all());
    }

    /// The time of the whole search, and the sum of the time that threads waited.
    pub fn times(&self) -> (u64, u64) {
        let state = self.lock();
        let end = state.clocks[0].now;
        let idle = |clock: &Clock| clock.idle + end.saturating_sub(clock.now);
        (end, state.clocks.iter().map(idle).sum())
    }
}
