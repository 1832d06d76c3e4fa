//! For tests: a session with an engine and a clock that the test controls.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::console::{InputLine, LineWriter, Page};
use super::driver::{Input, Permit, Searcher, Session};
use super::library::Library;
use super::session::{ProtocolRules, ProtocolSession, SessionOptions};
use crate::board::{Board, Move, Score};
use crate::engine::{Event, Job, JobId, Outcome};
use crate::search::{self, Info, Proof, SearchResult, Selectivity, Task};
use crate::util::patience::origin;

/// The calls of a session.
#[derive(Default)]
struct Script {
    jobs: Vec<Job>,
    stops: usize,
}

#[derive(Clone, Default)]
pub struct Fake(Arc<Mutex<Script>>);

impl Searcher for Fake {
    fn start(&mut self, job: Job) -> JobId {
        let mut script = self.0.lock().unwrap();
        script.jobs.push(job);
        JobId(script.jobs.len() as u64)
    }

    fn stop(&mut self) {
        self.0.lock().unwrap().stops += 1;
    }

    fn nodes(&self) -> u64 {
        7_000
    }
}

/// A session that has begun, its engine and its clock.
pub struct Harness<S> {
    pub session: S,
    engine: Fake,
    output: Page,
    pub now: Instant,
}

impl<P: ProtocolRules> Harness<ProtocolSession<P>> {
    pub fn session(library: Library, options: SessionOptions) -> Self {
        Self::new(|engine, out| {
            ProtocolSession::new(engine, LineWriter::new(out), library, options)
        })
    }
}

impl<S: Session> Harness<S> {
    pub fn new(open: impl FnOnce(Fake, Page) -> S) -> Self {
        let engine = Fake::default();
        let output = Page::default();
        let mut session = open(engine.clone(), output.clone());
        let now = origin();
        session.begin(now).unwrap();
        Self {
            session,
            engine,
            output,
            now,
        }
    }

    pub fn happens(&mut self, input: Input) {
        self.session.handle(input, self.now).unwrap();
    }

    pub fn send(&mut self, lines: &str) {
        for line in lines.lines() {
            self.happens(Input::Line(
                InputLine::Text(line.to_owned()),
                Permit::default(),
            ));
        }
    }

    pub fn pass_time(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
        self.happens(Input::Tick);
    }

    pub fn jobs(&self) -> usize {
        self.engine.0.lock().unwrap().jobs.len()
    }

    pub fn stops(&self) -> usize {
        self.engine.0.lock().unwrap().stops
    }

    pub fn task(&self) -> Task {
        match self.engine.0.lock().unwrap().jobs.last() {
            Some(Job::Search(task)) => *task,
            other => panic!("no search but {other:?}"),
        }
    }

    pub fn iteration(&mut self, depth: u8) {
        let job = JobId(self.jobs() as u64);
        self.happens(Input::Event(Event::Iteration {
            job,
            info: info(self.task().board, depth),
        }));
    }

    pub fn finish(&mut self, depth: u8) {
        let job = JobId(self.jobs() as u64);
        let outcome = outcome(self.task().board, depth);
        self.happens(Input::Event(Event::Finished { job, outcome }));
    }

    /// The output since the last [`Harness::clear`].
    pub fn seen(&self) -> String {
        self.output.text()
    }

    pub fn clear(&self) {
        self.output.clear();
    }

    /// The lines printed since the last call.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.seen().lines().map(str::to_owned).collect();
        self.clear();
        lines
    }

    /// Those of them that start with `word`.
    pub fn lines_of(&self, word: &str) -> Vec<String> {
        self.lines()
            .into_iter()
            .filter(|line| line.split(' ').next() == Some(word))
            .collect()
    }
}

pub fn outcome(board: Board, depth: u8) -> Outcome {
    let info = info(board, depth);
    let best = info.lines.first().map(|line| line.pv[0]);
    Outcome::Searched(SearchResult {
        best,
        info,
        stopped: true,
    })
}

pub fn info(board: Board, depth: u8) -> Info {
    let mv = board.moves().first().map_or(Move::Pass, Move::Place);
    let line = search::Line {
        pv: vec![mv],
        bound: Score::from_discs(1),
        depth,
        selectivity: Selectivity::P73,
        proof: Proof::None,
    };
    Info {
        lines: vec![line],
        nodes: 100 * u64::from(depth),
        time: Duration::ZERO,
    }
}
