//! The file of a store: an index of its answers in memory, the answers read when they are needed.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::record::{Record, is_use, subject};
use crate::search::Proof;
use crate::util::append_file::AppendFile;
use crate::util::file::Replacement;
use crate::util::input_file;
use crate::util::records::{self, Found, HEADER, RECORD_HEAD};
use crate::util::target::{Existing, remove_leftovers};

const MAGIC: [u8; 8] = *b"EMILIAS2";
const NAME: &str = "answers";
/// Bytes read at a time: more than a record has.
const CHUNK: usize = 1 << 20;
/// The damage of a torn record before other records.
const NO_END: &str = "a record has no end";
/// Files that this process has begun.
static NUMBER: AtomicU64 = AtomicU64::new(0);
/// Attempts, a second each, to become the one writer while others write.
const TRIES: usize = 10;

#[derive(Clone, Copy, Debug)]
pub struct Place {
    at: u64,
    length: u16,
    is_exact: bool,
}

pub struct Log {
    path: PathBuf,
    limit: u64,
    file: Option<File>,
    generation: u64,
    /// Bytes read: whole records, or skipped as damaged.
    read: u64,
    /// The last answer to a question, by its hash.
    answers: HashMap<u64, Place>,
    /// The proofs about the same moves of a position, by the hash of both.
    proofs: HashMap<u64, Vec<Place>>,
    /// The damage behind them, if it is not just the beginning of a record.
    tail: Option<Damage>,
    /// The first damage, until it is reported.
    damage: Option<Damage>,
}

pub type Damage = (u64, &'static str);

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The key of a proof about the position and moves of a question; `None` without a proof.
fn proof_key(proof: Proof, question: &[u8]) -> Option<u64> {
    proof
        .is_proven()
        .then(|| hash((proof == Proof::Exact, subject(question))))
}

impl Log {
    /// The file in `folder`, which is made if it is not there.
    pub fn open(folder: &Path, limit: u64) -> io::Result<Self> {
        let at = |doing: &str, path: &Path, error: io::Error| {
            io::Error::new(error.kind(), format!("{doing} {}: {error}", path.display()))
        };
        fs::create_dir_all(folder).map_err(|error| at("making the folder", folder, error))?;
        let mut log = Self {
            path: folder.join(NAME),
            limit,
            file: None,
            generation: 0,
            read: 0,
            answers: HashMap::new(),
            proofs: HashMap::new(),
            tail: None,
            damage: None,
        };
        match log.catch_up() {
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                let what =
                    "is no file of answers of this version's: give another folder, or remove it";
                Err(io::Error::other(format!("{} {what}", log.path.display())))
            }
            caught_up => caught_up
                .map_err(|error| at("reading", &log.path, error))
                .map(|()| log),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn len(&self) -> usize {
        self.answers.len()
    }

    pub fn take_damage(&mut self) -> Option<Damage> {
        self.damage.take()
    }

    pub fn answer(&self, question: &[u8]) -> Option<Place> {
        self.answers.get(&hash(question)).copied()
    }

    /// The proofs of this kind about the position and moves of the question, the last first.
    pub fn proofs(&self, proof: Proof, question: &[u8]) -> impl Iterator<Item = Place> {
        let found = proof_key(proof, question).and_then(|key| self.proofs.get(&key));
        found.into_iter().flatten().rev().copied()
    }

    pub fn payload(&self, place: Place) -> Option<Vec<u8>> {
        let mut bytes = vec![0; RECORD_HEAD + usize::from(place.length)];
        let mut file = self.file.as_ref()?;
        file.seek(SeekFrom::Start(place.at))
            .and_then(|_| file.read_exact(&mut bytes))
            .ok()?;
        match records::first(place.at, &bytes) {
            Found::Whole(payload) => Some(payload.to_vec()),
            Found::Torn | Found::Damaged(_) => None,
        }
    }

    /// Reads the new records of other processes.
    pub fn catch_up(&mut self) -> io::Result<()> {
        match input_file::open(&self.path) {
            Ok(file) => self.read_on(file),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Reads on in the file, or in another one that has taken its name.
    fn read_on(&mut self, mut file: File) -> io::Result<()> {
        let length = file.metadata()?.len();
        let Some(generation) = records::generation(MAGIC, &mut file)? else {
            return Ok(());
        };
        if self.file.is_none() || generation != self.generation || length < self.read {
            self.answers.clear();
            self.proofs.clear();
            (self.generation, self.read) = (generation, HEADER as u64);
            self.file = Some(file.try_clone()?);
        }
        if length > self.read {
            file.seek(SeekFrom::Start(self.read))?;
            self.take_all(file)?;
        }
        Ok(())
    }

    /// Takes the records that follow; skips damage if a record follows it.
    fn take_all(&mut self, mut file: impl Read) -> io::Result<()> {
        let mut bytes = Vec::new();
        let mut begin = 0;
        let mut is_end = false;
        // Bytes that are no record, and why.
        let mut bad: Option<Damage> = None;
        let mut at = self.read;
        loop {
            if !is_end && bytes.len() - begin < CHUNK / 2 {
                bytes.drain(..begin);
                begin = 0;
                is_end = file.by_ref().take(CHUNK as u64).read_to_end(&mut bytes)? == 0;
            }
            match records::first(at, &bytes[begin..]) {
                Found::Whole(payload) => {
                    self.take(at, payload);
                    let length = RECORD_HEAD + payload.len();
                    begin += length;
                    at += length as u64;
                    self.read = at;
                    self.damage = self.damage.or(bad.take());
                    continue;
                }
                Found::Torn if begin == bytes.len() => {
                    self.tail = bad.filter(|(_, what)| *what != NO_END);
                    return Ok(());
                }
                Found::Torn => bad = bad.or(Some((at, NO_END))),
                Found::Damaged(what) => bad = bad.or(Some((at, what))),
            }
            begin += 1;
            at += 1;
        }
    }

    fn take(&mut self, at: u64, payload: &[u8]) {
        if is_use(payload) {
            return;
        }
        let Some(Record {
            proof, question, ..
        }) = Record::read(payload)
        else {
            self.damage = self.damage.or(Some((at, "a record cannot be read")));
            return;
        };
        let place = Place {
            at,
            length: payload.len() as u16,
            is_exact: proof == Proof::Exact,
        };
        self.answers.insert(hash(question), place);
        if let Some(key) = proof_key(proof, question) {
            self.proofs.entry(key).or_default().push(place);
        }
    }

    /// Appends a record; cuts off the torn record of a killed writer.
    pub fn append(&mut self, payload: &[u8]) -> io::Result<()> {
        let file = self.lock()?;
        if file.len()? > self.read {
            file.keep(self.read)?;
            self.damage = self.damage.or(self.tail.take());
        }
        let mut bytes = Vec::with_capacity(RECORD_HEAD + payload.len());
        records::put(self.read, payload, &mut bytes);
        file.append(&bytes)?;
        self.take(self.read, payload);
        self.read += bytes.len() as u64;
        if self.read > self.limit {
            self.shrink()
        } else {
            Ok(())
        }
    }

    /// The file for its one writer, read to its end.
    fn lock(&mut self) -> io::Result<AppendFile> {
        for tries in 1.. {
            let file = match AppendFile::open(&self.path, Existing::Continue) {
                Err(error) if error.kind() == ErrorKind::WouldBlock && tries < TRIES => continue,
                opened => opened?,
            };
            let mut generation = records::generation(MAGIC, file.reader()?)?;
            if generation.is_none() {
                // New, or torn in its first moment.
                let new = new_generation();
                file.keep(0)?;
                file.append(&records::header(MAGIC, new))?;
                generation = Some(new);
            }
            self.catch_up()?;
            // While it waited, the name may have been given to another file.
            if generation == Some(self.generation) {
                return Ok(file);
            }
        }
        unreachable!("the loop has no end")
    }

    /// Replaces the file by one of half the size: the oldest answers that are not exact go first.
    fn shrink(&mut self) -> io::Result<()> {
        remove_leftovers(&self.path);
        let all = self.answers.values().chain(self.proofs.values().flatten());
        let by_place = BTreeMap::from_iter(all.map(|place| (place.at, *place)));
        let mut places = Vec::from_iter(by_place.into_values());
        places.sort_by_key(|place| std::cmp::Reverse((place.is_exact, place.at)));
        let mut room = self.limit / 2;
        places.retain(|place| {
            let left = room.checked_sub((RECORD_HEAD + usize::from(place.length)) as u64);
            // Those after the first without room are worth less.
            room = left.unwrap_or(0);
            left.is_some()
        });
        places.sort_by_key(|place| place.at);
        let mut smaller = Replacement::replacing(&self.path)?;
        smaller.write_all(&records::header(MAGIC, new_generation()))?;
        let mut at = HEADER as u64;
        let mut bytes = Vec::new();
        for payload in places.into_iter().filter_map(|place| self.payload(place)) {
            bytes.clear();
            records::put(at, &payload, &mut bytes);
            smaller.write_all(&bytes)?;
            at += bytes.len() as u64;
        }
        smaller.commit()?;
        self.catch_up()
    }
}

/// A number that no other file of the name has had.
fn new_generation() -> u64 {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    hash((
        now,
        std::process::id(),
        NUMBER.fetch_add(1, Ordering::Relaxed),
    ))
}
