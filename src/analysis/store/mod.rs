//! A store of answers, so that no search is made twice.
//!
//! ```text
//! find: question ─▶ bytes of it and of its seven images ─▶ log: place ─▶ record ─▶ answer, mapped back
//! keep: question and answer ─▶ record ─▶ log: appended under the file's lock
//! ```
//!
//! A question holds everything that decides an answer. A proof is found by the position and the moves: it holds for any
//! budget, weights and version.

mod log;
mod record;

use std::fmt::{self, Display};
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::judge::{Judgement, Question};
use crate::board::Symmetry;
use crate::search::{Goal, Proof};
use crate::util::lock;
use log::{Log, Place};
use record::{Record, mapped, payload, subject};

/// A store of answers; threads and processes may share it.
pub struct Store {
    log: Mutex<Log>,
    /// Everything else that decides an answer: program, weights, tables, threads.
    searcher: String,
    /// Whether an answer must be that of a search now, to the byte.
    is_literal: bool,
    warn: fn(&dyn Display),
    /// It cannot be written, and a warning said so.
    is_closed: AtomicBool,
    found: AtomicU64,
    kept: AtomicU64,
}

/// A question turned or mirrored, and its bytes.
struct Image {
    symmetry: Symmetry,
    question: Question,
    bytes: Vec<u8>,
}

impl Store {
    /// Opens or creates the store in `folder`, of at most about `limit` bytes. `searcher` names everything but the question
    /// that decides an answer. `is_literal` allows only answers to the same question about the same board: others may
    /// name another of equal moves. `warn` reports later faults.
    pub fn open(
        folder: &Path,
        limit: u64,
        searcher: String,
        is_literal: bool,
        warn: fn(&dyn Display),
    ) -> io::Result<Self> {
        let store = Self {
            log: Mutex::new(Log::open(folder, limit)?),
            searcher,
            is_literal,
            warn,
            is_closed: AtomicBool::new(false),
            found: AtomicU64::new(0),
            kept: AtomicU64::new(0),
        };
        store.warn_of_damage(&mut lock(&store.log));
        Ok(store)
    }

    pub fn is_literal(&self) -> bool {
        self.is_literal
    }

    pub fn find(&self, question: &Question) -> Option<Judgement> {
        let goal = question.task.limits.goal;
        let images = self.images(question);
        let mut log = lock(&self.log);
        let mut found = self.look(&log, goal, &images);
        if found.is_none() {
            let read = log.catch_up();
            self.warn_of_damage(&mut log);
            self.warn_of_error(&log, read);
            found = self.look(&log, goal, &images);
        }
        self.found
            .fetch_add(u64::from(found.is_some()), Ordering::Relaxed);
        found
    }

    /// Keeps an answer. It must be all that a search with this question says: of one cut short by a user it is not.
    pub fn keep(&self, question: &Question, judgement: &Judgement) {
        let Some(bytes) = question.bytes(&self.searcher) else {
            return;
        };
        if let Some(payload) = payload(question, &bytes, judgement)
            && self.append(&mut lock(&self.log), &payload)
        {
            self.kept.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The images of the question that may share an answer; empty if its answer cannot be kept.
    fn images(&self, question: &Question) -> Vec<Image> {
        let count = if self.is_literal { 1 } else { Symmetry::COUNT };
        let image = |symmetry| {
            let question = question.mapped(symmetry);
            Some(Image {
                symmetry,
                bytes: question.bytes(&self.searcher)?,
                question,
            })
        };
        Symmetry::all().take(count).filter_map(image).collect()
    }

    fn look(&self, log: &Log, goal: Goal, images: &[Image]) -> Option<Judgement> {
        // The answer at a place, if its question is that of the image so far.
        let read = |place: Place, image: &Image, part: fn(&[u8]) -> &[u8]| {
            let payload = log.payload(place)?;
            let Record {
                question, answer, ..
            } = Record::read(&payload)?;
            image
                .question
                .answer(answer)
                .filter(|_| part(question) == part(&image.bytes))
        };
        let turned = |image: &Image, judgement| mapped(judgement, image.symmetry.inverse());
        let same = images.iter().find_map(|image| {
            let place = log.answer(&image.bytes)?;
            Some(turned(image, read(place, image, |question| question)?))
        });
        if same.is_some() || self.is_literal {
            return same;
        }
        // A proven score also states the winner.
        let proofs: &[Proof] = match goal {
            Goal::WinLossDraw => &[Proof::Exact, Proof::WinLossDraw],
            Goal::Play | Goal::Exact => &[Proof::Exact],
        };
        proofs.iter().find_map(|&proof| {
            images.iter().find_map(|image| {
                let mut found = log.proofs(proof, &image.bytes);
                found.find_map(|place| {
                    let judgement = image.question.answer_of(read(place, image, subject)?)?;
                    Some(turned(image, judgement))
                })
            })
        })
    }

    /// Appends a record, unless it has turned out that this cannot be done.
    fn append(&self, log: &mut Log, payload: &[u8]) -> bool {
        if self.is_closed.load(Ordering::Relaxed) {
            return false;
        }
        let written = log.append(payload);
        self.warn_of_damage(log);
        let is_written = written.is_ok();
        self.warn_of_error(log, written);
        is_written
    }

    /// Warns of the first fault; from then on nothing is kept.
    fn warn_of_error(&self, log: &Log, result: io::Result<()>) {
        if let Err(error) = result
            && !self.is_closed.swap(true, Ordering::Relaxed)
        {
            (self.warn)(&format_args!(
                "{}: {error}; from now on no answers are kept",
                log.path().display()
            ));
        }
    }

    fn warn_of_damage(&self, log: &mut Log) {
        if let Some((at, what)) = log.take_damage() {
            let path = log.path().display().to_string();
            (self.warn)(&format_args!(
                "{path} is damaged at byte {at}: {what}; all readable answers are used"
            ));
        }
    }
}

/// Counts of its use: `/tmp/kept/answers: 12 answers found, 3 added, 15 in all`.
impl Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log = lock(&self.log);
        let [found, kept] = [&self.found, &self.kept].map(|count| count.load(Ordering::Relaxed));
        write!(
            f,
            "{}: {found} answers found, {kept} added, {} in all",
            log.path().display(),
            log.len()
        )
    }
}

#[cfg(test)]
mod tests;
