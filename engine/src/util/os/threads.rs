//! Threads that the system may refuse to start.

use std::io;

/// The error of a refusal.
pub fn no_thread(error: io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("the system starts no more threads: {error}"),
    )
}
