//! Labeled positions on disk: 20 bytes each, in checked blocks, so that a killed job resumes.
//!
//! A file is a sequence of blocks. Block `id` has the records of the piece of work with this number; pieces may end in
//! any order. Another block has the options of the job, so that it resumes with the same ones. A killed job leaves a torn
//! last block, which is dropped; any other difference from the written file is an error. All numbers are little endian.
//!
//! ```text
//! job     magic "EMRJ" · bytes u32 · crc32 of the text u32 · text, a line per option
//! block   magic "EMR1" · id u64 · records u32 · crc32 of the records u32 · records
//! record  player u64 · opponent u64 · score i16 (1/128 disc) · source u8 · zero u8
//! ```

use std::collections::BTreeSet;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::board::{Board, Score};
use crate::util::append_file::AppendFile;
use crate::util::difference;
use crate::util::input_file;
use crate::util::target::Existing;

const MAGIC: &[u8; 4] = b"EMR1";
const HEADER_BYTES: usize = 20;
const JOB_MAGIC: &[u8; 4] = b"EMRJ";
const JOB_HEADER_BYTES: usize = 12;
/// A longer description of a job means a damaged header.
const MAX_JOB_BYTES: u32 = 1 << 16;
/// Bytes of a record on disk.
pub const RECORD_BYTES: usize = 20;
/// More records than this in one block mean a damaged header.
const MAX_BLOCK_RECORDS: u32 = 1 << 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The result of the game in which the position stood.
    Outcome,
    /// A search of this many plies (1 to 99).
    Search(u8),
    /// Solved to the end of the game.
    Exact,
}

impl Source {
    fn to_byte(self) -> u8 {
        match self {
            Self::Outcome => 0,
            Self::Search(depth) => depth.clamp(1, 99),
            Self::Exact => 100,
        }
    }

    fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Outcome),
            1..=99 => Some(Self::Search(byte)),
            100 => Some(Self::Exact),
            _ => None,
        }
    }
}

/// A position and its score for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub board: Board,
    pub score: Score,
    pub source: Source,
}

impl Record {
    fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[..8].copy_from_slice(&self.board.player.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.board.opponent.to_le_bytes());
        bytes[16..18].copy_from_slice(&(self.score.units() as i16).to_le_bytes());
        bytes[18] = self.source.to_byte();
        bytes
    }

    fn from_bytes(bytes: &[u8; RECORD_BYTES]) -> Option<Self> {
        let word =
            |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let board = Board {
            player: word(0),
            opponent: word(8),
        };
        let score = Score::from_units(i16::from_le_bytes([bytes[16], bytes[17]]).into());
        let sound =
            board.player & board.opponent == 0 && (Score::MIN..=Score::MAX).contains(&score);
        sound.then_some(Self {
            board,
            score,
            source: Source::from_byte(bytes[18])?,
        })
    }
}

enum Block {
    Job(String),
    /// The records of a piece of work.
    Records(u64, Vec<Record>),
}

impl Block {
    /// Bytes of it in the file.
    fn len(&self) -> u64 {
        match self {
            Self::Job(text) => (JOB_HEADER_BYTES + text.len()) as u64,
            Self::Records(_, records) => (HEADER_BYTES + records.len() * RECORD_BYTES) as u64,
        }
    }

    /// Reads the next block.
    ///
    /// # Errors
    /// `UnexpectedEof` at the end of the file or where it breaks off, `InvalidData` for bytes that no block has.
    fn read(reader: &mut impl Read) -> io::Result<Self> {
        let mut magic = [0; 4];
        reader.read_exact(&mut magic)?;
        match &magic {
            JOB_MAGIC => {
                let [bytes, checksum] = [word(reader)?, word(reader)?];
                let text = checked(reader, bytes, MAX_JOB_BYTES, 1, checksum)?;
                String::from_utf8(text)
                    .map(Self::Job)
                    .map_err(|_| damage("options that are no text"))
            }
            MAGIC => {
                let id = u64::from(word(reader)?) | u64::from(word(reader)?) << 32;
                let [count, checksum] = [word(reader)?, word(reader)?];
                let bytes = checked(reader, count, MAX_BLOCK_RECORDS, RECORD_BYTES, checksum)?;
                let (chunks, _) = bytes.as_chunks();
                let records = chunks.iter().map(Record::from_bytes).collect::<Option<_>>();
                Ok(Self::Records(
                    id,
                    records.ok_or_else(|| damage("a record of no position"))?,
                ))
            }
            _ => Err(damage("no block begins here")),
        }
    }

    /// Passes the whole blocks of a file to `take`; returns their size in bytes. Skips a torn last block of a killed job.
    ///
    /// # Errors
    /// The place of the damage in bytes from the start, or the system's error.
    fn each(reader: &mut impl Read, mut take: impl FnMut(Self)) -> Result<u64> {
        let mut sound = 0;
        loop {
            match Self::read(reader) {
                Ok(block) => {
                    sound += block.len();
                    take(block);
                }
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(sound),
                Err(error) if error.kind() == ErrorKind::InvalidData && sound == 0 => {
                    bail!("expected labeled positions (a block starting with EMR1)")
                }
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    return Err(error)
                        .with_context(|| format!("damaged at byte {sound}, sound before it"));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let (mut bytes, count, body) = match self {
            Self::Job(text) => (JOB_MAGIC.to_vec(), text.len(), text.clone().into_bytes()),
            Self::Records(id, records) => {
                let head = [&MAGIC[..], &id.to_le_bytes()].concat();
                (
                    head,
                    records.len(),
                    records
                        .iter()
                        .flat_map(|record| record.to_bytes())
                        .collect(),
                )
            }
        };
        bytes.extend_from_slice(&(count as u32).to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }
}

fn damage(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

fn word(reader: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    reader.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// The bytes of `count` units, `most` at the most, if they have this checksum.
fn checked(
    reader: &mut impl Read,
    count: u32,
    most: u32,
    unit: usize,
    checksum: u32,
) -> io::Result<Vec<u8>> {
    if count > most {
        return Err(damage("a block larger than any"));
    }
    let mut bytes = vec![0; count as usize * unit];
    reader.read_exact(&mut bytes)?;
    if crc32fast::hash(&bytes) != checksum {
        return Err(damage("a block does not match its checksum"));
    }
    Ok(bytes)
}

/// All records of the whole blocks of a file, without a torn last block of a killed job.
///
/// # Errors
/// When the file cannot be read, holds something else, or is damaged anywhere but at a torn end.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    let context = || format!("reading labels {}", path.display());
    let file = input_file::open(path).with_context(context)?;
    let size = file.metadata().with_context(context)?.len();
    let mut records = Vec::with_capacity((size / RECORD_BYTES as u64) as usize);
    let take = |block| {
        if let Block::Records(_, block) = block {
            records.extend(block);
        }
    };
    let sound =
        Block::each(&mut BufReader::with_capacity(1 << 20, file), take).with_context(context)?;
    ensure!(
        sound > 0 || size == 0,
        "{}: expected labeled positions, found a torn block",
        path.display()
    );
    Ok(records)
}

/// Appends blocks to a file; knows which are there already.
pub struct Writer {
    path: PathBuf,
    file: AppendFile,
    /// The blocks in the file.
    pub done: BTreeSet<u64>,
    /// Records in the file.
    pub records: u64,
}

impl Writer {
    /// Opens or creates `path` for the job with these options, a line for each, such as `--depth 6`; cuts
    /// off an incomplete block at its end.
    ///
    /// # Errors
    /// If another process writes the file, if it has other contents or records of a job with other options, or if it is
    /// damaged before its end. The file is then unchanged.
    pub fn open(path: &Path, options: &str) -> Result<Self> {
        let context = || format!("opening labels {}", path.display());
        let file = AppendFile::open(path, Existing::Continue).with_context(context)?;
        let mut done = BTreeSet::new();
        let mut records = 0;
        let mut job = None;
        let take = |block| match block {
            Block::Job(text) => drop(job.get_or_insert(text)),
            Block::Records(id, block) => {
                done.insert(id);
                records += block.len() as u64;
            }
        };
        let sound = Block::each(&mut file.reader().with_context(context)?, take)
            .with_context(|| format!("{}: give another --output, or mend it", path.display()))?;
        let writer = Self {
            path: path.to_owned(),
            file,
            done,
            records,
        };
        if sound == 0 && writer.file.len().with_context(context)? > 0 {
            bail!(
                "{} exists and holds no labeled positions; give another --output",
                path.display()
            );
        }
        if let Some(differences) = job.as_deref().and_then(|job| difference(job, options)) {
            bail!(
                "{} is another job: {differences}; give another --output or the same options",
                path.display()
            );
        }
        ensure!(
            job.is_some() || sound == 0,
            "{} records no options: give another --output",
            path.display()
        );
        writer.file.keep(sound).with_context(context)?;
        if job.is_none() {
            writer
                .file
                .append(&Block::Job(options.to_owned()).to_bytes())
                .with_context(context)?;
        }
        Ok(writer)
    }

    /// Waits until all is on the disk.
    pub fn sync(&self) -> Result<()> {
        self.file
            .sync()
            .with_context(|| format!("writing labels to {}", self.path.display()))
    }

    pub fn append(&mut self, id: u64, records: &[Record]) -> Result<()> {
        let block = Block::Records(id, records.to_vec()).to_bytes();
        let context = || format!("writing labels to {}", self.path.display());
        self.file.append(&block).with_context(context)?;
        self.done.insert(id);
        self.records += records.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    fn sample(n: u64) -> Vec<Record> {
        (0..n)
            .map(|i| Record {
                board: Board {
                    player: i << 32 | 1,
                    opponent: 2 | i << 8 & 0xFF00,
                },
                score: Score::from_units(i as i32 - 50),
                source: if i % 2 == 0 {
                    Source::Exact
                } else {
                    Source::Search(6)
                },
            })
            .collect()
    }

    const JOB: &str = "--empties 6-8\n--depth 4";

    #[test]
    fn records_round_trip_and_jobs_resume() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.rec");
        let mut writer = Writer::open(&path, JOB).unwrap();
        writer.append(0, &sample(100)).unwrap();
        writer.append(2, &sample(7)).unwrap();
        drop(writer);
        let whole = std::fs::read(&path).unwrap();
        // Killed at any byte: the whole blocks stay, the rest is cut off.
        for length in [
            whole.len(),
            whole.len() - 1,
            JOB_HEADER_BYTES + JOB.len() + HEADER_BYTES * 2 + 100 * RECORD_BYTES - 3,
        ] {
            std::fs::write(&path, &whole[..length]).unwrap();
            let expected = if length == whole.len() { 107 } else { 100 };
            assert_eq!(read(&path).unwrap().len(), expected);
            let writer = Writer::open(&path, JOB).unwrap();
            assert!(writer.done.contains(&0) && writer.done.contains(&2) == (expected == 107));
            assert_eq!(writer.records, expected as u64);
        }
        assert_eq!(read(&path).unwrap(), sample(100));
    }

    #[test]
    fn damage_before_the_end_is_told_and_nothing_cut_off() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.rec");
        let mut writer = Writer::open(&path, JOB).unwrap();
        [0, 1]
            .into_iter()
            .for_each(|id| writer.append(id, &sample(5)).unwrap());
        drop(writer);
        let whole = std::fs::read(&path).unwrap();
        let job = JOB_HEADER_BYTES + JOB.len();
        let block = HEADER_BYTES + 5 * RECORD_BYTES;
        // In the magic of the first block, in its number of records, in a record; and in one of the last block.
        for (at, begin) in [
            (job, job),
            (job + 15, job),
            (job + 30, job),
            (job + block + 30, job + block),
        ] {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            std::fs::write(&path, &bytes).unwrap();
            for error in [read(&path).err(), Writer::open(&path, JOB).err()] {
                let error = format!("{:#}", error.expect("damaged"));
                assert!(
                    error.contains(&format!("damaged at byte {begin},")),
                    "{at}: {error}"
                );
            }
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "{at}");
        }
    }

    #[test]
    fn a_job_is_resumed_with_its_own_options_only() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.rec");
        Writer::open(&path, JOB)
            .unwrap()
            .append(0, &sample(5))
            .unwrap();
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(Writer::open(&path, JOB).unwrap().records, 5);
        for (options, difference) in [
            (
                "--empties 6-9\n--depth 4",
                "it was made with --empties 6-8, not --empties 6-9",
            ),
            (
                "--empties 6-8",
                "it was made with --depth 4, not without --depth",
            ),
            (
                "--empties 6-8\n--depth 4\n--shard 1/2",
                "it was made without --shard, not with --shard 1/2",
            ),
        ] {
            let error = Writer::open(&path, options)
                .err()
                .expect("another job")
                .to_string();
            assert!(error.contains(difference), "{error}");
        }
        assert_eq!(
            std::fs::read(&path).unwrap(),
            whole,
            "a refused file is unchanged"
        );
        // Blocks without options can be read but not resumed.
        let blocks = &whole[JOB_HEADER_BYTES + JOB.len()..];
        std::fs::write(&path, blocks).unwrap();
        assert!(
            Writer::open(&path, JOB)
                .err()
                .expect("no options")
                .to_string()
                .contains("records no options")
        );
        assert_eq!(
            std::fs::read(&path).unwrap(),
            blocks,
            "a refused file is unchanged"
        );
        assert_eq!(read(&path).unwrap(), sample(5));
    }

    #[test]
    fn a_foreign_file_is_refused_and_left_alone() {
        let folder = TempDir::new().unwrap();
        let path = file_in(&folder, "letter.txt", "a letter to a friend");
        assert!(read(&path).is_err());
        assert!(Writer::open(&path, JOB).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"a letter to a friend");
    }
}
