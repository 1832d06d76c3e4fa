//! The searching thread: reads messages in order, reports events, owns the searcher.

use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::run::run_task;
use super::{Analysis, Event, Job, JobId, Options, Outcome};
use crate::eval::{Evaluator, Loading};
use crate::search::{self, Info, Observer, STACK_BYTES, Search, SearchResult, Silent, Stop, Task};
use crate::util::clock::Instant;
use crate::util::os::threads::no_thread;

pub(super) enum Message {
    /// Do this, then report `Finished`; `reply` gets the outcome as well.
    Job {
        id: JobId,
        job: Job,
        asked: Instant,
        stop: Stop,
        reply: Option<Sender<Outcome>>,
    },
    /// Begin to load the evaluation, and while nothing else comes, build the searcher.
    Prepare,
}

/// The submitted jobs that have not finished, oldest first: known to the handle and to the worker.
#[derive(Default)]
pub(super) struct Unfinished {
    jobs: Mutex<Jobs>,
    pub(super) changed: Condvar,
}

#[derive(Default)]
pub(super) struct Jobs {
    last_id: u64,
    pub(super) running: Vec<(JobId, Stop)>,
}

impl Unfinished {
    pub(super) fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self) -> (JobId, Stop) {
        let mut jobs = self.lock();
        jobs.last_id += 1;
        let entry = (JobId(jobs.last_id), Stop::new());
        jobs.running.push(entry.clone());
        entry
    }

    pub(super) fn remove(&self, id: JobId) {
        self.lock().running.retain(|(other, _)| *other != id);
        self.changed.notify_all();
    }
}

pub(super) type Sink = Box<dyn FnMut(Event) + Send>;

/// Starts the thread, if the system has one; it ends when the sender of `messages` is dropped.
pub(super) fn spawn(
    options: Options,
    messages: Receiver<Message>,
    unfinished: Arc<Unfinished>,
    sink: Sink,
) -> io::Result<JoinHandle<()>> {
    thread::Builder::new()
        .name("emilia-worker".into())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            Worker {
                options,
                loading: None,
                search: None,
                unfinished,
                sink,
            }
            .run(&messages)
        })
        .map_err(no_thread)
}

struct Worker {
    options: Options,
    loading: Option<Loading>,
    search: Option<Search>,
    unfinished: Arc<Unfinished>,
    sink: Sink,
}

impl Worker {
    fn run(&mut self, messages: &Receiver<Message>) {
        let mut next = messages.recv().ok();
        while let Some(message) = next.take() {
            match message {
                Message::Prepare => next = self.prepare(messages),
                Message::Job {
                    id,
                    job,
                    asked,
                    stop,
                    reply,
                } => {
                    let outcome = self.perform(id, job, asked, &stop);
                    // Idle first: a client that receives `Finished` may ask whether the engine is idle.
                    self.unfinished.remove(id);
                    if let Some(reply) = reply {
                        // An error means that the caller has gone.
                        let _ = reply.send(outcome.clone());
                    }
                    (self.sink)(Event::Finished { job: id, outcome });
                }
            }
            next = next.or_else(|| messages.recv().ok());
        }
    }

    /// Prepares the searcher and its memory until a message arrives; returns that message, if any.
    fn prepare(&mut self, messages: &Receiver<Message>) -> Option<Message> {
        let mut next = None;
        let mut is_quiet = || match messages.try_recv() {
            Ok(message) => {
                next = Some(message);
                false
            }
            Err(error) => error == TryRecvError::Empty,
        };
        if let Some(search) = self.searcher(|| !is_quiet()) {
            search.prefault(is_quiet);
        }
        next
    }

    fn perform(&mut self, id: JobId, job: Job, asked: Instant, stop: &Stop) -> Outcome {
        if matches!(job, Job::Search(_) | Job::Analyze(_))
            && self.search.is_none()
            && self.loading().get().is_none()
        {
            (self.sink)(Event::Loading { job: id });
        }
        match job {
            Job::Search(task) => Outcome::Searched(self.search(id, &task, asked, stop)),
            Job::Analyze(analysis) => self.analyze(id, &analysis, stop),
            Job::Clear => {
                if let Some(search) = &mut self.search {
                    search.clear();
                }
                Outcome::Cleared
            }
            Job::Prepare => {
                if let Some(search) = self.searcher(|| stop.is_requested()) {
                    search.prefault(|| !stop.is_requested());
                }
                Outcome::Prepared
            }
        }
    }

    fn search(&mut self, id: JobId, task: &Task, asked: Instant, stop: &Stop) -> SearchResult {
        let patience = task.limits.clock.patience();
        let in_vain =
            || stop.is_requested() || patience.is_some_and(|patience| asked.elapsed() >= patience);
        if self.searcher(in_vain).is_none() {
            return self.search_without_weights(id, task, stop);
        }
        // The clock loses the time that the job waited, for example for the weights.
        let mut task = *task;
        task.limits.clock = task.limits.clock.after(asked.elapsed());
        let Self { search, sink, .. } = self;
        let search = search.as_mut().expect("built above");
        run_task(search, &task, stop, &mut reporter(id, sink))
    }

    /// A one-ply search by the classic evaluation: an answer is due before the weights are loaded.
    fn search_without_weights(&mut self, id: JobId, task: &Task, stop: &Stop) -> SearchResult {
        let settings = search::Options {
            threads: 1,
            hash_mib: 1,
        };
        let mut search = Search::new(&settings, Arc::new(Evaluator::Classic));
        let at_once = Stop::new();
        at_once.request();
        let result = run_task(
            &mut search,
            task,
            &at_once,
            &mut reporter(id, &mut self.sink),
        );
        SearchResult {
            stopped: stop.is_requested(),
            ..result
        }
    }

    fn analyze(&mut self, id: JobId, analysis: &Analysis, stop: &Stop) -> Outcome {
        for (ply, &board) in analysis.positions.iter().enumerate().rev() {
            let task = Task::new(board, analysis.limits);
            let Some(search) = self.searcher(|| stop.is_requested()) else {
                return Outcome::Analyzed { stopped: true };
            };
            let result = search.run_with(&task, stop, &mut Silent);
            if stop.is_requested() {
                return Outcome::Analyzed { stopped: true };
            }
            (self.sink)(Event::Analyzed {
                job: id,
                ply,
                result,
            });
        }
        Outcome::Analyzed { stopped: false }
    }

    /// The loading evaluation; starts on first use.
    fn loading(&mut self) -> &Loading {
        let Self {
            options, loading, ..
        } = self;
        loading.get_or_insert_with(|| match &options.evaluator {
            Some(evaluator) => Loading::ready(Arc::clone(evaluator)),
            None => Loading::start(options.evaluation, options.weights.clone()),
        })
    }

    /// The searcher, built on first use: a protocol answers its first ping before any table exists.
    ///
    /// `None` if the weights are not loaded when `in_vain` ends the wait.
    fn searcher(&mut self, in_vain: impl FnMut() -> bool) -> Option<&mut Search> {
        if self.search.is_none() {
            let evaluator = self
                .loading()
                .wait_unless(in_vain)?
                .unwrap_or_else(|error| {
                    let text = format!("{error}; playing by the classic evaluation");
                    (self.sink)(Event::Warning { text });
                    Arc::new(Evaluator::Classic)
                });
            let search = self
                .search
                .insert(Search::new(&self.options.search(), evaluator));
            search.set_tuning(self.options.tuning.clone());
        }
        self.search.as_mut()
    }
}

fn reporter(job: JobId, sink: &mut Sink) -> impl Observer {
    move |info: &Info| {
        sink(Event::Iteration {
            job,
            info: info.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::{Board, Move};
    use crate::search::{Clock, Limits};
    use crate::util::patience::{origin, pause};

    /// A worker whose weights never come.
    fn waiting() -> Worker {
        let options = Options {
            hash_mib: 1,
            ..Options::default()
        };
        let loading = Some(Loading::default());
        Worker {
            options,
            loading,
            search: None,
            unfinished: Arc::default(),
            sink: Box::new(drop),
        }
    }

    fn ready() -> Worker {
        Worker {
            loading: Some(Loading::ready(Arc::new(Evaluator::Classic))),
            ..waiting()
        }
    }

    fn is_legal(result: &SearchResult) -> bool {
        matches!(result.best, Some(Move::Place(square)) if Board::START.play(square).is_some())
    }

    #[test]
    fn a_job_that_waits_for_the_weights_says_so_and_no_other_does() {
        let found = |loading: Loading| {
            let (sender, events) = std::sync::mpsc::channel();
            let sink = Box::new(move |event| drop(sender.send(event)));
            let mut worker = Worker {
                loading: Some(loading),
                sink,
                ..waiting()
            };
            let stop = Stop::new();
            stop.request();
            worker.perform(JobId(5), Job::Clear, origin(), &stop);
            worker.perform(
                JobId(6),
                Job::Search(Task::new(Board::START, Limits::depth(1))),
                origin(),
                &stop,
            );
            events
                .try_iter()
                .filter(|event| matches!(event, Event::Loading { .. }))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found(Loading::default()),
            [Event::Loading { job: JobId(6) }]
        );
        assert_eq!(found(Loading::ready(Arc::new(Evaluator::Classic))), []);
    }

    #[test]
    fn a_search_can_be_stopped_while_the_weights_are_on_their_way() {
        let stop = Stop::new();
        let remote = Stop::new();
        remote.request();
        let task = Task::new(Board::START, Limits::depth(60));
        let result = waiting().search(JobId(1), &task, origin(), &remote);
        assert!(is_legal(&result) && result.stopped);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                pause(Duration::from_millis(20));
                stop.request();
            });
            let result = waiting().search(JobId(2), &task, origin(), &stop);
            assert!(is_legal(&result) && result.stopped);
        });
        let analysis = Analysis {
            positions: vec![Board::START],
            limits: Limits::depth(1),
        };
        assert_eq!(
            waiting().analyze(JobId(3), &analysis, &remote),
            Outcome::Analyzed { stopped: true }
        );
    }

    #[test]
    fn what_a_search_needs_is_there_once_it_is_prepared() {
        let mut worker = ready();
        let outcome = worker.perform(JobId(1), Job::Prepare, origin(), &Stop::new());
        assert_eq!(outcome, Outcome::Prepared);
        assert_eq!(worker.search.map(|search| search.hash_mib()), Some(1));
    }

    #[test]
    fn what_is_asked_while_the_engine_prepares_is_done() {
        let job = |id: u64| {
            let asked = origin();
            let stop = Stop::new();
            Message::Job {
                id: JobId(id),
                job: Job::Clear,
                asked,
                stop,
                reply: None,
            }
        };
        for (mut worker, is_ready) in [(waiting(), false), (ready(), true)] {
            let (sender, messages) = std::sync::mpsc::channel();
            let (events, heard) = std::sync::mpsc::channel();
            worker.sink = Box::new(move |event| events.send(event).expect("the test listens"));
            for message in [Message::Prepare, job(1), Message::Prepare, job(2)] {
                sender.send(message).expect("the worker listens");
            }
            drop(sender);
            worker.run(&messages);
            assert_eq!(worker.search.is_some(), is_ready);
            let finished = [1, 2].map(|id| Event::Finished {
                job: JobId(id),
                outcome: Outcome::Cleared,
            });
            drop(worker);
            assert_eq!(heard.iter().collect::<Vec<_>>(), finished);
        }
    }

    #[test]
    fn a_clock_does_not_wait_for_weights() {
        let stop = Stop::new();
        let short = Duration::from_millis(30);
        for clock in [
            Clock::Move(short),
            Clock::Game {
                remaining: short,
                increment: Duration::ZERO,
            },
        ] {
            let task = Task::new(
                Board::START,
                Limits {
                    clock,
                    ..Limits::depth(60)
                },
            );
            let result = waiting().search(JobId(1), &task, origin(), &stop);
            assert!(
                is_legal(&result) && !result.stopped,
                "out of time is not stopped"
            );
        }
    }
}
