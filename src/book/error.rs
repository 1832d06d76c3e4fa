//! What can be wrong with a book: one error, always naming the file and the place.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a book cannot be read or written.
#[derive(Debug)]
pub enum BookError {
    /// The system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done: `opening`, `writing`.
        doing: &'static str,
        /// Why.
        source: io::Error,
    },
    /// The file is not a book, or of a form that this version does not know.
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is there instead.
        what: &'static str,
    },
    /// The bytes are not those that were written.
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the damaged part begins, in bytes from the start of the file.
        offset: u64,
        /// What is wrong there.
        what: &'static str,
    },
    /// Another process is writing to the book.
    Locked {
        /// The journal that it holds.
        path: PathBuf,
    },
}

impl BookError {
    pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, doing, source }
    }

    pub(super) fn damaged(path: &Path, offset: u64, what: &'static str) -> Self {
        Self::Damaged { path: path.to_owned(), offset, what }
    }

    /// Whether the error is that there is no such file.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, doing, source } => write!(f, "{doing} {}: {source}", path.display()),
            Self::Foreign { path, what } => write!(f, "{} is {what}", path.display()),
            Self::Damaged { path, offset, what } => {
                write!(f, "{} is damaged at byte {offset}: {what}", path.display())
            }
            Self::Locked { path } => {
                write!(f, "another process is writing to this book (it holds {})", path.display())
            }
        }
    }
}

// The text says what the system said: a source besides would be told twice.
impl std::error::Error for BookError {}
