#![doc = include_str!("README.md")]

pub mod cassio;
pub mod clock;
pub mod console;
pub mod driver;
pub mod edax;
pub mod gtp;
#[cfg(test)]
pub mod harness_tests;
pub mod json;
pub mod library;
pub mod nboard;
pub mod session;
pub mod squares;

use std::io;

use crate::engine::Options;
use crate::peers::Protocol;
use console::{LineReader, LineWriter};
use library::Library;
use session::SessionOptions;

/// Speaks a protocol until `quit` or the end of input.
pub fn run(
    protocol: Protocol,
    reader: LineReader,
    out: LineWriter,
    engine: Options,
    library: Library,
    options: SessionOptions,
) -> io::Result<()> {
    match protocol {
        Protocol::NBoard => session::run::<nboard::NBoard>(reader, out, engine, library, options),
        Protocol::Gtp => session::run::<gtp::Gtp>(reader, out, engine, library, options),
        Protocol::Edax => session::run::<edax::Edax>(reader, out, engine, library, options),
        // Its searches name all that they need.
        Protocol::Cassio => {
            session::run::<cassio::Cassio>(reader, out, engine, Library::default(), options)
        }
    }
}

/// The protocol of a client whose first line this is, if the line shows it.
pub fn of_line(line: &str) -> Option<Protocol> {
    if nboard::parse::is_nboard(line) {
        Some(Protocol::NBoard)
    } else if gtp::commands::is_gtp(line) {
        Some(Protocol::Gtp)
    } else if edax::is_edax(line) {
        Some(Protocol::Edax)
    } else {
        None
    }
}
