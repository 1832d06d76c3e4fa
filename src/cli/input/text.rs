//! The entries of a text, each beside its neighbours: moves under a board, one move a line.

use super::entry::{Entry, InputError, Place};
use super::repair::{self, Repairing};
use super::source::Lines;
use crate::board::{Position, Square};
use crate::notation::formats::{BOARD, MOVES};
use crate::notation::moves_below;
use crate::notation::split::{Chunk, MAX_ENTRY_BYTES, Skipped, Splitter};
use crate::notation::{Detected, Fault, Format, Location, ParseError};

/// How entries are read.
#[derive(Clone, Copy)]
pub struct ReadOptions {
    pub format: Option<Format>,
    pub notes_follow: bool,
    pub repairing: Option<Repairing>,
}

/// A list of moves of at most so many looks like a part of a game.
const FEW_MOVES: usize = 2;

/// What is told of moves that may belong to the board above.
const UNDER_BOARD: &str = "moves right under a position may go on from it or be a game of their own: \"moves:\" before \
                           them says the first, an empty line between says the second";
/// What is told of a game that goes on in the next line.
const LINE_PER_MOVE: &str = "each line is a game of its own, and this one goes on with the moves of another: write the moves \
                             of a game in one line, or number them (1. f5 d6)";

/// Reads entries from lines.
pub struct TextReader {
    lines: Lines,
    splitter: Splitter,
    at_end: bool,
    /// Nobody waits for the answer to a line before sending the next, so an entry may wait for the one below.
    looks_ahead: bool,
    /// The notation of the entry before.
    format: Option<Format>,
    /// The entry before and where it ends.
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

/// What an entry is to the one above.
enum Relation {
    /// Nothing.
    Apart,
    /// The two are one.
    Same(Box<Detected>),
    /// It may be, or is, but cannot be taken so.
    Fault(ParseError, Position),
}

impl TextReader {
    pub fn new(lines: Lines, format: Option<Format>, is_live: bool) -> Self {
        let splitter = Splitter::new(format);
        Self { lines, splitter, at_end: false, looks_ahead: !is_live, format: None, above: None, held: None }
    }

    /// The comments and headings so far.
    pub fn skipped(&self) -> Skipped {
        self.splitter.skipped()
    }

    /// Reads one more line or entry into `found`; `false` at the end. `place` is asked for each entry by its line.
    pub fn read(
        &mut self,
        options: ReadOptions,
        place: &mut dyn FnMut(usize) -> Place,
        found: &mut impl Extend<Result<Entry, InputError>>,
    ) -> std::io::Result<bool> {
        if let Some(chunk) = self.splitter.pop() {
            found.extend(self.entries(&chunk, options, place));
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
        options: ReadOptions,
        place: &mut dyn FnMut(usize) -> Place,
    ) -> Vec<Result<Entry, InputError>> {
        let detected = detect(chunk, options, self.format);
        let relation = self.relation(chunk, options, &detected);
        let held = self.held.take();
        let end = chunk.line + chunk.text.lines().count().saturating_sub(1);
        let mut entries = Vec::new();
        let detected = match (relation, held) {
            (Relation::Same(found), Some(held)) => {
                self.above = None;
                return vec![Ok(Entry { found: *found, ..held })];
            }
            (Relation::Fault(error, position), held) => {
                let is_game = self.above.as_ref().is_some_and(|above| above.is_game);
                self.above = Some(Above { position, end, is_game });
                // The two are one entry with a fault.
                let lines =
                    held.as_ref().and_then(|held| held.place.line).map_or(0, |line| chunk.line - line);
                let place = held.map_or_else(|| place(chunk.line), |held| held.place);
                return vec![Err(place.error(error.down(lines)))];
            }
            (_, held) => {
                entries.extend(held.map(Ok));
                detected
            }
        };
        let found = match detected {
            Ok(found) => found,
            Err(error) => {
                // Moves right under a board may go on from it.
                let above = self.above.take().filter(|above| chunk.line == above.end + 1 && !above.is_game);
                let repairing = options.repairing.filter(|_| above.is_none());
                let repaired = |end| {
                    let is_short = chunk.text.len() <= MAX_ENTRY_BYTES;
                    if is_short { chunk.format.repair(&chunk.text, end) } else { None }
                };
                entries.push(repair::instead(error, place(chunk.line), repairing, repaired));
                return entries;
            }
        };
        self.format = found.first().map(|found| found.format);
        let may_go_on = match &found[..] {
            [one] if one.format == MOVES => one.record.game.moves().len() <= FEW_MOVES,
            [one] => !one.format.is_of_games() && one.record.game.moves().is_empty(),
            _ => false,
        };
        self.above = found.last().map(|last| Above {
            position: last.position(),
            end,
            is_game: last.format.is_of_games(),
        });
        for found in found {
            let entry = Entry { index: 0, place: place(chunk.line), found, repairs: None };
            match may_go_on && self.looks_ahead && options.format.is_none() {
                true => self.held = Some(entry),
                false => entries.push(Ok(entry)),
            }
        }
        entries
    }

    /// What a chunk is to the entry above.
    fn relation(
        &self,
        chunk: &Chunk,
        options: ReadOptions,
        alone: &Result<Vec<Detected>, ParseError>,
    ) -> Relation {
        let Some(above) = self.above.as_ref().filter(|above| chunk.line == above.end + 1) else {
            return Relation::Apart;
        };
        if options.format.is_some() || above.is_game && alone.is_ok() {
            return Relation::Apart;
        }
        let Some(going_on) = moves_below(above.position, &chunk.text) else { return Relation::Apart };
        let doubt = |told: &'static str, position| {
            let location = Location::Text { line: 1, column: 1 };
            Relation::Fault(
                ParseError { subject: "entry", location, fault: Fault::Doubtful(told.into()) },
                position,
            )
        };
        if above.is_game {
            return match (going_on, alone) {
                (Ok((game, _)), Err(_)) if !game.moves().is_empty() => doubt(LINE_PER_MOVE, game.position()),
                _ => Relation::Apart,
            };
        }
        let is_told = chunk.text.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("moves"));
        match (going_on, alone) {
            (Ok((game, comment)), alone) if self.held.is_some() && (is_told || alone.is_err()) => {
                Relation::Same(Box::new(Detected { comment, ..Detected::new(MOVES, game.into()) }))
            }
            (Ok((game, _)), _) => doubt(UNDER_BOARD, game.position()),
            (Err(error), _) if is_told => Relation::Fault(error, above.position),
            (Err(_), _) => Relation::Apart,
        }
    }
}

/// What a chunk holds: one entry, or the several games that PGN has in one line.
fn detect(chunk: &Chunk, options: ReadOptions, before: Option<Format>) -> Result<Vec<Detected>, ParseError> {
    let text = if options.notes_follow { without_notes(&chunk.text) } else { &chunk.text };
    if text.len() > MAX_ENTRY_BYTES {
        let told = format!("more than {MAX_ENTRY_BYTES} bytes in one entry");
        let location = Location::Text { line: 1, column: 1 };
        return Err(ParseError { subject: "entry", location, fault: Fault::Doubtful(told.into()) });
    }
    match chunk.format.parse_all(text) {
        // What looks like nothing is best told by the notation of its neighbours.
        Err(error) if chunk.format == BOARD => match before {
            Some(before) if before != BOARD => before.parse_all(text),
            _ if options.format.is_none()
                && error.location == (Location::Text { line: 1, column: 1 })
                && matches!(error.fault, Fault::Unexpected { .. }) =>
            {
                Err(ParseError::unknown(text))
            }
            _ => Err(error),
        },
        result => result,
    }
}

/// A line whose first word is several moves without that which follows it.
fn without_notes(text: &str) -> &str {
    let word = text.split_whitespace().next().unwrap_or_default();
    let is_square = |pair: &[u8]| std::str::from_utf8(pair).is_ok_and(|name| name.parse::<Square>().is_ok());
    if word.len() >= 4 && word.as_bytes().chunks(2).all(is_square) { word } else { text }
}
