//! Threads that search one position each, the queue before them and the order behind them.
//!
//! ```text
//! reader: submit ─▶ waiting (by priority) ─▶ worker: Search ─▶ writer (in order, if asked for) ─▶ sink
//!            ▲ blocks while `queue` positions are under way        │
//!            └──────────────────── room again ◀────────────────────┘
//! ```
//!
//! No lock is held during a search; the writer's lock is never taken while the state's is held.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::Settings;
use super::answer::{Answer, Body, Dropped, Judged, SCHEMA_VERSION, Version};
use super::line::Id;
use super::request::{Request, Tag};
use super::work::{Running, answer_to};
use crate::engine::STACK_BYTES;
use crate::search::{self, Search};
use crate::util::clock::{self, Instant};
use crate::util::lock;
use crate::util::os::threads::no_thread;

/// How often it is looked whether a partial answer is due.
const TICK: Duration = Duration::from_millis(10);

/// The least time of a search after the end of the budget.
const LEAST_SHARE: Duration = Duration::from_millis(1);

/// Takes every answer; called by one thread at a time.
pub type Sink = Box<dyn FnMut(&Answer) -> io::Result<()> + Send>;

/// Threads that search requests side by side and hand their answers to a sink.
pub struct Workers {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    settings: Settings,
    state: Mutex<State>,
    changed: Condvar,
    writer: Mutex<OrderedWriter>,
    closed: AtomicBool,
    /// The end of the budget.
    end: OnceLock<Instant>,
}

#[derive(Default)]
struct State {
    /// Requests and which of their turns, by priority and place; the first is searched first.
    waiting: BTreeMap<(Reverse<i64>, u64), (Arc<Request>, usize)>,
    running: Vec<Arc<Running>>,
    /// Positions submitted whose answers have not gone out.
    under_way: usize,
    /// The next place in the order of the input.
    next_place: u64,
    input_ended: bool,
    reports_wanted: bool,
}

/// Hands answers on, in the order of the input if that is asked for.
struct OrderedWriter {
    sink: Sink,
    /// Next place to go out, if output keeps the order of the input.
    next: Option<u64>,
    held: BTreeMap<u64, Answer>,
    error: Option<io::Error>,
}

impl Workers {
    pub fn new(settings: Settings, sink: Sink) -> Self {
        let next = settings.in_order.then_some(0);
        let shared = Arc::new(Shared {
            settings,
            state: Mutex::default(),
            changed: Condvar::new(),
            writer: Mutex::new(OrderedWriter {
                sink,
                next,
                held: BTreeMap::new(),
                error: None,
            }),
            closed: AtomicBool::new(false),
            end: OnceLock::new(),
        });
        Self {
            shared,
            threads: Mutex::default(),
        }
    }

    /// Starts the threads; where the system starts no more, those that there are do all the work.
    pub fn start(&self) -> io::Result<()> {
        if let Some(budget) = self.shared.settings.budget {
            // A second start keeps the first end.
            let _ = self.shared.end.set(Instant::now() + budget);
        }
        let search = || spawn("emilia-search", &self.shared, Shared::search_all);
        let first = search().map_err(no_thread)?;
        let others = (1..self.shared.settings.jobs).map_while(|_| search().ok());
        lock(&self.threads).extend(std::iter::once(first).chain(others));
        Ok(())
    }

    /// Takes a request; blocks while the queue is full. `false` once the sink takes no more.
    pub fn submit(&self, request: Request) -> bool {
        if request.partial_every.is_some()
            && !std::mem::replace(&mut lock(&self.shared.state).reports_wanted, true)
        {
            // If it does not start, only the last answers come.
            lock(&self.threads).extend(spawn("emilia-report", &self.shared, Shared::report_all));
        }
        let mut state = self.shared.wait_for_room();
        let request = Arc::new(request);
        for turn in 0..request.turns.len() {
            let place = state.place();
            state.waiting.insert(
                (Reverse(request.priority), place),
                (Arc::clone(&request), turn),
            );
        }
        drop(state);
        self.shared.changed.notify_all();
        !self.shared.is_closed()
    }

    /// Hands out an answer that needs no search. `false` once the sink takes no more.
    pub fn answer(&self, answer: Answer) -> bool {
        let place = self.shared.wait_for_room().place();
        self.shared.finish(place, answer);
        !self.shared.is_closed()
    }

    /// Answers a question for the version. `false` once the sink takes no more.
    pub fn version(&self, tag: &Tag, warnings: Vec<String>) -> bool {
        let version = env!("EMILIA_VERSION").into();
        let weights = self.shared.settings.weights.clone();
        let body = Version {
            schema_version: SCHEMA_VERSION,
            version,
            weights,
            warnings,
        };
        self.answer(Answer::new(tag, None, None, Body::Version(body)))
    }

    /// Cancels the requests with this id, or all; returns the number of their positions.
    ///
    /// Each still gets its answer: the result so far, or that it was dropped.
    pub fn cancel(&self, id: Option<&Id>) -> usize {
        let matches = |request: &Request| id.is_none() || request.tag.id.as_ref() == id;
        let mut state = lock(&self.shared.state);
        let (dropped, kept): (BTreeMap<_, _>, _) = std::mem::take(&mut state.waiting)
            .into_iter()
            .partition(|(_, (request, _))| matches(request));
        state.waiting = kept;
        let mut reached = dropped.len();
        for running in state
            .running
            .iter()
            .filter(|running| matches(&running.request))
        {
            running.cancelled.store(true, Ordering::Relaxed);
            running.stop.request();
            reached += 1;
        }
        drop(state);
        for ((_, place), (request, turn)) in dropped {
            let body = Body::Dropped(Dropped { cancelled: true });
            self.shared
                .finish(place, answer_to(&request, &request.turns[turn], body));
        }
        reached
    }

    /// Searches on the calling thread until the microsecond `end` of the clock or until no position is left, for a system
    /// without threads. Whether positions are left.
    #[cfg_attr(not(feature = "web"), allow(dead_code))]
    pub fn work_until(&self, end: u64, search: &mut Search) -> bool {
        while let Some(running) = self.shared.resume_or_next() {
            match running.judge_slice(search, &self.shared.settings, end) {
                Some(judged) => self.shared.conclude(&running, judged),
                None => self.shared.report(&running),
            }
            if clock::micros() >= end {
                return lock(&self.shared.state).under_way > 0;
            }
        }
        false
    }

    /// Blocks until the end of input.
    pub fn wait_for_input(&self) {
        let is_open = |shared: &Shared, state: &State| !shared.is_closed() && !state.input_ended;
        drop(self.shared.wait_while(is_open));
    }

    pub fn end_input(&self) {
        lock(&self.shared.state).input_ended = true;
        self.shared.changed.notify_all();
    }

    /// Blocks until every answer has gone out after the end of input, or the sink takes no more.
    pub fn wait(&self) -> io::Result<()> {
        drop(
            self.shared
                .wait_while(|shared, state| !shared.is_done(state)),
        );
        for thread in std::mem::take(&mut *lock(&self.threads)) {
            thread.join().expect("a search does not panic");
        }
        lock(&self.shared.writer).error.take().map_or(Ok(()), Err)
    }
}

/// Workers whose answers are taken by the thread that asks.
///
/// As an iterator it waits for each answer, and ends when there is one to every position asked for.
pub struct Batch {
    workers: Workers,
    answers: Receiver<Answer>,
    /// Positions asked for whose answers were not taken.
    left: usize,
}

impl Batch {
    /// Workers that start at once, or with a budget in [`Batch::begin`].
    pub fn start(settings: Settings) -> io::Result<Self> {
        let waits = settings.budget.is_some();
        let (sender, answers) = mpsc::channel();
        let sink = move |answer: &Answer| {
            // The receiver closes when the answers are no longer needed.
            let _ = sender.send(answer.clone());
            Ok(())
        };
        let workers = Workers::new(settings, Box::new(sink));
        if !waits {
            workers.start()?;
        }
        Ok(Self {
            workers,
            answers,
            left: 0,
        })
    }

    /// Starts workers with a budget, after the last request.
    pub fn begin(&self) -> io::Result<()> {
        match self.workers.shared.settings.budget {
            Some(_) => self.workers.start(),
            None => Ok(()),
        }
    }

    /// Takes a request; blocks while the queue is full.
    pub fn submit(&mut self, request: Request) {
        self.left += request.turns.len();
        self.workers.submit(request);
    }

    /// The number of answers that were not taken.
    pub fn left(&self) -> usize {
        self.left
    }

    /// An answer that has come already.
    pub fn ready(&mut self) -> Option<Answer> {
        let answer = self.answers.try_recv().ok();
        self.left -= usize::from(answer.is_some());
        answer
    }
}

impl Iterator for Batch {
    type Item = Answer;

    fn next(&mut self) -> Option<Answer> {
        self.left = self.left.checked_sub(1)?;
        Some(self.answers.recv().expect("the workers hold the sender"))
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.workers.cancel(None);
        self.workers.end_input();
    }
}

fn spawn(name: &str, shared: &Arc<Shared>, body: fn(&Shared)) -> io::Result<JoinHandle<()>> {
    let shared = Arc::clone(shared);
    thread::Builder::new()
        .name(name.into())
        .stack_size(STACK_BYTES)
        .spawn(move || body(&shared))
}

impl State {
    /// The place of another position, which is under way from now on.
    fn place(&mut self) -> u64 {
        self.under_way += 1;
        self.next_place += 1;
        self.next_place - 1
    }
}

impl Shared {
    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn is_done(&self, state: &State) -> bool {
        self.is_closed() || state.input_ended && state.under_way == 0
    }

    /// The state once `is_early` is false.
    fn wait_while(&self, is_early: impl Fn(&Self, &State) -> bool) -> MutexGuard<'_, State> {
        let waited = self
            .changed
            .wait_while(lock(&self.state), |state| is_early(self, state));
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// The state once fewer positions are under way than the queue holds.
    fn wait_for_room(&self) -> MutexGuard<'_, State> {
        self.wait_while(|shared, state| {
            state.under_way >= shared.settings.queue && !shared.is_closed()
        })
    }

    /// The work of a search thread: one position after another until the end.
    fn search_all(&self) {
        let mut kept: Option<(usize, Search)> = None;
        while let Some(running) = self.next() {
            let options = search::Options {
                threads: running.request.threads,
                hash_mib: self.settings.hash_mib,
            };
            kept.take_if(|(threads, _)| *threads != options.threads);
            let (_, search) = kept.get_or_insert_with(|| {
                (
                    options.threads,
                    Search::new(&options, Arc::clone(&self.settings.evaluator)),
                )
            });
            let judged = running.judge(search, &self.settings);
            self.conclude(&running, judged);
        }
    }

    /// Hands out the last answer of a position that was searched.
    fn conclude(&self, running: &Running, judged: Judged) {
        lock(&self.state)
            .running
            .retain(|other| other.place != running.place);
        self.finish(running.place, running.answer(judged));
    }

    /// The position to search by the only thread: the next one, or the one whose search was interrupted if none has a higher
    /// priority.
    fn resume_or_next(&self) -> Option<Arc<Running>> {
        let state = lock(&self.state);
        let order = |running: &&Arc<Running>| (Reverse(running.request.priority), running.place);
        let interrupted = state.running.iter().min_by_key(order).cloned();
        let waiting = state.waiting.keys().next().map(|(priority, _)| *priority);
        drop(state);
        match interrupted {
            Some(running)
                if waiting.is_none_or(|other| Reverse(running.request.priority) <= other) =>
            {
                Some(running)
            }
            _ => waiting.and_then(|_| self.next()),
        }
    }

    /// Takes the next position from the queue; `None` when no more can come.
    fn next(&self) -> Option<Arc<Running>> {
        let mut state =
            self.wait_while(|shared, state| !shared.is_done(state) && state.waiting.is_empty());
        if self.is_done(&state) {
            return None;
        }
        let ((_, place), (request, turn)) = state.waiting.pop_first()?;
        let share = self.end.get().map(|end| {
            let left = end.saturating_duration_since(Instant::now());
            let waiting = state.waiting.len() as u32 + 1;
            // The move played is searched, too.
            let searches = 1 + u32::from(request.losses);
            let jobs = waiting.min(self.settings.jobs as u32);
            (left * jobs / waiting / searches).max(LEAST_SHARE)
        });
        let mut running = Running::new(place, request, turn);
        running.time = share;
        let running = Arc::new(running);
        state.running.push(Arc::clone(&running));
        Some(running)
    }

    /// The work of the reporting thread: partial answers when they are due.
    fn report_all(&self) {
        let mut state = lock(&self.state);
        // Between this question and the wait the lock is kept: the end, if it comes then, is heard.
        while !self.is_done(&state) {
            state = if state.under_way == 0 {
                self.changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner)
            } else {
                self.changed
                    .wait_timeout(state, TICK)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            };
            let running = state.running.clone();
            drop(state);
            running.iter().for_each(|running| self.report(running));
            state = lock(&self.state);
        }
    }

    /// Hands out a partial answer, if it is due.
    fn report(&self, running: &Running) {
        let mut progress = lock(&running.progress);
        if let Some(judged) = running.partial(&mut progress, &self.settings) {
            self.write(&mut lock(&self.writer), &running.answer(judged));
        }
    }

    /// Hands out the last answer of a place, and those that waited for it.
    fn finish(&self, place: u64, answer: Answer) {
        let mut writer = lock(&self.writer);
        let mut written = 0;
        if writer.next.is_none() {
            self.write(&mut writer, &answer);
            written = 1;
        } else {
            writer.held.insert(place, answer);
            while let Some(answer) = writer.next.and_then(|next| writer.held.remove(&next)) {
                self.write(&mut writer, &answer);
                writer.next = writer.next.map(|next| next + 1);
                written += 1;
            }
        }
        drop(writer);
        lock(&self.state).under_way -= written;
        self.changed.notify_all();
    }

    /// Gives an answer to the sink; its first failure ends everything.
    fn write(&self, writer: &mut OrderedWriter, answer: &Answer) {
        if self.is_closed() {
            return;
        }
        if let Err(error) = (writer.sink)(answer) {
            writer.error = Some(error);
            self.closed.store(true, Ordering::Relaxed);
            for running in &lock(&self.state).running {
                running.stop.request();
            }
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::request::{self, Query};
    use super::super::testing::settings;
    use super::*;
    use crate::util::patience::until;

    #[test]
    fn an_end_of_input_while_reports_are_looked_for_is_not_missed() {
        let settings = settings(1, 8);
        let defaults = settings.defaults.clone();
        let workers = Workers::new(settings, Box::new(|_| Ok(())));
        let line = r#"{"position":"f5","partial_every":0.01}"#;
        let Ok(Query::Analyze(request)) = request::parse(line, 1, &defaults) else {
            panic!("a request")
        };
        let running = Arc::new(Running::new(0, Arc::new(request), 0));
        {
            let mut state = lock(&workers.shared.state);
            state.running.push(Arc::clone(&running));
            state.under_way = 1;
        }
        // The reporter finds the search and waits for its progress: the end comes between two looks.
        let progress = lock(&running.progress);
        let reporter =
            spawn("emilia-report", &workers.shared, Shared::report_all).expect("a thread");
        while Arc::strong_count(&running) < 3 {
            thread::yield_now();
        }
        {
            let mut state = lock(&workers.shared.state);
            state.running.clear();
            (state.under_way, state.input_ended) = (0, true);
        }
        workers.shared.changed.notify_all();
        drop(progress);
        until("the reporter misses the end", || reporter.is_finished());
    }
}
