//! The NBoard protocol, versions 1 and 2, complete: `nboard`, `set depth|game|contempt`, `move`,
//! `hint`, `go`, `ping`, `learn`, `analyze`, `clear`, `quit`.
//!
//! After the end of input a search that runs may go on for 0.2 seconds; with `--batch` every search runs to
//! its own end. The same holds while more than a megabyte of commands waits, because none of it is read any
//! further until one is done. `learn` says in a `status` what it kept, or why not: a game that the book counts already (the
//! same first 30 moves, the same winner) does not count again. A `--book` that is not there is made then; why one is not
//! played from is the `status` after `nboard` and whenever a request is done. With `--learn idle` what learned games
//! reached is searched while nobody asks for anything; the next command stops that at once.
//!
//! GUIs merge stderr into stdout, so in this protocol nothing is written there unless asked for.

mod memory;
pub mod parse;
pub mod print;
mod progress;
pub mod session;
mod state;

use std::io;

use super::console::{LineReader, LineWriter};
use super::driver::{self, SessionOptions};
use super::library::Library;
use crate::engine::Options;

use session::NBoardSession;

/// Runs a session until `quit` or the end of input, with or without a book.
///
/// # Errors
/// When the input cannot be read, or the output cannot be written for another reason than that its
/// reader has gone.
pub fn run(
    reader: LineReader,
    out: LineWriter,
    options: Options,
    library: Library,
    session: SessionOptions,
) -> io::Result<()> {
    driver::run(reader, options, |engine| NBoardSession::new(engine, out, session).with_book(library))
}
