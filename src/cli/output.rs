//! Results on stdout: the one way out for all subcommands.
//!
//! A reader that has gone away (`| head -1`) is no fault: the error unwinds to `main`, which then ends quietly with
//! code 0. A full disk is one line on stderr and code 1. Nothing here panics, as `println!` would.
//!
//! Texts never command a terminal: [`escaped`] replaces the control characters that files, names and arguments bring in.
//! Colors and binary results are written with [`Output::bytes`].

use std::error::Error;
use std::fmt::{self, Display};
use std::io::{self, BufWriter, IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;

use super::files::is_stdout;
use crate::util::file::Replacement;
use crate::util::os::pipes;
use crate::util::os::terminal::takes_escapes;
use crate::util::packed::Packer;
use crate::util::printable::escaped;
use crate::util::target::{Existing, Target, open_stream};

/// Buffered results go out in blocks of so many bytes.
const BLOCK: usize = 1 << 16;

/// The writer of results: locks stdout until it is dropped, or has a file.
pub struct Output {
    sink: BufWriter<Sink>,
    path: Option<PathBuf>,
    by_line: bool,
}

/// Where results go.
enum Sink {
    Open(Box<dyn Write>),
    /// A file that is put in its place once it is complete.
    File(Packer<Replacement>),
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

/// Results could not be written; a reader that has gone away is told apart by [`reader_is_gone`].
#[derive(Debug)]
pub struct OutputError {
    /// The file, if it is not stdout.
    path: Option<PathBuf>,
    error: io::Error,
}

impl Output {
    /// Results that someone waits for: every line goes out at once.
    pub fn by_line() -> Self {
        let sink = Sink::Open(Box::new(stdout().lock()));
        Self { sink: BufWriter::with_capacity(BLOCK, sink), path: None, by_line: true }
    }

    /// Results in an open file; every line goes out at once.
    pub fn of_file(path: &Path, file: impl Write + 'static) -> Self {
        let sink = Sink::Open(Box::new(file));
        Self { sink: BufWriter::new(sink), path: Some(path.to_owned()), by_line: true }
    }

    /// Results in a file of this name, by the rule for outputs (see [`Target`]): it has its name once
    /// [`Output::finish`] has come, compressed if it ends with `.gz`. A device or a pipe gets the results as they come; `-` is
    /// stdout.
    ///
    /// # Errors
    /// When the rule refuses it, or it cannot be opened.
    pub fn file(path: &Path, existing: Existing) -> Result<Self, OutputError> {
        if is_stdout(path) {
            return Ok(Self::in_blocks());
        }
        let named = |error| OutputError::of_file(path, error);
        let target = Target::of(path).map_err(named)?;
        if let Target::Stream(path) = target {
            let device = open_stream(&path).map_err(named)?;
            return Ok(Self { by_line: false, ..Self::of_file(&path, device) });
        }
        let file = Replacement::create(path, existing).map_err(named)?;
        let sink = BufWriter::with_capacity(BLOCK, Sink::File(Packer::new(file, target.path())));
        Ok(Self { sink, path: Some(path.to_owned()), by_line: false })
    }

    /// Results that come at a go: whole blocks go out, the last one in [`Output::finish`].
    pub fn in_blocks() -> Self {
        Self { by_line: false, ..Self::by_line() }
    }

    /// Writes a line; its end is added.
    pub fn line(&mut self, text: impl Display) -> Result<(), OutputError> {
        self.write(format_args!("{text}\n"))
    }

    /// Writes a text that has its own line ends.
    pub fn text(&mut self, text: impl Display) -> Result<(), OutputError> {
        self.write(format_args!("{text}"))
    }

    /// Writes bytes as they are: binary results, and texts of this program with its colors.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.sink.write_all(bytes).map_err(|error| self.error(error))?;
        if self.by_line { self.flush() } else { Ok(()) }
    }

    /// Sends off what is buffered.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.sink.flush().map_err(|error| self.error(error))
    }

    /// Ends the output: what is still buffered goes out, a file is put in its place, and a full disk is told.
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
        OutputError { path: self.path.clone(), error }
    }

    fn write(&mut self, text: fmt::Arguments<'_>) -> Result<(), OutputError> {
        let text = text.to_string();
        self.bytes(escaped(&text).as_bytes())
    }
}

impl OutputError {
    /// Results could not be written to a file of their own.
    pub fn of_file(path: &Path, error: io::Error) -> Self {
        Self { path: Some(path.to_owned()), error }
    }
}

impl Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            None => write!(f, "cannot write the results: {}", self.error),
            Some(path) => write!(f, "writing {}: {}", path.display(), self.error),
        }
    }
}

impl Error for OutputError {}

/// Writes a whole output at once, by the rule for outputs.
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

/// Whether `error` comes from writing results, so that going on makes no sense.
pub fn is_output_error(error: &anyhow::Error) -> bool {
    error.downcast_ref::<OutputError>().is_some()
}

/// Whether the error says that the reader of our results has gone away: a quiet success.
pub fn reader_is_gone(error: &anyhow::Error) -> bool {
    let of_stdout = error.downcast_ref::<OutputError>().filter(|error| error.path.is_none());
    of_stdout.is_some_and(|output| pipes::reader_is_gone(&output.error))
}

/// Writes a message to stderr, as `emilia: …`; if nobody hears it, it is lost.
pub fn message(text: impl Display) {
    let text = format!("emilia: {text}\n");
    let _ = stderr().lock().write_all(escaped(&text).as_bytes());
}

/// Whether results may be coloured: stdout is a terminal that knows colours, and nobody minds them.
pub fn takes_colors() -> bool {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stdout().is_terminal() && !unwanted && !is_dumb() && takes_escapes()
}

/// Whether the terminal says that it can do nothing but take lines.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use anyhow::Context;

    use super::*;

    #[test]
    fn a_gone_reader_is_told_from_a_full_disk_through_any_context() {
        let error = |kind: ErrorKind| -> anyhow::Error {
            let failed: Result<()> = Err(OutputError { path: None, error: kind.into() }.into());
            failed.context("position 3").context("solving").unwrap_err()
        };
        assert!(reader_is_gone(&error(ErrorKind::BrokenPipe)));
        assert!(!reader_is_gone(&error(ErrorKind::StorageFull)));
        assert!(is_output_error(&error(ErrorKind::StorageFull)));
        let other: Result<()> = Err(io::Error::from(ErrorKind::BrokenPipe)).context("an engine's pipe");
        assert!(!reader_is_gone(&other.unwrap_err()));
    }
}
