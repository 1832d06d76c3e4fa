//! The helper threads of a searcher. They start when work is there, and sleep between and during searches.
//!
//! The owner of a job never waits for a helper: one that the system does not run leaves an ended job later.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use crate::search::params::STACK_BYTES;

/// A helper's part in a job: it gets the job, its number from 1 on and its memory, which lasts from job to job;
/// it returns when it finds no more work.
type Help<J, M> = fn(&J, usize, &mut M);

/// Helpers with the memory `M` for jobs `J`.
pub(in crate::search) struct Crew<J, M> {
    help: Help<J, M>,
    size: usize,
    /// The stack of a helper in bytes.
    stack: usize,
    state: Mutex<State<J>>,
    called: Condvar,
    /// Helpers that can be called. Changes under the lock.
    free: AtomicUsize,
    /// Helpers that are called or awake and have no work.
    looking: AtomicUsize,
    /// A helper has panicked.
    is_broken: AtomicBool,
}

struct State<J> {
    job: Option<Arc<J>>,
    /// Calls that no helper has answered.
    calls: usize,
    /// Threads that wait for a call.
    waiting: usize,
    threads: Vec<JoinHandle<()>>,
    /// The system has refused a thread for the present job.
    is_refused: bool,
    quits: bool,
}

impl<J: Send + Sync + 'static, M: Default + 'static> Crew<J, M> {
    /// A crew of at most `size` helpers.
    pub fn new(size: usize, help: Help<J, M>) -> Arc<Self> {
        Self::with_stack(size, STACK_BYTES, help)
    }

    fn with_stack(size: usize, stack: usize, help: Help<J, M>) -> Arc<Self> {
        let state = State {
            job: None,
            calls: 0,
            waiting: 0,
            threads: Vec::new(),
            is_refused: false,
            quits: false,
        };
        Arc::new(Self {
            help,
            size,
            stack,
            state: Mutex::new(state),
            called: Condvar::new(),
            free: AtomicUsize::new(size),
            looking: AtomicUsize::new(0),
            is_broken: AtomicBool::new(false),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Helpers may have this job from now on.
    pub fn begin(&self, job: &Arc<J>) {
        let mut state = self.lock();
        state.job = Some(Arc::clone(job));
        state.is_refused = false;
    }

    /// No more helpers get the job.
    ///
    /// # Panics
    /// When a helper has panicked, unless the thread panics already.
    pub fn end(&self) {
        let mut state = self.lock();
        state.job = None;
        let calls = std::mem::take(&mut state.calls);
        self.looking.fetch_sub(calls, Ordering::Relaxed);
        self.free.fetch_add(calls, Ordering::Relaxed);
        drop(state);
        let is_broken = self.is_broken.swap(false, Ordering::Relaxed);
        assert!(!is_broken || std::thread::panicking(), "a helper panicked");
    }

    /// Whether a helper should be called for new work: one can come, and no helper looks for work.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.free.load(Ordering::Relaxed) > 0 && self.looking.load(Ordering::Relaxed) == 0
    }

    /// Calls a helper, if one is free. If the system refuses a thread, the search continues with the others.
    pub fn call(self: &Arc<Self>) {
        let mut state = self.lock();
        if self.free.load(Ordering::Relaxed) == 0 {
            return;
        }
        // A started thread that does not wait yet answers the call before it does.
        if state.waiting <= state.calls && state.threads.len() < self.size {
            let is_started = !state.is_refused && self.start(&mut state);
            state.is_refused = !is_started;
            if !is_started {
                return;
            }
        }
        self.free.fetch_sub(1, Ordering::Relaxed);
        self.looking.fetch_add(1, Ordering::Relaxed);
        state.calls += 1;
        drop(state);
        self.called.notify_one();
    }

    /// Starts another helper; whether the system has given a thread.
    fn start(self: &Arc<Self>, state: &mut State<J>) -> bool {
        let crew = Arc::clone(self);
        let id = state.threads.len() + 1;
        let thread = Builder::new()
            .stack_size(self.stack)
            .spawn(move || crew.serve(id));
        state.threads.extend(thread);
        state.threads.len() == id
    }

    /// A helper that was looking for work has found some, until the result is dropped.
    pub fn found(&self) -> impl Drop {
        struct Found<'a>(&'a AtomicUsize);
        impl Drop for Found<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.looking.fetch_sub(1, Ordering::Relaxed);
        Found(&self.looking)
    }

    /// The life of a helper.
    fn serve(&self, id: usize) {
        let mut memory = M::default();
        let mut state = self.lock();
        while !state.quits {
            if state.calls == 0 {
                state.waiting += 1;
                state = self
                    .called
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                state.waiting -= 1;
                continue;
            }
            state.calls -= 1;
            let job = state.job.clone();
            drop(state);
            if let Some(job) = job
                && catch_unwind(AssertUnwindSafe(|| (self.help)(&job, id, &mut memory))).is_err()
            {
                self.is_broken.store(true, Ordering::Relaxed);
            }
            state = self.lock();
            self.looking.fetch_sub(1, Ordering::Relaxed);
            self.free.fetch_add(1, Ordering::Release);
        }
    }

    /// Ends all helpers.
    pub fn quit(&self) {
        let mut state = self.lock();
        state.quits = true;
        let threads = std::mem::take(&mut state.threads);
        drop(state);
        self.called.notify_all();
        for thread in threads {
            // It catches the panics of its work.
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::patience::until;

    /// A job: the memory of each helper counts its jobs.
    struct Job {
        counts: Mutex<Vec<(usize, u32)>>,
        panics: bool,
    }

    /// Whether all helpers have left.
    fn is_at_rest(crew: &Crew<Job, u32>) -> bool {
        crew.free.load(Ordering::Acquire) == crew.size
    }

    fn help(job: &Job, id: usize, memory: &mut u32) {
        assert!(!job.panics, "as meant");
        *memory += 1;
        job.counts.lock().unwrap().push((id, *memory));
    }

    #[test]
    fn helpers_come_when_called_and_keep_their_memory() {
        let crew = Crew::new(1, help);
        for round in 1..=200 {
            let job = Arc::new(Job {
                counts: Mutex::default(),
                panics: false,
            });
            crew.begin(&job);
            until("the helper is busy", || is_at_rest(&crew));
            assert!(crew.is_wanted());
            crew.call();
            assert_eq!(
                crew.lock().threads.len(),
                1,
                "another call starts no other thread"
            );
            // Half of the jobs end before the helper comes, or while it works.
            if round % 2 == 0 {
                until("no helper comes", || !job.counts.lock().unwrap().is_empty());
            }
            crew.end();
            let counts = job.counts.lock().unwrap();
            assert!(
                counts
                    .iter()
                    .all(|&(id, jobs)| id == 1 && (round / 2..=round).contains(&jobs)),
                "{counts:?}"
            );
        }
        crew.quit();
    }

    #[test]
    fn a_panic_of_a_helper_reaches_the_owner_once() {
        let crew = Crew::new(2, help);
        for panics in [true, false, true] {
            let job = Arc::new(Job {
                counts: Mutex::default(),
                panics,
            });
            crew.begin(&job);
            crew.call();
            crew.call();
            until("a helper is at work", || is_at_rest(&crew));
            assert_eq!(
                catch_unwind(AssertUnwindSafe(|| crew.end())).is_err(),
                panics
            );
        }
        crew.quit();
    }

    /// A system refuses threads whose stack is larger than its memory.
    #[test]
    fn a_refused_helper_stays_free_and_is_asked_once_for_a_job() {
        let crew = Crew::with_stack(2, 1 << 60, help);
        for _ in 0..2 {
            let job = Arc::new(Job {
                counts: Mutex::default(),
                panics: false,
            });
            crew.begin(&job);
            assert!(!crew.lock().is_refused);
            crew.call();
            crew.call();
            assert!(is_at_rest(&crew) && crew.lock().is_refused);
            crew.end();
        }
        assert_eq!(crew.looking.load(Ordering::Relaxed), 0);
        crew.quit();
    }
}
