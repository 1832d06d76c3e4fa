//! Answers kept: what was searched once is not searched again.
//!
//! ```text
//! find: question ─▶ bytes of it and of its seven images ─▶ log: place ─▶ record ─▶ answer, mapped back
//! keep: question and answer ─▶ record ─▶ log: appended under the file's lock
//! ```
//!
//! A question holds all that decides an answer. What is proven is found by the position and the moves alone, by whatever
//! budget, weights or version it was proven.

mod log;
mod record;

use std::fmt::{self, Display};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::SystemTime;

pub use log::StoreError;

use super::judge::{Judgement, Question};
use crate::board::Symmetry;
use crate::search::{Goal, Proof};
use crate::util::lock;
use log::{Log, Place};
use record::{Record, answer, mapped, subject, used};

/// Seconds of a day, after which another use of an answer is written down.
const DAY: u64 = 86_400;

/// A store of answers; threads and processes may share it.
pub struct Store {
    log: Mutex<Log>,
    /// Everything beside the question that decides an answer: program, weights, tables, threads.
    searcher: String,
    /// Whether an answer must be that of a search now, to the byte.
    is_literal: bool,
    day: u16,
    tell: fn(&dyn Display),
    /// It cannot be written, and that was told.
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

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Store({:?})", self.searcher)
    }
}

impl Store {
    /// The store in `folder`, which is made if it is not there, of at most about `limit` bytes. `searcher` names all
    /// beside a question that decides an answer. With `is_literal` only the same question about the same board is
    /// answered, or the answer might differ from that of a search in what is equal. `tell` says what goes wrong later.
    pub fn open(
        folder: &Path,
        limit: u64,
        searcher: String,
        is_literal: bool,
        tell: fn(&dyn Display),
    ) -> Result<Self, StoreError> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let store = Self {
            log: Mutex::new(Log::open(folder, limit)?),
            searcher,
            is_literal,
            day: (now.as_secs() / DAY).try_into().unwrap_or(u16::MAX),
            tell,
            is_closed: AtomicBool::new(false),
            found: AtomicU64::new(0),
            kept: AtomicU64::new(0),
        };
        store.tell_damage(&mut lock(&store.log));
        Ok(store)
    }

    /// Whether answers are those of searches now, to the byte.
    pub fn is_literal(&self) -> bool {
        self.is_literal
    }

    pub fn find(&self, question: &Question) -> Option<Judgement> {
        let (goal, images) = (question.task.limits.goal, self.images(question));
        let mut log = lock(&self.log);
        let mut found = self.look(&log, goal, &images);
        if found.is_none() {
            let read = log.catch_up();
            self.tell_damage(&mut log);
            self.tell_error(&log, read);
            found = self.look(&log, goal, &images);
        }
        let (place, judgement) = found?;
        if place.day < self.day {
            self.append(&mut log, &used(self.day, place.at));
        }
        self.found.fetch_add(1, Ordering::Relaxed);
        Some(judgement)
    }

    /// Keeps an answer. It must be all that a search with this question says: of one cut short by a user it is not.
    pub fn keep(&self, question: &Question, judgement: &Judgement) {
        let Some(bytes) = question.bytes(&self.searcher) else { return };
        if let Some(payload) = answer(self.day, question, &bytes, judgement)
            && self.append(&mut lock(&self.log), &payload)
        {
            self.kept.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The question turned and mirrored, as far as that is the same one; none that cannot be kept.
    fn images(&self, question: &Question) -> Vec<Image> {
        let count = if self.is_literal { 1 } else { Symmetry::COUNT };
        let image = |symmetry| {
            let question = question.mapped(symmetry);
            Some(Image { symmetry, bytes: question.bytes(&self.searcher)?, question })
        };
        Symmetry::all().take(count).filter_map(image).collect()
    }

    fn look(&self, log: &Log, goal: Goal, images: &[Image]) -> Option<(Place, Judgement)> {
        // The answer at a place, if its question is that of the image so far.
        let read = |place: Place, image: &Image, part: fn(&[u8]) -> &[u8]| {
            let payload = log.payload(place)?;
            let Record::Answer { question, answer, .. } = Record::read(&payload)? else { return None };
            image.question.answer(answer).filter(|_| part(question) == part(&image.bytes))
        };
        let turned = |image: &Image, judgement| mapped(judgement, image.symmetry.inverse());
        let same = images.iter().find_map(|image| {
            let place = log.answer(&image.bytes)?;
            Some((place, turned(image, read(place, image, |question| question)?)))
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
                let place = log.proof(proof, &image.bytes)?;
                let judgement = image.question.answer_of(read(place, image, subject)?)?;
                Some((place, turned(image, judgement)))
            })
        })
    }

    /// Appends a record, unless it has turned out that this cannot be done.
    fn append(&self, log: &mut Log, payload: &[u8]) -> bool {
        if self.is_closed.load(Ordering::Relaxed) {
            return false;
        }
        let written = log.append(payload);
        self.tell_damage(log);
        let is_written = written.is_ok();
        self.tell_error(log, written);
        is_written
    }

    /// Tells of the first fault; from then on nothing is kept.
    fn tell_error(&self, log: &Log, result: std::io::Result<()>) {
        if let Err(error) = result
            && !self.is_closed.swap(true, Ordering::Relaxed)
        {
            (self.tell)(&format_args!("{}: {error}; from now on no answers are kept", log.path().display()));
        }
    }

    fn tell_damage(&self, log: &mut Log) {
        if let Some((at, what)) = log.take_damage() {
            let path = log.path().display().to_string();
            (self.tell)(&format_args!("{path} is damaged at byte {at}: {what}; what can be read is used"));
        }
    }
}

/// What it was good for: `/tmp/kept/answers: 12 answers found, 3 added, 15 in all`.
impl Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log = lock(&self.log);
        let [found, kept] = [&self.found, &self.kept].map(|count| count.load(Ordering::Relaxed));
        write!(f, "{}: {found} answers found, {kept} added, {} in all", log.path().display(), log.len())
    }
}

#[cfg(test)]
mod tests;
