//! A session: requests of the analysis stream and calls in, answers out.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::calls::Calls;
use crate::analysis::answer::Answer;
use crate::analysis::request::{self, Query};
use crate::analysis::{Defaults, Settings, Workers};
use crate::board::Position;
use crate::book::policy::Policy;
use crate::engine::{BookOptions, Opening};
use crate::eval::{Evaluator, Weights};
use crate::search::{Limits, Options, Search, Task};

pub struct Session {
    search: Search,
    workers: Workers,
    calls: Calls,
    write: fn(&str),
    /// Number of the last line.
    lines: u64,
}

/// The searches of `emilia bench`, for the test of the module.
#[derive(Deserialize)]
struct Bench {
    bench: Vec<Position>,
}

impl Session {
    /// A session that hands each line to `write`; `None` if memory is short.
    pub fn new(hash_mib: usize, write: fn(&str)) -> Option<Self> {
        let evaluator = Arc::new(Evaluator::load(None, None).ok()?);
        let weights = Weights::embedded_name().ok()?;
        let book = BookOptions { path: None, policy: Policy::Best, seed: 1 };
        let book = Arc::new(Opening::open(&book).expect("a test reads the small book"));
        let options = Options { threads: 1, hash_mib };
        let settings = Settings {
            jobs: 1,
            hash_mib,
            queue: usize::MAX,
            in_order: false,
            defaults: Defaults::default(),
            evaluator: Arc::clone(&evaluator),
            weights: weights.clone(),
            book: Some(Arc::clone(&book)),
            fields: None,
            store: None,
        };
        let sink = move |answer: &Answer| {
            write(&answer.to_line(None));
            Ok(())
        };
        Some(Self {
            search: Search::new(&options, evaluator),
            workers: Workers::new(settings, Box::new(sink)),
            calls: Calls { book, weights },
            write,
            lines: 0,
        })
    }

    /// Takes a line of input.
    pub fn take(&mut self, text: &str) {
        self.lines += 1;
        let line: Value = serde_json::from_str(text).unwrap_or_default();
        if let Ok(bench) = Bench::deserialize(&line) {
            let nodes = bench.bench.iter().map(|position| self.bench_nodes(position)).sum::<u64>();
            return (self.write)(&json!({ "bench": nodes }).to_string());
        }
        if line.get("call").is_some() {
            return (self.write)(&self.calls.answer(&line));
        }
        match request::parse(text, self.lines, &Defaults::default()) {
            Ok(Query::Analyze(request)) => self.workers.submit(request),
            Ok(Query::Cancel { tag, id, warnings }) => {
                let positions = self.workers.cancel(id.as_ref());
                self.workers.answer(Answer::cancelled(&tag, positions, warnings))
            }
            Err((tag, fault)) => self.workers.answer(Answer::fault(&tag, &fault)),
        };
    }

    /// The nodes of the standard search of `emilia bench`.
    fn bench_nodes(&mut self, position: &Position) -> u64 {
        self.search.clear();
        let limits = Limits { exact_empties: 18, ..Limits::depth(10) };
        self.search.run(&Task::new(position.board, limits)).info.nodes
    }

    /// Searches until the microsecond `end` of the clock; whether positions are left.
    pub fn search_until(&mut self, end: u64) -> bool {
        self.workers.work_until(end, &mut self.search)
    }
}
