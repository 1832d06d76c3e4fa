//! An engine without a thread: it searches a little, and only when the target says so.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use super::evaluator;
use crate::engine::{Event, Job, JobId, Outcome};
use crate::protocols::driver::Searcher;
use crate::search::{
    Goal, Info, Limits, Observer, Options, Search, SearchResult, Silent, Stop, Task,
};

/// The same bounds, but small enough for thousands of searches a second.
pub fn little(limits: Limits) -> Limits {
    Limits {
        depth: limits.depth.min(2),
        exact_empties: limits.exact_empties.min(4),
        nodes: Some(limits.nodes.unwrap_or(100).min(100)),
        goal: if limits.goal == Goal::WinLossDraw {
            Goal::WinLossDraw
        } else {
            Goal::Play
        },
        ..limits
    }
}

#[derive(Default)]
struct State {
    last: u64,
    jobs: VecDeque<(JobId, Job, Stop)>,
    events: VecDeque<Event>,
}

/// The session's side of the engine.
#[derive(Clone, Default)]
pub struct Desk(Arc<Mutex<State>>);

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no panic while it is held")
    }

    /// The next event, if a job is there to have one; does the oldest job when its turn comes.
    pub fn next(&self, search: &mut Search) -> Option<Event> {
        let mut state = self.state();
        if state.events.is_empty() {
            let (id, job, stop) = state.jobs.pop_front()?;
            state.events.extend(perform(id, job, &stop, search));
        }
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
        self.state()
            .jobs
            .iter()
            .for_each(|(_, _, stop)| stop.request());
    }

    fn nodes(&self) -> u64 {
        12_345
    }
}

/// Calls `hold` with a cleared searcher, one for each thread: making its tables takes longer than most searches.
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
    let mut events = Vec::new();
    let mut run = |task: Task, observer: &mut dyn Observer| {
        let result = search.run_with(&task, stop, observer);
        assert_legal(&task, &result);
        result
    };
    let outcome = match job {
        Job::Clear => Outcome::Cleared,
        Job::Prepare => Outcome::Prepared,
        Job::Search(task) => {
            let task = Task {
                limits: little(task.limits),
                ..task
            };
            let mut report = |info: &Info| {
                events.push(Event::Iteration {
                    job: id,
                    info: info.clone(),
                })
            };
            Outcome::Searched(run(task, &mut report))
        }
        Job::Analyze(analysis) => {
            for (ply, &board) in analysis.positions.iter().enumerate().rev() {
                let result = run(Task::new(board, little(analysis.limits)), &mut Silent);
                events.push(Event::Analyzed {
                    job: id,
                    ply,
                    result,
                });
            }
            Outcome::Analyzed {
                stopped: stop.is_requested(),
            }
        }
        _ => unreachable!("sessions start no other job"),
    };
    events.push(Event::Finished { job: id, outcome });
    events
}

/// A search ends in a legal move where there is one, under any bounds.
fn assert_legal(task: &Task, result: &SearchResult) {
    let is_legal = match result.best {
        Some(best) => task.board.play_move(best).is_some(),
        None => task.board.is_over(),
    };
    assert!(is_legal, "{:?} in {:?}", result.best, task.board);
}
