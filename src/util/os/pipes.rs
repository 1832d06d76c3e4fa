//! Closed pipes.

use std::io::{Error, ErrorKind};

/// The error of Windows for a pipe that the other end disconnected.
const NOT_CONNECTED: i32 = 233;

/// Whether a write failed because the reader has closed the pipe.
pub fn reader_is_gone(error: &Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
        || cfg!(windows) && error.raw_os_error() == Some(NOT_CONNECTED)
}
