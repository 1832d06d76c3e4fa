//! The input of all subcommands: positions and games from anywhere.
//!
//! An argument is a file of any kind (a pipe, `/dev/stdin` and `<(…)` too), `-` for stdin, or a position or game itself.
//! Entries are read one by one, so memory does not grow with the input. An error names source, entry, line and column, and
//! the expectation.

mod entry;
mod source;
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::rc::Rc;

use anyhow::{Result, anyhow, bail, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::output::{self, Output};
use super::progress::Progress;
use crate::analysis::Changed;
use crate::board::Game;
use crate::notation::formats::JSON;
use crate::notation::formats::wthor::read_record;
use crate::notation::split::Skipped;
use crate::notation::wthor::{GameRecord, Header, Names, WthorOrigin};
use crate::notation::{Format, is_entry, is_fen, repair_record};
use crate::tournament::matches::openings::opening;
use crate::util::checksum::Checksum;
use crate::util::shard::{Selection, Shard};

pub use entry::{ENTRY, Entry, Head, Place, RepairArgs};
use entry::{Options, TextReader, report_repair};
use source::{BytesRead, Content};
pub use source::{Reader, name_files, names_beside, open_file, read_names};

/// The entries to read and their notation; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Positions or games in any notation, files of them, or - for stdin [default: stdin]. If a file has the name of
    /// moves, the file is read: put a blank before the moves to mean them.
    #[arg(value_name = "POSITION")]
    pub inputs: Vec<OsString>,
    #[arg(long, value_name = "FORMAT", value_parser = parser_of(Format::ALL.into_iter()),
          help = format!("Notation to read: {} [default: recognized]", names_of(Format::ALL.into_iter())))]
    pub from: Option<Format>,
    /// Skip the first N entries.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip: u64,
    /// Take at most N entries [default: all].
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Set by `ShardArgs`.
    #[arg(skip)]
    pub shard: Shard,
    /// Skip bad entries with a message each; exit code 1 if any were skipped.
    #[arg(long)]
    pub keep_going: bool,
    /// Whether notes may follow a list of moves on its line, as in files of games for training.
    #[arg(skip)]
    pub notes_follow: bool,
    /// The treatment of games with illegal moves where the command has these options.
    #[arg(skip)]
    pub repair: Option<RepairArgs>,
    /// The checksum of all bytes read.
    #[arg(skip)]
    pub checksum: Checksum,
}

/// The part of the entries for one process of several; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Input")]
pub struct ShardArgs {
    /// Take part I of N: the entries whose number leaves the remainder I when divided by N.
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
}

impl ShardArgs {
    pub fn of(self, input: &InputArgs) -> InputArgs {
        InputArgs {
            shard: self.shard,
            ..input.clone()
        }
    }
}

/// The argument, with a blank before a board that begins with `-`, so that the parser of options takes it for no option.
pub fn shielded(argument: OsString) -> OsString {
    let is_square = |byte: &u8| b"-.XxOo*_".contains(byte);
    let row = argument.as_encoded_bytes();
    match row.starts_with(b"-") && row.len() >= 8 && row[..8].iter().all(is_square) {
        true => [OsString::from(" "), argument].into_iter().collect(),
        false => argument,
    }
}

/// The notations that can be written.
pub fn written_formats() -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().filter(|format| *format != JSON)
}

pub fn names_of(formats: impl Iterator<Item = Format>) -> String {
    let names: Vec<&str> = formats.map(Format::name).collect();
    let (last, others) = names.split_last().expect("there are notations");
    format!("{} or {last}", others.join(", "))
}

pub fn parser_of(formats: impl Iterator<Item = Format>) -> impl TypedValueParser<Value = Format> {
    let values = formats.map(|format| PossibleValue::new(format.name()).help(format.about()));
    let named = |name: String| Format::ALL.into_iter().find(|format| format.name() == name);
    PossibleValuesParser::new(values)
        .map(move |name| named(name).expect("the names are those of formats"))
}

/// Entries between two looks at the progress.
const ENTRIES_PER_STEP: u64 = 256;

impl InputArgs {
    /// All entries of one source.
    pub fn of(input: impl Into<OsString>) -> Self {
        Self {
            inputs: vec![input.into()],
            ..Self::default()
        }
    }

    pub fn selection(&self) -> Selection {
        Selection {
            skip: self.skip,
            limit: self.limit,
            shard: self.shard,
        }
    }

    /// The selected entries, read as they come. After an error the iterator continues with the next entry or source.
    pub fn entries(&self) -> Entries {
        let inputs = if self.inputs.is_empty() {
            vec!["-".into()]
        } else {
            self.inputs.clone()
        };
        Entries {
            sources: inputs.into(),
            selection: self.selection(),
            args: self.clone(),
            open: None,
            ready: VecDeque::new(),
            index: 0,
            read: BytesRead::default(),
        }
    }

    /// Calls `answer` with each entry until it breaks.
    ///
    /// # Errors
    /// The first entry that cannot be read or answered; with `--keep-going` it is reported on stderr and counted. Results
    /// that cannot be written; an input without any entry.
    pub fn for_each(&self, answer: impl FnMut(Entry) -> Result<ControlFlow<()>>) -> Result<Tally> {
        self.for_each_with(&Progress::hidden(), answer)
    }

    /// The progress of reading all files.
    pub fn progress(&self) -> Progress {
        let size = |input: &OsString| fs::metadata(input).map_or(0, |metadata| metadata.len());
        match self.inputs.iter().map(size).sum() {
            0 => Progress::of_messages(),
            bytes => Progress::of_bytes(bytes),
        }
    }

    /// As [`Self::for_each`], with the share of the files that is read.
    pub fn for_each_with(
        &self,
        progress: &Progress,
        mut answer: impl FnMut(Entry) -> Result<ControlFlow<()>>,
    ) -> Result<Tally> {
        let mut tally = Tally::default();
        let mut entries = self.entries();
        while let Some(item) = entries.next() {
            tally.entries += 1;
            if tally.entries % ENTRIES_PER_STEP == 1 {
                progress.reach(entries.read.get());
                progress.message(&format!("{} entries", tally.entries));
            }
            let answered = item.and_then(|entry| {
                let place = entry.place.clone();
                if let Some(repairs) = &entry.repairs {
                    report_repair(&place, repairs);
                }
                answer(entry).map_err(|error| match output::is_output_error(&error) {
                    true => error,
                    false => error.context(place.to_string()),
                })
            });
            match answered {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => break,
                Err(error)
                    if self.keep_going
                        && !output::is_output_error(&error)
                        && !error.is::<Changed>() =>
                {
                    tally.failed += 1;
                    progress.suspend(|| output::message(format_args!("{error:#}")));
                }
                Err(error) => return Err(error),
            }
        }
        if tally.failed > 0 {
            output::message(format_args!(
                "{} of {} entries skipped",
                tally.failed, tally.entries
            ));
        }
        ensure!(
            tally.entries > 0 || self.selection().may_be_empty(),
            "no positions or games in {}",
            self.names()
        );
        Ok(tally)
    }

    /// The names of the sources, for messages.
    pub fn names(&self) -> String {
        let name = |input: &OsString| {
            if is_stdin(input) {
                "stdin".into()
            } else {
                input.display().to_string()
            }
        };
        let names: Vec<String> = self.inputs.iter().map(name).collect();
        if names.is_empty() {
            "stdin".into()
        } else {
            names.join(", ")
        }
    }

    /// A writer to stdout: line by line if the input may grow, else in blocks.
    pub fn output(&self) -> Output {
        let is_live = self.inputs.is_empty() && source::is_live("-".as_ref())
            || self.inputs.iter().any(|input| source::is_live(input));
        if is_live {
            Output::by_line()
        } else {
            Output::in_blocks()
        }
    }
}

/// The meaning of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Stdin,
    /// A file, a pipe or a device.
    File,
    /// A position or game itself.
    Literal,
}

/// Whether `argument` means stdin: `-`, and on Windows, which has no such file, `/dev/stdin` of scripts, too.
pub fn is_stdin(argument: &OsStr) -> bool {
    argument == "-" || cfg!(windows) && argument == "/dev/stdin"
}

/// The meaning of `argument`.
pub fn kind_of(argument: &OsStr) -> Result<Kind> {
    if is_stdin(argument) {
        return Ok(Kind::Stdin);
    }
    let name = argument.display();
    // Only text can be a position.
    let text = argument.to_str();
    match fs::metadata(argument) {
        Ok(metadata) if metadata.is_dir() => match text.is_some_and(is_entry) {
            true => Ok(Kind::Literal),
            false => bail!("{name}: a folder, not a file"),
        },
        Ok(_) => Ok(Kind::File),
        Err(_) if text.is_some_and(|text| !looks_like_path(text)) => Ok(Kind::Literal),
        Err(error) if error.kind() == ErrorKind::NotFound => bail!("{name}: no such file"),
        Err(error) => bail!("{name}: {error}"),
    }
}

/// Warns if the name of a file is also a position or game.
pub fn warn_of_both(file: &OsStr) {
    if file.to_str().is_some_and(is_entry) {
        let name = file.display();
        output::message(format_args!(
            "{name}: reading the file of this name; for the moves, put a blank before them: \" {name}\""
        ));
    }
}

/// Whether a text that names no file means a file rather than a position.
fn looks_like_path(argument: &str) -> bool {
    if argument.contains(|c: char| c.is_whitespace() || "();[]{}".contains(c)) {
        return false;
    }
    if is_fen(argument) || is_entry(argument) {
        return false;
    }
    let has_ending = argument.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    has_ending || argument.contains(['/', '\\'])
}

/// The number of entries, and of the bad ones among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub entries: u64,
    pub failed: u64,
}

impl Tally {
    /// 0 without bad entries, else 1.
    pub fn code(&self) -> ExitCode {
        if self.failed == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

/// The entries of all sources, one after another.
pub struct Entries {
    sources: VecDeque<OsString>,
    args: InputArgs,
    selection: Selection,
    open: Option<Open>,
    ready: VecDeque<Result<Entry>>,
    index: u64,
    read: BytesRead,
}

struct Open {
    name: Rc<str>,
    kind: Kind,
    /// Entries so far.
    number: u64,
    content: Reading,
}

enum Reading {
    Text(Box<TextReader>),
    /// An argument.
    Paste(String, Options),
    Games {
        games: std::vec::IntoIter<GameRecord>,
        header: Header,
        names: Rc<Names>,
    },
}

impl Iterator for Entries {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.selection.ends_before(self.index + 1) {
                return None;
            }
            if let Some(item) = self.ready.pop_front() {
                self.index += 1;
                if self.selection.takes(self.index) {
                    return Some(item.map(|entry| Entry {
                        index: self.index,
                        ..entry
                    }));
                }
                continue;
            }
            let read = match self.open.take() {
                Some(mut open) => open
                    .read(self.args.repair, &mut self.ready)
                    .map(|more| more.then_some(open)),
                None => {
                    let argument = self.sources.pop_front()?;
                    self.open(&argument).map(Some)
                }
            };
            match read {
                Ok(open) => self.open = open,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Entries {
    fn open(&self, argument: &OsStr) -> Result<Open> {
        let kind = kind_of(argument)?;
        let options = Options {
            from: self.args.from,
            notes_follow: self.args.notes_follow,
            repair: self.args.repair,
        };
        let name = match kind {
            Kind::Stdin => "stdin".into(),
            _ => excerpt(&argument.to_string_lossy()),
        };
        let content = match kind {
            Kind::Literal => Reading::Paste(argument.to_string_lossy().into_owned(), options),
            _ => self.read(argument, kind, options)?,
        };
        Ok(Open {
            name,
            kind,
            number: 0,
            content,
        })
    }

    /// Opens stdin or a file.
    fn read(&self, argument: &OsStr, kind: Kind, options: Options) -> Result<Reading> {
        if kind == Kind::File {
            warn_of_both(argument);
        }
        let InputArgs { from, checksum, .. } = &self.args;
        let content = source::open(argument, kind, *from, checksum, &self.read)?;
        Ok(match content {
            Content::Text(lines) => Reading::Text(Box::new(TextReader::new(lines, options))),
            Content::Games(file, names) => Reading::Games {
                games: file.games.into_iter(),
                header: file.header,
                names: names.into(),
            },
        })
    }
}

/// The beginning of a text, for messages.
fn excerpt(text: &str) -> Rc<str> {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}

impl Open {
    /// Reads one more line or entry into `ready`; `false` at the end of the source.
    fn read(
        &mut self,
        args: Option<RepairArgs>,
        ready: &mut VecDeque<Result<Entry>>,
    ) -> Result<bool> {
        let name = &self.name;
        let mut place = |line| {
            self.number += 1;
            Place {
                source: name.clone(),
                kind: self.kind,
                number: self.number,
                line,
            }
        };
        match &mut self.content {
            Reading::Paste(text, options) => {
                ready.extend(options.pasted(text, &mut |line| place(Some(line))));
                Ok(false)
            }
            Reading::Text(text) => {
                let read = text.read(&mut |line| place(Some(line)), ready);
                let Skipped { count, first } = text.skipped();
                if matches!(read, Ok(false)) && count > 0 {
                    let lines = if count == 1 { "line" } else { "lines" };
                    output::message(format_args!(
                        "{name}: skipped {count} {lines} of comments and headings, the first in line {first}"
                    ));
                }
                read.map_err(|error| anyhow!("{name}: {error}"))
            }
            Reading::Games {
                games,
                header,
                names,
            } => {
                let Some(record) = games.next() else {
                    return Ok(false);
                };
                let place = place(None);
                let origin = WthorOrigin {
                    record,
                    header: *header,
                    names: names.clone(),
                };
                let read = read_record(origin.clone());
                let repair = || repair_record(origin.clone());
                ready.push_back(Entry::new(read, place, args, repair));
                Ok(true)
            }
        }
    }
}

/// The openings of a file, each cut to `plies` moves; `-` is stdin.
pub fn read_openings(path: &OsStr, plies: Option<usize>) -> Result<Vec<Game>> {
    let mut openings = Vec::new();
    InputArgs::of(path).for_each(|entry| {
        openings.push(opening(entry.found.record.game, plies)?);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(openings)
}

/// The lines of a source with their numbers, for texts that are neither positions nor games.
///
/// # Errors
/// A source that cannot be opened or holds no text.
pub fn lines(source: &OsStr) -> Result<impl Iterator<Item = Result<(usize, String)>>> {
    let name = source.display().to_string();
    let kind = kind_of(source)?;
    let Content::Text(mut lines) = source::open(
        source,
        kind,
        None,
        &Checksum::default(),
        &BytesRead::default(),
    )?
    else {
        bail!("{name}: games; expected lines of text");
    };
    let next = move || {
        let read = lines.next().map_err(|error| anyhow!("{name}: {error}"));
        read.map(|line| line.map(|(line, _)| line)).transpose()
    };
    Ok((1..)
        .zip(std::iter::from_fn(next))
        .map(|(number, line)| line.map(|line| (number, line))))
}
