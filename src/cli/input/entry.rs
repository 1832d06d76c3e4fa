//! An entry of the input: its place, the text or game that it comes from, its repair.

use std::rc::Rc;
use std::{fmt, io};

use anyhow::{Error, Result, anyhow};
use serde::Serialize;

use super::Kind;
use super::source::Lines;
use crate::board::{Position, Square};
use crate::cli::output;
use crate::notation::formats::{BOARD, GOGUI, OBF, SGF};
use crate::notation::read::{Class, format_of, read};
use crate::notation::repair::Repairs;
use crate::notation::split::{Chunk, Skipped, Splitter};
use crate::notation::{Detected, Fault, Format, Location, NamedGame, ParseError, Repaired, pasted};

/// The unit of the input, in messages.
pub const ENTRY: &str = "entry";

/// A position or game of the input.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Number among all entries of the input, from 1; entries before `--skip` count.
    pub index: u64,
    pub place: Place,
    pub found: Detected,
    /// The changes that made its moves legal, if any were made.
    pub repairs: Option<Repairs>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// File, `stdin`, or the argument itself.
    pub source: Rc<str>,
    pub kind: Kind,
    /// Number of the entry in the source, from 1.
    pub number: u64,
    /// Line on which it begins, from 1; `None` in a binary file.
    pub line: Option<usize>,
}

/// The fields with which `solve --json` and `show --json` begin; `emilia help json` explains them.
#[derive(Serialize)]
pub struct Head {
    index: u64,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl Entry {
    /// The entry that was read, or the one that `repair` makes of a fault.
    pub(super) fn new(
        read: Result<Detected, ParseError>,
        place: Place,
        args: Option<RepairArgs>,
        repair: impl Fn() -> Option<Repaired>,
    ) -> Result<Self> {
        let entry = |found, repairs| Self {
            index: 0,
            place: place.clone(),
            found,
            repairs,
        };
        let error = match read {
            Ok(found) => return Ok(entry(found, None)),
            Err(error) => error,
        };
        if let Some(RepairArgs { repair: true }) = args
            && let Some(Repaired {
                entry: found,
                repairs,
            }) = repair()
        {
            return Ok(entry(found, Some(repairs)));
        }
        let is_illegal = matches!(error.fault, Fault::Illegal { .. });
        let hint = match args.filter(|_| is_illegal) {
            Some(RepairArgs { repair: true }) => "; no single change repairs it",
            Some(_) if repair().is_some() => "; try --repair",
            _ => "",
        };
        Err(anyhow!("{}{hint}", place.error(error)))
    }

    /// The position: of a game the last one.
    pub fn position(&self) -> Position {
        self.found.position()
    }

    /// The game; one without moves if the notation is of positions.
    pub fn record(&self) -> &NamedGame {
        &self.found.record
    }

    /// A checksum of board, moves, names and known scores.
    pub fn crc32(&self) -> u32 {
        let NamedGame {
            game, black, white, ..
        } = self.record();
        let text = format!(
            "{:?} {:?} {:?} {black:?} {white:?}",
            game.positions()[0],
            game.moves(),
            self.found.scores
        );
        crc32fast::hash(text.as_bytes())
    }

    pub fn head(&self) -> Head {
        Head {
            index: self.index,
            source: self.place.source(),
            line: self.place.line,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == Kind::Literal {
            return write!(f, "\"{}\"", self.source);
        }
        write!(f, "{}, entry {}", self.source, self.number)?;
        self.line.map_or(Ok(()), |line| write!(f, ", line {line}"))
    }
}

impl Place {
    /// The source in JSON: a file, `stdin` or `argument`.
    pub fn source(&self) -> String {
        match self.kind {
            Kind::Literal => "argument".into(),
            _ => self.source.to_string(),
        }
    }

    /// The message for an entry that cannot be read.
    fn error(&self, error: ParseError) -> Error {
        let is_first_line = !matches!(error.location, Location::Text { line: 2.., .. });
        match (self.kind, self.line) {
            (Kind::Literal, _) => anyhow!(
                "\"{}\" is neither a file nor a position: {error}",
                self.source
            ),
            (_, Some(line)) if !is_first_line => {
                anyhow!(
                    "{}, entry {}: {}",
                    self.source,
                    self.number,
                    error.down(line - 1)
                )
            }
            _ => anyhow!("{self}: {error}"),
        }
    }
}

/// Options of repairs; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct RepairArgs {
    /// Repair games with illegal moves by one change (a square, two moves swapped, a move more or less) and report it on stderr.
    #[arg(long)]
    pub repair: bool,
}

/// Reports the repair and the next likely ones on stderr.
pub(super) fn report_repair(place: &Place, repairs: &Repairs) {
    let (first, others) = repairs.best.split_first().expect("there is one");
    let count = match repairs.count {
        1 => "the only repair by one change".to_owned(),
        count => format!("the likeliest of {count} repairs by one change"),
    };
    output::message(format_args!("{place}: repaired: {}; {count}", first.edit));
    for other in others {
        output::message(format_args!("{place}: or: {}", other.edit));
    }
}

/// Reads entries from lines.
pub struct TextReader {
    lines: Lines,
    options: Options,
    splitter: Splitter,
    at_end: bool,
    /// The columns that are not read were named.
    has_warned: bool,
}

/// How a command reads entries.
#[derive(Clone, Copy)]
pub struct Options {
    /// The notation of the command line.
    pub from: Option<Format>,
    /// Notes may follow the moves of a line.
    pub notes_follow: bool,
    pub repair: Option<RepairArgs>,
}

impl TextReader {
    pub fn new(lines: Lines, options: Options) -> Self {
        Self {
            lines,
            options,
            splitter: Splitter::default(),
            at_end: false,
            has_warned: false,
        }
    }

    /// The comments and headings so far.
    pub fn skipped(&self) -> Skipped {
        self.splitter.skipped()
    }

    /// Reads one more line or entry into `found`; `false` at the end. `place` is asked for each entry by its line.
    pub fn read(
        &mut self,
        place: &mut dyn FnMut(usize) -> Place,
        found: &mut impl Extend<Result<Entry>>,
    ) -> io::Result<bool> {
        if let Some(mut chunk) = self.splitter.pop() {
            if self.options.notes_follow && chunk.class == Class::Moves {
                chunk.text.truncate(without_notes(&chunk.text));
            }
            let place = place(chunk.line);
            self.warn(&chunk, &place);
            found.extend([self.options.entry(&chunk, read(&chunk), place)]);
            return Ok(true);
        }
        if self.at_end {
            return Ok(false);
        }
        if self.splitter.waits() && !self.lines.is_at_hand() {
            self.splitter.flush();
            return Ok(true);
        }
        match self.lines.next()? {
            Some((line, is_utf_8)) => self.splitter.push(&line, is_utf_8),
            None => {
                self.splitter.finish();
                self.at_end = true;
            }
        }
        Ok(true)
    }

    /// Names once the columns of a table that are not read.
    fn warn(&mut self, chunk: &Chunk, place: &Place) {
        let Class::Table(columns) = &chunk.class else {
            self.has_warned = false;
            return;
        };
        if !columns.unread.is_empty() && !std::mem::replace(&mut self.has_warned, true) {
            let names = columns.unread.join(", ");
            output::message(format_args!(
                "{place}: the table has columns that are not read: {names}"
            ));
        }
    }
}

impl Options {
    /// The entry that a chunk is, repaired if the command asks for it.
    fn entry(
        self,
        chunk: &Chunk,
        read: Result<Detected, ParseError>,
        place: Place,
    ) -> Result<Entry> {
        let format = format_of(&chunk.class, &chunk.text);
        let read = read.and_then(|found| self.check(found, format));
        Entry::new(read, place, self.repair, || format?.repair(&chunk.text))
    }

    /// Refuses an entry in another notation than that of the command line.
    fn check(self, found: Detected, format: Option<Format>) -> Result<Detected, ParseError> {
        let Some(from) = self.from else {
            return Ok(found);
        };
        let is_same = |format: Format| {
            format == from
                || from == GOGUI && format == SGF
                || [from, format] == [OBF, BOARD]
                || [from, format] == [BOARD, OBF]
        };
        match is_same(found.format) || format.is_some_and(is_same) {
            true => Ok(found),
            false => Err(ParseError::other_format(from.name(), found.format.name())),
        }
    }

    /// The entries of a pasted text, which an argument is.
    pub fn pasted(self, text: &str, place: &mut dyn FnMut(usize) -> Place) -> Vec<Result<Entry>> {
        let entry = |(chunk, read): (Chunk, _)| self.entry(&chunk, read, place(chunk.line));
        pasted(text).into_iter().map(entry).collect()
    }
}

/// The length of a line, or of its first word if that is several moves.
fn without_notes(text: &str) -> usize {
    let word = text.split_whitespace().next().unwrap_or_default();
    let is_square =
        |pair: &[u8]| std::str::from_utf8(pair).is_ok_and(|name| name.parse::<Square>().is_ok());
    match word.len() >= 4 && text.starts_with(word) && word.as_bytes().chunks(2).all(is_square) {
        true => word.len(),
        false => text.len(),
    }
}
