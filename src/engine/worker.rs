//! The thread that searches: takes messages in order, reports events, owns the searcher.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::{Analysis, Event, Job, JobId, Options, Outcome, Unfinished};
use crate::eval::Evaluator;
use crate::search::{self, Info, Observer, Search, Silent, Stop, Task};

/// What the handle tells the worker.
pub(super) enum Message {
    /// Do this, then report `Finished`; `reply` gets the outcome as well.
    Job { id: JobId, job: Job, asked: Instant, stop: Stop, reply: Option<Sender<Outcome>> },
    /// Use these from now on.
    Options(Options),
    /// Build the searcher now.
    Prepare,
}

pub(super) type Sink = Box<dyn FnMut(Event) + Send>;

/// Deep recursion over nodes with features on the stack: address space only, touched as needed.
const STACK_BYTES: usize = 16 << 20;

/// Starts the thread; it ends when the sender of `messages` is dropped.
pub(super) fn spawn(
    options: Options,
    messages: Receiver<Message>,
    unfinished: Arc<Unfinished>,
    sink: Sink,
) -> JoinHandle<()> {
    thread::Builder::new()
        .name("emilia-worker".into())
        .stack_size(STACK_BYTES)
        .spawn(move || Worker { options, search: None, unfinished, sink }.run(&messages))
        .expect("the system can start one thread")
}

struct Worker {
    options: Options,
    search: Option<Search>,
    unfinished: Arc<Unfinished>,
    sink: Sink,
}

impl Worker {
    fn run(&mut self, messages: &Receiver<Message>) {
        while let Ok(message) = messages.recv() {
            match message {
                Message::Options(options) => self.set_options(options),
                Message::Prepare => drop(self.searcher()),
                Message::Job { id, job, asked, stop, reply } => {
                    let outcome = self.perform(id, job, asked, &stop);
                    // Idle first: whoever hears `Finished` may ask whether the engine is idle.
                    self.unfinished.remove(id);
                    if let Some(reply) = reply {
                        // The asker waits for exactly this; if it has gone, nobody misses it.
                        let _ = reply.send(outcome.clone());
                    }
                    (self.sink)(Event::Finished { job: id, outcome });
                }
            }
        }
    }

    fn set_options(&mut self, options: Options) {
        let same_searcher = self.options.threads == options.threads
            && self.options.hash_mib == options.hash_mib
            && self.options.evaluation == options.evaluation
            && self.options.weights == options.weights;
        if !same_searcher {
            self.search = None;
        }
        self.options = options;
    }

    fn perform(&mut self, id: JobId, job: Job, asked: Instant, stop: &Stop) -> Outcome {
        match job {
            Job::Search(task) => Outcome::Searched(self.search(id, &task, asked, stop)),
            Job::Analyze(analysis) => self.analyze(id, &analysis, stop),
            Job::Learn(_positions) => Outcome::Learned,
            Job::Clear => {
                // A searcher that does not exist yet has nothing to forget.
                if let Some(search) = &mut self.search {
                    search.clear();
                }
                Outcome::Cleared
            }
        }
    }

    fn search(&mut self, id: JobId, task: &Task, asked: Instant, stop: &Stop) -> search::SearchResult {
        self.searcher();
        // What the job has waited, for the weights to be unpacked say, is gone from the clock.
        let mut task = *task;
        task.limits.clock = task.limits.clock.after(asked.elapsed());
        let Self { search, sink, .. } = self;
        let search = search.as_mut().expect("built above");
        search.run(&task, stop, &mut Reporter { job: id, sink })
    }

    fn analyze(&mut self, id: JobId, analysis: &Analysis, stop: &Stop) -> Outcome {
        for (ply, &board) in analysis.positions.iter().enumerate().rev() {
            let task = Task::new(board, analysis.limits);
            let result = self.searcher().run(&task, stop, &mut Silent);
            if stop.is_requested() {
                return Outcome::Analyzed { stopped: true };
            }
            (self.sink)(Event::Analyzed { job: id, ply, result });
        }
        Outcome::Analyzed { stopped: false }
    }

    /// The searcher, built on first use: a protocol answers its first ping before any table exists.
    fn searcher(&mut self) -> &mut Search {
        let Self { options, search, sink, .. } = self;
        search.get_or_insert_with(|| {
            let evaluator =
                Evaluator::load(options.evaluation, options.weights.as_deref()).unwrap_or_else(|error| {
                    sink(Event::Warning { text: format!("{error}; playing by the classic evaluation") });
                    Evaluator::classic()
                });
            let settings = search::Options { threads: options.threads, hash_mib: options.hash_mib };
            Search::new(&settings, Arc::new(evaluator))
        })
    }
}

/// Turns a search's reports into events.
struct Reporter<'a> {
    job: JobId,
    sink: &'a mut Sink,
}

impl Observer for Reporter<'_> {
    fn iteration(&mut self, info: &Info) {
        (self.sink)(Event::Iteration { job: self.job, info: info.clone() });
    }
}
