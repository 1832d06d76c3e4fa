//! An engine without a thread: it searches when the test says so, and little.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::evaluator;
use crate::engine::{Event, Job, JobId, Outcome};
use crate::protocols::driver::Searcher;
use crate::search::{Goal, Info, Limits, Observer, Options, Search, SearchResult, Stop, Task};

/// No search looks deeper, in plies.
const DEPTH: u8 = 2;
/// None solves positions with more empties, unless it was asked for nothing else.
const EXACT_EMPTIES: u8 = 4;
/// None visits many more nodes.
const NODES: u64 = 100;

/// The same bounds, but small enough for thousands of searches a second.
pub fn little(limits: Limits) -> Limits {
    Limits {
        depth: limits.depth.min(DEPTH),
        exact_empties: limits.exact_empties.min(EXACT_EMPTIES),
        nodes: Some(limits.nodes.unwrap_or(NODES).min(NODES)),
        goal: if limits.goal == Goal::WinLossDraw { Goal::WinLossDraw } else { Goal::Play },
        ..limits
    }
}

/// Jobs that wait and events that have not been taken.
#[derive(Default)]
struct State {
    last: u64,
    jobs: VecDeque<(JobId, Job, Stop)>,
    events: VecDeque<Event>,
}

/// What the session holds of the engine.
#[derive(Clone, Default)]
pub struct Desk(Arc<Mutex<State>>);

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next event, if a job is there to have one; does the oldest job when its turn comes.
    pub fn next(&self, search: &mut Search) -> Option<Event> {
        let next = {
            let mut state = self.state();
            if let Some(event) = state.events.pop_front() {
                return Some(event);
            }
            state.jobs.pop_front()?
        };
        let (id, job, stop) = next;
        let events = perform(id, job, &stop, search);
        let mut state = self.state();
        state.events.extend(events);
        state.events.pop_front()
    }
}

impl Searcher for Desk {
    fn start(&mut self, job: Job) -> JobId {
        let mut state = self.state();
        state.last += 1;
        let id = JobId(state.last);
        state.jobs.push_back((id, job, Stop::new()));
        id
    }

    fn stop(&mut self) {
        self.state().jobs.iter().for_each(|(_, _, stop)| stop.request());
    }

    fn nodes(&self) -> u64 {
        12_345
    }
}

/// Calls `hold` with a searcher that remembers nothing of earlier inputs. Each thread keeps one, for making its
/// tables takes longer than most searches.
pub fn with_search(hold: impl FnOnce(&mut Search)) {
    thread_local!(static SEARCH: RefCell<Search> =
        Search::new(&Options { threads: 1, hash_mib: 1 }, evaluator()).into());
    SEARCH.with_borrow_mut(|search| {
        search.clear();
        hold(search);
    });
}

/// All events of a job, in their order.
fn perform(id: JobId, job: Job, stop: &Stop, search: &mut Search) -> Vec<Event> {
    let mut events = Events { id, all: Vec::new() };
    let outcome = match job {
        Job::Clear => Outcome::Cleared,
        Job::Prepare => Outcome::Prepared,
        Job::Search(task) => {
            let task = Task { limits: little(task.limits), ..task };
            let result = search.run(&task, stop, &mut events);
            sound(&task, &result);
            Outcome::Searched(result)
        }
        Job::Analyze(analysis) => {
            let limits = little(analysis.limits);
            for (ply, &board) in analysis.positions.iter().enumerate().rev() {
                let task = Task::new(board, limits);
                let result = search.run(&task, stop, &mut crate::search::Silent);
                sound(&task, &result);
                events.all.push(Event::Analyzed { job: id, ply, result });
            }
            Outcome::Analyzed { stopped: stop.is_requested() }
        }
    };
    events.all.push(Event::Finished { job: id, outcome });
    events.all
}

/// A search ends in a legal move wherever there is one, whatever its bounds were.
fn sound(task: &Task, result: &SearchResult) {
    use crate::board::Move;
    let legal = match result.best {
        Some(Move::Place(square)) => task.board.moves() & square.bit() != 0,
        Some(Move::Pass) => task.board.moves() == 0 && task.board.opponent_moves() != 0,
        None => task.board.moves() == 0 && task.board.opponent_moves() == 0,
    };
    assert!(legal, "{:?} in {:?}", result.best, task.board);
}

struct Events {
    id: JobId,
    all: Vec<Event>,
}

impl Observer for Events {
    fn iteration(&mut self, info: &Info) {
        self.all.push(Event::Iteration { job: self.id, info: info.clone() });
    }
}

/// What a session writes.
#[derive(Clone, Default)]
pub struct Page(Arc<Mutex<Vec<u8>>>);

impl Page {
    /// All that was written, which must be text.
    pub fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        String::from_utf8(bytes).expect("output is text")
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
