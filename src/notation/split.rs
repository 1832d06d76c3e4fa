//! Where one entry of a text ends and the next begins, line by line, whatever the notations are.
//!
//! Entries are single lines (moves, boards, OBF, FEN, hexadecimal), bracketed games (GGF, SGF), PGN games, drawn
//! boards, and numbered move lists that go on over several lines. They may be mixed. Blank lines between entries and
//! lines that begin with `#` or `%` do not count. What an entry says is not looked at: a damaged one is cut where
//! the next begins, so that one fault costs one entry.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::drawing::{BRACKETS, Board, MAX_BOARD_LINES, Next};
use super::format::{Format, Shape};
use super::hex::is_hex_board;
use super::pgn::{is_in_brackets, is_result, is_tag, separates};
use super::plain::plain;
use super::sgf::SGF;
use super::squares::{RowKind, row_kind};
use super::token::lex_move;

/// The longest entry that is taken, in bytes; a game of 60 moves with comments needs some thousands.
pub const MAX_ENTRY_BYTES: usize = 1 << 20;
/// As far as this a game is looked at to tell SGF from GGF.
const SAMPLE_BYTES: usize = 512;
/// More lines than a list of moves in brackets has, and more bytes.
const MAX_LIST_LINES: usize = 150;
const MAX_LIST_BYTES: usize = 10_000;

/// The text of one entry, not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Line on which it begins, from 1.
    pub line: usize,
    /// Its text, with line ends only inside.
    pub text: String,
}

/// Cuts lines into entries; see the top of this file.
#[derive(Debug, Default)]
pub struct Splitter {
    format: Option<Format>,
    line: usize,
    open: Option<Open>,
    done: VecDeque<Chunk>,
    /// A board has just ended; counts of discs may stand below it.
    after_board: bool,
}

/// How far an entry has come whose end has not been seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenEntry {
    /// How far it goes, in words.
    pub end: &'static str,
    /// A comment or a value is open: any text may follow.
    pub is_text: bool,
    /// It may be complete: not only its tags have come.
    pub may_end: bool,
}

/// An entry whose end has not been seen.
#[derive(Debug)]
struct Open {
    chunk: Chunk,
    kind: Kind,
}

/// How the end of an entry is told.
#[derive(Debug)]
enum Kind {
    /// Where the brackets close.
    Bracketed(Brackets),
    /// At the result, or before the next tags.
    Pgn { in_moves: bool, in_comment: bool },
    /// After eight rows and the side to move.
    Drawn(Board),
    /// Before a line that does not go on with a move number.
    Numbered,
    /// With the line in which the brackets around a list close.
    Listed { lines: usize },
}

/// How far the brackets of a game have been followed.
#[derive(Debug, Default)]
struct Brackets {
    scanned: usize,
    depth: usize,
    in_value: bool,
    /// SGF keeps the character after a backslash; GGF knows no such thing.
    escapes: Option<bool>,
}

impl Splitter {
    /// Cuts a text of entries in `format`, or in any notation.
    pub fn new(format: Option<Format>) -> Self {
        Self { format, ..Self::default() }
    }

    /// Takes the next line, without its end.
    ///
    /// Ends of lines that are none everywhere count: those of old Macs, and of Unicode.
    pub fn push(&mut self, line: &str) {
        self.line += 1;
        let line = line.trim_end_matches('\r');
        if !line.contains(['\r', '\u{85}', '\u{2028}', '\u{2029}']) {
            return self.take(line);
        }
        for part in line.split(['\r', '\u{85}', '\u{2028}', '\u{2029}']) {
            self.take(part);
        }
    }

    fn take(&mut self, line: &str) {
        let line = line.trim_start_matches('\u{feff}').trim_end_matches('\u{1a}');
        let in_brackets = self.open.as_ref().is_some_and(|open| matches!(open.kind, Kind::Bracketed(_)));
        let line = if in_brackets { line.into() } else { unquoted(line) };
        match self.open.take() {
            None => self.begin(&line),
            Some(open) => self.go_on(open, &line),
        }
    }

    /// Takes the end of the text.
    pub fn finish(&mut self) {
        if let Some(open) = self.open.take() {
            self.emit(open.chunk);
        }
        self.line = 0;
    }

    /// The entry that has begun and not ended, if there is one: the next line may belong to it.
    ///
    /// [`Splitter::finish`] ends it. A numbered list of moves stays open until another line follows.
    pub fn open(&self) -> Option<OpenEntry> {
        let (end, is_text, may_end) = match &self.open.as_ref()?.kind {
            Kind::Bracketed(brackets) => ("to its closing bracket", brackets.in_value, true),
            Kind::Pgn { in_moves, in_comment } => ("to its result", *in_comment, *in_moves),
            Kind::Drawn(_) => ("to the side to move", false, true),
            Kind::Numbered => ("as long as lines begin with a number", false, true),
            Kind::Listed { .. } => ("to its closing bracket", false, true),
        };
        Some(OpenEntry { end, is_text, may_end })
    }

    /// The next whole entry.
    pub fn pop(&mut self) -> Option<Chunk> {
        self.done.pop_front()
    }

    fn emit(&mut self, mut chunk: Chunk) {
        chunk.text.truncate(chunk.text.trim_end().len());
        if !chunk.text.is_empty() && !is_ruler(&chunk.text) {
            self.done.push_back(chunk);
        }
    }

    /// Takes a line with which an entry begins.
    fn begin(&mut self, line: &str) {
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with(['#', '%']) {
            self.after_board = false;
            return;
        }
        let is_below = || matches!(row_kind(&plain(line)), RowKind::Count | RowKind::Frame);
        if separates(trimmed) || self.after_board && is_below() {
            return;
        }
        self.after_board = false;
        let chunk = Chunk { line: self.line, text: String::new() };
        match self.kind_of(trimmed) {
            Some(kind) => self.go_on(Open { chunk, kind }, line),
            None => self.emit(Chunk { text: line.to_string(), ..chunk }),
        }
    }

    /// The kind of an entry of several lines that begins so, `None` for one of a single line.
    fn kind_of(&self, line: &str) -> Option<Kind> {
        let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        let drawn = Kind::Drawn(Board::default());
        let pgn = Kind::Pgn { in_moves: false, in_comment: false };
        match self.format.map(|format| format.0.shape) {
            Some(Shape::Bracketed) => Some(Kind::Bracketed(Brackets::default())),
            Some(Shape::Tagged) => Some(pgn),
            Some(Shape::Drawn) => Some(drawn),
            Some(Shape::Line) => None,
            Some(Shape::Free) | None => {
                let plain = plain(line);
                match () {
                    () if is_tag(line) => Some(pgn),
                    () if is_hex_board(line.split_whitespace().next().unwrap_or_default()) => None,
                    () if row_kind(&plain) != RowKind::Other => Some(drawn),
                    () if move_number(&plain).is_some() => Some(Kind::Numbered),
                    () if is_open_list(&plain) => Some(Kind::Listed { lines: 0 }),
                    () if self.format.is_some() => None,
                    () if unnumbered.strip_prefix('(').is_some_and(begins_node) => {
                        Some(Kind::Bracketed(Brackets::default()))
                    }
                    () if line.starts_with('[') && !is_in_brackets(&plain) => Some(pgn),
                    () => None,
                }
            }
        }
    }

    /// Adds a line to an entry, or ends the entry before the line.
    fn go_on(&mut self, mut open: Open, line: &str) {
        if open.chunk.text.len() > MAX_ENTRY_BYTES {
            self.emit(open.chunk);
            return self.begin(line);
        }
        match open.next(line) {
            Next::Before => {
                self.emit(open.chunk);
                self.begin(line);
            }
            Next::After => {
                self.after_board = matches!(open.kind, Kind::Drawn(_));
                open.chunk.text.push_str(line);
                self.emit(open.chunk);
            }
            Next::Inside => {
                open.chunk.text.push_str(line);
                open.chunk.text.push('\n');
                self.open = Some(open);
            }
            Next::Brackets => self.close_brackets(open, line),
        }
    }

    /// Adds a line to a bracketed game and cuts off the games that end in it.
    fn close_brackets(&mut self, open: Open, line: &str) {
        let Kind::Bracketed(mut brackets) = open.kind else { unreachable!("asked for by brackets only") };
        let Chunk { line: mut begin, mut text } = open.chunk;
        text.push_str(line);
        text.push('\n');
        let mut rest = text.as_str();
        loop {
            let Some(end) = brackets.end(rest) else {
                let chunk = Chunk { line: begin, text: rest.to_string() };
                // What has no bracket is no game, and has no end either.
                match brackets.depth {
                    0 => self.emit(chunk),
                    _ => self.open = Some(Open { chunk, kind: Kind::Bracketed(brackets) }),
                }
                return;
            };
            self.emit(Chunk { line: begin, text: rest[..end].to_string() });
            (begin, rest, brackets) = (self.line, rest[end..].trim_start(), Brackets::default());
            if rest.is_empty() {
                return;
            }
            let is_game = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').starts_with('(');
            if !is_game && self.format.is_none() {
                return self.begin(rest.trim_end_matches('\n'));
            }
        }
    }
}

impl Open {
    fn next(&mut self, line: &str) -> Next {
        let is_first = self.chunk.text.is_empty();
        match &mut self.kind {
            Kind::Bracketed(_) if !is_first && begins_game(line) => Next::Before,
            Kind::Bracketed(_) => Next::Brackets,
            Kind::Pgn { in_moves, in_comment } => next_of_pgn(in_moves, in_comment, line),
            Kind::Drawn(board) => board.next(line, &self.chunk.text),
            Kind::Listed { lines } => {
                *lines += 1;
                match is_open_list(&format!("{}{line}", self.chunk.text)) && *lines < MAX_LIST_LINES {
                    true => Next::Inside,
                    false => Next::After,
                }
            }
            Kind::Numbered if is_first || move_number(line).is_some_and(|number| number > 1) => Next::Inside,
            Kind::Numbered => Next::Before,
        }
    }
}

fn next_of_pgn(in_moves: &mut bool, in_comment: &mut bool, line: &str) -> Next {
    let trimmed = line.trim();
    let ends = trimmed.starts_with('[') || separates(trimmed);
    if !*in_comment && (ends || trimmed.starts_with('%')) {
        return if *in_moves && ends { Next::Before } else { Next::Inside };
    }
    *in_moves |= !trimmed.is_empty();
    let mut last = "";
    let mut rest = trimmed;
    // The last word outside of comments.
    loop {
        if *in_comment {
            let Some((_, after)) = rest.split_once('}') else { return Next::Inside };
            (*in_comment, rest, last) = (false, after, "");
        }
        let end = rest.find(['{', ';']).unwrap_or(rest.len());
        last = rest[..end].split_whitespace().next_back().unwrap_or(last);
        if !rest[end..].starts_with('{') {
            break;
        }
        (*in_comment, rest) = (true, &rest[end + 1..]);
    }
    if is_result(last) { Next::After } else { Next::Inside }
}

/// A line with which a game begins for certain, whatever is still open.
fn begins_game(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit());
    line.strip_prefix("(;")
        .is_some_and(|tags| ["GM[", "FF["].iter().any(|tag| tags.trim_start().starts_with(tag)))
}

/// The number with which a plain line begins, if it is a move number: `1.`, `1)`, `1: f5`, `1 f5`, `| 1 | f5`.
fn move_number(line: &str) -> Option<u32> {
    let line = line.trim_start_matches(|c: char| c == '|' || c.is_whitespace());
    let end = line.find(|c: char| !c.is_ascii_digit()).filter(|&end| end > 0)?;
    let rest = &line[end..];
    let moves = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '|' || c == ':');
    let is_number = rest.starts_with(['.', ')']) || moves.len() < rest.len() && lex_move(moves).is_some();
    is_number.then(|| line[..end].parse().ok()).flatten()
}

/// Whether brackets around moves or squares are open at the end of a plain text.
fn is_open_list(text: &str) -> bool {
    if !text.starts_with(['[', '{']) || text.len() > MAX_LIST_BYTES || !is_in_brackets(text) {
        return false;
    }
    let count = |signs: [char; 2]| text.matches(signs).count();
    count(['[', '{']) > count([']', '}'])
}

/// Whether a node of a game begins behind its bracket, now or in a later line.
fn begins_node(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty() || text.starts_with([';', '(', ')']) || text.contains(";")
}

/// A line without the `>` before quoted text; columns stay.
fn unquoted(line: &str) -> Cow<'_, str> {
    let rest = line.trim_start_matches(['>', ' ']);
    match line[..line.len() - rest.len()].contains('>') {
        true => format!("{}{rest}", " ".repeat(line.len() - rest.len())).into(),
        false => line.into(),
    }
}

/// Lines between entries: `-----`, `=====`.
fn is_ruler(text: &str) -> bool {
    let is_line = |line: &str| line.trim().is_empty() || row_kind(line) == RowKind::Frame;
    !text.contains(|c: char| c.is_alphanumeric() || BRACKETS.contains(&c) || c == '"')
        && text.lines().take(MAX_BOARD_LINES).all(is_line)
}

impl Brackets {
    /// The byte after the bracket that closes the game in `text`, which has grown since the last call.
    fn end(&mut self, text: &str) -> Option<usize> {
        let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
        let escapes = *self.escapes.get_or_insert_with(|| Format::detect(sample) == SGF);
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(self.scanned) {
            self.scanned += 1;
            match byte {
                b'\\' if self.in_value && escapes => self.scanned += 1,
                b']' => self.in_value = false,
                b'[' => self.in_value = true,
                b'(' if !self.in_value => self.depth += 1,
                b')' if !self.in_value => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(self.scanned);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::GGF;

    /// Line and text of every entry.
    fn split(text: &str) -> Vec<(usize, String)> {
        let mut splitter = Splitter::new(None);
        text.lines().for_each(|line| splitter.push(line));
        splitter.finish();
        std::iter::from_fn(|| splitter.pop()).map(|chunk| (chunk.line, chunk.text)).collect()
    }

    fn entry(line: usize, text: &str) -> (usize, String) {
        (line, text.to_string())
    }

    const ROWS: &str = "--------\n--------\n--------\n---OX---\n---XO---\n--------\n--------\n--------";

    #[test]
    fn lines_are_entries() {
        assert_eq!(split("f5\n\n# a remark\nd6\n% another\n"), [entry(1, "f5"), entry(4, "d6")]);
        assert_eq!(split("\u{feff}f5"), [entry(1, "f5")]);
        assert_eq!(split("rubbish\nf5"), [entry(1, "rubbish"), entry(2, "f5")]);
    }

    #[test]
    fn a_line_is_given_out_at_once() {
        let mut splitter = Splitter::new(None);
        for line in ["f5d6", "(;GM[Othello]B[f5];)", "(;FF[4]GM[2];B[f5])"] {
            splitter.push(line);
            assert_eq!(splitter.pop().map(|chunk| chunk.text).as_deref(), Some(line));
        }
    }

    #[test]
    fn games_in_brackets_end_where_the_brackets_close() {
        let sgf = "(;FF[4]GM[2]C[a \\] (] ;B[f5]\n(;W[d6])\n(;W[f6]))";
        let ggf = "(;GM[Othello]PB[a\\]B[f5];)";
        assert_eq!(
            split(&format!("{sgf}{sgf}\n{ggf} {ggf}\n2 {ggf}{ggf}\nf5")),
            [
                entry(1, sgf),
                entry(3, sgf),
                entry(6, ggf),
                entry(6, ggf),
                entry(7, &format!("2 {ggf}")),
                entry(7, ggf),
                entry(8, "f5"),
            ]
        );
    }

    #[test]
    fn a_damaged_game_costs_no_other() {
        let cut = "(;GM[Othello]PB[a";
        let whole = "(;GM[Othello]B[f5];)";
        assert_eq!(split(&format!("{cut}\n{whole}\n{cut}")), [entry(1, cut), entry(2, whole), entry(3, cut)]);
    }

    #[test]
    fn games_of_pgn_end_at_the_result_or_before_tags() {
        let one = "[Black \"a\"]\n[White \"b\"]\n\n1. f5 d6 {x\n[y] 1-0}\n2. c3 40-24";
        let two = "[Black \"c\"]\n\n1. f5";
        assert_eq!(split(&format!("{one}\n\n{two}\n{two}")), [entry(1, one), entry(8, two), entry(11, two)]);
    }

    #[test]
    fn an_entry_is_open_until_its_end() {
        for (lines, is_open) in [
            (&["f5d6"] as &[&str], &[false] as &[bool]),
            (&["[Black \"a\"]", "", "1. f5 d6 2. c3 *", "d3"], &[true, true, false, false]),
            (&["(;GM[Othello]", "B[f5];)"], &[true, false]),
            (&["1. f5 d6", "2. c3", "list"], &[true, true, false]),
        ] {
            let mut splitter = Splitter::new(None);
            for (line, is_open) in lines.iter().zip(is_open) {
                splitter.push(line);
                assert_eq!(splitter.open().is_some(), *is_open, "{line}");
            }
        }
    }

    #[test]
    fn drawn_boards_end_with_their_side() {
        let framed = "  a b c d e f g h\n1 - - - - - - - - 1\n2 - - - - - - - - 2\n3 - - - . - - - - 3\n\
                      4 - - . O X - - - 4\n5 - - - X O . - - 5\n6 - - - - . - - - 6\n7 - - - - - - - - 7\n\
                      8 - - - - - - - - 8\n  a b c d e f g h\nBlack to move";
        let example = "0 0 0 0 0 0 0 0\n".repeat(8) + "B\n5";
        let glued = format!("{ROWS} X");
        let below = format!("{ROWS}\n\nX");
        assert_eq!(
            split(&[framed, &example, &glued, &below, "f5", &below].join("\n")),
            [
                entry(1, framed),
                entry(12, &example),
                entry(22, &glued),
                entry(30, &below),
                entry(40, "f5"),
                entry(41, &below),
            ]
        );
    }

    #[test]
    fn a_broken_board_ends_where_it_breaks() {
        assert_eq!(split("--------\n---OX---\nf5"), [entry(1, "--------\n---OX---"), entry(3, "f5")]);
        assert_eq!(split(&format!("{ROWS}\n{ROWS}")).len(), 2);
    }

    #[test]
    fn numbered_lists_go_on_in_the_next_line() {
        let text = "1. f5 d6\n2. c3 d3\n1. f5 f6\nf5";
        assert_eq!(split(text), [entry(1, "1. f5 d6\n2. c3 d3"), entry(3, "1. f5 f6"), entry(4, "f5")]);
    }

    #[test]
    fn nothing_is_lost_whatever_comes() {
        const PIECES: [&str; 22] = [
            "(;GM[Othello]",
            "(;FF[4]",
            "B[f5]",
            ";)",
            ")",
            "(",
            "[",
            "]",
            "\\",
            "{",
            "}",
            "[Black \"a\"]",
            "1. f5",
            "2.",
            "*",
            "1-0",
            "--------\n",
            "- - - O X - - -",
            "X",
            "f5d6",
            " ",
            "abcdefgh",
        ];
        // Lines between entries do not count.
        let letters =
            |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect::<String>();
        let mut rng = crate::util::rng::Rng::new(1);
        for _ in 0..5_000 {
            let mut text = String::new();
            for _ in 0..rng.below(30) {
                text.push_str(PIECES[rng.below(PIECES.len() as u32) as usize]);
                text.push_str(["", "\n", "\n", "\n\n"][rng.below(4) as usize]);
            }
            let found: String = split(&text).into_iter().map(|(_, text)| text).collect();
            assert_eq!(letters(&found), letters(&text), "{text}");
        }
    }

    #[test]
    fn many_games_in_one_line_take_neither_stack_nor_time() {
        for piece in ["(;)", "()", "x(;)", "1 (;B[f5])"] {
            let line = piece.repeat(6_000);
            for format in [None, Some(GGF), Some(SGF)] {
                let mut splitter = Splitter::new(format);
                splitter.push(&line);
                splitter.finish();
                assert!(std::iter::from_fn(|| splitter.pop()).count() <= 6_001, "{piece}");
            }
        }
    }

    #[test]
    fn an_endless_entry_is_cut() {
        let mut splitter = Splitter::new(None);
        splitter.push("(;C[");
        for _ in 0..3 * MAX_ENTRY_BYTES / 1000 {
            splitter.push(&"x".repeat(999));
        }
        splitter.finish();
        let longest = std::iter::from_fn(|| splitter.pop()).map(|chunk| chunk.text.len()).max();
        assert!(longest.is_some_and(|longest| longest < MAX_ENTRY_BYTES + 2000));
    }
}
