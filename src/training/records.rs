//! Labelled positions on disk: 20 bytes each, in checked blocks, so that a killed job resumes.
//!
//! A file is a sequence of blocks. Block `id` holds everything that the job with this number
//! produced; jobs may end in any order. All numbers are little endian.
//!
//! ```text
//! block   magic "EMR1" · id u64 · records u32 · crc32 of the records u32 · records
//! record  player u64 · opponent u64 · score i16 (1/128 disc) · source u8 · zero u8
//! ```

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::board::{Board, Score};

const MAGIC: &[u8; 4] = b"EMR1";
const HEADER_BYTES: usize = 20;
/// Bytes of a record on disk.
pub const RECORD_BYTES: usize = 20;
/// More records than this in one block mean a damaged header.
const MAX_BLOCK_RECORDS: u32 = 1 << 24;

/// How a score was found.
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

/// A position and what it is worth to the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The position.
    pub board: Board,
    /// Its score.
    pub score: Score,
    /// How the score was found.
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
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let board = Board { player: word(0), opponent: word(8) };
        let score = Score::from_units(i16::from_le_bytes([bytes[16], bytes[17]]).into());
        let sound = board.player & board.opponent == 0 && (Score::MIN..=Score::MAX).contains(&score);
        sound.then_some(Self { board, score, source: Source::from_byte(bytes[18])? })
    }
}

/// Reads one block's header: id and number of records and checksum. `None` at the end of the file
/// or where it breaks off.
fn read_header(reader: &mut impl Read) -> Option<(u64, u32, u32)> {
    let mut header = [0; HEADER_BYTES];
    reader.read_exact(&mut header).ok()?;
    let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
    let id = u64::from_le_bytes(header[4..12].try_into().expect("eight bytes"));
    (header[..4] == *MAGIC && word(12) <= MAX_BLOCK_RECORDS).then_some((id, word(12), word(16)))
}

/// Reads one whole and undamaged block, or `None`.
fn read_block(reader: &mut impl Read) -> Option<(u64, Vec<Record>)> {
    let (id, count, checksum) = read_header(reader)?;
    let mut bytes = vec![0; count as usize * RECORD_BYTES];
    reader.read_exact(&mut bytes).ok()?;
    if crc32fast::hash(&bytes) != checksum {
        return None;
    }
    let records = bytes
        .chunks_exact(RECORD_BYTES)
        .map(|chunk| Record::from_bytes(chunk.try_into().expect("chunks have this size")))
        .collect::<Option<Vec<_>>>()?;
    Some((id, records))
}

/// All records of the whole blocks of a file; an incomplete last block (a job that was killed) is
/// left out, anything else that is wrong is an error.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    let file = File::open(path).with_context(|| format!("opening records {}", path.display()))?;
    let size = file.metadata()?.len();
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut records = Vec::with_capacity((size / RECORD_BYTES as u64) as usize);
    let mut blocks = 0u64;
    while let Some((_, block)) = read_block(&mut reader) {
        records.extend(block);
        blocks += 1;
    }
    if blocks == 0 && size > 0 {
        bail!("{}: expected labelled positions (a block starting with EMR1)", path.display());
    }
    Ok(records)
}

/// Appends blocks to a file; knows which are there already.
pub struct Writer {
    file: File,
    done: BTreeSet<u64>,
    records: u64,
}

impl Writer {
    /// Opens or creates `path`; cuts off an incomplete block at its end.
    pub fn open(path: &Path) -> Result<Self> {
        let context = || format!("opening records {}", path.display());
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(context)?;
        let mut writer = Self { done: BTreeSet::new(), records: 0, file: file.try_clone()? };
        let mut sound = 0;
        let mut reader = BufReader::with_capacity(1 << 20, &mut file);
        while let Some((id, records)) = read_block(&mut reader) {
            writer.done.insert(id);
            writer.records += records.len() as u64;
            sound += (HEADER_BYTES + records.len() * RECORD_BYTES) as u64;
        }
        drop(reader);
        if sound == 0 && file.metadata()?.len() > 0 {
            bail!("{} exists and holds no labelled positions; give another --out", path.display());
        }
        writer.file.set_len(sound).with_context(context)?;
        writer.file.seek(SeekFrom::Start(sound)).with_context(context)?;
        Ok(writer)
    }

    /// The blocks in the file.
    pub fn done(&self) -> &BTreeSet<u64> {
        &self.done
    }

    /// Records in the file.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Appends a block.
    pub fn append(&mut self, id: u64, records: &[Record]) -> Result<()> {
        let body: Vec<u8> = records.iter().flat_map(|record| record.to_bytes()).collect();
        let mut block = Vec::with_capacity(HEADER_BYTES + body.len());
        block.extend_from_slice(MAGIC);
        block.extend_from_slice(&id.to_le_bytes());
        block.extend_from_slice(&(records.len() as u32).to_le_bytes());
        block.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
        block.extend_from_slice(&body);
        self.file.write_all(&block).context("writing records")?;
        self.done.insert(id);
        self.records += records.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(n: u64) -> Vec<Record> {
        (0..n)
            .map(|i| Record {
                board: Board { player: i << 32 | 1, opponent: 2 | i << 8 & 0xFF00 },
                score: Score::from_units(i as i32 - 50),
                source: if i % 2 == 0 { Source::Exact } else { Source::Search(6) },
            })
            .collect()
    }

    fn scratch(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("emilia-records-{name}-{}", std::process::id()))
    }

    #[test]
    fn records_round_trip_and_jobs_resume() {
        let path = scratch("resume");
        let _ = std::fs::remove_file(&path);
        let mut writer = Writer::open(&path).unwrap();
        writer.append(0, &sample(100)).unwrap();
        writer.append(2, &sample(7)).unwrap();
        drop(writer);
        let whole = std::fs::read(&path).unwrap();
        // Killed at any byte: the whole blocks stay, the rest is cut off.
        for length in [whole.len(), whole.len() - 1, HEADER_BYTES * 2 + 100 * RECORD_BYTES - 3] {
            std::fs::write(&path, &whole[..length]).unwrap();
            let expected = if length == whole.len() { 107 } else { 100 };
            assert_eq!(read(&path).unwrap().len(), expected);
            let writer = Writer::open(&path).unwrap();
            assert!(writer.done().contains(&0) && writer.done().contains(&2) == (expected == 107));
            assert_eq!(writer.records(), expected as u64);
        }
        assert_eq!(read(&path).unwrap(), sample(100));
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_foreign_file_is_refused_and_left_alone() {
        let path = scratch("foreign");
        std::fs::write(&path, "a letter to a friend").unwrap();
        assert!(read(&path).is_err());
        assert!(Writer::open(&path).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"a letter to a friend");
        std::fs::remove_file(&path).unwrap();
    }
}
