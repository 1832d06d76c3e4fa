//! Results on stdout or in a file, for all subcommands.
//!
//! A reader that has gone away (`| head -1`) is no fault: the error unwinds to `main`, which then ends quietly with
//! code 0. A full disk is one line on stderr and code 1. Nothing here panics, as `println!` would.
//!
//! [`escaped`] replaces the control characters that files, names and arguments bring in, so that no text controls the
//! terminal. [`Output::bytes`] writes colors and binary results.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use thiserror::Error;

use super::files::is_stdout;
use crate::util::file::Replacement;
use crate::util::os::pipes;
use crate::util::os::terminal::takes_escapes;
use crate::util::packed::Packer;
use crate::util::printable::escaped;
use crate::util::target::{Existing, Target, open_stream};

const BLOCK: usize = 1 << 16;

/// The writer of results: it locks stdout until it is dropped, or has a file.
pub struct Output {
    sink: BufWriter<Sink>,
    path: Option<PathBuf>,
    by_line: bool,
}

enum Sink {
    Open(Box<dyn Write>),
    /// A file that gets its name once it is complete.
    File(Box<Packer<Replacement>>),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Open(sink) => sink.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Open(sink) => sink.flush(),
            Self::File(file) => file.flush(),
        }
    }
}

/// A failed write of results; [`reader_is_gone`] finds the harmless one.
#[derive(Debug, Error)]
#[error("{}: {error}", .path.as_deref().map_or("cannot write the results".into(), |path| format!("writing {}", path.display())))]
pub struct OutputError {
    /// The file, if it is not stdout.
    path: Option<PathBuf>,
    error: io::Error,
}

impl Output {
    /// Writes to stdout, every line at once.
    pub fn by_line() -> Self {
        let sink = Sink::Open(Box::new(stdout().lock()));
        Self {
            sink: BufWriter::with_capacity(BLOCK, sink),
            path: None,
            by_line: true,
        }
    }

    /// Writes to an open file, every line at once.
    pub fn of_file(path: &Path, file: impl Write + 'static) -> Self {
        let sink = Sink::Open(Box::new(file));
        Self {
            sink: BufWriter::new(sink),
            path: Some(path.to_owned()),
            by_line: true,
        }
    }

    /// Writes to a file of this name, by the rule for outputs (see [`Target`]): it gets its name in [`Output::finish`],
    /// compressed if the name ends with `.gz`. A device or a pipe gets the results as they come; `-` is stdout.
    pub fn file(path: &Path, existing: Existing) -> Result<Self, OutputError> {
        if is_stdout(path) {
            return Ok(Self::in_blocks());
        }
        let named = |error| OutputError::of_file(path, error);
        let target = Target::of(path).map_err(named)?;
        if let Target::Stream(path) = target {
            let device = open_stream(&path).map_err(named)?;
            return Ok(Self {
                by_line: false,
                ..Self::of_file(&path, device)
            });
        }
        let file = Replacement::create(path, existing).map_err(named)?;
        let sink = BufWriter::with_capacity(
            BLOCK,
            Sink::File(Box::new(Packer::new(file, target.path()))),
        );
        Ok(Self {
            sink,
            path: Some(path.to_owned()),
            by_line: false,
        })
    }

    /// Writes to stdout in blocks, the last one in [`Output::finish`].
    pub fn in_blocks() -> Self {
        Self {
            by_line: false,
            ..Self::by_line()
        }
    }

    /// Writes a line and its end.
    pub fn line(&mut self, text: impl Display) -> Result<(), OutputError> {
        self.text(format_args!("{text}\n"))
    }

    /// Writes a text with its line ends.
    pub fn text(&mut self, text: impl Display) -> Result<(), OutputError> {
        self.bytes(escaped(&text.to_string()).as_bytes())
    }

    /// Writes bytes unchanged: binary results, and this program's texts with colors.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.sink
            .write_all(bytes)
            .map_err(|error| self.error(error))?;
        if self.by_line { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        self.sink.flush().map_err(|error| self.error(error))
    }

    /// Ends the output: flushes the buffer and gives a file its name.
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.flush()?;
        let Self { sink, path, .. } = self;
        let placed = match sink.into_inner() {
            Ok(Sink::File(file)) => file.finish().and_then(Replacement::commit),
            _ => Ok(()),
        };
        placed.map_err(|error| OutputError { path, error })
    }

    fn error(&self, error: io::Error) -> OutputError {
        OutputError {
            path: self.path.clone(),
            error,
        }
    }
}

impl OutputError {
    pub fn of_file(path: &Path, error: io::Error) -> Self {
        Self {
            path: Some(path.to_owned()),
            error,
        }
    }
}

/// Writes a whole file, by the rule for outputs.
pub fn write(path: &Path, existing: Existing, bytes: &[u8]) -> Result<(), OutputError> {
    let mut out = Output::file(path, existing)?;
    out.bytes(bytes)?;
    out.finish()
}

/// Prints a subcommand's whole result.
pub fn print(text: &str) -> Result<ExitCode> {
    let mut out = Output::in_blocks();
    out.text(text)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Whether `error` comes from writing results, so that no further result can be written.
pub fn is_output_error(error: &anyhow::Error) -> bool {
    error.downcast_ref::<OutputError>().is_some()
}

/// Whether the reader of stdout has gone away: a quiet success.
pub fn reader_is_gone(error: &anyhow::Error) -> bool {
    let of_stdout = error
        .downcast_ref::<OutputError>()
        .filter(|error| error.path.is_none());
    of_stdout.is_some_and(|output| pipes::reader_is_gone(&output.error))
}

/// Writes a message to stderr, as `emilia: …`; ignores errors.
pub fn message(text: impl Display) {
    let text = format!("emilia: {text}\n");
    let _ = stderr().lock().write_all(escaped(&text).as_bytes());
}

/// A row of a table without blanks at its end, cut to the width of a terminal.
pub fn fitted(row: &str) -> &str {
    const COLUMNS: usize = 80;
    let end = row
        .char_indices()
        .nth(COLUMNS)
        .map_or(row.len(), |(end, _)| end);
    row[..end].trim_end()
}

/// Whether results may have colors: stdout is a terminal with colors, and `NO_COLOR` is not set.
pub fn takes_colors() -> bool {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stdout().is_terminal() && !unwanted && !is_dumb() && takes_escapes()
}

pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}
