//! Results in a file: `FILE.part`, and `FILE` once they are complete; `FILE.run` and `FILE.summary.json` describe them.
//! `--resume` continues a killed run.

use std::env;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::files::{ForceArgs, is_stdout};
use super::input::{ENTRY, InputArgs, Tally, open_file};
use super::output::{Output, OutputError};
use super::store_args;
use super::{progress::Progress, signals};
use crate::analysis::{
    Done, Earlier, Record, Settings, Summary, Totals, is_summary, recorded_options,
};
use crate::protocols::console::LineWriter;
use crate::util::append_file::{AppendFile, NamedFile};
use crate::util::file;
use crate::util::part_file::PartFile;
use crate::util::target::{Existing, Target, beside, exists};

/// Options of results; flattened into a subcommand's arguments.
#[derive(clap::Args)]
pub struct ResultArgs {
    /// Write to this file; FILE.part until it is complete, compressed if FILE ends with .gz. JSON output
    /// also writes FILE.run, which --resume needs, and FILE.summary.json.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Continue a killed run; skip the answers that are there. Options must be the same, and the input may be longer.
    #[arg(long, requires = "output")]
    resume: bool,
    #[command(flatten)]
    force: ForceArgs,
}

/// The file of results in JSON and its record; nothing where stdout gets the results, or they are a table.
#[derive(Default)]
pub struct Results {
    file: Option<PartFile>,
    /// The record of the run, unless the file is a device or a pipe.
    pub record: Option<Record>,
    pub done: Done,
}

impl ResultArgs {
    /// A writer of lines of JSON for several threads; `options` decide the answers, and only a file needs them.
    ///
    /// # Errors
    /// When the file exists and is refused, has other options, or cannot be opened.
    pub fn lines(&self, options: impl FnOnce() -> Result<String>) -> Result<(LineWriter, Results)> {
        let results = self.begin(options)?;
        let named =
            |file: &PartFile| LineWriter::new(NamedFile::new(&file.part, file.file.clone()));
        Ok((
            results.file.as_ref().map_or_else(LineWriter::stdout, named),
            results,
        ))
    }

    pub fn open(
        &self,
        json: bool,
        options: impl FnOnce() -> Result<String>,
    ) -> Result<(Output, Results)> {
        if json {
            let results = self.begin(options)?;
            let of_file = |file: &PartFile| Output::of_file(&file.part, file.file.clone());
            return Ok((
                results.file.as_ref().map_or_else(Output::by_line, of_file),
                results,
            ));
        }
        ensure!(
            !self.resume,
            "--resume continues JSON only: tables are not continued"
        );
        let out = self
            .file()
            .map(|path| Output::file(path, self.existing()))
            .transpose()?;
        Ok((out.unwrap_or_else(Output::by_line), Results::default()))
    }

    fn begin(&self, options: impl FnOnce() -> Result<String>) -> Result<Results> {
        ensure!(
            !self.resume || self.file().is_some(),
            "--resume continues a file: name one with --output"
        );
        let Some(path) = self.file() else {
            return Ok(Results::default());
        };
        let existing = if self.resume {
            Existing::Continue
        } else {
            self.existing()
        };
        let writing = || format!("writing {}", path.display());
        let mut file = PartFile::open(path, existing).with_context(writing)?;
        if file.is_stream() {
            return Ok(Results {
                file: Some(file),
                ..Results::default()
            });
        }
        let (record, done) = open_record(&mut file, existing, &options()?)?;
        signals::set_resumable();
        Ok(Results {
            file: Some(file),
            record: Some(record),
            done,
        })
    }

    /// The progress of a run over this number of positions; hidden where the results themselves are on the terminal.
    pub fn progress(&self, positions: u64) -> Progress {
        Progress::of_results(self.file().is_some(), || Progress::new(positions, 0))
    }

    /// The file of the results; `None` for stdout.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| !is_stdout(path))
    }

    pub fn existing(&self) -> Existing {
        self.force.existing()
    }
}

/// The facts that decide the answers of a run of `command`, one a line: these, and those that all commands share.
pub fn options(
    command: &str,
    input: &InputArgs,
    weights: &str,
    options: impl IntoIterator<Item = String>,
) -> Result<String> {
    let shared = [
        format!("command {command}"),
        format!("version {}", store_args::this_program()?),
        format!("--eval {weights}"),
        format!("--shard {}", input.shard),
        format!("--skip {}", input.skip),
    ];
    let all: Vec<String> = shared.into_iter().chain(options).collect();
    Ok(all.join("\n"))
}

impl Results {
    /// The settings with the time that earlier runs left of the budget.
    pub fn within_budget(&self, settings: Settings) -> Settings {
        let spent = self.record.as_ref().map_or(Duration::ZERO, Record::time);
        Settings {
            budget: settings.budget.map(|budget| budget.saturating_sub(spent)),
            ..settings
        }
    }

    pub fn is_in_file(&self) -> bool {
        self.file.is_some()
    }

    /// Ends a run over entries: checks that the input has no entry less than before, and completes the file.
    pub fn end(
        self,
        input: &InputArgs,
        tally: Tally,
        totals: Totals,
        weights: String,
    ) -> Result<()> {
        self.done.end(ENTRY).with_context(|| input.names())?;
        self.finish(
            input,
            Totals {
                requests: tally.entries,
                errors: tally.failed,
                ..totals
            },
            weights,
        )
    }

    /// Renames the complete file and writes `FILE.summary.json`.
    pub fn finish(self, input: &InputArgs, totals: Totals, weights: String) -> Result<()> {
        let (Some(file), Some(record)) = (self.file, self.record) else {
            return Ok(());
        };
        let (nodes, seconds) = record.finish()?;
        let path = file.path.clone();
        let output = file
            .complete()
            .map_err(|error| OutputError::of_file(&path, error))?;
        let summary = Summary {
            output: path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            output_crc32: output.to_string(),
            input: input.names(),
            input_crc32: input.checksum.to_string(),
            shard: input.shard.to_string(),
            totals: Totals { nodes, ..totals },
            seconds,
            version: env!("CARGO_PKG_VERSION"),
            weights,
            arguments: env::args_os()
                .skip(1)
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
        };
        let text = serde_json::to_string(&summary)? + "\n";
        let path = summary_of(&path);
        Ok(file::replace(&path, text.as_bytes())
            .map_err(|error| OutputError::of_file(&path, error))?)
    }
}

fn summary_of(path: &Path) -> PathBuf {
    beside(path, ".summary.json")
}

/// Opens the record and compares it with the answers of an earlier run: those in `FILE.part`, or those in the complete
/// `FILE`, which are copied.
fn open_record(file: &mut PartFile, existing: Existing, options: &str) -> Result<(Record, Done)> {
    check_summary(&summary_of(&file.path), existing)?;
    let name = beside(&file.path, ".run");
    let writing = || format!("writing {}", name.display());
    let record = AppendFile::open(&name, Existing::Continue).with_context(writing)?;
    let is_empty = record.len()? == 0;
    let earlier = earlier_answers(file, &record, &name, existing, options).inspect_err(|_| {
        if is_empty {
            let _ = fs::remove_file(&name);
        }
    })?;
    let begun = Record::create(&name, record, options, &earlier);
    Ok((begun.with_context(writing)?, earlier.done))
}

/// Refuses a summary that the user did not ask to replace.
fn check_summary(path: &Path, existing: Existing) -> Result<()> {
    match existing {
        Existing::Replace => {}
        Existing::Refuse => {
            let allowed = Target::allowed(path, existing);
            allowed.with_context(|| format!("writing {}", path.display()))?;
        }
        Existing::Continue => ensure!(
            !path.exists() || is_summary(path),
            "{} exists and is no summary of a run; name another output",
            path.display()
        ),
    }
    Ok(())
}

/// The answers of the earlier run that this one continues; empty for a new run.
fn earlier_answers(
    file: &mut PartFile,
    record: &AppendFile,
    name: &Path,
    existing: Existing,
    options: &str,
) -> Result<Earlier> {
    let resume = existing == Existing::Continue && file.path.exists();
    if file.file.len()? > 0 {
        let earlier = Earlier::read(record.reader()?, file.file.reader()?, name, options, false);
        let kept =
            earlier.and_then(|earlier| file.file.keep(earlier.answer_bytes).map(|()| earlier));
        return kept.with_context(|| format!("continuing {}", file.part.display()));
    }
    if resume {
        let whole = || open_file(&file.path);
        let read = whole().and_then(|answers| {
            let earlier = Earlier::read(record.reader()?, answers, name, options, true)?;
            Ok((whole()?.take(earlier.answer_bytes), earlier))
        });
        let copied = read.and_then(|(answers, earlier)| file.copy_from(answers).map(|()| earlier));
        return copied.with_context(|| format!("continuing {}", file.path.display()));
    }
    let is_empty = record.len()? == 0;
    ensure!(
        is_empty || recorded_options(record.reader()?)?.is_some(),
        "{} exists and is no record of a run; name another output",
        name.display()
    );
    ensure!(
        is_empty || existing != Existing::Refuse,
        "writing {}: {}",
        name.display(),
        exists(false)
    );
    Ok(Earlier::default())
}
