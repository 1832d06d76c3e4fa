//! Pipes whose other end is gone.

use std::io::{Error, ErrorKind};

/// What Windows says of a pipe that its other end has cut, in place of closing it.
const NOT_CONNECTED: i32 = 233;

/// Whether an error of writing says that nobody reads any more.
pub fn reader_is_gone(error: &Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe || cfg!(windows) && error.raw_os_error() == Some(NOT_CONNECTED)
}
