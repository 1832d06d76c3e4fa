//! Bytes and lines of a file, with their place in it.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::book::BookError;
use crate::util::input_file;

/// The longest line of a book as text, with a margin.
const LONGEST_LINE: u64 = 512;

/// An error of the system while `doing` something with a file.
fn failed(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> BookError + use<> {
    let path = path.to_owned();
    move |error| BookError::Io { path, doing, error }
}

pub trait Input: Read + Seek {}
impl<T: Read + Seek> Input for T {}

/// A file that is read forward, any number of times.
pub struct Source {
    path: PathBuf,
    reader: BufReader<Box<dyn Input>>,
    at: u64,
    bytes: u64,
}

impl Source {
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let open = || {
            let file = input_file::open(path)?;
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        };
        let (file, bytes) = open().map_err(failed(path, "opening the book"))?;
        Ok(Self::over(path, Box::new(file), bytes))
    }

    #[cfg(any(test, fuzzing))]
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        let length = bytes.len() as u64;
        Self::over(
            Path::new("bytes"),
            Box::new(std::io::Cursor::new(bytes)),
            length,
        )
    }

    fn over(path: &Path, input: Box<dyn Input>, bytes: u64) -> Self {
        Self {
            path: path.to_owned(),
            reader: BufReader::with_capacity(1 << 16, input),
            at: 0,
            bytes,
        }
    }

    pub fn at(&self) -> u64 {
        self.at
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn seek(&mut self, to: u64) -> Result<(), BookError> {
        self.reader
            .seek(SeekFrom::Start(to))
            .map_err(failed(&self.path, "reading the book"))?;
        self.at = to;
        Ok(())
    }

    /// The next bytes; `None` at the end of the file. A part of them is damage.
    pub fn array<const N: usize>(&mut self) -> Result<Option<[u8; N]>, BookError> {
        let mut bytes = [0; N];
        match self.reader.read_exact(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => match self.at >= self.bytes {
                true => Ok(None),
                false => Err(self.damaged(self.at, CUT_OFF)),
            },
            Err(error) => Err(failed(&self.path, "reading the book")(error)),
            Ok(()) => {
                self.at += N as u64;
                Ok(Some(bytes))
            }
        }
    }

    /// The next bytes; the end of the file is damage.
    pub fn need<const N: usize>(&mut self) -> Result<[u8; N], BookError> {
        self.array()?.ok_or_else(|| self.damaged(self.at, CUT_OFF))
    }

    /// The next line without its end; `None` at the end of the file. Longer lines than those of any book are split.
    pub fn line(&mut self) -> Result<Option<Vec<u8>>, BookError> {
        let mut line = Vec::new();
        let read = self
            .reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line);
        let read = read.map_err(failed(&self.path, "reading the book"))?;
        self.at += read as u64;
        while line.last().is_some_and(|byte| byte.is_ascii_whitespace()) {
            line.pop();
        }
        Ok((read > 0).then_some(line))
    }

    pub fn damaged(&self, at: u64, what: &'static str) -> BookError {
        BookError::Damaged {
            path: self.path.clone(),
            offset: at,
            what,
        }
    }

    pub fn foreign(&self, what: &'static str) -> BookError {
        BookError::Foreign {
            path: self.path.clone(),
            what,
        }
    }
}

const CUT_OFF: &str = "the file is cut off";
