//! The analysis stream: requests in, answers out, one JSON object a line. The page is in [`crate::analysis`].

#[cfg(test)]
mod tests;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::console::{InputLine, LineReader, LineWriter, MAX_LINE_BYTES, quiet_broken_pipe};
use crate::analysis::answer::Answer;
use crate::analysis::request::{self, Query, Tag};
use crate::analysis::{Defaults, Done, Fault, Settings, Workers};
use crate::util::os::threads::no_thread;

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
    let workers = Arc::new(Workers::new(settings, Box::new(sink)));
    let mut input = Input { workers: Arc::clone(&workers), defaults, done, line: 0 };
    let unreadable = Arc::new(Mutex::new(None));
    let fault = Arc::clone(&unreadable);
    // Not joined: it may be blocked in a read when the output is closed.
    thread::Builder::new()
        .name("emilia-reader".into())
        .spawn(move || {
            let end = input.take_all(&mut reader);
            *fault.lock().unwrap_or_else(PoisonError::into_inner) = end.err();
            input.workers.end_input();
        })
        .map_err(no_thread)?;
    // After the reader: there may not be as many threads as they are told to be.
    workers.start()?;
    quiet_broken_pipe(workers.wait())?;
    let error = unreadable.lock().unwrap_or_else(PoisonError::into_inner).take();
    error.map_or(Ok(()), Err)
}

/// What happens to lines as they are read.
struct Input {
    workers: Arc<Workers>,
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
                self.refuse(&Tag::of_line(self.line, "", &self.defaults), &fault)
            }
            InputLine::Text(text) if text.trim().is_empty() => true,
            InputLine::Text(text) => match request::parse(&text, self.line, &self.defaults) {
                Ok(query) => self.obey(query),
                Err((tag, fault)) => self.refuse(&tag, &fault),
            },
        }
    }

    fn obey(&mut self, query: Query) -> bool {
        match query {
            Query::Analyse(mut request) => {
                request.turns.retain(|turn| !self.done.take(&request.tag, turn.number));
                request.turns.is_empty() || self.workers.submit(request)
            }
            Query::Cancel { tag, id, warnings } => {
                let positions = self.workers.cancel(id.as_ref());
                self.workers.answer(Answer::cancelled(&tag, positions, warnings))
            }
        }
    }

    fn refuse(&mut self, tag: &Tag, fault: &Fault) -> bool {
        self.done.take(tag, None) || self.workers.answer(Answer::fault(tag, fault))
    }
}
