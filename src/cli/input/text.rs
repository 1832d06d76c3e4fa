//! The entries of a text, read with a view to their neighbors: moves under a board, one move a line.

use std::io;

use anyhow::Result;

use super::entry::{Entry, Place};
use super::repair::{self, RepairArgs};
use super::source::Lines;
use crate::board::{Position, Square};
use crate::notation::formats::{BOARD, MOVES};
use crate::notation::moves_below;
use crate::notation::split::{Chunk, MAX_ENTRY_BYTES, Skipped, Splitter};
use crate::notation::{Detected, Fault, Format, Location, ParseError};

/// The most moves in a list that looks like a part of a game.
const FEW_MOVES: usize = 2;

/// The doubt about moves that may belong to the board above.
const UNDER_BOARD: &str = "moves right under a position may go on from it or be a game of their own: \"moves:\" before \
                           them says the first, an empty line between says the second";
/// The doubt about a game that goes on in the next line.
const LINE_PER_MOVE: &str = "each line is a game of its own, and this one goes on with the moves of another: write the moves \
                             of a game in one line, or number them (1. f5 d6)";

/// Reads entries from lines.
pub struct TextReader {
    lines: Lines,
    /// The notation of the command line.
    from: Option<Format>,
    notes_follow: bool,
    repair: Option<RepairArgs>,
    splitter: Splitter,
    at_end: bool,
    /// No client waits for the answer to a line before it sends the next, so an entry may wait for the one below.
    looks_ahead: bool,
    /// The notation of the entry before.
    format: Option<Format>,
    above: Option<Above>,
    /// An entry that waits for the one below.
    held: Option<Entry>,
}

/// The entry above another.
struct Above {
    position: Position,
    /// Its last line.
    end: usize,
    is_game: bool,
}

impl TextReader {
    pub fn new(
        lines: Lines,
        from: Option<Format>,
        notes_follow: bool,
        repair: Option<RepairArgs>,
        is_live: bool,
    ) -> Self {
        Self {
            lines,
            from,
            notes_follow,
            repair,
            splitter: Splitter::new(from),
            at_end: false,
            looks_ahead: !is_live,
            format: None,
            above: None,
            held: None,
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
        if let Some(chunk) = self.splitter.pop() {
            found.extend(self.entries(&chunk, place));
            return Ok(true);
        }
        if self.at_end {
            found.extend(self.held.take().map(Ok));
            return Ok(false);
        }
        match self.lines.next()? {
            Some(line) => self.splitter.push(&line),
            None => {
                self.splitter.finish();
                self.at_end = true;
            }
        }
        Ok(true)
    }

    /// The entries of a chunk: one, or the several games that PGN has in one line.
    fn entries(
        &mut self,
        chunk: &Chunk,
        place: &mut dyn FnMut(usize) -> Place,
    ) -> Vec<Result<Entry>> {
        let detected = self.detect(chunk);
        let one = self.one_with_above(chunk, &detected);
        let held = self.held.take();
        let end = chunk.line + chunk.text.lines().count().saturating_sub(1);
        let mut entries = Vec::new();
        match (one, held) {
            (Some(Ok(found)), Some(held)) => {
                self.above = None;
                return vec![Ok(Entry { found, ..held })];
            }
            (Some(Err((error, position))), held) => {
                let is_game = self.above.as_ref().is_some_and(|above| above.is_game);
                self.above = Some(Above {
                    position,
                    end,
                    is_game,
                });
                // The two are one entry with a fault.
                let place = held.map_or_else(|| place(chunk.line), |held| held.place);
                let lines = chunk.line - place.line.unwrap_or(chunk.line);
                return vec![Err(place.error(error.down(lines)))];
            }
            (_, held) => entries.extend(held.map(Ok)),
        }
        let found = match detected {
            Ok(found) => found,
            Err(error) => {
                // Moves right under a board may go on from it.
                let above = self
                    .above
                    .take()
                    .filter(|above| chunk.line == above.end + 1 && !above.is_game);
                let repair = self.repair.filter(|_| above.is_none());
                let is_short = chunk.text.len() <= MAX_ENTRY_BYTES;
                let repaired = || is_short.then(|| chunk.format.repair(&chunk.text)).flatten();
                entries.push(repair::repaired_or_error(
                    error,
                    place(chunk.line),
                    repair,
                    repaired,
                ));
                return entries;
            }
        };
        self.format = found.first().map(|found| found.format);
        let may_go_on = match &found[..] {
            [one] if one.format == MOVES => one.record.game.moves().len() <= FEW_MOVES,
            [one] => !one.format.is_of_games() && one.record.game.moves().is_empty(),
            _ => false,
        };
        let above = |last: &Detected| Above {
            position: last.position(),
            end,
            is_game: last.format.is_of_games(),
        };
        self.above = found.last().map(above);
        for found in found {
            let entry = Entry {
                index: 0,
                place: place(chunk.line),
                found,
                repairs: None,
            };
            match may_go_on && self.looks_ahead && self.from.is_none() {
                true => self.held = Some(entry),
                false => entries.push(Ok(entry)),
            }
        }
        entries
    }

    /// The one entry of a chunk and the entry above; an error, with the position after the chunk, where they may be one.
    /// `None` if they are two.
    fn one_with_above(
        &self,
        chunk: &Chunk,
        alone: &Result<Vec<Detected>, ParseError>,
    ) -> Option<Result<Detected, (ParseError, Position)>> {
        let above = self
            .above
            .as_ref()
            .filter(|above| chunk.line == above.end + 1)?;
        if self.from.is_some() || above.is_game && alone.is_ok() {
            return None;
        }
        let going_on = moves_below(above.position, &chunk.text)?;
        let is_marked = chunk
            .text
            .trim_start()
            .get(..5)
            .is_some_and(|word| word.eq_ignore_ascii_case("moves"));
        match going_on {
            Ok((game, _)) if above.is_game => {
                (!game.moves().is_empty()).then(|| Err((doubt(LINE_PER_MOVE), game.position())))
            }
            Ok((game, comment)) if self.held.is_some() && (is_marked || alone.is_err()) => {
                Some(Ok(Detected {
                    comment,
                    ..Detected::new(MOVES, game.into())
                }))
            }
            Ok((game, _)) => Some(Err((doubt(UNDER_BOARD), game.position()))),
            Err(error) if is_marked && !above.is_game => Some(Err((error, above.position))),
            Err(_) => None,
        }
    }

    /// The entries of a chunk without its neighbors: one, or the several games that PGN has in one line.
    fn detect(&self, chunk: &Chunk) -> Result<Vec<Detected>, ParseError> {
        let text = if self.notes_follow {
            without_notes(&chunk.text)
        } else {
            &chunk.text
        };
        if text.len() > MAX_ENTRY_BYTES {
            return Err(doubt(&format!(
                "more than {MAX_ENTRY_BYTES} bytes in one entry"
            )));
        }
        match chunk.format.parse_all(text) {
            // The notation of the neighbors gives the best error for a text that looks like no notation.
            Err(error) if chunk.format == BOARD => match self.format {
                Some(before) if before != BOARD => before.parse_all(text),
                _ if self.from.is_none()
                    && error.location == BEGIN
                    && matches!(error.fault, Fault::Unexpected { .. }) =>
                {
                    Err(ParseError::unknown(text))
                }
                _ => Err(error),
            },
            result => result,
        }
    }
}

const BEGIN: Location = Location::Text { line: 1, column: 1 };

fn doubt(text: &str) -> ParseError {
    ParseError {
        subject: "entry",
        location: BEGIN,
        fault: Fault::Doubtful(text.to_owned().into()),
    }
}

/// A line whose first word is several moves without that which follows it.
fn without_notes(text: &str) -> &str {
    let word = text.split_whitespace().next().unwrap_or_default();
    let is_square =
        |pair: &[u8]| std::str::from_utf8(pair).is_ok_and(|name| name.parse::<Square>().is_ok());
    if word.len() >= 4 && word.as_bytes().chunks(2).all(is_square) {
        word
    } else {
        text
    }
}
