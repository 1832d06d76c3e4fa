//! Cuts a text line by line into entries; [`super::read`] decides their classes by their beginnings.
//!
//! A position waits for the next line, in which `moves:` may follow, and a numbered list for a line that goes on. A caller
//! whose input pauses ends both by [`Splitter::flush`].

mod brackets;
mod objects;
mod pgn;

use std::collections::VecDeque;
use std::rc::Rc;

use super::ParseError;
use super::error::Code;
use super::grammar::board::{begins_with_label, is_sign};
use super::grammar::drawn;
use super::grammar::numbers::lex_number;
use super::read::Class;
use super::table::Columns;
use crate::notation::scanner::plain;
pub use brackets::Brackets;
use objects::{Scan, Step, lost};
use pgn::{Next, Pgn};

/// The longest entry, bytes; a game with comments needs some thousands.
pub const MAX_ENTRY_BYTES: usize = 1 << 20;

/// The text of one entry, not yet read.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// Line on which it begins, from 1.
    pub line: usize,
    /// Its text, with line ends only inside.
    pub text: String,
    pub class: Class,
    /// A fault that its surroundings show.
    pub fault: Option<ParseError>,
}

impl Chunk {
    /// The number of its lines.
    pub fn lines(&self) -> usize {
        self.text.split('\n').count()
    }
}

/// Lines that are no part of an entry: comments and headings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    pub count: usize,
    /// The number of the first, from 1.
    pub first: usize,
}

/// Cuts lines into entries; see the top of this file.
#[derive(Debug, Default)]
pub struct Splitter {
    line: usize,
    /// The line was no UTF-8.
    is_latin: bool,
    skipped: Skipped,
    open: Option<Open>,
    done: VecDeque<Chunk>,
    /// The line behind the last position, or behind moves directly below it.
    below: usize,
    /// A game of PGN has ended, and no separator has come.
    behind_pgn: bool,
}

/// An entry that has begun and not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenEntry {
    /// Its end, in words.
    pub end: &'static str,
    /// A comment or a value is open: any text may follow.
    pub is_text: bool,
    /// It may be complete: not only its tags have come.
    pub may_end: bool,
}

#[derive(Debug)]
struct Open {
    line: usize,
    text: String,
    class: Class,
    kind: Kind,
    is_latin: bool,
}

/// The sign by which an entry ends.
#[derive(Debug)]
enum Kind {
    /// The end of the outermost brackets, and the number of games of a match that are to come.
    Bracketed(Brackets, u32),
    /// At the result, or before the next tags.
    Pgn(Pgn),
    /// With the last line of a frame.
    Drawn,
    /// A whole position, which `moves:` may follow.
    Held,
    /// Before a line that does not go on with a move number.
    Numbered,
    /// The end of the brackets around an object or list.
    Nested(Scan),
    /// At an empty line; each line is an entry.
    Rows(Rc<Columns>, bool),
    /// At an empty line; the lines belong to a fault.
    Lost,
}

impl Splitter {
    /// Takes the next line, without its end; `is_utf_8` is false for one that was decoded as Latin-1.
    ///
    /// Line ends of old Macs count too.
    pub fn push(&mut self, line: &str, is_utf_8: bool) {
        self.is_latin = !is_utf_8;
        let line = line.strip_suffix('\r').unwrap_or(line);
        for part in line.split('\r') {
            self.line += 1;
            let part = match self.line {
                1 => part.strip_prefix('\u{feff}').unwrap_or(part),
                _ => part,
            };
            self.take(part.trim_end_matches('\u{1a}'));
        }
    }

    fn take(&mut self, line: &str) {
        match self.open.take() {
            None => self.begin(line),
            Some(open) => self.go_on(open, line),
        }
    }

    /// Ends the text.
    pub fn finish(&mut self) {
        if let Some(open) = self.open.take() {
            self.end(open);
        }
    }

    /// Ends an entry that is whole and only may go on in the next line; returns whether there was one.
    pub fn flush(&mut self) -> bool {
        let open = self
            .open
            .take_if(|open| matches!(open.kind, Kind::Held | Kind::Numbered));
        let was_open = open.is_some();
        if let Some(open) = open {
            self.end(open);
        }
        was_open
    }

    /// Whether [`Splitter::flush`] would end an entry.
    pub fn waits(&self) -> bool {
        let kind = self.open.as_ref().map(|open| &open.kind);
        matches!(kind, Some(Kind::Held | Kind::Numbered))
    }

    /// The entry that has begun and not ended, if there is one: the next line may belong to it.
    /// A whole position is not open, unless the last line of its frame may follow.
    pub fn open(&self) -> Option<OpenEntry> {
        let open = self.open.as_ref()?;
        let last = open.text.lines().next_back().unwrap_or_default();
        let ends_with_row = open.class == Class::Diagram && last.trim_start().starts_with('8');
        let (end, is_text, may_end) = match &open.kind {
            Kind::Held if !ends_with_row => return None,
            Kind::Lost => return None,
            Kind::Bracketed(brackets, _) => ("to its closing bracket", brackets.in_value, true),
            Kind::Pgn(pgn) => ("to its result", pgn.in_comment, pgn.in_moves),
            Kind::Drawn => ("to the side to move", false, true),
            Kind::Held => ("with the letters below the rows", false, true),
            Kind::Numbered => ("as long as lines begin with a number", false, true),
            Kind::Nested(_) => ("to its closing bracket", false, true),
            Kind::Rows(..) => ("to an empty line", false, true),
        };
        Some(OpenEntry {
            end,
            is_text,
            may_end,
        })
    }

    /// The next whole entry.
    pub fn pop(&mut self) -> Option<Chunk> {
        self.done.pop_front()
    }

    pub fn skipped(&self) -> Skipped {
        self.skipped
    }

    fn skip(&mut self) {
        self.skipped.count += 1;
        if self.skipped.count == 1 {
            self.skipped.first = self.line;
        }
    }

    /// Puts out an entry.
    fn emit(&mut self, line: usize, text: &str, class: Class, is_latin: bool) {
        let text = match class {
            // The last cell may be empty.
            Class::Table(_) => text,
            _ => text.trim_end(),
        };
        let mut fault = None;
        if is_latin && !matches!(class, Class::Pgn | Class::Brackets) {
            let message = "text that is not UTF-8: save it as UTF-8";
            fault = Some(ParseError::doubtful("entry", text, 0, message).with(Code::Encoding));
        }
        let chunk = Chunk {
            line,
            text: text.to_owned(),
            class,
            fault,
        };
        let next = line + chunk.lines();
        match chunk.class {
            Class::Moves if line == self.below => self.below = next,
            Class::Pgn => self.behind_pgn = true,
            ref class if class.is_of_positions() => self.below = next,
            _ => {}
        }
        self.done.push_back(chunk);
    }

    /// Puts out a fault.
    fn fault(&mut self, line: usize, text: &str, fault: ParseError) {
        let text = text.trim_end().to_owned();
        self.done.push_back(Chunk {
            line,
            text,
            class: Class::Moves,
            fault: Some(fault),
        });
    }

    /// Puts out an open entry.
    fn end(&mut self, open: Open) {
        match open.kind {
            Kind::Nested(scan) if scan.has_object() => {
                let error = ParseError::at(
                    "JSON game",
                    &open.text,
                    open.text.len(),
                    "the bracket around the games",
                );
                self.fault(open.line, &open.text, error);
            }
            Kind::Rows(_, false) => {
                let error = ParseError::at(
                    "table",
                    &open.text,
                    open.text.len(),
                    "a row below the names of columns",
                );
                self.fault(open.line, &open.text, error.with(Code::NoMoves));
            }
            Kind::Rows(..) | Kind::Lost => {}
            Kind::Bracketed(..) if open.text.trim().is_empty() => {
                let error = ParseError::at(
                    "GGF game",
                    "",
                    0,
                    "as many games as the number of the match says",
                );
                self.fault(open.line, "", error);
            }
            _ => self.emit(open.line, &open.text, open.class, open.is_latin),
        }
    }

    fn begin(&mut self, line: &str) {
        let plain = plain(line);
        let trimmed = plain.trim_start();
        let is_latin = self.is_latin;
        if trimmed.is_empty() {
            return;
        }
        if trimmed.starts_with(['%', '#']) && !is_latin {
            return self.skip();
        }
        if is_separator(trimmed.trim_end()) {
            if trimmed.contains(char::is_alphanumeric) {
                self.skip();
            }
            self.behind_pgn = false;
            return;
        }
        let class = match Class::of(trimmed) {
            Ok(class) => class,
            Err(error) => {
                self.fault(self.line, line, error);
                return self.lose();
            }
        };
        if class == Class::Moves && self.behind_pgn {
            let message =
                "moves behind the result of a game of PGN: only another game may follow it";
            let error = ParseError::doubtful("PGN game", line, 0, message).with(Code::BehindResult);
            return self.fault(self.line, line, error);
        }
        self.behind_pgn = false;
        if class == Class::Moves && self.line == self.below {
            let message =
                "moves directly below a position: write moves: before them, or leave a line empty";
            let error = ParseError::doubtful("moves", line, 0, message).with(Code::BelowBoard);
            self.below += 1;
            return self.fault(self.line, line, error);
        }
        let kind = match &class {
            Class::Moves if lex_number(trimmed).is_some() => Kind::Numbered,
            Class::Moves => return self.emit(self.line, line, class, is_latin),
            Class::Json => Kind::Nested(Scan::default()),
            Class::Pgn => Kind::Pgn(Pgn::default()),
            Class::Brackets => Kind::Bracketed(Brackets::default(), games_of_match(trimmed)),
            Class::Diagram => Kind::Drawn,
            Class::Fen | Class::Board | Class::Bitboards => Kind::Held,
            Class::Table(columns) => Kind::Rows(columns.clone(), false),
        };
        let is_whole = matches!(kind, Kind::Numbered | Kind::Held | Kind::Rows(..));
        let open = Open {
            line: self.line,
            text: String::new(),
            class,
            kind,
            is_latin,
        };
        match is_whole {
            true => {
                self.open = Some(Open {
                    text: line.to_owned(),
                    ..open
                })
            }
            false => self.go_on(open, line),
        }
    }

    /// Lets the lines up to an empty one belong to a fault.
    fn lose(&mut self) {
        let line = self.line;
        self.open = Some(Open {
            line,
            text: String::new(),
            class: Class::Moves,
            kind: Kind::Lost,
            is_latin: false,
        });
    }

    fn end_before(&mut self, open: Open, line: &str) {
        self.end(open);
        self.begin(line);
    }

    /// Adds a line to an entry, or ends the entry before the line.
    fn go_on(&mut self, mut open: Open, line: &str) {
        if open.text.len() > MAX_ENTRY_BYTES {
            return self.end_before(open, line);
        }
        let is_first = open.text.is_empty() && open.line == self.line;
        let is_empty = line.trim().is_empty();
        open.is_latin |= self.is_latin;
        match &mut open.kind {
            Kind::Rows(..) | Kind::Lost if is_empty => self.end(open),
            Kind::Lost => self.open = Some(open),
            Kind::Rows(columns, has_rows) => {
                *has_rows = true;
                let class = Class::Table(columns.clone());
                self.emit(self.line, line, class, self.is_latin);
                self.open = Some(open);
            }
            Kind::Numbered => {
                let plain = plain(line);
                let text = plain.trim_start();
                let number = lex_number(text).map(|(number, _)| number.value);
                match number {
                    Some(2..) if Class::of(text) == Ok(Class::Moves) => self.add(open, line),
                    _ => self.end_before(open, line),
                }
            }
            Kind::Held => self.held(open, line),
            Kind::Drawn if is_empty => self.end(open),
            Kind::Drawn => self.drawn(open, line),
            Kind::Pgn(pgn) => match pgn.next(line) {
                Next::Before => self.end_before(open, line),
                Next::Inside => self.add(open, line),
                Next::After(end) => {
                    let is_next = line[end..].trim_start().starts_with('[');
                    if !open.text.is_empty() {
                        open.text.push('\n');
                    }
                    open.text
                        .push_str(if is_next { &line[..end] } else { line });
                    self.end(open);
                    if is_next {
                        self.begin(line[end..].trim_start());
                    }
                }
            },
            Kind::Bracketed(..)
                if !is_first
                    && open.text.is_empty()
                    && !is_empty
                    && !line.trim_start().starts_with("(;") =>
            {
                self.end_before(open, line);
            }
            Kind::Bracketed(..) | Kind::Nested(_)
                if !is_first && !open.text.is_empty() && begins_game(line) =>
            {
                self.end_before(open, line);
            }
            Kind::Bracketed(..) | Kind::Nested(_) => {
                open.text.push_str(line);
                open.text.push('\n');
                match std::mem::replace(&mut open.kind, Kind::Lost) {
                    Kind::Nested(scan) => self.close_nested(open, scan),
                    Kind::Bracketed(brackets, left) => self.close_brackets(open, brackets, left),
                    _ => {}
                }
            }
        }
    }

    fn add(&mut self, mut open: Open, line: &str) {
        if !open.text.is_empty() {
            open.text.push('\n');
        }
        open.text.push_str(line);
        // An empty first line would be no line.
        self.open = Some(open);
    }

    /// A line below a whole position: `moves:`, or the last line of its frame.
    fn held(&mut self, mut open: Open, line: &str) {
        let is_label = begins_with_label(plain(line).trim_start());
        let is_frame = open.class == Class::Diagram && drawn::closes(&plain(line)) && {
            let text = format!("{}\n{line}", open.text);
            let text = plain(&text);
            let lines: Vec<&str> = text.lines().collect();
            drawn::read(&lines)
                .is_ok_and(|drawn| drawn.is_some_and(|drawn| drawn.lines == lines.len()))
        };
        if !is_label && !is_frame {
            return self.end_before(open, line);
        }
        open.text.push('\n');
        open.text.push_str(line);
        match is_label {
            true => self.end(open),
            false => self.open = Some(open),
        }
    }

    /// The next line of a drawn board.
    fn drawn(&mut self, mut open: Open, line: &str) {
        if !open.text.is_empty() {
            open.text.push('\n');
        }
        open.text.push_str(line);
        let plain = plain(&open.text);
        let lines: Vec<&str> = plain.lines().collect();
        let read = drawn::read(&lines);
        match read {
            Ok(None) => self.open = Some(open),
            Ok(Some(_)) => {
                open.kind = Kind::Held;
                self.open = Some(open);
            }
            Err(error) => {
                let error = error.quoting(&open.text);
                self.fault(open.line, &open.text, error);
                self.lose();
            }
        }
    }

    /// Cuts off the objects that have ended in an open list or object.
    fn close_nested(&mut self, mut open: Open, mut scan: Scan) {
        let count = |text: &str| text.matches('\n').count();
        let mut cut = 0;
        loop {
            let (start, end, is_entry) = match scan.next(&open.text) {
                Step::Object(start, end) => (start, end, true),
                Step::Closed { at, is_list } => (if is_list { cut } else { at }, at, is_list),
                Step::Open => break,
                Step::Wrong(at) => {
                    let error = ParseError::at(
                        "JSON game",
                        &open.text,
                        at,
                        "the bracket that closes the last open one",
                    );
                    self.fault(open.line, &open.text, error);
                    return self.lose();
                }
            };
            let between = &open.text[cut..start];
            let line = open.line + count(between);
            scan.note(between, is_entry);
            if is_entry {
                self.emit(line, &open.text[start..end], Class::Json, open.is_latin);
            }
            open.line = line + count(&open.text[start..end]);
            cut = end;
            if !scan.is_closed() {
                continue;
            }
            if let Some(fault) = lost(scan.around(), scan.is_wrapped()) {
                self.fault(self.line, "", fault);
            }
            let rest = open.text[cut..].trim();
            return match rest.is_empty() {
                true => {}
                false => self.behind_bracket(rest),
            };
        }
        scan.cut(cut);
        open.text.drain(..cut);
        self.open = Some(Open {
            kind: Kind::Nested(scan),
            ..open
        });
    }

    /// Text behind a closing bracket in the same line: another entry in brackets, or a fault.
    fn behind_bracket(&mut self, rest: &str) {
        let rest = rest.trim_end_matches('\n');
        if rest.starts_with(['{', '[', '(']) {
            return self.begin(rest);
        }
        let error = ParseError::at("entry", rest, 0, "the end of the line behind the bracket");
        self.fault(self.line, rest, error);
    }

    /// Cuts off the games that have ended in an open game in brackets; `left` are those of the match.
    fn close_brackets(&mut self, mut open: Open, mut brackets: Brackets, mut left: u32) {
        let text = std::mem::take(&mut open.text);
        let mut rest = text.as_str();
        while let Some(end) = brackets.end(rest) {
            self.emit(open.line, &rest[..end], Class::Brackets, open.is_latin);
            open.line = self.line;
            rest = rest[end..].trim_start();
            brackets = Brackets::default();
            left = left.saturating_sub(1);
            if !rest.is_empty() && !rest.starts_with("(;") {
                return self.behind_bracket(rest);
            }
            if left == 0 {
                return match rest.is_empty() {
                    true => {}
                    false => self.begin(rest.trim_end_matches('\n')),
                };
            }
        }
        self.open = Some(Open {
            text: rest.to_owned(),
            kind: Kind::Bracketed(brackets, left),
            ..open
        });
    }
}

/// The number of games of the match that begins with this line; 1 without a number.
fn games_of_match(line: &str) -> u32 {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line[..digits].parse().unwrap_or(1)
}

/// A line between entries: equal signs of punctuation, or `Game 12`.
pub fn is_separator(line: &str) -> bool {
    let Some(first) = line
        .as_bytes()
        .first()
        .filter(|first| first.is_ascii_punctuation())
    else {
        let number = line.strip_prefix("Game ").map(str::trim_start);
        return number.is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        });
    };
    let is_board = is_sign(char::from(*first)) && matches!(line.len(), 8 | 64);
    line.len() >= 3 && !is_board && line.bytes().all(|b| b == *first)
}

/// Whether a game certainly begins with this line, even inside an open entry.
fn begins_game(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit());
    line.starts_with("(;GM[") || line.starts_with("(;FF[")
}

#[cfg(test)]
mod tests;
