//! Where one entry of a text ends and the next begins, line by line, whatever the notations are.
//!
//! Entries are single lines (moves, boards, OBF, FEN, hexadecimal), bracketed games (GGF, SGF), PGN games, drawn
//! boards, and numbered move lists that go on over several lines. They may be mixed. Blank lines between entries and
//! lines that begin with `#` or `%` do not count. What an entry says is not looked at: a damaged one is cut where
//! the next begins, so that one fault costs one entry.

use std::collections::VecDeque;

use super::diagram::{RowKind, row_kind};
use super::pgn::is_result;
use super::position::Format;

/// The longest entry that is taken, in bytes; a game of 60 moves with comments needs some thousands.
pub const MAX_ENTRY_BYTES: usize = 1 << 20;
/// As far as this a game is looked at to tell SGF from GGF.
const SAMPLE_BYTES: usize = 512;
/// More lines than a drawn board with its frame has.
const MAX_BOARD_LINES: usize = 40;

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
    Drawn { rows: usize, lines: usize, wants_seconds: bool },
    /// Before a line that does not go on with a move number.
    Numbered,
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
    pub fn push(&mut self, line: &str) {
        self.line += 1;
        let line = line.trim_start_matches('\u{feff}');
        match self.open.take() {
            None => self.begin(line),
            Some(open) => self.go_on(open, line),
        }
    }

    /// Takes the end of the text.
    pub fn finish(&mut self) {
        if let Some(open) = self.open.take() {
            self.emit(open.chunk);
        }
        self.line = 0;
    }

    /// The next whole entry.
    pub fn pop(&mut self) -> Option<Chunk> {
        self.done.pop_front()
    }

    fn emit(&mut self, mut chunk: Chunk) {
        chunk.text.truncate(chunk.text.trim_end().len());
        if !chunk.text.is_empty() {
            self.done.push_back(chunk);
        }
    }

    /// Takes a line with which an entry begins.
    fn begin(&mut self, line: &str) {
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with(['#', '%']) {
            return;
        }
        let chunk = Chunk { line: self.line, text: String::new() };
        match self.kind_of(trimmed) {
            Some(kind) => self.go_on(Open { chunk, kind }, line),
            None => self.emit(Chunk { text: line.to_string(), ..chunk }),
        }
    }

    /// The kind of an entry of several lines that begins so, `None` for one of a single line.
    fn kind_of(&self, line: &str) -> Option<Kind> {
        let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let drawn = Kind::Drawn { rows: 0, lines: 0, wants_seconds: false };
        match self.format {
            Some(Format::Ggf | Format::Sgf) => Some(Kind::Bracketed(Brackets::default())),
            Some(Format::Pgn) => Some(Kind::Pgn { in_moves: false, in_comment: false }),
            Some(Format::Diagram | Format::ExampleBoard) => Some(drawn),
            Some(Format::Hex | Format::Fen | Format::Obf | Format::Wthor) => None,
            Some(Format::Moves | Format::Board) | None => match () {
                () if matches!(row_kind(line), RowKind::Frame | RowKind::Row | RowKind::Board) => Some(drawn),
                () if unnumbered.len() < line.len() && unnumbered.starts_with(['.', ')']) => {
                    Some(Kind::Numbered)
                }
                () if self.format.is_some() => None,
                () if unnumbered.trim_start().starts_with('(') => Some(Kind::Bracketed(Brackets::default())),
                () if line.starts_with('[') => Some(Kind::Pgn { in_moves: false, in_comment: false }),
                () => None,
            },
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

/// Where an entry ends, as the next line tells.
enum Next {
    /// Before the line.
    Before,
    /// With the line.
    After,
    /// Not yet.
    Inside,
    /// Perhaps inside the line.
    Brackets,
}

impl Open {
    fn next(&mut self, line: &str) -> Next {
        let is_first = self.chunk.text.is_empty();
        match &mut self.kind {
            Kind::Bracketed(_) if !is_first && begins_game(line) => Next::Before,
            Kind::Bracketed(_) => Next::Brackets,
            Kind::Pgn { in_moves, in_comment } => next_of_pgn(in_moves, in_comment, line),
            Kind::Drawn { rows, lines, wants_seconds } => {
                *lines += 1;
                if *lines > MAX_BOARD_LINES {
                    return Next::Before;
                }
                next_of_board(rows, wants_seconds, line, &self.chunk.text)
            }
            Kind::Numbered if is_first || move_number(line).is_some_and(|number| number > 1) => Next::Inside,
            Kind::Numbered => Next::Before,
        }
    }
}

fn next_of_pgn(in_moves: &mut bool, in_comment: &mut bool, line: &str) -> Next {
    let trimmed = line.trim();
    if trimmed.starts_with('[') && !*in_comment {
        return if *in_moves { Next::Before } else { Next::Inside };
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

fn next_of_board(rows: &mut usize, wants_seconds: &mut bool, line: &str, text: &str) -> Next {
    let trimmed = line.trim();
    if *wants_seconds {
        let is_number = !trimmed.is_empty() && trimmed.bytes().all(|b| b.is_ascii_digit());
        return if is_number { Next::After } else { Next::Before };
    }
    match row_kind(line) {
        RowKind::Frame => Next::Inside,
        RowKind::Row if *rows < 8 => {
            *rows += 1;
            Next::Inside
        }
        RowKind::Board if *rows == 0 => {
            *rows = 8;
            Next::Inside
        }
        // The side to move stands behind the last row.
        RowKind::RowAndSide if *rows == 7 => Next::After,
        _ if trimmed.is_empty() => Next::Inside,
        RowKind::Side if *rows == 8 => {
            // The file of othelloAI has the seconds in one more line.
            let is_example = |b: u8| b.is_ascii_whitespace() || b"0BWbw".contains(&b);
            *wants_seconds = trimmed.len() == 1 && text.bytes().all(is_example);
            if *wants_seconds { Next::Inside } else { Next::After }
        }
        _ if text.is_empty() => Next::After,
        _ => Next::Before,
    }
}

/// A line with which a game begins for certain, whatever is still open.
fn begins_game(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit());
    line.strip_prefix("(;")
        .is_some_and(|tags| ["GM[", "FF["].iter().any(|tag| tags.trim_start().starts_with(tag)))
}

/// The number with which a line begins, if it is a move number.
fn move_number(line: &str) -> Option<u32> {
    let line = line.trim_start();
    let end = line.find(|c: char| !c.is_ascii_digit())?;
    line[end..].starts_with(['.', ')']).then(|| line[..end].parse().ok()).flatten()
}

impl Brackets {
    /// The byte after the bracket that closes the game in `text`, which has grown since the last call.
    fn end(&mut self, text: &str) -> Option<usize> {
        let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
        let escapes = *self.escapes.get_or_insert_with(|| Format::detect(sample) == Format::Sgf);
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
            "--------",
            "- - - O X - - -",
            "X",
            "f5d6",
            " ",
            "abcdefgh",
        ];
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
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
            for format in [None, Some(Format::Ggf), Some(Format::Sgf)] {
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
