//! Errors of books, which name the file and the place.

use std::io;
use std::path::{Path, PathBuf};

/// The reason that a book cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// A failure of the system.
    // The text includes the cause, so that is no source: a report would print it twice.
    #[error("{doing} {}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The action: `opening`, `writing`.
        doing: &'static str,
        /// The cause.
        error: io::Error,
    },
    /// Not a book, or a book in an unknown format.
    #[error("{} is {what}", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The actual content, as a noun.
        what: &'static str,
    },
    /// The bytes changed after they were written.
    #[error("{} is damaged at byte {offset}: {what}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first damaged byte, counted from 0.
        offset: u64,
        /// The fault.
        what: &'static str,
    },
    /// A change of the book inside the program.
    #[error(
        "the book inside the program cannot learn: name a file with --book FILE, which creates it if necessary"
    )]
    Inside,
    /// A record that no book can hold.
    #[error("record {number} is {what}; the book is unchanged")]
    InvalidRecord {
        /// The record's number, from 1.
        number: usize,
        /// Its fault.
        what: &'static str,
    },
    /// Another process is writing to the book.
    #[error("another process is writing to this book (it holds {})", .path.display())]
    Locked {
        /// The locked journal.
        path: PathBuf,
    },
}

impl BookError {
    pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Io { path, doing, error }
    }

    pub(super) fn damaged(path: &Path, offset: u64, what: &'static str) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            offset,
            what,
        }
    }

    pub(super) fn foreign(path: &Path, what: &'static str) -> Self {
        Self::Foreign {
            path: path.to_owned(),
            what,
        }
    }

    /// Whether the file does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }
}

impl From<BookError> for io::Error {
    fn from(error: BookError) -> Self {
        Self::other(error)
    }
}
