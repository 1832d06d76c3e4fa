//! Searchers whose threads run in simulated time, whatever the number of processors.

use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use super::threads::{Crew, Simulation};
use super::tree::worker::{SearchState, ThreadMemory, Worker};
use super::{Options, Search};
use crate::eval::Evaluator;

pub use super::threads::Coroutines;

/// The part of a searcher that simulates threads.
pub(super) struct Simulated {
    coroutines: Arc<dyn Coroutines>,
    /// The helpers'.
    memories: Arc<[Mutex<ThreadMemory>]>,
    /// The time of the last search, and the time that its threads waited.
    times: (u64, u64),
}

impl Simulated {
    /// The clocks of a search.
    pub fn simulation(&self) -> Simulation {
        let threads = self.memories.len() + 1;
        Simulation::new(threads, Arc::clone(&self.coroutines))
    }

    /// The helpers take part.
    pub fn begin(&self, shared: &Arc<SearchState>) {
        let simulation = shared.pool.simulation().expect("the search is simulated");
        let state = Arc::clone(shared);
        let memories = Arc::clone(&self.memories);
        simulation.begin(Rc::new(move |id| {
            let memory = memories[id - 1].lock();
            let mut memory = memory.unwrap_or_else(PoisonError::into_inner);
            Worker::help(&state, id, &mut memory);
        }));
    }

    /// Notes the times of a search whose helpers have left.
    pub fn end(&mut self, shared: &SearchState) {
        let simulation = shared.pool.simulation().expect("the search is simulated");
        self.times = simulation.times();
    }
}

/// A searcher whose threads are `coroutines`.
pub fn simulated(
    options: &Options,
    evaluator: Arc<Evaluator>,
    coroutines: Arc<dyn Coroutines>,
) -> Search {
    let options = options.clamped();
    let mut search = Search::with_threads(options.threads, options.hash_mib, evaluator);
    search.crew = Crew::new(0, Worker::help);
    search.simulated = Some(Simulated {
        coroutines,
        memories: (1..options.threads).map(|_| Mutex::default()).collect(),
        times: (0, 0),
    });
    search
}

/// The nodes on the longest path and the nodes that threads waited for, in the last search of a simulated searcher.
pub fn times(search: &Search) -> (u64, u64) {
    let simulated = search.simulated.as_ref();
    simulated.expect("the searcher is simulated").times
}
