//! The sources of entries: stdin, files of any kind, or the argument itself.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Result, anyhow, bail, ensure};

use super::{Kind, is_stdin};
use crate::cli::output;
use crate::notation::Format;
use crate::notation::formats::WTHOR;
use crate::notation::split::MAX_ENTRY_BYTES;
use crate::notation::wthor::{GameFile, NameFile, NameKind, Names};
use crate::util::checksum::Checksum;
use crate::util::input_file;
use crate::util::os::terminal::{self, END_OF_INPUT, stdin_has_more};
use crate::util::packed::unpacked;
use crate::util::target::folder_of;
use crate::util::text::{UTF_16, is_utf_16};

/// Bytes read at a time.
const READ_BYTES: usize = 1 << 16;
/// Bytes to skip of a line that is too long for an entry; a longer line may have no end.
const MAX_SKIPPED_BYTES: usize = 1 << 26;
/// Bytes that show whether a file is text.
const SAMPLE_BYTES: usize = 512;
/// The first bytes of files that are neither text nor games, and the messages about them.
const OTHERS: [(&[u8], &str); 12] = [
    (
        b"BZh",
        "a packed file; unpack it first: bzip2 -dc NAME | emilia ... -",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "a packed file; unpack it first: zstd -dc NAME | emilia ... -",
    ),
    (
        b"\xfd7zXZ",
        "a packed file; unpack it first: xz -dc NAME | emilia ... -",
    ),
    (
        b"PK\x03\x04",
        "a packed file; unpack it first: unzip -p NAME | emilia ... -",
    ),
    (
        b"7z\xbc\xaf",
        "a packed file; unpack it first: 7z x -so NAME | emilia ... -",
    ),
    (
        b"Rar!",
        "a packed file; unpack it first: unrar p -inul NAME | emilia ... -",
    ),
    (b"XADEKOOB", "a book of Edax; expected positions or games"),
    (b"XADELAVE", "weights of Edax; expected positions or games"),
    (
        b"DICUORAGE",
        "a book of Egaroucid; expected positions or games",
    ),
    (
        b"\x9e\x0a\x02\x0b",
        "a book of Zebra; expected positions or games",
    ),
    (b"%PDF", "a PDF document; expected text"),
    (b"{\\rtf", "an office document; save it as text"),
];

pub enum Content {
    Text(Lines),
    /// A file of the WTHOR base, with the names of players and tournaments.
    Games(GameFile, Names),
}

/// The decoded lines of a source, of bounded length.
pub struct Lines {
    reader: Reader,
    /// Bytes that are read and not yet taken, from `start` on.
    buffer: Vec<u8>,
    start: usize,
    /// The rest of a cut line comes next.
    is_cut: bool,
    /// The source may pause.
    is_live: bool,
}

/// A pause of a source that is longer ends an entry which is whole without the next line.
const PAUSE: Duration = Duration::from_millis(50);

/// The bytes of a source, unpacked.
pub type Reader = Box<dyn BufRead + Send>;

/// Whether a source may grow while it is read: a pipe, a terminal, a socket.
pub fn is_live(argument: &OsStr) -> bool {
    if is_stdin(argument) {
        return !terminal::stdin_is_file();
    }
    fs::metadata(argument).is_ok_and(|metadata| !metadata.is_file())
}

/// The bytes read so far from files; of packed files, the packed bytes.
#[derive(Clone, Debug, Default)]
pub struct BytesRead(Arc<AtomicU64>);

impl BytesRead {
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A file whose bytes are counted.
struct Counted(File, BytesRead);

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.0.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Opens a file, packed or not, to read it piece by piece.
pub fn open_file(path: &Path) -> io::Result<Reader> {
    open_counted(path, &BytesRead::default())
}

fn open_counted(path: &Path, read: &BytesRead) -> io::Result<Reader> {
    let file = Counted(input_file::open_stream(path)?, read.clone());
    unpacked(BufReader::with_capacity(READ_BYTES, file))
}

/// Opens a source and adds the bytes read from it to `checksum` and `read`. The error is one whole message.
pub fn open(
    argument: &OsStr,
    kind: Kind,
    format: Option<Format>,
    checksum: &Checksum,
    read: &BytesRead,
) -> Result<Content> {
    let path = Path::new(argument);
    let name = if kind == Kind::Stdin {
        "stdin".into()
    } else {
        argument.display().to_string()
    };
    let error = |fault: io::Error| anyhow!("{name}: {fault}");
    let reader = match kind {
        Kind::Stdin => {
            if io::stdin().is_terminal() {
                output::message(format_args!(
                    "reading positions from the terminal; {END_OF_INPUT} ends"
                ));
            }
            unpacked(BufReader::with_capacity(READ_BYTES, io::stdin()))
        }
        Kind::File => open_counted(path, read),
        Kind::Literal => bail!("{name}: no such file"),
    };
    let mut reader: Reader = Box::new(checksum.of(reader.map_err(error)?));
    let sample = peek(&mut reader).map_err(error)?;
    if let Some((_, what)) = OTHERS.iter().find(|(mark, _)| sample.starts_with(mark)) {
        bail!("{name}: {}", what.replace("NAME", &name));
    }
    ensure!(!is_utf_16(sample), "{name}: {UTF_16}");
    if format == Some(WTHOR) || (format.is_none() && (has_ending(path, "wtb") || is_wthor(sample)))
    {
        let file = read_games(&mut reader).map_err(|fault| anyhow!("{name}: {fault}"))?;
        let names = if kind == Kind::File {
            names_beside(path)?
        } else {
            Names::default()
        };
        return Ok(Content::Games(file, names));
    }
    binary(sample).map_or(Ok(()), |what| Err(anyhow!("{name}: {what}")))?;
    let is_live = kind == Kind::Stdin && is_live(argument);
    Ok(Content::Text(Lines::new(reader, is_live)))
}

fn binary(sample: &[u8]) -> Option<&'static str> {
    const OTHER: &str = "a binary file; expected text, or games of the WTHOR base";
    // A page of a book begins with a checksum.
    if sample.windows(8).take(64).any(|mark| mark == b"EMILIABK") {
        return Some(
            "a book of Emilia; expected positions or games (emilia book looks into books)",
        );
    }
    let is_names =
        sample.len() >= 16 && sample[..3].iter().all(|&byte| byte < 100) && sample[8..10] != [0, 0];
    let is_control = |byte: &&u8| **byte < 0x20 && !b"\t\n\r\x0b\x0c\x1a\x1b".contains(*byte);
    match sample.iter().filter(is_control).count() {
        0 => None,
        _ if is_names && matches!(sample[0], 19..=21) => {
            Some("names of the WTHOR base; give the games, .wtb, in the same folder")
        }
        count if sample.contains(&0) || count * 10 > sample.len() => Some(OTHER),
        _ => None,
    }
}

/// The next bytes, as many as the source has now.
fn peek(reader: &mut Reader) -> io::Result<&[u8]> {
    let sample = reader.fill_buf()?;
    Ok(&sample[..sample.len().min(SAMPLE_BYTES)])
}

/// Whether a file begins with the header of games of the WTHOR base.
fn is_wthor(sample: &[u8]) -> bool {
    let Some(head) = sample.first_chunk::<16>() else {
        return false;
    };
    let [century, year, month, day, .., size, kind, empties, reserved] = *head;
    let is_dated = (19..=21).contains(&century) && year < 100 && month <= 12 && day <= 31;
    let is_date = is_dated || (head[..4] == [0; 4] && size == 8);
    // A file of games counts no names; solitaires have another number there, and the parser refuses them by name.
    let has_no_names = head[8..10] == [0, 0] || kind == 1;
    is_date && has_no_names && matches!(size, 0 | 8) && kind <= 1 && empties <= 60 && reserved == 0
}

/// Reads a file of games: as much as its header states, and one byte more, which is an error.
fn read_games(reader: &mut Reader) -> Result<GameFile> {
    let mut bytes = Vec::new();
    reader
        .by_ref()
        .take(GameFile::HEADER_BYTES)
        .read_to_end(&mut bytes)?;
    let rest = bytes.first_chunk().map_or(0, GameFile::games_bytes);
    bytes.extend(input_file::read_up_to(
        reader.take(rest + 1),
        GameFile::MAX_BYTES,
    )?);
    Ok(GameFile::parse(&bytes)?)
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

/// The names for the games in `path`: from the files with its name, else from the first ones of its folder, if any.
pub fn names_beside(path: &Path) -> Result<Names> {
    Ok(Names {
        players: name_file(path, "jou", NameKind::Players)?,
        tournaments: name_file(path, "trn", NameKind::Tournaments)?,
    })
}

fn name_file(path: &Path, ending: &str, kind: NameKind) -> Result<NameFile> {
    let first = name_files(path, ending).into_iter().next();
    first.map_or_else(|| Ok(NameFile::default()), |path| read_names(&path, kind))
}

/// The files with this ending in the folder of `path`, one with the name of `path` first.
pub fn name_files(path: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder_of(path))
        .into_iter()
        .flatten()
        .flatten();
    let mut found: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| has_ending(path, ending))
        .collect();
    found.sort_by_key(|found| (found.file_stem() != path.file_stem(), found.clone()));
    found
}

pub fn read_names(path: &Path, kind: NameKind) -> Result<NameFile> {
    let read = || -> Result<NameFile> {
        Ok(NameFile::parse(
            &input_file::read(path, NameFile::MAX_BYTES)?,
            kind,
        )?)
    };
    read().map_err(|error| anyhow!("{}: {error}", path.display()))
}

impl Lines {
    fn new(reader: Reader, is_live: bool) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            start: 0,
            is_cut: false,
            is_live,
        }
    }

    /// Whether the next line, or the end, comes without a pause.
    pub fn is_at_hand(&self) -> bool {
        !self.is_live || self.start < self.buffer.len() || stdin_has_more(PAUSE)
    }

    /// The next line without its end, cut if it is longer than any entry, and whether it is UTF-8; `None` at the end.
    ///
    /// A cut line is returned at once, for it may have no end; the next call skips its rest. A line that is not UTF-8 is
    /// read as Latin-1, which older game files use.
    pub fn next(&mut self) -> io::Result<Option<(String, bool)>> {
        let mut line = Vec::new();
        if self.is_cut && !self.take_line(&mut line, MAX_SKIPPED_BYTES)? {
            let what = format!("a line of more than {MAX_SKIPPED_BYTES} bytes");
            return Err(io::Error::new(ErrorKind::InvalidData, what));
        }
        line.clear();
        // One byte more than an entry may have, so that the parser refuses the cut line.
        self.is_cut = !self.take_line(&mut line, MAX_ENTRY_BYTES + 1)?;
        line.truncate(MAX_ENTRY_BYTES + 1);
        Ok((!line.is_empty()).then(|| decode(line)))
    }

    /// Adds the rest of a line to `line`; `false` if it is longer than `limit`.
    fn take_line(&mut self, line: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
        let mut count = 0;
        loop {
            let mut rest = &self.buffer[self.start..];
            let taken = rest.read_until(b'\n', line)?;
            self.start += taken;
            count += taken;
            if line.last() == Some(&b'\n') {
                return Ok(true);
            }
            if count > limit {
                return Ok(false);
            }
            // A skipped line is not kept.
            line.truncate(MAX_ENTRY_BYTES + 1);
            let more = self.reader.fill_buf()?;
            let length = more.len();
            self.buffer.clear();
            self.buffer.extend_from_slice(more);
            self.start = 0;
            self.reader.consume(length);
            if length == 0 {
                return Ok(true);
            }
        }
    }
}

fn decode(mut bytes: Vec<u8>) -> (String, bool) {
    while matches!(bytes.last(), Some(b'\n' | b'\r')) {
        bytes.pop();
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => {
            let letters = error.as_bytes().iter().map(|&byte| char::from(byte));
            (letters.collect(), false)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(Box::new(Cursor::new(bytes.to_vec())), false);
        let next = || lines.next().expect("a cursor can be read");
        std::iter::from_fn(next).map(|(line, _)| line).collect()
    }

    #[test]
    fn any_bytes_are_lines() {
        assert_eq!(lines(b"a\r\n\nb"), ["a", "", "b"]);
        assert_eq!(lines(b"caf\xe9\ncaf\xc3\xa9\n"), ["caf\u{e9}", "caf\u{e9}"]);
        let long = lines(&[vec![b'x'; 3 * MAX_ENTRY_BYTES], b"\nf5".to_vec()].concat());
        assert_eq!(
            (long[0].len(), long[1].as_str()),
            (MAX_ENTRY_BYTES + 1, "f5")
        );
    }

    #[test]
    fn games_are_read_as_far_as_their_header_states() {
        let header = GameFile::default().to_bytes().unwrap();
        let mut reader: Reader = Box::new(BufReader::new(Cursor::new(header).chain(io::repeat(0))));
        let error = read_games(&mut reader).unwrap_err().to_string();
        assert!(
            error.contains("expected the end of the file after 0 records"),
            "{error}"
        );
    }
}
