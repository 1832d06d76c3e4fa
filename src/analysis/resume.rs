//! The record of a run: `FILE.run` holds its question and the request of each answer in `FILE`.
//!
//! `--resume` compares the record with the new run: first the question, then each line of input when it is read.
//! The first line is a JSON object with the options. One line follows for each line of `FILE`, written just before it:
//!
//! ```text
//! [line, turn, CRC-32 of the request, CRC-32 of the answer, final, nodes, microseconds]
//! ```

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::line::Asked;
use super::request::{Request, Tag};
use crate::util::append_file::{AppendFile, whole_line};
use crate::util::options;

/// The options that decide the answers of a run, one a line: `--depth 8`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The lines, in any order; the first word names the option.
    pub options: String,
}

#[derive(Debug, Error)]
pub enum ResumeError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There are answers, but no record of their run.
    #[error("no {0} records the run that made it, as of another version; name another output")]
    Unrecorded(String),
    /// The run had other options.
    #[error("{0}; give the same options or another output")]
    Question(String),
    /// An answer is not the one that was recorded.
    #[error("line {0} is not the answer that {1} records; name another output")]
    Answer(u64, String),
}

/// The input is not that of the earlier run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{number} of the input {}: continue with the same input, more may follow at its end, or name another output",
    if *.is_missing { "is gone, but the output holds its answer" } else { "is not the one that the output answers" }
)]
pub struct Changed {
    /// `line 7` or `entry 7`.
    number: String,
    is_missing: bool,
}

/// The answers of earlier runs, by line of input. Lines are reached in their order.
#[derive(Clone, Debug, Default)]
pub struct Done(BTreeMap<u64, Answered>);

#[derive(Clone, Debug)]
struct Answered {
    crc32: u32,
    /// The positions that have their last answer.
    turns: Vec<Option<usize>>,
}

/// The record that grows with the answers; clones share it.
#[derive(Clone, Debug)]
pub struct Record {
    path: PathBuf,
    growing: Arc<Mutex<Growing>>,
}

#[derive(Debug)]
struct Growing {
    file: AppendFile,
    nodes: u64,
    before: Duration,
    started: Instant,
}

/// A line of the record: line and turn of the request, checksums of it and of the answer, whether no other answer
/// follows, nodes, microseconds since the first run began.
type Note = (u64, Option<usize>, u32, u32, bool, u64, u64);

/// The answers of earlier runs, with the sizes of their files.
#[derive(Debug, Default)]
pub struct Earlier {
    pub done: Done,
    /// Bytes of the answers that have a record.
    pub answer_bytes: u64,
    record_bytes: u64,
    nodes: u64,
    time: Duration,
}

impl Question {
    fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// The question with which a record begins; `None` if the file is no record.
    pub fn read(mut record: impl BufRead) -> io::Result<Option<Self>> {
        let mut line = Vec::new();
        Ok(whole_line(&mut record, &mut line)?.then(|| Self::parse(&line)).flatten())
    }
}

impl Earlier {
    /// Reads a record and its answers; `is_complete` if the run came to its end.
    ///
    /// A half-written last line counts for nothing. A killed run leaves a note without its answer, a power cut may leave
    /// an answer without its note: both are dropped.
    ///
    /// # Errors
    /// When the record is missing, of another question, or not that of the answers.
    pub fn read(
        mut record: impl BufRead,
        mut answers: impl BufRead,
        name: &Path,
        question: &Question,
        is_complete: bool,
    ) -> Result<Self, ResumeError> {
        let name = || name.display().to_string();
        let (mut earlier, mut note, mut answer) = (Self::default(), Vec::new(), Vec::new());
        if whole_line(&mut record, &mut note)? {
            let made = Question::parse(&note).ok_or_else(|| ResumeError::Unrecorded(name()))?;
            if let Some(difference) = options::difference(&made.options, &question.options) {
                return Err(ResumeError::Question(difference));
            }
            earlier.record_bytes = note.len() as u64;
        }
        let mut number = 0;
        while whole_line(&mut answers, &mut answer)? {
            number += 1;
            if earlier.record_bytes == 0 {
                return Err(ResumeError::Unrecorded(name()));
            }
            let has_note = whole_line(&mut record, &mut note)?;
            if !has_note && !is_complete {
                break;
            }
            let noted: Option<Note> = serde_json::from_slice(&note).ok().filter(|noted: &Note| {
                has_note && noted.3 == crc32fast::hash(&answer) && earlier.done.add(noted)
            });
            let (.., nodes, time) = noted.ok_or_else(|| ResumeError::Answer(number, name()))?;
            earlier.record_bytes += note.len() as u64;
            earlier.answer_bytes += answer.len() as u64;
            (earlier.nodes, earlier.time) = (earlier.nodes + nodes, Duration::from_micros(time));
        }
        Ok(earlier)
    }
}

impl Record {
    /// The record in `file`, for a run that goes on after `earlier`.
    pub fn begin(
        path: PathBuf,
        file: AppendFile,
        question: &Question,
        earlier: &Earlier,
    ) -> io::Result<Self> {
        file.keep(earlier.record_bytes)?;
        if earlier.record_bytes == 0 {
            file.append((serde_json::to_string(question)? + "\n").as_bytes())?;
        }
        let Earlier { nodes, time: before, .. } = *earlier;
        let growing = Growing { file, nodes, before, started: Instant::now() };
        Ok(Self { path, growing: Arc::new(Mutex::new(growing)) })
    }

    /// Notes that `answer`, a line without its end, is the next line of the output; `is_final` unless another answer to
    /// the same position follows. `nodes` is the work of this run.
    pub fn note(&self, asked: Asked, answer: &str, is_final: bool, nodes: u64) -> io::Result<()> {
        let mut crc32 = crc32fast::Hasher::new();
        [answer, "\n"].iter().for_each(|text| crc32.update(text.as_bytes()));
        let mut growing = self.growing();
        let (Asked { line, turn, crc32: request }, time) = (asked, growing.time().as_micros() as u64);
        let note: Note = (line, turn, request, crc32.finalize(), is_final, nodes, time);
        growing
            .file
            .append((serde_json::to_string(&note)? + "\n").as_bytes())
            .map_err(|error| self.named(&error))?;
        growing.nodes += nodes;
        Ok(())
    }

    /// Nodes and time of all runs together; waits until the record is on the disk.
    pub fn finish(&self) -> io::Result<(u64, Duration)> {
        let growing = self.growing();
        growing.file.sync().map_err(|error| self.named(&error))?;
        Ok((growing.nodes, growing.time()))
    }

    fn growing(&self) -> MutexGuard<'_, Growing> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn named(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("writing {}: {error}", self.path.display()))
    }
}

impl Growing {
    fn time(&self) -> Duration {
        self.before + self.started.elapsed()
    }
}

impl Done {
    /// Adds an answer; `false` if an answer to the same line names another text.
    fn add(&mut self, &(line, turn, crc32, _, is_final, ..): &Note) -> bool {
        let answered = self.0.entry(line).or_insert_with(|| Answered { crc32, turns: Vec::new() });
        answered.turns.extend(is_final.then_some(turn));
        answered.crc32 == crc32
    }

    /// Removes the turns that have their answers from the request; returns their number. `what` names the parts of the
    /// input: `line` or `entry`.
    pub fn take_from(&mut self, what: &str, request: &mut Request) -> Result<usize, Changed> {
        let mut answered = self.reach(what, request.tag.line, request.tag.crc32)?;
        let asked = request.turns.len();
        request.turns.retain(|turn| {
            // A turn may be asked for twice.
            let found = answered.iter().position(|answered| *answered == turn.number);
            found.map(|index| answered.swap_remove(index)).is_none()
        });
        Ok(asked - request.turns.len())
    }

    /// Whether the only answer to this line or entry is there.
    pub fn take(&mut self, what: &str, tag: &Tag) -> Result<bool, Changed> {
        Ok(!self.reach(what, tag.line, tag.crc32)?.is_empty())
    }

    /// Compares the end of the input.
    pub fn end(&self, what: &str) -> Result<(), Changed> {
        let missing = |line| Err(Changed { number: format!("{what} {line}"), is_missing: true });
        self.0.keys().next().map_or(Ok(()), missing)
    }

    /// The turns of this line that have their answers.
    fn reach(&mut self, what: &str, line: u64, crc32: u32) -> Result<Vec<Option<usize>>, Changed> {
        if self.0.first_key_value().is_some_and(|(&first, _)| first < line) {
            self.end(what)?;
        }
        match self.0.remove(&line) {
            Some(answered) if answered.crc32 != crc32 => {
                Err(Changed { number: format!("{what} {line}"), is_missing: false })
            }
            answered => Ok(answered.map_or_else(Vec::new, |answered| answered.turns)),
        }
    }
}

#[cfg(test)]
pub mod testing {
    use super::*;
    use crate::util::target::Existing;

    /// A new record in this folder of a run with these options.
    pub fn begun(folder: &Path, options: &str) -> Record {
        let path = folder.join("out.run");
        let file = AppendFile::open(&path, Existing::Continue).unwrap();
        Record::begin(path, file, &Question { options: options.to_owned() }, &Earlier::default()).unwrap()
    }

    pub fn text(record: &Record) -> String {
        std::fs::read_to_string(&record.path).unwrap()
    }

    /// An earlier run that left these, continued with these options.
    pub fn read(record: &str, answers: &[u8], options: &str) -> Result<Earlier, String> {
        let question = Question { options: options.to_owned() };
        let read = Earlier::read(record.as_bytes(), answers, Path::new("out.run"), &question, false);
        read.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{begun, text};
    use super::*;

    use tempfile::TempDir;

    fn tag(line: u64, crc32: u32) -> Tag {
        Tag { line, crc32, ..Tag::default() }
    }

    fn read(record: &str, answers: &str, options: &str) -> Result<Earlier, String> {
        testing::read(record, answers.as_bytes(), options)
    }

    /// A record of three answers, which are given too.
    fn recorded() -> (String, String) {
        let folder = TempDir::new().unwrap();
        let record = begun(folder.path(), "--depth 8");
        let mut answers = String::new();
        for (line, turn, is_final) in [(2, Some(1), true), (1, None, false), (1, None, true)] {
            let answer = format!("answer {}", answers.len());
            record.note(Asked { line, crc32: line as u32, turn }, &answer, is_final, 100).unwrap();
            answers += &(answer + "\n");
        }
        assert_eq!(record.finish().unwrap().0, 300);
        (text(&record), answers)
    }

    #[test]
    fn answers_are_known_by_their_lines() {
        let (record, answers) = recorded();
        let Earlier { mut done, nodes, answer_bytes, record_bytes, .. } =
            read(&record, &answers, "--depth 8").unwrap();
        assert_eq!((nodes, answer_bytes, record_bytes), (300, answers.len() as u64, record.len() as u64));
        assert_eq!(done.take("line", &tag(1, 1)), Ok(true));
        assert!(done.clone().end("line").unwrap_err().to_string().starts_with("line 2 of the input is gone"));
        assert!(done.clone().take("line", &tag(3, 3)).unwrap_err().to_string().starts_with("line 2 of"));
        let changed = done.clone().take("line", &tag(2, 7)).unwrap_err().to_string();
        assert!(changed.starts_with("line 2 of the input is not the one"), "{changed}");
        assert_eq!((done.take("line", &tag(2, 2)), done.take("line", &tag(3, 3))), (Ok(true), Ok(false)));
        assert_eq!(done.end("line"), Ok(()));
    }

    #[test]
    fn a_partial_answer_is_not_the_last_one() {
        let (record, answers) = recorded();
        let two = &answers[..answers.match_indices('\n').nth(1).unwrap().0 + 1];
        let mut earlier = read(&record, two, "--depth 8").unwrap();
        assert_eq!((earlier.done.take("line", &tag(1, 1)), earlier.nodes), (Ok(false), 200));
    }

    #[test]
    fn a_killed_run_loses_what_was_half_written() {
        let (record, answers) = recorded();
        for kept in 0..=record.len() {
            let (question, name) = (Question { options: "--depth 8".to_owned() }, Path::new("out.run"));
            let all = Earlier::read(&record.as_bytes()[..kept], answers.as_bytes(), name, &question, true);
            assert_eq!(all.is_ok(), kept == record.len(), "a complete output has a note for each answer");
            match read(&record[..kept], &answers, "--depth 8") {
                Ok(earlier) => assert!(earlier.record_bytes as usize <= kept),
                Err(error) => assert!(error.starts_with("no out.run records"), "{error}"),
            }
        }
        for kept in 0..answers.len() {
            let earlier = read(&record, &answers[..kept], "--depth 8").unwrap();
            assert_eq!(earlier.answer_bytes as usize, answers[..kept].rfind('\n').map_or(0, |end| end + 1));
        }
        assert_eq!(read("", "half", "--depth 8").unwrap().answer_bytes, 0);
    }

    #[test]
    fn another_question_or_another_file_is_refused() {
        let (record, answers) = recorded();
        let error = |record: &str, answers: &str, options| read(record, answers, options).unwrap_err();
        let other = error(&record, &answers, "--depth 9");
        assert_eq!(
            other,
            "it was made with --depth 8, not --depth 9; give the same options or another output"
        );
        assert!(error("", &answers, "--depth 8").starts_with("no out.run records"));
        let swapped = error(&record, &answers.replace("answer 9", "answer 8"), "--depth 8");
        assert!(swapped.starts_with("line 2 is not the answer that out.run records"), "{swapped}");
    }
}
