//! Results in a file: `FILE.part` while they come, `FILE` once all are there; `FILE.run` and `FILE.summary.json` describe them.
//! `--resume` continues a killed run.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, ensure};

use super::files::{ForceArgs, is_stdout};
use super::input::{InputArgs, open_file};
use super::output::{Output, OutputError};
use crate::analysis::{Done, Earlier, Question, Record, ResumeError, Summary, Totals};
use crate::util::append_file::AppendFile;
use crate::util::checksum::Checksum;
use crate::util::file::{self, Replacement};
use crate::util::packed::{is_packed_name, packer};
use crate::util::target::{Existing, Target};

/// Where results go.
#[derive(clap::Args)]
pub struct ResultArgs {
    /// Write to this file; FILE.part until it is complete, compressed if FILE ends with .gz. JSON output
    /// also writes FILE.run, which --resume needs, and FILE.summary.json.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Continue a killed run; skip the answers that are there. Options must be the same, and the input may go on.
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
    /// The record of the run; `None` if a device or a pipe gets the results.
    pub record: Option<Record>,
    /// The answers of earlier runs.
    pub done: Done,
    /// Bytes of a new file at its beginning.
    copied: Option<u64>,
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

/// The path with more behind its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

impl ResultArgs {
    /// The file for lines of JSON that answer `question`; `None` if they go to stdout.
    ///
    /// # Errors
    /// When there is one that shall not be continued, or answers another question, or it cannot be opened.
    pub fn lines(&self, question: &Question) -> Result<Option<Results>> {
        ensure!(!self.resume || self.file().is_some(), "--resume continues a file: name one with --output");
        self.file().map(|path| Results::begin(path, self.resume, self.existing(), question)).transpose()
    }

    /// A writer of results line by line, and the file behind it if they are JSON and do not go to stdout.
    pub fn open(&self, json: bool, question: &Question) -> Result<(Output, Option<Results>)> {
        if json && let Some(results) = self.lines(question)? {
            return Ok((Output::of_file(&results.part, results.writer()), Some(results)));
        }
        ensure!(!self.resume, "--resume continues JSON only: tables are not continued");
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

/// The question of a run of `command`: these options, and those that all commands share.
pub fn question(
    command: &str,
    input: &InputArgs,
    weights: &str,
    options: impl IntoIterator<Item = String>,
) -> Question {
    let shared = [
        format!("command {command}"),
        format!("version {}", env!("CARGO_PKG_VERSION")),
        format!("--eval {weights}"),
        format!("--shard {}", input.shard),
        format!("--skip {}", input.skip),
    ];
    Question { options: shared.into_iter().chain(options).collect::<Vec<_>>().join("\n") }
}

impl Results {
    fn begin(path: &Path, resume: bool, existing: Existing, question: &Question) -> Result<Self> {
        let target = Target::of(path).with_context(|| format!("writing {}", path.display()))?;
        let is_stream = matches!(target, Target::Stream(_));
        let path = target.path().to_owned();
        let part = if is_stream { path.clone() } else { beside(&path, ".part") };
        let refuses = !resume && !is_stream && existing == Existing::Refuse;
        let refuse = |path: &Path| {
            ensure!(
                !path.exists(),
                "{} exists: give --resume to continue it, or --force to replace it",
                path.display()
            );
            Ok(())
        };
        if refuses {
            [&path, &part, &beside(&path, ".summary.json")].into_iter().try_for_each(|path| refuse(path))?;
        }
        let mut file = open(&part)?;
        if !resume && !refuses && !is_stream {
            file.keep(0).with_context(|| format!("opening {}", part.display()))?;
        }
        let is_new = !is_stream && file.len()? == 0;
        let (record, done) = if is_stream {
            (None, Done::default())
        } else {
            // Another run may have ended since it was looked for.
            let begun = match refuses {
                true => refuse(if is_new { &path } else { &part }),
                false => Ok(()),
            };
            let begun = begun.and_then(|()| open_record(&path, &part, &mut file, resume, question));
            let (record, done) = begun.inspect_err(|_| {
                if is_new {
                    let _ = fs::remove_file(&part);
                }
            })?;
            file.take_rights(&path);
            (Some(record), done)
        };
        let copied = if is_new { Some(file.len()?) } else { None };
        let replaces = resume || existing == Existing::Replace;
        let file = Arc::new(Mutex::new(file));
        Ok(Self { path, part, replaces, file, record, done, copied })
    }

    /// A writer to it, whose errors name the file.
    pub fn named_writer(&self) -> impl Write + Send + use<> {
        Named(self.part.clone(), Writer(Arc::clone(&self.file)))
    }

    /// A writer to it.
    pub fn writer(&self) -> impl Write + Send + use<> {
        Writer(Arc::clone(&self.file))
    }

    /// Renames the complete file and writes `FILE.summary.json`.
    pub fn finish(mut self, input: &InputArgs, totals: Totals, weights: String) -> Result<()> {
        let Some(record) = &self.record else { return Ok(()) };
        let (nodes, seconds) = record.finish()?;
        let output = Checksum::default();
        self.copied = None;
        self.put_in_place(&output).map_err(|error| OutputError::of_file(&self.path, error))?;
        let summary = Summary {
            output: self.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            output_crc32: output.to_string(),
            input: input.names(),
            input_crc32: input.checksum.to_string(),
            shard: input.shard.to_string(),
            totals: Totals { nodes, ..totals },
            seconds,
            version: env!("CARGO_PKG_VERSION"),
            weights,
            arguments: env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
        };
        let text = serde_json::to_string(&summary)? + "\n";
        let path = beside(&self.path, ".summary.json");
        Ok(file::replace(&path, text.as_bytes()).map_err(|error| OutputError::of_file(&path, error))?)
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
            let mut packed = packer(Replacement::begin(&self.path)?);
            io::copy(&mut text, &mut packed)?;
            packed.finish()?.commit()?;
            return fs::remove_file(&self.part);
        }
        io::copy(&mut text, &mut io::sink())?;
        file.sync()?;
        fs::rename(&self.part, &self.path)
    }
}

impl Drop for Results {
    /// Removes the file of a run that added no answer: a copy of the complete file, or an empty file.
    fn drop(&mut self) {
        if self.copied.is_some() && self.copied == lock(&self.file).len().ok() {
            let _ = fs::remove_file(&self.part);
        }
    }
}

fn open(path: &Path) -> Result<AppendFile> {
    let opened = AppendFile::open(path).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => anyhow::anyhow!("another process writes it"),
        _ => error.into(),
    });
    opened.with_context(|| format!("opening {}", path.display()))
}

/// Opens the record and compares it with the answers of an earlier run: those in `part`, or those in the complete `path`,
/// which are copied to `file`.
fn open_record(
    path: &Path,
    part: &Path,
    file: &mut AppendFile,
    resume: bool,
    question: &Question,
) -> Result<(Record, Done)> {
    let name = beside(path, ".run");
    let record = open(&name)?;
    let earlier = if file.len()? > 0 {
        let earlier = Earlier::read(record.reader()?, file.reader()?, &name, question, false);
        let kept = earlier.and_then(|earlier| Ok(file.keep(earlier.answer_bytes).map(|()| earlier)?));
        kept.with_context(|| format!("continuing {}", part.display()))?
    } else if resume && path.exists() {
        let whole = || open_file(path).map_err(ResumeError::from);
        let earlier = whole().and_then(|answers| {
            let earlier = Earlier::read(record.reader()?, answers, &name, question, true)?;
            io::copy(&mut whole()?.take(earlier.answer_bytes), file)?;
            Ok(earlier)
        });
        earlier.with_context(|| format!("continuing {}", path.display()))?
    } else {
        let is_ours = record.len()? == 0 || Question::read(record.reader()?)?.is_some();
        ensure!(is_ours, "{} exists and is no record of a run; name another output", name.display());
        Earlier::default()
    };
    let begun = Record::begin(name.clone(), record, question, &earlier);
    Ok((begun.with_context(|| format!("writing {}", name.display()))?, earlier.done))
}
