#![doc = include_str!("README.md")]
//!
//! # Inside
//!
//! `line → request (pure) → pool: queue, threads, order → work: search → answer (plain data) → line`.

pub mod answer;
mod fields;
mod pool;
pub mod reasons;
pub mod request;
mod resume;
mod schema;
#[cfg(test)]
mod tests;
mod work;

pub use fields::Fault;
pub use pool::Pool;
pub use resume::Done;
pub use schema::SCHEMA;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::console::{InputLine, LineReader, LineWriter, MAX_LINE_BYTES, quiet_broken_pipe};
use crate::engine::{Level, Opening};
use crate::eval::Evaluator;
use crate::search::{Clock, Limits};
use crate::util::threads::no_thread;

use answer::{Answer, Cancelled, Failure};
use request::{Command, Tag};

/// What a request is where it does not say.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    /// Bounds of a search.
    pub limits: Limits,
    /// How many of the best moves to report.
    pub moves: usize,
    /// Whether chances to win are known for the evaluation: they are for the embedded network.
    pub calibrated: bool,
    /// Whether the same input must give the same bytes: what cannot is refused.
    pub reproducible: bool,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            limits: Level::default().limits(Clock::Unlimited),
            moves: 1,
            calibrated: true,
            reproducible: false,
        }
    }
}

/// Everything an analysis session is told before it begins.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Positions searched side by side, at least 1; each by one thread.
    pub threads: usize,
    /// Size of each thread's transposition table in MiB.
    pub hash_mib: usize,
    /// How many positions may be under way; the reader waits when there are as many.
    pub queue: usize,
    /// Whether answers keep the order of the requests.
    pub in_order: bool,
    /// What a request is where it does not say.
    pub defaults: Defaults,
    /// The evaluation, shared by all threads.
    pub evaluator: Arc<Evaluator>,
    /// What answers call the evaluation.
    pub weights: String,
    /// The opening book, if answers shall tell what it knows.
    pub book: Option<Arc<Opening>>,
}

/// Answers the requests that `reader` gives until its end, or until `writer` takes no more.
///
/// What stands in `done` is passed over.
///
/// # Errors
/// When the output fails otherwise than by a reader that has gone, or the input cannot be read; what was read
/// is answered first.
pub fn run(mut reader: LineReader, writer: LineWriter, settings: Settings, done: Done) -> io::Result<()> {
    let defaults = settings.defaults.clone();
    let sink = move |answer: &Answer| {
        let text = serde_json::to_string(answer).expect("numbers, texts and lists are always JSON");
        writer.line(&text)
    };
    let pool = Arc::new(Pool::new(settings, Box::new(sink)));
    let mut input = Input { pool: Arc::clone(&pool), defaults, done, line: 0 };
    let unreadable = Arc::new(Mutex::new(None));
    let fault = Arc::clone(&unreadable);
    // Not joined: it may be blocked in a read when the output is closed.
    thread::Builder::new()
        .name("emilia-reader".into())
        .spawn(move || {
            let end = input.take_all(&mut reader);
            *fault.lock().unwrap_or_else(PoisonError::into_inner) = end.err();
            input.pool.end_input();
        })
        .map_err(no_thread)?;
    // After the reader: there may not be as many threads as they are told to be.
    pool.start()?;
    quiet_broken_pipe(pool.wait())?;
    let error = unreadable.lock().unwrap_or_else(PoisonError::into_inner).take();
    error.map_or(Ok(()), Err)
}

/// What happens to lines as they are read.
struct Input {
    pool: Arc<Pool>,
    defaults: Defaults,
    done: Done,
    /// Number of the last line read, from 1.
    line: u64,
}

impl Input {
    /// Does what the lines ask for until the end of input, or until no more answers are taken.
    fn take_all(&mut self, reader: &mut LineReader) -> io::Result<()> {
        while let Some(line) = reader.read()? {
            if !self.take(line) {
                break;
            }
        }
        Ok(())
    }

    /// Does what a line asks for; `false` when no more need be read.
    fn take(&mut self, line: InputLine) -> bool {
        self.line += 1;
        match line {
            InputLine::TooLong => {
                let fault = Fault::line(format!("a line takes at most {MAX_LINE_BYTES} bytes"));
                self.refuse(Tag::of_line(self.line, "", &self.defaults), &fault)
            }
            InputLine::Text(text) if text.trim().is_empty() => true,
            InputLine::Text(text) => match request::parse(&text, self.line, &self.defaults) {
                Ok(command) => self.obey(command),
                Err((tag, fault)) => self.refuse(tag, &fault),
            },
        }
    }

    fn obey(&mut self, command: Command) -> bool {
        match command {
            Command::Analyse(mut request) => {
                request.turns.retain(|turn| !self.done.take(&request.tag, turn.number));
                request.turns.is_empty() || self.pool.submit(request)
            }
            Command::Cancel { tag, id, warnings } => {
                let positions = self.pool.cancel(id.as_ref());
                self.pool.answer(Answer::Cancelled(Cancelled::new(&tag, positions, warnings)))
            }
        }
    }

    fn refuse(&mut self, tag: Tag, fault: &Fault) -> bool {
        self.done.take(&tag, None) || self.pool.answer(Answer::Failure(Failure::new(tag, fault)))
    }
}
