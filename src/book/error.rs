//! What can be wrong with a book: one error, always naming the file and the place.

use std::io;
use std::path::{Path, PathBuf};

/// Why a book cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// The system refused.
    // The text says what the system said: as a source besides it would be told twice.
    #[error("{doing} {}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done: `opening`, `writing`.
        doing: &'static str,
        /// Why.
        error: io::Error,
    },
    /// The file is not a book, or of a form that this version does not know.
    #[error("{} is {what}", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is there instead.
        what: &'static str,
    },
    /// The bytes are not those that were written.
    #[error("{} is damaged at byte {offset}: {what}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the damaged part begins, in bytes from the start of the file.
        offset: u64,
        /// What is wrong there.
        what: &'static str,
    },
    /// The book inside the program was to be changed.
    #[error(
        "the book inside the program cannot learn: name one in a file with --book FILE, which is made if there is none"
    )]
    Inside,
    /// A record that no book can hold was to be learned.
    #[error("record {number} is {what}; nothing was learned")]
    Refused {
        /// The record's number, from 1.
        number: usize,
        /// Its fault.
        what: &'static str,
    },
    /// Another process is writing to the book.
    #[error("another process is writing to this book (it holds {})", .path.display())]
    Locked {
        /// The journal that it holds.
        path: PathBuf,
    },
}

impl BookError {
    pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Io { path, doing, error }
    }

    pub(super) fn damaged(path: &Path, offset: u64, what: &'static str) -> Self {
        Self::Damaged { path: path.to_owned(), offset, what }
    }

    pub(super) fn foreign(path: &Path, what: &'static str) -> Self {
        Self::Foreign { path: path.to_owned(), what }
    }

    /// Whether the error is that there is no such file.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }
}
