//! The analysis stream: a JSON request and its answers are a line each. The page is in [`crate::analysis`].

#[cfg(test)]
mod tests;

use std::io;
use std::sync::{Arc, Mutex};
use std::thread;

use super::console::{InputLine, LineReader, LineWriter, MAX_LINE_BYTES, quiet_broken_pipe};
use crate::analysis::answer::{Answer, Body};
use crate::analysis::request::{self, Query, Tag};
use crate::analysis::{Changed, Defaults, Done, Fault, Record, Settings, Totals, Workers};
use crate::util::lock;
use crate::util::os::threads::no_thread;
use crate::util::shard::Selection;

/// The unit of the input, in messages.
const LINE: &str = "line";

/// Answers the requests of `reader` until its end, or until the reader of `writer` has gone. Skips those in `lines.done`.
///
/// # Errors
/// When the output cannot be written, or the input cannot be read, after the answers to earlier lines.
pub fn run(
    mut reader: LineReader,
    writer: LineWriter,
    settings: Settings,
    lines: Lines,
) -> io::Result<Totals> {
    let defaults = settings.defaults.clone();
    let fields = settings.fields.clone();
    let totals = Arc::new(Mutex::new(Totals::default()));
    let counted = Arc::clone(&totals);
    let record = lines.record.clone();
    let watch = Arc::clone(&lines.watch);
    let sink = move |answer: &Answer| {
        let line = answer.to_line(fields.as_ref());
        record
            .as_ref()
            .map_or(Ok(()), |record| answer.note(record, &line))?;
        writer.line(&line)?;
        lock(&counted).answer(answer);
        if answer.is_final() && matches!(answer.body, Body::Judged(_)) {
            watch(Step::Answered);
        }
        Ok(())
    };
    let waits = settings.budget.is_some();
    let workers = Arc::new(Workers::new(settings, Box::new(sink)));
    let mut input = Input {
        workers: Arc::clone(&workers),
        defaults,
        lines,
        number: 0,
        totals: Arc::clone(&totals),
    };
    let end = Arc::new(Mutex::new(None));
    let of_reader = Arc::clone(&end);
    // Not joined: it may be blocked in a read when the output is closed.
    thread::Builder::new()
        .name("emilia-reader".into())
        .spawn(move || {
            let read = input.take_all(&mut reader);
            *lock(&of_reader) = Some(read);
            input.workers.end_input();
        })
        .map_err(no_thread)?;
    if waits {
        workers.wait_for_input();
    }
    // After the reader: the system may start fewer threads than requested.
    workers.start()?;
    quiet_broken_pipe(workers.wait())?;
    // The reader may still wait for a line.
    lock(&end).take().unwrap_or(Ok(()))?;
    let totals = std::mem::take(&mut *lock(&totals));
    Ok(totals)
}

/// A step of the run: positions asked for, or one answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Asked(usize),
    Answered,
}

pub struct Lines {
    /// The selected lines of this input.
    pub selection: Selection,
    /// Lines of the whole input before this part of it.
    pub before: u64,
    /// Requests that an earlier run answered.
    pub done: Done,
    pub record: Option<Record>,
    /// Sees every step.
    pub watch: Arc<dyn Fn(Step) + Send + Sync>,
}

impl Default for Lines {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            before: 0,
            done: Done::default(),
            record: None,
            watch: Arc::new(|_| {}),
        }
    }
}

/// The reader of requests.
struct Input {
    workers: Arc<Workers>,
    defaults: Defaults,
    lines: Lines,
    /// Number of the last line read, from 1.
    number: u64,
    totals: Arc<Mutex<Totals>>,
}

impl Input {
    /// Handles all lines until the end of input, or until the output has ended.
    fn take_all(&mut self, reader: &mut LineReader) -> io::Result<()> {
        while !self.lines.selection.ends_before(self.number + 1)
            && let Some(line) = reader.read()?
        {
            self.number += 1;
            if self.lines.selection.takes(self.number)
                && !self.take(line).map_err(io::Error::other)?
            {
                return Ok(());
            }
        }
        self.lines.done.end(LINE).map_err(io::Error::other)
    }

    /// Handles a line; `false` once the output has ended.
    fn take(&mut self, line: InputLine) -> Result<bool, Changed> {
        let line_number = self.lines.before + self.number;
        let query = match line {
            InputLine::Text(text) if text.trim().is_empty() => return Ok(true),
            InputLine::Text(text) => request::parse(&text, line_number, &self.defaults),
            InputLine::TooLong(_) => {
                let fault = Fault::line(format!("a line takes at most {MAX_LINE_BYTES} bytes"));
                Err((Tag::of_line(line_number, "", &self.defaults), fault))
            }
        };
        lock(&self.totals).requests += 1;
        match query {
            Ok(query) => self.execute(query),
            Err((tag, fault)) => self.refuse(&tag, &fault),
        }
    }

    fn execute(&mut self, query: Query) -> Result<bool, Changed> {
        match query {
            Query::Analyze(mut request) => {
                let asked = request.turns.len();
                let resumed = self.lines.done.take_from(LINE, &mut request)?;
                lock(&self.totals).resume(resumed);
                (self.lines.watch)(Step::Asked(asked - resumed));
                Ok(request.turns.is_empty() || self.workers.submit(request))
            }
            Query::Cancel { tag, id, warnings } => {
                let is_done = self.lines.done.take(LINE, &tag)?;
                let positions = self.workers.cancel(id.as_ref());
                Ok(is_done
                    || self
                        .workers
                        .answer(Answer::cancelled(&tag, positions, warnings)))
            }
            Query::Version { tag, warnings } => {
                Ok(self.lines.done.take(LINE, &tag)? || self.workers.version(&tag, warnings))
            }
        }
    }

    fn refuse(&mut self, tag: &Tag, fault: &Fault) -> Result<bool, Changed> {
        lock(&self.totals).fault(tag.line, fault.to_string());
        let is_done = self.lines.done.take(LINE, tag)?;
        lock(&self.totals).resumed += u64::from(is_done);
        Ok(is_done || self.workers.answer(Answer::fault(tag, fault)))
    }
}
