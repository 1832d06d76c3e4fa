//! Results in a file of their own: `FILE.part` while they come, `FILE` once all are there, and `FILE.summary.json` beside it. A run that was broken off goes on with `--resume`.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::files::{ForceArgs, is_stdout};
use super::input::{InputArgs, open_file};
use super::output::{Output, OutputError};
use crate::analysis::{Summary, Totals};
use crate::util::append_file::AppendFile;
use crate::util::checksum::Checksum;
use crate::util::file::{self, Replacement};
use crate::util::packed::{is_packed_name, pack};
use crate::util::shard::Shard;
use crate::util::target::{Existing, Target};

/// Where results go.
#[derive(clap::Args)]
pub struct ResultArgs {
    /// Write to FILE instead of stdout: FILE.part until it is complete, compressed if FILE ends with .zst. Of JSON
    /// FILE.summary.json tells what was done.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Continue a run that was broken off, or FILE: skip what is answered there.
    #[arg(long, requires = "output")]
    resume: bool,
    #[command(flatten)]
    force: ForceArgs,
}

/// Results that come line by line.
pub struct Results {
    path: PathBuf,
    /// Where they grow; `path` itself if that is a device or a pipe.
    part: PathBuf,
    /// Whether the file may take the place of another one.
    replaces: bool,
    file: Arc<Mutex<AppendFile>>,
    started: Instant,
}

/// Writes to the file that grows.
struct Writer(Arc<Mutex<AppendFile>>);

fn lock(file: &Mutex<AppendFile>) -> MutexGuard<'_, AppendFile> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer whose errors name the file.
struct Named(PathBuf, Writer);

impl Write for Named {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("writing {}: {error}", self.0.display()));
        self.1.write(bytes).map_err(named)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a whole output was made of.
pub struct Source {
    /// Names of the input.
    pub input: String,
    /// Its checksum.
    pub input_crc32: String,
    /// Which part of it.
    pub shard: Shard,
    /// Name of the evaluation that searched.
    pub weights: String,
}

/// Writes `FILE.summary.json` beside a whole output.
///
/// # Errors
/// When it cannot be written.
pub fn summarise(
    path: &Path,
    output: &Checksum,
    source: Source,
    totals: Totals,
    started: Instant,
) -> Result<()> {
    let summary = Summary {
        output: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        output_crc32: output.to_string(),
        input: source.input,
        input_crc32: source.input_crc32,
        shard: source.shard.to_string(),
        totals,
        seconds: started.elapsed(),
        version: env!("CARGO_PKG_VERSION"),
        weights: source.weights,
        arguments: env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
    };
    let text = serde_json::to_string(&summary)? + "\n";
    let path = beside(path, ".summary.json");
    Ok(file::replace(&path, text.as_bytes()).map_err(|error| OutputError::of_file(&path, error))?)
}

/// The path with more behind its name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

impl ResultArgs {
    /// The file for lines of JSON; `None` if they go to stdout.
    ///
    /// # Errors
    /// When there is one that shall not be continued, or it cannot be opened.
    pub fn lines(&self) -> Result<Option<Results>> {
        ensure!(!self.resume || self.file().is_some(), "--resume continues a file: name one with --output");
        self.file().map(|path| Results::begin(path, self.resume, self.existing())).transpose()
    }

    /// A writer of results line by line, and the file behind it if they are JSON and do not go to stdout.
    ///
    /// # Errors
    /// As [`ResultArgs::lines`]; when a table shall be continued.
    pub fn open(&self, json: bool) -> Result<(Output, Option<Results>)> {
        if json && let Some(results) = self.lines()? {
            return Ok((Output::of_file(&results.part, results.writer()), Some(results)));
        }
        ensure!(!self.resume, "--resume continues JSON alone: tables are made anew");
        let Some(path) = self.file() else { return Ok((Output::by_line(), None)) };
        Ok((Output::file(path, self.existing())?, None))
    }

    /// The file of the results; `None` for stdout.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| !is_stdout(path))
    }

    /// What the command does with outputs that exist.
    pub fn existing(&self) -> Existing {
        self.force.existing()
    }
}

impl Results {
    fn begin(path: &Path, resume: bool, existing: Existing) -> Result<Self> {
        let target = Target::of(path).with_context(|| format!("writing {}", path.display()))?;
        let is_stream = matches!(target, Target::Stream(_));
        let path = target.path().to_owned();
        let part = if is_stream { path.clone() } else { beside(&path, ".part") };
        if !resume && !is_stream && existing == Existing::Refuse {
            for path in [&path, &part, &beside(&path, ".summary.json")] {
                ensure!(
                    !path.exists(),
                    "{} exists: give --resume to continue it, or --force to replace it",
                    path.display()
                );
            }
        }
        let opened = AppendFile::open(&part).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => anyhow::anyhow!("another process writes it"),
            _ => error.into(),
        });
        let mut file = opened.with_context(|| format!("opening {}", part.display()))?;
        if !resume && !is_stream {
            file.keep(0).with_context(|| format!("opening {}", part.display()))?;
        }
        if resume && !is_stream && path.exists() && file.len()? == 0 {
            let copied = open_file(&path).and_then(|mut whole| io::copy(&mut whole, &mut file));
            copied.with_context(|| format!("continuing {}", path.display()))?;
        }
        if !is_stream {
            file.take_rights(&path);
        }
        let replaces = resume || existing == Existing::Replace;
        Ok(Self { path, part, replaces, file: Arc::new(Mutex::new(file)), started: Instant::now() })
    }

    /// A writer to it, whose errors name the file.
    pub fn named_writer(&self) -> impl Write + Send + use<> {
        Named(self.part.clone(), Writer(Arc::clone(&self.file)))
    }

    /// A writer to it.
    pub fn writer(&self) -> impl Write + Send + use<> {
        Writer(Arc::clone(&self.file))
    }

    /// What `read` makes of the lines that are there already. It tells how many bytes whole lines take: the rest, a torn
    /// one, is cut off.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn earlier<T: Default>(&self, read: impl Fn(BufReader<&File>) -> io::Result<(T, u64)>) -> Result<T> {
        if self.part == self.path {
            return Ok(T::default());
        }
        let mut file = lock(&self.file);
        let read =
            file.reader().and_then(read).and_then(|(earlier, whole)| file.keep(whole).map(|()| earlier));
        read.with_context(|| format!("reading {}", self.part.display()))
    }

    /// Puts the complete file in its place and the summary beside it.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn finish(self, input: &InputArgs, totals: Totals, weights: String) -> Result<()> {
        if self.part == self.path {
            return Ok(());
        }
        let output = Checksum::default();
        self.put_in_place(&output).map_err(|error| OutputError::of_file(&self.path, error))?;
        let source = Source {
            input: input.names(),
            input_crc32: input.checksum.to_string(),
            shard: input.shard,
            weights,
        };
        summarise(&self.path, &output, source, totals, self.started)
    }

    fn put_in_place(&self, checksum: &Checksum) -> io::Result<()> {
        let file = lock(&self.file);
        if !self.replaces && self.path.exists() {
            let text =
                format!("another file took this name meanwhile; the results are in {}", self.part.display());
            return Err(io::Error::new(ErrorKind::AlreadyExists, text));
        }
        let mut text = checksum.of(file.reader()?);
        if is_packed_name(&self.path) {
            let mut packed = Replacement::begin(&self.path)?;
            pack(text, &mut packed)?;
            packed.commit()?;
            return fs::remove_file(&self.part);
        }
        io::copy(&mut text, &mut io::sink())?;
        file.sync()?;
        fs::rename(&self.part, &self.path)
    }
}
