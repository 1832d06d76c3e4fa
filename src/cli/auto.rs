//! `emilia` without a subcommand: the first known line decides the protocol, and the choice sticks.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::{SessionArgs, gtp, nboard, output};
use crate::protocols::console::{InputLine, LineReader};
use crate::protocols::gtp::parse::is_gtp;
use crate::protocols::nboard::parse::is_nboard;

/// Lines remembered for the session while nothing known has come.
const REMEMBERED: usize = 64;

/// Arguments of `emilia` without a subcommand.
#[derive(clap::Args)]
pub struct Args {
    /// The session.
    #[command(flatten)]
    session: SessionArgs,
}

/// A protocol that can be told from its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    NBoard,
    Gtp,
}

/// The protocol of which `line` is a command.
fn protocol_of(line: &str) -> Option<Protocol> {
    match () {
        _ if is_nboard(line) => Some(Protocol::NBoard),
        _ if is_gtp(line) => Some(Protocol::Gtp),
        _ => None,
    }
}

/// Waits for a known line, then runs its protocol's session, that line included.
pub fn run(args: &Args) -> Result<ExitCode> {
    let options = args.session.prepare()?;
    let library = args.session.library();
    if io::stdin().is_terminal() {
        output::message("waiting for NBoard or GTP, such as `hint 3` or `genmove black`; `quit` ends");
        output::message("`emilia help` lists all commands; `emilia show f5d6c3` is a start");
    }
    let mut reader = LineReader::stdin();
    match detect(&mut reader).context("waiting for a command")? {
        Some(Protocol::NBoard) => nboard::serve(reader, options, library, args.session.session_options()),
        Some(Protocol::Gtp) => gtp::serve(reader, options, library, args.session.session_options()),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Reads up to the first known line and puts back what it read; `None` at `quit` or the end.
fn detect(reader: &mut LineReader) -> io::Result<Option<Protocol>> {
    let mut seen = Vec::new();
    loop {
        let Some(line) = reader.read()? else { return Ok(None) };
        let (protocol, quits) = match &line {
            InputLine::Text(text) => (protocol_of(text), text.trim().eq_ignore_ascii_case("quit")),
            InputLine::TooLong => (None, false),
        };
        if seen.len() < REMEMBERED || protocol.is_some() {
            seen.push(line);
        }
        if protocol.is_some() {
            reader.unread(seen);
            return Ok(protocol);
        }
        if quits {
            return Ok(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn detected(input: &'static str) -> (Option<Protocol>, Option<InputLine>) {
        let mut reader = LineReader::new(Cursor::new(input));
        (detect(&mut reader).unwrap(), reader.read().unwrap())
    }

    #[test]
    fn the_first_known_line_decides_and_is_kept() {
        let first = |text: &str| Some(InputLine::Text(text.to_owned()));
        assert_eq!(detected("nboard 2\nping 1\n"), (Some(Protocol::NBoard), first("nboard 2")));
        assert_eq!(detected("ping 1\n"), (Some(Protocol::NBoard), first("ping 1")));
        assert_eq!(detected("\nhello\nset depth 3\n"), (Some(Protocol::NBoard), first("")));
        assert_eq!(detected("1 name\nping 1\n"), (Some(Protocol::Gtp), first("1 name")));
        assert_eq!(detected("# comment\nboardsize 8\n"), (Some(Protocol::Gtp), first("# comment")));
        assert_eq!(detected("quit\nping 1\n").0, None);
        assert_eq!(detected("hello").0, None);
    }
}
