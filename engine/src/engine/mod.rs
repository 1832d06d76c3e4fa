//! One handle, one worker thread, plain-data events; nothing here blocks the reader of a protocol.
//!
//! ```text
//! protocol thread ── Engine::start(Job) ──▶ worker thread ── search::Search
//!        ▲                                        │
//!        └────────────── Event (sink) ────────────┘
//! ```
//!
//! Jobs run one after another in the order given. Calls return at once unless their name says
//! `wait`. The idea of a facade with callbacks is Stockfish's, the thin asynchronous layer KataGo's.
//!
//! ```
//! use emilia_engine::board::Board;
//! use emilia_engine::engine::{Engine, Event, Job, Options};
//! use emilia_engine::search::{Limits, Task};
//!
//! let (engine, events) = Engine::with_channel(Options::default().with_hash_mib(16))?;
//! let job = engine.start(Job::Search(Task::new(Board::START, Limits::depth(6))));
//! for event in events {
//!     match event {
//!         Event::Iteration { info, .. } => println!("{} plies", info.lines[0].depth),
//!         Event::Finished { job: ended, .. } if ended == job => break,
//!         _ => {}
//!     }
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

#[allow(missing_docs, reason = "the room exports the items for users")]
pub(crate) mod chances;
pub(crate) mod cost;
mod event;
mod hints;
mod opening;
mod options;
pub(crate) mod people;
pub(crate) mod run;
mod weak;
mod worker;

pub use crate::search::OptionError;
pub use crate::search::STACK_BYTES;
pub use chances::{Chances, chances};
pub use event::{Analysis, Event, Job, JobId, Outcome};
pub use hints::{Hint, Hints, Worth};
pub use opening::{
    BookLine, BookOptions, BookValue, Choice, LearnError, Learned, Opening, answer_of, choose_move,
    shipped, shipped_book, vary_move,
};
pub use options::{Elo, Level, Options, Strength};

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::search::{SearchResult, Task};
use crate::util::clock::Instant;

use worker::{Message, Unfinished};

/// The longest time that drop waits for the worker.
const DROP_PATIENCE: Duration = Duration::from_millis(400);

/// An engine: a worker thread with its searcher. Engines share nothing with each other.
///
/// Drop stops its jobs and ends the thread; it does not wait for a worker that no stop can reach, for example during the
/// allocation of a large table.
pub struct Engine {
    messages: Option<Sender<Message>>,
    unfinished: Arc<Unfinished>,
    worker: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts a worker. `sink` receives every event on the worker's thread and must be quick.
    ///
    /// The first job or [`Engine::prepare`] builds the searcher.
    ///
    /// # Errors
    /// When an option is wrong ([`io::ErrorKind::InvalidInput`] around an [`OptionError`]), or the system starts no thread.
    pub fn new(options: Options, sink: impl FnMut(Event) + Send + 'static) -> io::Result<Self> {
        options
            .search()
            .check()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let (sender, receiver) = mpsc::channel();
        let unfinished = Arc::new(Unfinished::default());
        let worker = worker::spawn(options, receiver, Arc::clone(&unfinished), Box::new(sink))?;
        Ok(Self {
            messages: Some(sender),
            unfinished,
            worker: Some(worker),
        })
    }

    /// An engine whose events arrive on a channel; they are dropped once the receiver is.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn with_channel(options: Options) -> io::Result<(Self, Receiver<Event>)> {
        let (sender, receiver) = mpsc::channel();
        let engine = Self::new(options, move |event| {
            let _ = sender.send(event);
        })?;
        Ok((engine, receiver))
    }

    /// Submits a job; returns at once. Each job ends with one `Event::Finished` with this id.
    pub fn start(&self, job: Job) -> JobId {
        self.submit(job, None)
    }

    /// Asks all submitted jobs to end; returns at once. Each still reports `Finished`.
    pub fn stop(&self) {
        for (_, stop) in &self.unfinished.lock().running {
            stop.request();
        }
    }

    /// Nodes searched so far by the running job, 0 when idle.
    pub fn nodes(&self) -> u64 {
        self.unfinished
            .lock()
            .running
            .first()
            .map_or(0, |(_, stop)| stop.nodes())
    }

    /// Loads the evaluation and prepares memory in the background, so that the first search does not wait.
    pub fn prepare(&self) {
        self.send(Message::Prepare);
    }

    /// Blocks until every submitted job has finished; the last `Finished` may reach the sink just
    /// after. Not for a thread that reads a protocol.
    pub fn wait(&self) {
        let mut jobs = self.unfinished.lock();
        while !jobs.running.is_empty() {
            jobs = self
                .unfinished
                .changed
                .wait(jobs)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Searches `task` and blocks until its end; its events reach the sink as well.
    pub fn search_and_wait(&self, task: Task) -> SearchResult {
        let (reply, result) = mpsc::channel();
        self.submit(Job::Search(task), Some(reply));
        match result.recv() {
            Ok(Outcome::Searched(result)) => result,
            other => unreachable!("a search job ends in a search result, not {other:?}"),
        }
    }

    fn submit(&self, job: Job, reply: Option<Sender<Outcome>>) -> JobId {
        let (id, stop) = self.unfinished.add();
        self.send(Message::Job {
            id,
            job,
            asked: Instant::now(),
            stop,
            reply,
        });
        id
    }

    fn send(&self, message: Message) {
        let messages = self
            .messages
            .as_ref()
            .expect("the sender lives as long as the engine");
        messages
            .send(message)
            .expect("the worker receives until the engine is dropped");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
        drop(self.messages.take());
        if let Some(worker) = self.worker.take() {
            let deadline = Instant::now() + DROP_PATIENCE;
            while !worker.is_finished() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(1));
            }
            if worker.is_finished() {
                // The worker's thread has already reported a panic.
                let _ = worker.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Move};
    use crate::search::Limits;
    use crate::util::patience::{Wait, pause, until};

    fn small() -> Options {
        Options {
            hash_mib: 1,
            evaluator: Some(crate::eval::testing::evaluator()),
            ..Options::default()
        }
    }

    #[test]
    fn absurd_options_make_no_engine() {
        for options in [
            Options {
                threads: 0,
                ..small()
            },
            Options {
                hash_mib: 1 << 44,
                ..small()
            },
        ] {
            let error = Engine::new(options, drop).map(drop).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(
                error
                    .get_ref()
                    .is_some_and(|inner| inner.is::<OptionError>()),
                "{error}"
            );
        }
    }

    #[derive(Default)]
    struct Heard {
        finished: Vec<JobId>,
        plies: Vec<usize>,
        results: Vec<SearchResult>,
    }

    fn heard(events: &Receiver<Event>) -> Heard {
        let mut heard = Heard::default();
        for event in events.iter() {
            match event {
                Event::Analyzed { ply, .. } => heard.plies.push(ply),
                Event::Finished { job, outcome } => {
                    heard.finished.push(job);
                    heard.results.extend(match outcome {
                        Outcome::Searched(result) => Some(result),
                        _ => None,
                    });
                }
                _ => {}
            }
        }
        heard
    }

    #[test]
    fn jobs_finish_in_order_and_an_analysis_goes_backwards_over_every_position() {
        let (engine, events) = Engine::with_channel(small()).unwrap();
        let mut positions = vec![Board::START];
        while positions.len() < 6 {
            let board = positions[positions.len() - 1];
            let square = crate::board::Square::lowest(board.moves().0);
            positions.push(board.play(square).expect("the lowest legal move"));
        }
        let search = |depth| Job::Search(Task::new(Board::START, Limits::depth(depth)));
        let analysis = Job::Analyze(Analysis {
            positions,
            limits: Limits::depth(2),
        });
        let ids = [search(2), Job::Clear, search(1), analysis].map(|job| engine.start(job));
        engine.wait();
        drop(engine);
        let Heard {
            finished,
            plies,
            results,
        } = heard(&events);
        assert_eq!(
            (finished, plies, results.len()),
            (ids.to_vec(), vec![5, 4, 3, 2, 1, 0], 2)
        );
    }

    #[test]
    fn stop_ends_a_search_without_limits() {
        let (sender, events) = mpsc::channel();
        let (open, gate) = mpsc::channel();
        let engine = Engine::new(small(), move |event| {
            let is_first = matches!(event, Event::Iteration { .. }) && gate.recv().is_ok();
            let _ = sender.send(event);
            if is_first {
                // The search waits after its first report until the test continues.
                let _ = gate.recv();
            }
        })
        .unwrap();
        engine.start(Job::Search(Task::new(Board::START, Limits::depth(60))));
        open.send(()).expect("the search reports");
        Wait::default().next(&events).expect("the search reports");
        // It cannot end now: both calls return at once.
        engine.stop();
        assert!(engine.nodes() > 0);
        drop(open);
        engine.wait();
        drop(engine);
        let best = heard(&events).results[0].best;
        assert!(matches!(best, Some(Move::Place(square)) if Board::START.play(square).is_some()));
    }

    #[test]
    fn what_earlier_hints_left_in_the_table_traps_no_later_one() {
        let (engine, events) = Engine::with_channel(small()).unwrap();
        for depth in [1, 6, 9] {
            for multi_pv in [1, 2, 4, 4, 1] {
                let limits = Level::new(depth)
                    .unwrap()
                    .limits(crate::search::Clock::Unlimited);
                engine.start(Job::Search(Task {
                    multi_pv,
                    ..Task::new(Board::START, limits)
                }));
            }
        }
        let mut finished = 0;
        while finished < 15 {
            let event = Wait::of(2_000)
                .next(&events)
                .expect("no search runs for ever");
            finished += usize::from(matches!(event, Event::Finished { .. }));
        }
    }

    #[test]
    fn nodes_are_counted_while_an_iteration_runs() {
        let evaluation = Some(crate::eval::EvalKind::Classic);
        let (engine, events) = Engine::with_channel(Options {
            evaluation,
            ..small()
        })
        .unwrap();
        engine.start(Job::Search(Task::new(Board::START, Limits::depth(60))));
        // Five rises without an iteration's end between the two looks.
        let mut rises = 0;
        until("the count does not rise within iterations", || {
            events.try_iter().for_each(drop);
            let before = engine.nodes();
            pause(Duration::from_millis(1));
            let after = engine.nodes();
            assert!(after >= before);
            rises += usize::from(after > before && events.try_recv().is_err());
            rises >= 5
        });
        engine.stop();
        engine.wait();
        drop(engine);
        assert!(heard(&events).results[0].info.nodes > 0);
    }
}
