//! The entries of a text that comes line by line, or of an argument.

use std::io;

use anyhow::Result;

use super::entry::{Entry, Place};
use super::repair::{self, RepairArgs};
use super::source::Lines;
use crate::board::Square;
use crate::cli::output;
use crate::notation::formats::{BOARD, GOGUI, OBF, SGF};
use crate::notation::read::{Class, format_of, read};
use crate::notation::split::{Chunk, Skipped, Splitter};
use crate::notation::{Detected, Format, ParseError, pasted};

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
        match read.and_then(|found| self.check(found, format)) {
            Ok(found) => Ok(Entry {
                index: 0,
                place,
                found,
                repairs: None,
            }),
            Err(error) => {
                let repaired = || format?.repair(&chunk.text);
                repair::repaired_or_error(error, place, self.repair, repaired)
            }
        }
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
