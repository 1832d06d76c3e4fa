//! Cuts a text line by line into entries of any notation.
//!
//! Entries are single lines (moves, boards, OBF, FEN, hexadecimal), bracketed games (GGF, SGF), PGN games, JSON
//! objects, drawn boards, and move lists over several lines, in any mixture; [`super::recognize`] has the beginnings.
//! The splitter ignores blank lines between entries. It skips and counts comments (lines that begin with `#`, `%`, or
//! `;` without moves), names of columns and lines such as `Game 12`. A damaged entry ends before the next beginning, so
//! one fault costs one entry.

mod board;
mod brackets;
mod objects;

use std::borrow::Cow;
use std::collections::VecDeque;

use super::formats::format::{Format, Shape};
use super::formats::json::{self, JSON};
use super::formats::moves::{is_move_list, is_open_list, move_number};
use super::formats::pgn::{is_result, is_tag, separates};
use super::recognize::{is_header, recognize};
use super::text::board::{RowKind, row_kind};
use super::text::plain::plain;
use board::{BRACKETS, Board, MAX_BOARD_LINES, Next};
use brackets::Brackets;
use objects::{Scan, Step};

/// The longest entry, bytes; a game with comments needs some thousands.
pub const MAX_ENTRY_BYTES: usize = 1 << 20;
/// More lines than a list of moves in brackets has.
const MAX_LIST_LINES: usize = 150;

/// The text of one entry, not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Line on which it begins, from 1.
    pub line: usize,
    /// Its text, with line ends only inside.
    pub text: String,
    pub format: Format,
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
    format: Option<Format>,
    line: usize,
    skipped: Skipped,
    open: Option<Open>,
    done: VecDeque<Chunk>,
    /// A board has just ended; counts of discs may follow.
    after_board: bool,
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
    /// The notation of its first line.
    format: Format,
    kind: Kind,
}

/// The sign by which an entry ends.
#[derive(Debug)]
enum Kind {
    /// The end of the outermost brackets.
    Bracketed(Brackets),
    /// At the result, or before the next tags.
    Pgn { in_moves: bool, in_comment: bool },
    /// After eight rows and the side to move.
    Drawn(Board),
    /// Before a line that does not go on with a move number.
    Numbered,
    /// The end of the brackets around an object or list.
    Nested { scan: Scan, lines: usize },
}

impl Splitter {
    /// Cuts a text of entries in `format`, or in any notation.
    pub fn new(format: Option<Format>) -> Self {
        Self {
            format,
            ..Self::default()
        }
    }

    /// Takes the next line, without its end.
    ///
    /// Line ends of old Macs and of Unicode count too.
    pub fn push(&mut self, line: &str) {
        self.line += 1;
        let line = line.trim_end_matches('\r');
        for part in line.split(['\r', '\u{85}', '\u{2028}', '\u{2029}']) {
            self.take(part);
        }
    }

    fn take(&mut self, line: &str) {
        let line = line
            .trim_start_matches('\u{feff}')
            .trim_end_matches('\u{1a}');
        let in_brackets = self
            .open
            .as_ref()
            .is_some_and(|open| matches!(open.kind, Kind::Bracketed(_)));
        let line = if in_brackets {
            line.into()
        } else {
            unquoted(line)
        };
        match self.open.take() {
            None => self.begin(&line),
            Some(open) => self.go_on(open, &line),
        }
    }

    pub fn finish(&mut self) {
        if let Some(open) = self.open.take()
            && !(matches!(open.kind, Kind::Nested { .. }) && is_end(&open.text))
        {
            self.emit_open(open);
        }
        self.line = 0;
    }

    /// The entry that has begun and not ended, if there is one: the next line may belong to it.
    ///
    /// [`Splitter::finish`] ends it. A numbered list of moves stays open until another line follows.
    pub fn open(&self) -> Option<OpenEntry> {
        let (end, is_text, may_end) = match &self.open.as_ref()?.kind {
            Kind::Bracketed(brackets) => ("to its closing bracket", brackets.in_value, true),
            Kind::Pgn {
                in_moves,
                in_comment,
            } => ("to its result", *in_comment, *in_moves),
            Kind::Drawn(_) => ("to the side to move", false, true),
            Kind::Numbered => ("as long as lines begin with a number", false, true),
            Kind::Nested { .. } => ("to its closing bracket", false, true),
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

    /// Puts out the text of an entry; `format` is its notation, `None` where only the whole text shows it.
    fn emit(&mut self, line: usize, text: &str, format: Option<Format>) {
        let text = text.trim_end();
        if !text.is_empty() && !is_ruler(text) {
            let format = self
                .format
                .or(format)
                .unwrap_or_else(|| Format::detect(text));
            self.done.push_back(Chunk {
                line,
                text: text.to_owned(),
                format,
            });
        }
    }

    fn emit_open(&mut self, open: Open) {
        // The tags of a game in brackets, or the rows of a board, may follow in later lines.
        let is_plain = matches!(open.kind, Kind::Pgn { .. } | Kind::Numbered);
        self.emit(
            open.line,
            &open.text,
            Some(open.format).filter(|_| is_plain),
        );
    }

    fn begin(&mut self, line: &str) {
        let trimmed = line.trim_start();
        if trimmed.is_empty() || is_comment(trimmed) {
            self.after_board = false;
            if !trimmed.is_empty() {
                self.skip();
            }
            return;
        }
        let plain = plain(line);
        if separates(trimmed) || is_header(&plain) {
            if trimmed.contains(char::is_alphanumeric) {
                self.skip();
            }
            return;
        }
        if self.after_board && matches!(row_kind(&plain), RowKind::Count | RowKind::Frame) {
            return;
        }
        self.after_board = false;
        let format = self.format.or_else(|| recognize(trimmed));
        match format.and_then(|format| Some((format, kind_of(format, trimmed)?))) {
            Some((format, kind)) => {
                self.go_on(
                    Open {
                        line: self.line,
                        text: String::new(),
                        format,
                        kind,
                    },
                    line,
                );
            }
            None => self.emit(self.line, line, format),
        }
    }

    /// Adds a line to an entry, or ends the entry before the line.
    fn go_on(&mut self, mut open: Open, line: &str) {
        let next = if open.text.len() > MAX_ENTRY_BYTES {
            Next::Before
        } else {
            open.next(line)
        };
        match next {
            Next::Before => {
                self.emit_open(open);
                self.begin(line);
            }
            Next::After => {
                self.after_board = matches!(open.kind, Kind::Drawn(_));
                open.text.push_str(line);
                self.emit_open(open);
            }
            Next::Inside | Next::Brackets => {
                open.text.push_str(line);
                open.text.push('\n');
                match (next, std::mem::replace(&mut open.kind, Kind::Numbered)) {
                    (Next::Brackets, Kind::Nested { scan, lines }) => {
                        self.close_nested(open, scan, lines)
                    }
                    (Next::Brackets, Kind::Bracketed(brackets)) => {
                        self.close_brackets(open, brackets)
                    }
                    (_, kind) => self.open = Some(Open { kind, ..open }),
                }
            }
        }
    }

    /// Cuts off the objects that have ended in an open list or object.
    fn close_nested(&mut self, mut open: Open, mut scan: Scan, lines: usize) {
        let count = |text: &str| text.matches('\n').count();
        let mut cut = 0;
        loop {
            let (start, end, is_entry) = match scan.next(&open.text) {
                Step::Object(start, end) => (start, end, true),
                // A list of moves, with the words behind it.
                Step::Closed { is_list: true, .. } => {
                    return self.emit(open.line, &open.text[cut..], None);
                }
                Step::Closed { at, .. } => (at, at, false),
                Step::Open => break,
            };
            let between = &open.text[cut..start];
            if is_lost(between, scan.is_wrapped()) {
                self.emit(open.line, between, None);
            }
            let line = open.line + count(between);
            if is_entry {
                self.emit(line, &open.text[start..end], Some(JSON));
            }
            (open.line, cut) = (line + count(&open.text[start..end]), end);
            if !scan.is_closed() {
                continue;
            }
            let rest = open.text[cut..]
                .trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
            if rest.is_empty() {
                return;
            }
            if !rest.starts_with(['{', '[']) {
                return self.begin(rest);
            }
        }
        scan.cut(cut);
        open.text.drain(..cut);
        self.open = Some(Open {
            kind: Kind::Nested { scan, lines },
            ..open
        });
    }

    /// Cuts off the games that have ended in an open game in brackets.
    fn close_brackets(&mut self, mut open: Open, mut brackets: Brackets) {
        let text = std::mem::take(&mut open.text);
        let mut rest = text.as_str();
        while let Some(end) = brackets.end(rest) {
            self.emit(open.line, &rest[..end], None);
            (open.line, rest, brackets) =
                (self.line, rest[end..].trim_start(), Brackets::default());
            let is_game = rest
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ')
                .starts_with('(');
            if rest.is_empty() {
                return;
            }
            if !is_game && self.format.is_none() {
                return self.begin(rest.trim_end_matches('\n'));
            }
        }
        // A text without a bracket is no game and has no end.
        match brackets.depth() {
            0 => self.emit(open.line, rest, None),
            _ => {
                self.open = Some(Open {
                    text: rest.to_owned(),
                    kind: Kind::Bracketed(brackets),
                    ..open
                })
            }
        }
    }
}

/// The kind of an entry of several lines that begins with `line`; `None` for an entry of a single line.
fn kind_of(format: Format, line: &str) -> Option<Kind> {
    let nested = || Kind::Nested {
        scan: Scan::default(),
        lines: 0,
    };
    match format.0.shape {
        Shape::Line => None,
        Shape::Bracketed => Some(Kind::Bracketed(Brackets::default())),
        Shape::Tagged => Some(Kind::Pgn {
            in_moves: false,
            in_comment: false,
        }),
        Shape::Drawn => Some(Kind::Drawn(Board::default())),
        Shape::Object => Some(nested()),
        Shape::Moves if move_number(&plain(line)).is_some() => Some(Kind::Numbered),
        Shape::Moves => is_open_list(&plain(line)).then(nested),
    }
}

impl Open {
    fn next(&mut self, line: &str) -> Next {
        let is_first = self.text.is_empty();
        match &mut self.kind {
            Kind::Bracketed(_) if !is_first && begins_game(line) => Next::Before,
            Kind::Bracketed(_) => Next::Brackets,
            Kind::Pgn {
                in_comment: false, ..
            } if !is_first && json::is_entry(line) => Next::Before,
            Kind::Pgn {
                in_moves,
                in_comment,
            } => next_of_pgn(in_moves, in_comment, line),
            Kind::Drawn(board) => board.next(line, &self.text),
            Kind::Nested { scan, lines } => {
                *lines += 1;
                let is_lost = scan.is_list() && *lines > MAX_LIST_LINES;
                let is_next = !is_first
                    && (begins_game(line)
                        || is_tag(line)
                        || json::is_entry(line) && scan.is_inside());
                if is_lost || is_next {
                    Next::Before
                } else {
                    Next::Brackets
                }
            }
            Kind::Numbered if is_first || move_number(line).is_some_and(|number| number > 1) => {
                Next::Inside
            }
            Kind::Numbered => Next::Before,
        }
    }
}

fn next_of_pgn(in_moves: &mut bool, in_comment: &mut bool, line: &str) -> Next {
    let trimmed = line.trim();
    let ends = trimmed.starts_with('[') || separates(trimmed);
    if !*in_comment && (ends || trimmed.starts_with('%')) {
        return if *in_moves && ends {
            Next::Before
        } else {
            Next::Inside
        };
    }
    *in_moves |= !trimmed.is_empty();
    let mut last = "";
    let mut rest = trimmed;
    // The last word outside of comments.
    loop {
        if *in_comment {
            let Some((_, after)) = rest.split_once('}') else {
                return Next::Inside;
            };
            (*in_comment, rest, last) = (false, after, "");
        }
        let end = rest.find(['{', ';']).unwrap_or(rest.len());
        last = rest[..end].split_whitespace().next_back().unwrap_or(last);
        if !rest[end..].starts_with('{') {
            break;
        }
        (*in_comment, rest) = (true, &rest[end + 1..]);
    }
    if is_result(last) {
        Next::After
    } else {
        Next::Inside
    }
}

/// Whether a game certainly begins with this line, even inside an open entry.
fn begins_game(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit());
    line.strip_prefix("(;").is_some_and(|tags| {
        ["GM[", "FF["]
            .iter()
            .any(|tag| tags.trim_start().starts_with(tag))
    })
}

/// A line that begins with a sign of comments; behind `;` only without moves.
fn is_comment(line: &str) -> bool {
    line.starts_with(['#', '%'])
        || line.strip_prefix(';').is_some_and(|rest| {
            rest.contains(char::is_alphabetic)
                && !rest.contains(['[', ']', '(', ')'])
                && !has_square(rest)
        })
}

fn has_square(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(is_move_list)
}

/// A line without the `>` before quoted text; columns stay.
fn unquoted(line: &str) -> Cow<'_, str> {
    let rest = line.trim_start_matches(['>', ' ']);
    match line[..line.len() - rest.len()].contains('>') {
        true => format!("{}{rest}", " ".repeat(line.len() - rest.len())).into(),
        false => line.into(),
    }
}

/// Whether a text between objects holds more than signs; names of an object around a list of games are expected.
fn is_lost(text: &str, is_wrapped: bool) -> bool {
    let is_sign = |c: char| c.is_whitespace() || "[]{},;".contains(c);
    if is_wrapped {
        has_square(text)
    } else {
        !text.chars().all(is_sign)
    }
}

/// Whether a text closes lists and holds nothing else.
fn is_end(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_whitespace() || matches!(c, ']' | '}' | ','))
}

/// Lines between entries: `-----`, `=====`.
fn is_ruler(text: &str) -> bool {
    let is_of_table = |line: &str| line.contains('|') && line.chars().all(|c| "|-:+ ".contains(c));
    let is_line = |line: &str| match row_kind(line) {
        RowKind::Frame => true,
        RowKind::Other => line.trim().is_empty() || is_of_table(line),
        _ => false,
    };
    !text.contains(|c: char| c.is_alphanumeric() || BRACKETS.contains(&c) || c == '"')
        && text.lines().take(MAX_BOARD_LINES).all(is_line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::formats::{GGF, SGF};

    fn splitter_of(text: &str, format: Option<Format>) -> Splitter {
        let mut splitter = Splitter::new(format);
        text.lines().for_each(|line| splitter.push(line));
        splitter
    }

    /// Line and text of every entry.
    fn split(text: &str) -> Vec<(usize, String)> {
        let mut splitter = splitter_of(text, None);
        splitter.finish();
        std::iter::from_fn(|| splitter.pop())
            .map(|chunk| (chunk.line, chunk.text))
            .collect()
    }

    const ROWS: &str =
        "--------\n--------\n--------\n---OX---\n---XO---\n--------\n--------\n--------";

    #[test]
    fn entries_begin_and_end_at_their_lines() {
        let sgf = "(;FF[4]GM[2]C[a \\] (] ;B[f5]\n(;W[d6])\n(;W[f6]))";
        let ggf = "(;GM[Othello]PB[a\\]B[f5];)";
        let cut = "(;GM[Othello]PB[a";
        let whole = "(;GM[Othello]B[f5];)";
        let one = "[Black \"a\"]\n[White \"b\"]\n\n1. f5 d6 {x\n[y] 1-0}\n2. c3 40-24";
        let two = "[Black \"c\"]\n\n1. f5";
        let framed = "  a b c d e f g h\n1 - - - - - - - - 1\n2 - - - - - - - - 2\n3 - - - . - - - - 3\n\
                      4 - - . O X - - - 4\n5 - - - X O . - - 5\n6 - - - - . - - - 6\n7 - - - - - - - - 7\n\
                      8 - - - - - - - - 8\n  a b c d e f g h\nBlack to move";
        let example = "0 0 0 0 0 0 0 0\n".repeat(8) + "B\n5";
        let glued = format!("{ROWS} X");
        let below = format!("{ROWS}\n\nX");
        let cases: &[(String, &[(usize, &str)])] = &[
            (
                "f5\n\n# a remark\nd6\n% another\n".to_owned(),
                &[(1, "f5"), (4, "d6")],
            ),
            ("\u{feff}f5".into(), &[(1, "f5")]),
            ("rubbish\nf5".into(), &[(1, "rubbish"), (2, "f5")]),
            (
                format!("{sgf}{sgf}\n{ggf} {ggf}\n2 {ggf}{ggf}\nf5"),
                &[
                    (1, sgf),
                    (3, sgf),
                    (6, ggf),
                    (6, ggf),
                    (7, &format!("2 {ggf}")),
                    (7, ggf),
                    (8, "f5"),
                ],
            ),
            // A damaged game costs no other.
            (
                format!("{cut}\n{whole}\n{cut}"),
                &[(1, cut), (2, whole), (3, cut)],
            ),
            (
                format!("{one}\n\n{two}\n{two}"),
                &[(1, one), (8, two), (11, two)],
            ),
            (
                [framed, &example, &glued, &below, "f5", &below].join("\n"),
                &[
                    (1, framed),
                    (12, &example),
                    (22, &glued),
                    (30, &below),
                    (40, "f5"),
                    (41, &below),
                ],
            ),
            (
                "--------\n---OX---\nf5".into(),
                &[(1, "--------\n---OX---"), (3, "f5")],
            ),
            (format!("{ROWS}\n{ROWS}"), &[(1, ROWS), (9, ROWS)]),
            (
                "1. f5 d6\n2. c3 d3\n1. f5 f6\nf5".into(),
                &[(1, "1. f5 d6\n2. c3 d3"), (3, "1. f5 f6"), (4, "f5")],
            ),
            (
                r#"{"a":[{"b":"}"}]}"#.into(),
                &[(1, r#"{"a":[{"b":"}"}]}"#)],
            ),
            (
                r#"[{"a":1}, {"a":2}]"#.into(),
                &[(1, r#"{"a":1}"#), (1, r#"{"a":2}"#)],
            ),
            (
                r#"{"n":2,"games":[{"a":1},{"a":2}]}"#.into(),
                &[(1, r#"{"a":1}"#), (1, r#"{"a":2}"#)],
            ),
            (r#"["f5", "d6"]"#.into(), &[(1, r#"["f5", "d6"]"#)]),
        ];
        for (text, entries) in cases {
            let want: Vec<_> = entries
                .iter()
                .map(|&(line, text)| (line, text.to_owned()))
                .collect();
            assert_eq!(split(text), want, "{text}");
        }
    }

    #[test]
    fn an_entry_is_open_until_its_end() {
        for (lines, open) in [
            ("f5d6", "-"),
            ("(;FF[4]GM[2];B[f5])", "-"),
            ("[Black \"a\"]\n\n1. f5 d6 2. c3 *\nd3", "++--"),
            ("(;GM[Othello]\nB[f5];)", "+-"),
            ("1. f5 d6\n2. c3\nlist", "++-"),
        ] {
            let mut splitter = Splitter::new(None);
            for (line, sign) in lines.lines().zip(open.chars()) {
                splitter.push(line);
                assert_eq!(splitter.open().is_some(), sign == '+', "{line}");
            }
            assert!(
                splitter.pop().is_some(),
                "a whole entry comes out at once: {lines}"
            );
        }
    }

    #[test]
    fn nothing_is_lost_whatever_comes() {
        const PIECES: &str = "(;GM[Othello]~(;FF[4]~B[f5]~;)~)~(~[~]~\\~{~}~[Black \"a\"]~\
                              1. f5~2.~*~1-0~--------\n~- - - O X - - -~X~f5d6~ ~abcdefgh";
        let pieces: Vec<&str> = PIECES.split('~').collect();
        // Lines between entries and the brackets of lists do not count.
        let is_sign = |c: char| c.is_whitespace() || "-[]{},;".contains(c);
        let letters = |text: &str| text.chars().filter(|c| !is_sign(*c)).collect::<String>();
        let mut rng = crate::util::rng::Rng::new(1);
        for _ in 0..5_000 {
            let mut text = String::new();
            for _ in 0..rng.below(30) {
                text.push_str(pieces[rng.below(pieces.len() as u32) as usize]);
                text.push_str(["", "\n", "\n", "\n\n"][rng.below(4) as usize]);
            }
            let found: String = split(&text).into_iter().map(|(_, text)| text).collect();
            assert_eq!(letters(&found), letters(&text), "{text}");
        }
    }

    #[test]
    fn many_games_in_one_line_take_neither_stack_nor_time() {
        for piece in ["(;)", "()", "x(;)", "1 (;B[f5])"] {
            for format in [None, Some(GGF), Some(SGF)] {
                let mut splitter = splitter_of(&piece.repeat(6_000), format);
                splitter.finish();
                assert!(
                    std::iter::from_fn(|| splitter.pop()).count() <= 6_001,
                    "{piece}"
                );
            }
        }
    }

    #[test]
    fn an_endless_entry_is_cut() {
        let text = format!(
            "(;C[\n{}",
            format!("{}\n", "x".repeat(999)).repeat(3 * MAX_ENTRY_BYTES / 1000)
        );
        let longest = split(&text).iter().map(|(_, text)| text.len()).max();
        assert!(longest.is_some_and(|longest| longest < MAX_ENTRY_BYTES + 2000));
    }
}
