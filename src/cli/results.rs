//! Results in a file: `FILE.part` while they come, `FILE` once all are there; `FILE.run` and `FILE.summary.json` describe them.
//! `--resume` continues a killed run.

use std::env;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::files::{ForceArgs, is_stdout};
use super::input::{InputArgs, open_file};
use super::output::{Output, OutputError};
use crate::analysis::{Done, Earlier, Record, Summary, Totals, recorded_options};
use crate::util::append_file::AppendFile;
use crate::util::file;
use crate::util::part_file::PartFile;
use crate::util::target::{Existing, Target, beside};

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
    file: PartFile,
    /// The record of the run; `None` if a device or a pipe gets the results.
    pub record: Option<Record>,
    /// The answers of earlier runs.
    pub done: Done,
}

/// A writer whose errors name the file.
struct Named(PathBuf, AppendFile);

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

impl ResultArgs {
    /// The file for lines of JSON whose answers `options` decide; `None` if they go to stdout.
    ///
    /// # Errors
    /// When there is one that shall not be continued, or has other options, or it cannot be opened.
    pub fn lines(&self, options: &str) -> Result<Option<Results>> {
        ensure!(!self.resume || self.file().is_some(), "--resume continues a file: name one with --output");
        let existing = if self.resume { Existing::Continue } else { self.existing() };
        self.file().map(|path| Results::begin(path, existing, options)).transpose()
    }

    /// A writer of results line by line, and the file behind it if they are JSON and do not go to stdout.
    pub fn open(&self, json: bool, options: &str) -> Result<(Output, Option<Results>)> {
        if json && let Some(results) = self.lines(options)? {
            return Ok((Output::of_file(&results.file.part, results.file.file.clone()), Some(results)));
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

/// The options that decide the answers of a run of `command`, one a line: these, and those that all commands share.
pub fn options(
    command: &str,
    input: &InputArgs,
    weights: &str,
    options: impl IntoIterator<Item = String>,
) -> String {
    let shared = [
        format!("command {command}"),
        format!("version {}", env!("CARGO_PKG_VERSION")),
        format!("--eval {weights}"),
        format!("--shard {}", input.shard),
        format!("--skip {}", input.skip),
    ];
    shared.into_iter().chain(options).collect::<Vec<_>>().join("\n")
}

impl Results {
    fn begin(path: &Path, existing: Existing, options: &str) -> Result<Self> {
        let writing = || format!("writing {}", path.display());
        let mut file = PartFile::open(path, existing).with_context(writing)?;
        if file.is_stream() {
            return Ok(Self { file, record: None, done: Done::default() });
        }
        if existing == Existing::Refuse {
            Target::allowed(&summary_of(&file.path), existing).with_context(writing)?;
        }
        let (record, done) = open_record(&mut file, existing == Existing::Continue, options)?;
        Ok(Self { file, record: Some(record), done })
    }

    /// A writer to it, whose errors name the file.
    pub fn named_writer(&self) -> impl Write + Send + use<> {
        Named(self.file.part.clone(), self.file.file.clone())
    }

    /// Renames the complete file and writes `FILE.summary.json`.
    pub fn finish(self, input: &InputArgs, totals: Totals, weights: String) -> Result<()> {
        let Some(record) = &self.record else { return Ok(()) };
        let (nodes, seconds) = record.finish()?;
        let path = self.file.path.clone();
        let output = self.file.complete().map_err(|error| OutputError::of_file(&path, error))?;
        let summary = Summary {
            output: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
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
        let path = summary_of(&path);
        Ok(file::replace(&path, text.as_bytes()).map_err(|error| OutputError::of_file(&path, error))?)
    }
}

fn summary_of(path: &Path) -> PathBuf {
    beside(path, ".summary.json")
}

/// Opens the record and compares it with the answers of an earlier run: those in `FILE.part`, or those in the complete
/// `FILE`, which are copied.
fn open_record(file: &mut PartFile, resume: bool, options: &str) -> Result<(Record, Done)> {
    let name = beside(&file.path, ".run");
    let writing = || format!("writing {}", name.display());
    let record = AppendFile::open(&name, Existing::Continue).with_context(writing)?;
    let earlier = if file.file.len()? > 0 {
        let earlier = Earlier::read(record.reader()?, file.file.reader()?, &name, options, false);
        let kept = earlier.and_then(|earlier| Ok(file.file.keep(earlier.answer_bytes).map(|()| earlier)?));
        kept.with_context(|| format!("continuing {}", file.part.display()))?
    } else if resume && file.path.exists() {
        let whole = || open_file(&file.path);
        let read = whole().and_then(|answers| {
            let earlier = Earlier::read(record.reader()?, answers, &name, options, true)?;
            Ok((whole()?.take(earlier.answer_bytes), earlier))
        });
        let copied = read.and_then(|(answers, earlier)| Ok(file.copy_from(answers).map(|()| earlier)?));
        copied.with_context(|| format!("continuing {}", file.path.display()))?
    } else {
        let is_ours = record.len()? == 0 || recorded_options(record.reader()?)?.is_some();
        ensure!(is_ours, "{} exists and is no record of a run; name another output", name.display());
        Earlier::default()
    };
    let begun = Record::begin(name.clone(), record, options, &earlier);
    Ok((begun.with_context(writing)?, earlier.done))
}
