//! The book file: sorted, checksummed page by page, read a page at a time.
//!
//! ```text
//! page 0        header: `EMILIABK` 8 · version u32 · page size u32 · positions u64 · generation u64 · games u64
//!                       data pages u64 · the commonest level 2 or 4 bytes · its error i16
//! pages 1..=D   data: entries in the order of their keys; each the key less the key before it as a varint
//!                     (the first key of a page whole), then the entry
//! then          index, level by level: the first key of each page below, 16 bytes; the last page is the root
//!
//! a page        checksum u32 · kind u8 (1 header, 2 data, 3 index) · 0 u8 · count of entries or keys u16 · the rest
//! ```
//!
//! The version is 2 if any search is another program's, else 1, which older programs read too. A page has 8192 bytes.
//! Numbers are little endian; scores are 1/128 disc for the side to move. The checksum is CRC-32 of the page's number
//! (u64) and its bytes from 4 on, which detects a page in the wrong place. `key`, `entry` and `journal` describe the
//! rest.
//!
//! A probe reads and checks one page of each level; opening reads the header. The file never changes: a new book is
//! written to another file, synced, and takes the name of the old one. Then the journal is emptied and gets the new
//! generation. A process killed in between leaves a journal of an older generation, whose records the book has. Other
//! programs may overwrite the file (`cp`), so it is read, not mapped, and a page is valid only while the file has its
//! first age and length.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crc32fast::Hasher;

use super::BookError;
use super::entry::{Entry, Usual, get_score, put_score};
use super::key::BookKey;
use super::level::{get_level, put_level};
use crate::util::bytes::{Cursor, put_varint};
use crate::util::input_file;
use crate::util::os::files;

/// Entries in the order of their keys.
pub type Entries<'a> = Box<dyn Iterator<Item = Stored> + 'a>;
pub type Stored = Result<(BookKey, Entry), BookError>;

pub const PAGE: usize = 8192;
/// Bytes of one read of the whole file.
const PIECE: usize = 128 * PAGE;
const MAGIC: &[u8; 8] = b"EMILIABK";
/// Without searches of other programs, and with them.
const VERSIONS: [u32; 2] = [1, 2];
/// Checksum, kind, and number of entries or keys.
const PAGE_HEAD: usize = 8;
const FANOUT: usize = (PAGE - PAGE_HEAD) / 16;

const HEADER_PAGE: u8 = 1;
const DATA_PAGE: u8 = 2;
const INDEX_PAGE: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub positions: u64,
    /// The number of rewrites; a journal belongs to the book of the same generation.
    pub generation: u64,
    pub games: u64,
    pub usual: Usual,
    data_pages: u64,
}

/// `books/emilia.book` after `emilia book tidy --loss 3 --min-games 30`.
static INSIDE: &[u8] = include_bytes!("small.book");
const INSIDE_NAME: &str = "the book inside the program";

#[derive(Debug)]
pub struct BookFile {
    path: PathBuf,
    pages: Pages,
    bytes: u64,
    header: Header,
    /// Page number at which each index level begins, the lowest level first; the last is the root's.
    levels: Vec<u64>,
}

#[derive(Debug)]
enum Pages {
    /// A file, which other programs may overwrite.
    File(Mutex<File>, Stamp),
    Inside(&'static [u8]),
}

impl Pages {
    fn read(&self, start: u64, out: &mut [u8], path: &Path) -> Result<(), BookError> {
        match self {
            Self::File(file, opened) => {
                // A panic leaves a place in the file, and `seek` sets that again.
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                let read = file
                    .seek(SeekFrom::Start(start))
                    .and_then(|_| file.read_exact(out));
                if stamp(&file).ok() != Some(*opened) {
                    return Err(BookError::foreign(path, WRITTEN_OVER));
                }
                read.map_err(BookError::io(path, "reading the book"))
            }
            Self::Inside(bytes) => {
                out.copy_from_slice(&bytes[start as usize..][..out.len()]);
                Ok(())
            }
        }
    }
}

/// Length and age of a file, which change when it is overwritten.
type Stamp = (u64, Option<SystemTime>);

fn stamp(file: &File) -> io::Result<Stamp> {
    let metadata = file.metadata()?;
    Ok((metadata.len(), metadata.modified().ok()))
}

/// The first pages of the index levels over `data_pages`, and the number of pages of the file.
fn layout(data_pages: u64) -> (Vec<u64>, u64) {
    let mut levels = Vec::new();
    let mut next = 1 + data_pages;
    let mut below = data_pages;
    while below > 1 {
        levels.push(next);
        below = below.div_ceil(FANOUT as u64);
        next += below;
    }
    (levels, next)
}

fn checksum(page: &[u8], number: u64) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(&page[4..]);
    hasher.finalize()
}

impl BookFile {
    /// Opens a book: the time does not depend on its size.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let file = input_file::open(path).map_err(BookError::io(path, "opening the book"))?;
        let stamp = stamp(&file).map_err(BookError::io(path, "opening the book"))?;
        Self::over(path, Pages::File(Mutex::new(file), stamp), stamp.0)
    }

    pub fn inside() -> Result<Self, BookError> {
        Self::over(
            Path::new(INSIDE_NAME),
            Pages::Inside(INSIDE),
            INSIDE.len() as u64,
        )
    }

    fn over(path: &Path, pages: Pages, bytes: u64) -> Result<Self, BookError> {
        let mut page = [0; PAGE];
        let begin = page.len().min(usize::try_from(bytes).unwrap_or(PAGE));
        pages.read(0, &mut page[..begin], path)?;
        if &page[PAGE_HEAD..PAGE_HEAD + 8] != MAGIC {
            return Err(BookError::foreign(path, "not a book of Emilia"));
        }
        if begin < PAGE {
            return Err(BookError::foreign(path, "a truncated book"));
        }
        let damaged = |what| BookError::damaged(path, 0, what);
        if read_u32(&page[..4]) != checksum(&page, 0) {
            return Err(damaged("the header's checksum does not match"));
        }
        let header = Header::decode(&page[PAGE_HEAD + 8..]).ok_or_else(|| {
            BookError::foreign(
                path,
                "a book in a format that this version does not support",
            )
        })?;
        let (levels, count) = layout(header.data_pages);
        if count.checked_mul(PAGE as u64) != Some(bytes) {
            return Err(damaged("the length of the file differs from the header's"));
        }
        Ok(Self {
            path: path.to_owned(),
            pages,
            bytes,
            header,
            levels,
        })
    }

    pub fn header(&self) -> Header {
        self.header
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is inside the program, where nothing can be added to it.
    pub fn is_inside(&self) -> bool {
        matches!(self.pages, Pages::Inside(_))
    }

    /// Whether the file has several names (hard links).
    pub fn has_links(&self) -> bool {
        let Pages::File(file, _) = &self.pages else {
            return false;
        };
        let file = file.lock().unwrap_or_else(PoisonError::into_inner);
        files::links(&file).is_ok_and(|links| links > 1)
    }

    /// Adds all its bytes to a checksum.
    ///
    /// # Errors
    /// When the file cannot be read, or another program overwrote it.
    pub fn add_to(&self, checksum: &mut Hasher) -> Result<(), BookError> {
        let mut piece = vec![0; PIECE];
        for start in (0..self.bytes).step_by(PIECE) {
            let end = self.bytes.min(start + PIECE as u64);
            let piece = &mut piece[..(end - start) as usize];
            self.pages.read(start, piece, &self.path)?;
            checksum.update(piece);
        }
        Ok(())
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn get(&self, key: BookKey) -> Result<Option<Entry>, BookError> {
        if self.header.positions == 0 {
            return Ok(None);
        }
        let number = self.page_of(key)?;
        let page = self.page(number, DATA_PAGE)?;
        page.find(key, self.header.usual)
            .map_err(|what| self.damaged(number, what))
    }

    pub fn entries(&self) -> Entries<'_> {
        self.entries_from(BookKey(0))
    }

    /// The entries of positions with this number of discs.
    pub fn ply(&self, discs: u32) -> impl Iterator<Item = Stored> + '_ {
        let is_within =
            move |item: &Stored| item.as_ref().map_or(true, |(key, _)| key.discs() == discs);
        self.entries_from(BookKey::least(discs))
            .take_while(is_within)
    }

    fn entries_from(&self, first: BookKey) -> Entries<'_> {
        let page = match self.page_of(first) {
            Ok(number) => number,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        let of_page = move |number| match self.page(number, DATA_PAGE) {
            Ok(page) => {
                let entries = page.entries(self.header.usual);
                entries
                    .map(|item| item.map_err(|what| self.damaged(number, what)))
                    .collect()
            }
            Err(error) => vec![Err(error)],
        };
        let entries = (page..=self.header.data_pages).flat_map(of_page);
        Box::new(entries.skip_while(move |item| item.as_ref().is_ok_and(|(key, _)| *key < first)))
    }

    /// The number of the data page that would hold a key.
    fn page_of(&self, key: BookKey) -> Result<u64, BookError> {
        let mut number = self.levels.last().copied().unwrap_or(1);
        // From the root down: the last page whose first key is not above the key.
        for (height, &level) in self.levels.iter().enumerate().rev() {
            let page = self.page(number, INDEX_PAGE)?;
            let after = page
                .keys()
                .partition_point(|first| u128::from_le_bytes(*first) <= key.0);
            let below = height.checked_sub(1).map_or(1, |below| self.levels[below]);
            number = below + (number - level) * FANOUT as u64 + after.saturating_sub(1) as u64;
        }
        Ok(number)
    }

    /// Checks every page, that keys are of canonical positions and rise, that index and data agree, and the header's
    /// count; the error is the first fault.
    pub fn check(&self) -> Result<(), BookError> {
        let mut positions = 0;
        let mut last = None;
        let mut firsts = Vec::with_capacity(self.header.data_pages as usize);
        for number in 1..=self.header.data_pages {
            for (index, item) in self
                .page(number, DATA_PAGE)?
                .entries(self.header.usual)
                .enumerate()
            {
                let (key, _) = item.map_err(|what| self.damaged(number, what))?;
                if last.is_some_and(|last| last >= key) {
                    return Err(self.damaged(number, "keys out of order"));
                }
                if key.canonical_board().is_none() {
                    return Err(self.damaged(number, "a key that is no position of a book"));
                }
                if index == 0 {
                    firsts.push(key.0);
                }
                last = Some(key);
                positions += 1;
            }
        }
        if positions != self.header.positions {
            return Err(self.damaged(0, "the number of positions differs from the header's"));
        }
        for &level in &self.levels {
            let mut above = Vec::new();
            for (offset, chunk) in firsts.chunks(FANOUT).enumerate() {
                let number = level + offset as u64;
                let page = self.page(number, INDEX_PAGE)?;
                if !page
                    .keys()
                    .iter()
                    .map(|key| u128::from_le_bytes(*key))
                    .eq(chunk.iter().copied())
                {
                    return Err(self.damaged(number, "the index differs from the pages below"));
                }
                above.push(chunk[0]);
            }
            firsts = above;
        }
        Ok(())
    }

    fn damaged(&self, number: u64, what: &'static str) -> BookError {
        BookError::damaged(&self.path, number * PAGE as u64, what)
    }

    fn page(&self, number: u64, kind: u8) -> Result<Page, BookError> {
        let start = number * PAGE as u64;
        if start >= self.bytes {
            return Err(self.damaged(number, "no such page"));
        }
        let mut page = Page {
            count: 0,
            bytes: Box::new([0; PAGE]),
        };
        let bytes = &mut page.bytes[..];
        self.pages.read(start, bytes, &self.path)?;
        if read_u32(&bytes[..4]) != checksum(bytes, number) {
            return Err(self.damaged(number, "the page's checksum does not match"));
        }
        page.count = usize::from(u16::from_le_bytes([bytes[6], bytes[7]]));
        if bytes[4] != kind || kind == INDEX_PAGE && page.count > FANOUT {
            return Err(self.damaged(number, "a page of another kind"));
        }
        Ok(page)
    }
}

fn read_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

const UNREADABLE: &str = "an entry cannot be read";
const WRITTEN_OVER: &str = "no longer the book that was opened: another program overwrote it; open it again, and replace \
                            books by renaming (mv), not by copying";

#[derive(Debug)]
struct Page {
    count: usize,
    bytes: Box<[u8; PAGE]>,
}

impl Page {
    fn body(&self) -> &[u8] {
        &self.bytes[PAGE_HEAD..]
    }

    fn keys(&self) -> &[[u8; 16]] {
        &self.body().as_chunks::<16>().0[..self.count]
    }

    /// The entry with a key; skips those before it without decoding.
    fn find(&self, key: BookKey, usual: Usual) -> Result<Option<Entry>, &'static str> {
        let mut cursor = Cursor::new(self.body());
        let mut at = 0u128;
        for _ in 0..self.count {
            at = cursor
                .varint()
                .and_then(|step| at.checked_add(step))
                .ok_or(UNREADABLE)?;
            if at >= key.0 {
                let entry =
                    (at == key.0).then(|| Entry::decode(&mut cursor, usual).ok_or(UNREADABLE));
                return entry.transpose();
            }
            Entry::skip(&mut cursor).ok_or(UNREADABLE)?;
        }
        Ok(None)
    }

    fn entries(
        &self,
        usual: Usual,
    ) -> impl Iterator<Item = Result<(BookKey, Entry), &'static str>> {
        let mut cursor = Cursor::new(self.body());
        let mut key = 0u128;
        (0..self.count).map(move |_| {
            let mut read = |cursor: &mut Cursor| {
                key = key.checked_add(cursor.varint()?)?;
                Some((BookKey(key), Entry::decode(cursor, usual)?))
            };
            read(&mut cursor).ok_or(UNREADABLE)
        })
    }
}

impl Header {
    fn encode(&self, is_foreign: bool) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSIONS[usize::from(is_foreign)].to_le_bytes());
        out.extend((PAGE as u32).to_le_bytes());
        for number in [self.positions, self.generation, self.games, self.data_pages] {
            out.extend(number.to_le_bytes());
        }
        put_level(self.usual.level, &mut out);
        put_score(self.usual.error, &mut out);
        out
    }

    /// Reads the bytes behind the magic.
    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(bytes);
        let version = read_u32(cursor.take(4)?);
        let page = read_u32(cursor.take(4)?);
        if !VERSIONS.contains(&version) || page as usize != PAGE {
            return None;
        }
        let [positions, generation, games, data_pages] =
            [cursor.u64()?, cursor.u64()?, cursor.u64()?, cursor.u64()?];
        let usual = Usual {
            level: get_level(&mut cursor)?,
            error: get_score(&mut cursor)?,
        };
        // The last byte of the last page must fit into u64.
        (data_pages < 1 << 48).then_some(Self {
            positions,
            generation,
            games,
            usual,
            data_pages,
        })
    }
}

pub struct BookWriter<W> {
    out: W,
    header: Header,
    page: Vec<u8>,
    count: u16,
    last: Option<BookKey>,
    is_foreign: bool,
    firsts: Vec<u128>,
}

impl<W: Write + Seek> BookWriter<W> {
    pub fn new(mut out: W, generation: u64, games: u64, usual: Usual) -> std::io::Result<Self> {
        // `finish` writes the header, so a torn file is no book.
        out.write_all(&[0; PAGE])?;
        let header = Header {
            positions: 0,
            generation,
            games,
            usual,
            data_pages: 0,
        };
        let is_foreign = usual.level.origin.is_some();
        let page = Vec::with_capacity(PAGE);
        Ok(Self {
            out,
            header,
            page,
            count: 0,
            last: None,
            is_foreign,
            firsts: Vec::new(),
        })
    }

    /// Appends an entry; panics unless `key` is above the last one.
    pub fn push(&mut self, key: BookKey, entry: &Entry) -> std::io::Result<()> {
        assert!(self.last.is_none_or(|last| last < key), "keys must rise");
        let mut bytes = Vec::with_capacity(32);
        let base = if self.count == 0 {
            0
        } else {
            self.last.map_or(0, |last| last.0)
        };
        put_varint(key.0 - base, &mut bytes);
        entry.encode(self.header.usual, &mut bytes);
        if self.page.len() + bytes.len() > PAGE - PAGE_HEAD {
            self.end_data_page()?;
            bytes.clear();
            put_varint(key.0, &mut bytes);
            entry.encode(self.header.usual, &mut bytes);
        }
        if self.count == 0 {
            self.firsts.push(key.0);
        }
        self.page.extend(bytes);
        self.count += 1;
        self.last = Some(key);
        self.is_foreign |= entry
            .searched
            .is_some_and(|searched| searched.level.origin.is_some());
        self.header.positions += 1;
        Ok(())
    }

    /// Writes the last page, the index and the header; returns the output.
    pub fn finish(mut self) -> std::io::Result<W> {
        if self.count > 0 {
            self.end_data_page()?;
        }
        let mut number = 1 + self.header.data_pages;
        let mut firsts = std::mem::take(&mut self.firsts);
        while firsts.len() > 1 {
            for chunk in firsts.chunks(FANOUT) {
                let body: Vec<u8> = chunk.iter().flat_map(|first| first.to_le_bytes()).collect();
                write_page(&mut self.out, number, INDEX_PAGE, chunk.len() as u16, &body)?;
                number += 1;
            }
            firsts = firsts.chunks(FANOUT).map(|chunk| chunk[0]).collect();
        }
        self.out.seek(SeekFrom::Start(0))?;
        write_page(
            &mut self.out,
            0,
            HEADER_PAGE,
            0,
            &self.header.encode(self.is_foreign),
        )?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn end_data_page(&mut self) -> std::io::Result<()> {
        self.header.data_pages += 1;
        write_page(
            &mut self.out,
            self.header.data_pages,
            DATA_PAGE,
            self.count,
            &self.page,
        )?;
        self.page.clear();
        self.count = 0;
        Ok(())
    }
}

fn write_page(
    out: &mut impl Write,
    number: u64,
    kind: u8,
    count: u16,
    body: &[u8],
) -> std::io::Result<()> {
    let mut page = [0; PAGE];
    page[4] = kind;
    page[6..8].copy_from_slice(&count.to_le_bytes());
    page[PAGE_HEAD..PAGE_HEAD + body.len()].copy_from_slice(body);
    let sum = checksum(&page, number);
    page[..4].copy_from_slice(&sum.to_le_bytes());
    out.write_all(&page)
}
