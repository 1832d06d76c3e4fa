//! The record of a run: `FILE.run` holds its options and the request of each answer in `FILE`.
//!
//! `--resume` compares the record with the new run: first the options, then each line of input when it is read.
//! The first line is a JSON object with the options. One line follows for each line of `FILE`, written just before it:
//!
//! ```text
//! [line, turn, CRC-32 of the request, CRC-32 of the answer, final, nodes, microseconds]
//! ```

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::request::{Request, Tag};
use super::wire::seconds;
use crate::util::append_file::{AppendFile, NamedFile, whole_line};
use crate::util::clock::Instant;
use crate::util::lock;
use crate::util::options::difference;

/// The input differs from that of the earlier run: which line, and how.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} of the input {1}: continue with the same input, more may follow at its end, or name another output"
)]
pub struct Changed(String, &'static str);

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
pub struct Record(Arc<Mutex<Growing>>);

#[derive(Debug)]
struct Growing {
    file: NamedFile,
    /// It belongs to an output: a record without one is removed.
    is_kept: bool,
    nodes: u64,
    before: Duration,
    started: Instant,
}

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

/// The options in the first line of a record; `None` if the file is no record.
pub fn recorded_options(mut record: impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    Ok(if whole_line(&mut record, &mut line)? {
        options_in(&line)
    } else {
        None
    })
}

fn options_in(line: &[u8]) -> Option<String> {
    Some(
        serde_json::from_slice::<Value>(line)
            .ok()?
            .get("options")?
            .as_str()?
            .to_owned(),
    )
}

impl Earlier {
    /// Reads a record and its answers; `is_complete` if the run came to its end. `options`, one a line such as `--depth 8`,
    /// decide the answers of the new run.
    ///
    /// A half-written last line is dropped. A killed run leaves a note without its answer, a power cut may leave an answer
    /// without its note: both are dropped.
    ///
    /// # Errors
    /// When the record is missing, has other options, or is not that of the answers.
    pub fn read(
        mut record: impl BufRead,
        mut answers: impl BufRead,
        name: &Path,
        options: &str,
        is_complete: bool,
    ) -> io::Result<Self> {
        let name = name.display();
        let unrecorded = || {
            let what = format!("no {name} records the run that made it, as of another version");
            io::Error::other(what + "; name another output")
        };
        let mut earlier = Self::default();
        let mut note = Vec::new();
        let mut answer = Vec::new();
        if whole_line(&mut record, &mut note)? {
            let made = options_in(&note).ok_or_else(unrecorded)?;
            if let Some(difference) = difference(&made, options) {
                let what = format!("{difference}; give the same options or another output");
                return Err(io::Error::other(what));
            }
            earlier.record_bytes = note.len() as u64;
        }
        let mut number = 0;
        while whole_line(&mut answers, &mut answer)? {
            number += 1;
            if earlier.record_bytes == 0 {
                return Err(unrecorded());
            }
            let has_note = whole_line(&mut record, &mut note)?;
            if !has_note && !is_complete {
                break;
            }
            let noted: Option<Note> = serde_json::from_slice(&note).ok().filter(|noted: &Note| {
                has_note && noted.3 == crc32fast::hash(&answer) && earlier.done.add(noted)
            });
            let (.., nodes, time) = noted.ok_or_else(|| {
                let what = format!("line {number} is not the answer that {name} records");
                io::Error::other(what + "; name another output")
            })?;
            earlier.record_bytes += note.len() as u64;
            earlier.answer_bytes += answer.len() as u64;
            (earlier.nodes, earlier.time) = (earlier.nodes + nodes, Duration::from_micros(time));
        }
        // The part of an answer that a killed run left begins like one.
        if earlier.record_bytes == 0 && answer.first().is_some_and(|&first| first != b'{') {
            return Err(unrecorded());
        }
        Ok(earlier)
    }
}

impl Record {
    /// The record in `file`, for a run with these options that goes on after `earlier`.
    pub fn create(
        path: &Path,
        file: AppendFile,
        options: &str,
        earlier: &Earlier,
    ) -> io::Result<Self> {
        let file = NamedFile::new(path, file);
        file.keep(earlier.record_bytes)?;
        if earlier.record_bytes == 0 {
            file.append(format!("{}\n", json!({ "options": options })).as_bytes())?;
        }
        let Earlier {
            nodes,
            time: before,
            ..
        } = *earlier;
        Ok(Self(Arc::new(Mutex::new(Growing {
            file,
            is_kept: earlier.record_bytes > 0,
            nodes,
            before,
            started: Instant::now(),
        }))))
    }

    /// Notes that `answer`, a line without its end, is the next line of the output; `is_final` unless another answer to
    /// the same position follows. `nodes` is the work of this run.
    pub fn note(
        &self,
        tag: &Tag,
        turn: Option<usize>,
        answer: &str,
        is_final: bool,
        nodes: u64,
    ) -> io::Result<()> {
        let mut crc32 = crc32fast::Hasher::new();
        [answer, "\n"]
            .iter()
            .for_each(|text| crc32.update(text.as_bytes()));
        let mut growing = lock(&self.0);
        let time = growing.time().as_micros() as u64;
        let note: Note = (
            tag.line,
            turn,
            tag.crc32,
            crc32.finalize(),
            is_final,
            nodes,
            time,
        );
        let line = serde_json::to_string(&note)? + "\n";
        growing.file.append(line.as_bytes())?;
        growing.is_kept = true;
        growing.nodes += nodes;
        Ok(())
    }

    /// Time of all runs so far.
    pub fn time(&self) -> Duration {
        lock(&self.0).time()
    }

    /// Nodes and seconds of all runs together; waits until the record is on the disk.
    pub fn finish(&self) -> io::Result<(u64, f64)> {
        let mut growing = lock(&self.0);
        growing.is_kept = true;
        growing.file.sync()?;
        Ok((growing.nodes, seconds(growing.time())))
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        if !self.is_kept {
            self.file.remove();
        }
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
        let answered = self.0.entry(line).or_insert_with(|| Answered {
            crc32,
            turns: Vec::new(),
        });
        answered.turns.extend(is_final.then_some(turn));
        answered.crc32 == crc32
    }

    /// Removes the turns that have their answers from the request; returns their number. `what` names the parts of the
    /// input: `line` or `entry`.
    pub fn take_from(&mut self, what: &str, request: &mut Request) -> Result<usize, Changed> {
        let mut answered = self.reach(what, &request.tag)?;
        let asked = request.turns.len();
        request.turns.retain(|turn| {
            // A turn may be asked for twice.
            let found = answered
                .iter()
                .position(|answered| *answered == turn.number);
            found.map(|index| answered.swap_remove(index)).is_none()
        });
        Ok(asked - request.turns.len())
    }

    /// Whether the only answer to this line or entry is there.
    pub fn take(&mut self, what: &str, tag: &Tag) -> Result<bool, Changed> {
        Ok(!self.reach(what, tag)?.is_empty())
    }

    pub fn end(&self, what: &str) -> Result<(), Changed> {
        let missing = |line| {
            Changed(
                format!("{what} {line}"),
                "is gone, but the output holds its answer",
            )
        };
        self.0
            .keys()
            .next()
            .map_or(Ok(()), |line| Err(missing(line)))
    }

    /// The turns of this line that have their answers.
    fn reach(&mut self, what: &str, tag: &Tag) -> Result<Vec<Option<usize>>, Changed> {
        if self
            .0
            .first_key_value()
            .is_some_and(|(first, _)| *first < tag.line)
        {
            self.end(what)?;
        }
        match self.0.remove(&tag.line) {
            Some(answered) if answered.crc32 != tag.crc32 => Err(Changed(
                format!("{what} {}", tag.line),
                "is not the one that the output answers",
            )),
            answered => Ok(answered.map_or_else(Vec::new, |answered| answered.turns)),
        }
    }
}

#[cfg(test)]
pub mod testing {
    use super::*;
    use crate::util::refusal::Refusal;
    use crate::util::target::Existing;

    pub fn begun(folder: &Path, options: &str) -> Record {
        let path = folder.join("out.run");
        let file = AppendFile::open(&path, Existing::Continue).unwrap();
        Record::create(&path, file, options, &Earlier::default()).unwrap()
    }

    pub fn text(record: &Record) -> String {
        io::read_to_string(lock(&record.0).file.reader().unwrap()).unwrap()
    }

    pub fn read(record: &str, answers: &str, options: &str) -> Result<Earlier, Refusal> {
        let read = Earlier::read(
            record.as_bytes(),
            answers.as_bytes(),
            Path::new("out.run"),
            options,
            false,
        );
        read.map_err(Refusal::of)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{begun, read, text};
    use super::*;

    use tempfile::TempDir;

    const OPTIONS: &str = "--depth 8";

    fn tag(line: u64, crc32: u32) -> Tag {
        Tag {
            line,
            crc32,
            ..Tag::default()
        }
    }

    /// A record of three answers, which are given too.
    fn recorded() -> (String, String) {
        let folder = TempDir::new().unwrap();
        let record = begun(folder.path(), OPTIONS);
        let mut answers = String::new();
        for (line, turn, is_final) in [(2, Some(1), true), (1, None, false), (1, None, true)] {
            let answer = format!("answer {}", answers.len());
            record
                .note(&tag(line, line as u32), turn, &answer, is_final, 100)
                .unwrap();
            answers += &(answer + "\n");
        }
        assert_eq!(record.finish().unwrap().0, 300);
        (text(&record), answers)
    }

    #[test]
    fn answers_are_known_by_their_lines() {
        let (record, answers) = recorded();
        let Earlier {
            mut done,
            nodes,
            answer_bytes,
            record_bytes,
            ..
        } = read(&record, &answers, OPTIONS).unwrap();
        assert_eq!(
            (nodes, answer_bytes, record_bytes),
            (300, answers.len() as u64, record.len() as u64)
        );
        let error = |taken: Result<bool, Changed>| taken.unwrap_err().to_string();
        assert_eq!(done.take("line", &tag(1, 1)), Ok(true));
        assert!(
            done.end("line")
                .unwrap_err()
                .to_string()
                .starts_with("line 2 of the input is gone")
        );
        assert!(
            error(done.clone().take("line", &tag(3, 3))).starts_with("line 2 of the input is gone")
        );
        let changed = error(done.clone().take("line", &tag(2, 7)));
        assert!(
            changed.starts_with("line 2 of the input is not the one"),
            "{changed}"
        );
        assert_eq!(
            (done.take("line", &tag(2, 2)), done.take("line", &tag(3, 3))),
            (Ok(true), Ok(false))
        );
        assert_eq!(done.end("line"), Ok(()));
        // The first answer to line 1 is a partial one.
        let two = &answers[..answers.match_indices('\n').nth(1).unwrap().0 + 1];
        let mut earlier = read(&record, two, OPTIONS).unwrap();
        assert_eq!(
            (earlier.done.take("line", &tag(1, 1)), earlier.nodes),
            (Ok(false), 200)
        );
    }

    #[test]
    fn a_killed_run_loses_its_last_line() {
        let (record, answers) = recorded();
        for kept in 0..=record.len() {
            let half = &record.as_bytes()[..kept];
            let all = Earlier::read(
                half,
                answers.as_bytes(),
                Path::new("out.run"),
                OPTIONS,
                true,
            );
            assert_eq!(
                all.is_ok(),
                kept == record.len(),
                "a complete output has a note for each answer"
            );
            match read(&record[..kept], &answers, OPTIONS) {
                Ok(earlier) => assert!(earlier.record_bytes as usize <= kept),
                Err(error) => assert!(error.starts_with("no out.run records"), "{error}"),
            }
        }
        for kept in 0..answers.len() {
            let earlier = read(&record, &answers[..kept], OPTIONS).unwrap();
            assert_eq!(
                earlier.answer_bytes as usize,
                answers[..kept].rfind('\n').map_or(0, |end| end + 1)
            );
        }
        assert_eq!(read("", "{half", OPTIONS).unwrap().answer_bytes, 0);
        assert!(read("", "my notes", OPTIONS).is_err());
    }

    #[test]
    fn other_options_or_another_file_are_refused() {
        let (record, answers) = recorded();
        let swapped = answers.replace("answer 9", "answer 8");
        for (record, answers, options, error) in [
            (
                &*record,
                &*answers,
                "--depth 9",
                "it was made with --depth 8, not --depth 9; give the same options",
            ),
            ("", &answers, OPTIONS, "no out.run records"),
            (
                &record,
                &swapped,
                OPTIONS,
                "line 2 is not the answer that out.run records",
            ),
        ] {
            let found = read(record, answers, options).unwrap_err();
            assert!(found.starts_with(error), "{found}");
        }
    }
}
