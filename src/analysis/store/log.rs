//! The file of a store: what it holds is known by place, read when it is asked for, and dropped when there is too much of it.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::record::{Record, extent, set_day, subject};
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
/// What is wrong with a torn record that others stand behind.
const NO_END: &str = "a record has no end";
/// Files that this process has begun.
static NUMBER: AtomicU64 = AtomicU64::new(0);
/// How often it is tried, a second each, to become the one writer while others write.
const TRIES: usize = 10;

/// Where an answer stands.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub at: u64,
    length: u16,
    /// When it was last used.
    pub day: u16,
    is_exact: bool,
    /// How much it tells: see [`extent`].
    extent: (u8, bool),
}

/// The file, as far as it has been read.
pub struct Log {
    path: PathBuf,
    /// Most bytes that it is to have.
    limit: u64,
    file: Option<File>,
    generation: u64,
    /// Bytes read, all of them whole records or passed over as damaged.
    read: u64,
    places: HashMap<u64, Place>,
    /// The last place of a question, by its hash.
    answers: HashMap<u64, u64>,
    /// The place of what is proven of the most moves of a position, the last of equal ones, by the hash of both.
    proven: HashMap<u64, u64>,
    /// What stands behind them, if it is not just the beginning of a record.
    tail: Option<Damage>,
    /// What was found damaged, until it is told.
    damage: Option<Damage>,
}

/// A place, and what is wrong there.
pub type Damage = (u64, &'static str);

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{doing} {}: {error}", .path.display())]
    Io { path: PathBuf, doing: &'static str, error: io::Error },
    #[error("{} is no file of answers of this version's: give another folder, or remove it", .0.display())]
    Foreign(PathBuf),
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// By what an answer that proves so much of the question's position is found; `None` where it proves nothing.
fn proof_key(proof: Proof, question: &[u8]) -> Option<u64> {
    proof.is_proven().then(|| hash((proof == Proof::Exact, subject(question))))
}

impl Log {
    /// The file in `folder`, which is made if it is not there.
    pub fn open(folder: &Path, limit: u64) -> Result<Self, StoreError> {
        let io = |doing, path: &Path| {
            let path = path.to_owned();
            move |error| StoreError::Io { path, doing, error }
        };
        fs::create_dir_all(folder).map_err(io("making the folder", folder))?;
        let path = folder.join(NAME);
        let mut log = Self {
            path: path.clone(),
            limit,
            file: None,
            generation: 0,
            read: 0,
            places: HashMap::new(),
            answers: HashMap::new(),
            proven: HashMap::new(),
            tail: None,
            damage: None,
        };
        match log.catch_up() {
            Ok(()) => Ok(log),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(StoreError::Foreign(path)),
            Err(error) => Err(io("reading", &path)(error)),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Answers that can be found.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Where and what was found damaged since it was asked last.
    pub fn take_damage(&mut self) -> Option<Damage> {
        self.damage.take()
    }

    /// The answer to this question, if it is there.
    pub fn answer(&self, question: &[u8]) -> Option<Place> {
        self.places.get(self.answers.get(&hash(question))?).copied()
    }

    /// The answer that proves so much of the most moves that the question asks about.
    pub fn proof(&self, proof: Proof, question: &[u8]) -> Option<Place> {
        self.places.get(self.proven.get(&proof_key(proof, question)?)?).copied()
    }

    /// What stands at a place: read anew, and checked.
    pub fn payload(&self, place: Place) -> Option<Vec<u8>> {
        let mut bytes = vec![0; RECORD_HEAD + usize::from(place.length)];
        let mut file = self.file.as_ref()?;
        file.seek(SeekFrom::Start(place.at)).and_then(|_| file.read_exact(&mut bytes)).ok()?;
        match records::first(place.at, &bytes) {
            Found::Whole(payload) => Some(payload.to_vec()),
            Found::Torn | Found::Damaged(_) => None,
        }
    }

    /// Reads what others have written since.
    pub fn catch_up(&mut self) -> io::Result<()> {
        match input_file::open(&self.path) {
            Ok(file) => self.read_on(file),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Reads on in what may be another file of the same name.
    fn read_on(&mut self, mut file: File) -> io::Result<()> {
        let length = file.metadata()?.len();
        let Some(generation) = generation_of(&mut file)? else { return Ok(()) };
        if self.file.is_none() || generation != self.generation || length < self.read {
            self.places.clear();
            self.answers.clear();
            self.proven.clear();
            (self.generation, self.read) = (generation, HEADER as u64);
            self.file = Some(file.try_clone()?);
        }
        if length > self.read {
            file.seek(SeekFrom::Start(self.read))?;
            self.take_all(file)?;
        }
        Ok(())
    }

    /// Takes what follows; what is no record is passed over if a record comes behind it.
    fn take_all(&mut self, mut file: impl Read) -> io::Result<()> {
        let (mut bytes, mut begin, mut is_end) = (Vec::new(), 0, false);
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
        match Record::read(payload) {
            Some(Record::Answer { day, proof, question, answer }) => {
                let Some(extent) = extent(answer) else { return self.cannot_read(at) };
                let length = payload.len() as u16;
                self.places.insert(at, Place { at, length, day, is_exact: proof == Proof::Exact, extent });
                self.answers.insert(hash(question), at);
                if let Some(key) = proof_key(proof, question) {
                    let known = self.proven.get(&key).and_then(|known| self.places.get(known));
                    if known.is_none_or(|known| known.extent <= extent) {
                        self.proven.insert(key, at);
                    }
                }
            }
            Some(Record::Used { day, at }) => {
                if let Some(place) = self.places.get_mut(&at) {
                    place.day = place.day.max(day);
                }
            }
            None => self.cannot_read(at),
        }
    }

    fn cannot_read(&mut self, at: u64) {
        self.damage = self.damage.or(Some((at, "a record cannot be read")));
    }

    /// Appends a record; what a killed writer left at the end is cut off.
    ///
    /// # Errors
    /// When the file cannot be written, or others write for long.
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
        if self.read > self.limit { self.shrink() } else { Ok(()) }
    }

    /// The file for its one writer, read to its end.
    fn lock(&mut self) -> io::Result<AppendFile> {
        for tries in 1.. {
            let file = match AppendFile::open(&self.path, Existing::Continue) {
                Err(error) if error.kind() == ErrorKind::WouldBlock && tries < TRIES => continue,
                opened => opened?,
            };
            let mut generation = generation_of(&mut file.reader()?)?;
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

    /// Replaces the file by one of half the size: what is not exact goes first, and of that what was not used for longest.
    fn shrink(&mut self) -> io::Result<()> {
        remove_leftovers(&self.path);
        let found: HashSet<u64> = self.answers.values().chain(self.proven.values()).copied().collect();
        let mut places: Vec<Place> = found.iter().filter_map(|at| self.places.get(at)).copied().collect();
        places.sort_by_key(|place| std::cmp::Reverse((place.is_exact, place.day, place.at)));
        let mut room = self.limit / 2;
        places.retain(|place| {
            let left = room.checked_sub((RECORD_HEAD + usize::from(place.length)) as u64);
            // What comes behind the first without room is worth less.
            room = left.unwrap_or(0);
            left.is_some()
        });
        places.sort_by_key(|place| place.at);
        let mut smaller = Replacement::begin(&self.path)?;
        smaller.write_all(&records::header(MAGIC, new_generation()))?;
        let (mut at, mut bytes) = (HEADER as u64, Vec::new());
        for place in places {
            let Some(mut payload) = self.payload(place) else { continue };
            set_day(&mut payload, place.day);
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
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    hash((now, std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)))
}

/// The generation of a file; `None` where it has no whole header yet.
fn generation_of(file: &mut impl Read) -> io::Result<Option<u64>> {
    let mut begin = Vec::new();
    file.by_ref().take(HEADER as u64).read_to_end(&mut begin)?;
    match begin.first_chunk::<HEADER>() {
        Some(header) => match records::generation(MAGIC, header) {
            None => Err(ErrorKind::InvalidData.into()),
            generation => Ok(generation),
        },
        None if MAGIC.starts_with(&begin[..begin.len().min(MAGIC.len())]) => Ok(None),
        None => Err(ErrorKind::InvalidData.into()),
    }
}
