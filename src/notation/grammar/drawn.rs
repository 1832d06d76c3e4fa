//! Drawn boards: the table of the frames that programs print, and its reader.

use std::borrow::Cow;

use super::board::{Digits, Form, SIDE, is_sign, read_signs};
use super::words::side_of_line;
use crate::board::{Color, Position};
use crate::notation::ParseError;
use crate::notation::error::{Code, Fault, Location};
use crate::notation::scanner::{first_word, plain};

const SUBJECT: &str = "diagram";
/// othelloAI's file: `0`, `B` and `W`, the side, the seconds.
const EXAMPLE: &str = "8R;B;N";
/// The frames, a line of each before every `;`. `8` begins eight lines, `?` a line that may be missing, `|` one with the bar
/// of GGS. Words: `L` the letters, `n` the number of the row, `m` the same or nothing, `R` eight squares, `S` a side, `T`
/// its sign, `N` a number, `C` a clock, `~` any text; [`Board::word`] has the others.
const FRAMES: [&str; 10] = [
    EXAMPLE,
    "8R;S",
    "S;L;8n R m;?L",
    "L;8n R m;?L;S",
    "L;8n R m;?L;S to move, N X, N O",
    "L;n R m ~;n R m ~;n R m ~;n R m Move N: S to move;n R m ~;n R m ~;n R m ~;n R m ~;?L",
    "L;n R n;n R n T to move;n R n;n R n *: discs = N moves = N;n R n O: discs = N moves = N;\
     n R n empties = N ply = N;n R n;n R n;?L",
    "L BLACK L;n R n C Q;n R n N discs N moves Q;n R n Q;n R n ply N (N empties) Q;\
     n R n Y turn Z Q;n R n Q;n R n N discs N moves Q;n R n C Q;L WHITE L",
    "?/os: H ~;?|N: ~;?|;|L;8|n R m;?|L;?|;|T to move;?READY",
    "?/os: H ~;?|N: ~;|K;|K;?|;|L;8|n R m;?|L;?|;|T to move;?READY",
];
/// The first frame of GGS.
const GGS: usize = 8;

/// A drawn board.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    pub position: Position,
    /// The time of othelloAI's board.
    pub seconds: Option<u32>,
    /// Number of its lines.
    pub lines: usize,
}

/// How lines fit a frame.
enum Fit {
    Whole(Drawn),
    /// They end too early; the expectation and its code.
    Short(String, Code),
    /// A line does not fit; the number of lines before it.
    Wrong(usize, ParseError),
}

/// The byte of a line that does not fit, the expectation and its code.
type Misfit = (usize, String, Code);

/// Whether a drawn board begins with this plain line.
pub fn begins(line: &str) -> bool {
    let line = line.trim();
    let mut board = Board::default();
    row_of(line).is_some_and(|row| row.length == line.len())
        || letters(line).is_some()
        || is_of_ggs(line)
        || side_of_line(line, Digits::No).is_some()
        || line.starts_with(|c: char| matches!(c, '1'..='8'))
            && (1..=8).any(|number| board.fits("n R m ~", line, number).is_ok())
}

/// Whether a message of GGS with a board begins with this line.
fn is_of_ggs(line: &str) -> bool {
    ["|", "/os: update", "/os: look"]
        .iter()
        .any(|head| line.starts_with(head))
}

/// Whether a line may still belong to the board above it, which is whole without it.
pub fn closes(line: &str) -> bool {
    let line = line.trim();
    letters(line) == Some(line.len()) || line == "READY" || is_number(line)
}

/// The board at the start of plain lines; `None` if more lines must follow.
pub fn read(lines: &[&str]) -> Result<Option<Drawn>, ParseError> {
    match frame(lines) {
        Fit::Whole(drawn) => Ok(Some(drawn)),
        Fit::Short(..) => Ok(None),
        Fit::Wrong(_, error) => Err(error),
    }
}

/// Reads a whole text, in which `moves:` may follow: the board and the line behind it.
pub fn parse_begin(text: &str) -> Result<Drawn, ParseError> {
    let plain = plain(text);
    let lines: Vec<&str> = plain.lines().collect();
    match frame(&lines) {
        Fit::Whole(drawn) => Ok(drawn),
        Fit::Short(expected, code) => {
            Err(ParseError::at(SUBJECT, text, text.trim_end().len(), expected).with(code))
        }
        Fit::Wrong(_, error) => Err(error.quoting(text)),
    }
}

/// Reads a board and nothing else, and the seconds of othelloAI's board.
pub fn parse(text: &str) -> Result<(Position, Option<u32>), ParseError> {
    let text = text.trim_end();
    let drawn = parse_begin(text)?;
    match text.lines().nth(drawn.lines) {
        None => Ok((drawn.position, drawn.seconds)),
        Some(line) => {
            let expected = "the end of the board".to_owned();
            Err(wrong(drawn.lines, line, (0, expected, Code::BesideBoard)))
        }
    }
}

/// The first frame that the lines fit, else one that they may still fit, else the one with most lines that fit.
fn frame(lines: &[&str]) -> Fit {
    let rank = |fit: &Fit| match fit {
        Fit::Whole(_) => usize::MAX,
        Fit::Short(..) => usize::MAX - 1,
        Fit::Wrong(count, _) => *count,
    };
    let first = lines.first().map_or("", |line| line.trim());
    let frames = match is_of_ggs(first) {
        true => &FRAMES[GGS..],
        false => &FRAMES[..GGS],
    };
    let fits = frames.iter().map(|frame| fit(frame, lines));
    let better = |best: Fit, fit: Fit| if rank(&fit) > rank(&best) { fit } else { best };
    fits.reduce(better).expect("there are frames")
}

fn wrong(index: usize, line: &str, (at, expected, code): Misfit) -> ParseError {
    let at = line.floor_char_boundary(at);
    let location = Location::Text {
        line: index + 1,
        column: line[..at].chars().count() + 1,
    };
    ParseError::new(SUBJECT, location, Fault::unexpected(expected, &line[at..])).with(code)
}

fn fit(frame: &str, lines: &[&str]) -> Fit {
    let mut board = Board::default();
    let mut at = 0;
    for pattern in frame.split(';') {
        let optional = pattern.strip_prefix('?');
        let pattern = optional.unwrap_or(pattern);
        let rows = pattern.strip_prefix('8');
        for _ in 0..if rows.is_some() { 8 } else { 1 } {
            let number = board.rows.len() + 1;
            let pattern = rows.unwrap_or(pattern);
            let taken = match lines.get(at) {
                Some(line) => board.fits(pattern, line, number),
                None if optional.is_some() => break,
                None => {
                    let word = pattern.trim_start_matches('|').split(' ').next();
                    let (expected, code) = expectation(word.unwrap_or_default(), number);
                    return Fit::Short(expected, code);
                }
            };
            match taken {
                Ok(()) => {
                    if board.rows.len() == number {
                        board.places.push(at);
                    }
                    at += 1;
                }
                Err(_) if optional.is_some() => {}
                Err(misfit) => {
                    // Emilia's screen allows any text behind its rows, so its lines show no fault.
                    let count = if frame.contains("m ~") { 0 } else { at };
                    return Fit::Wrong(count, wrong(at, lines[at], misfit));
                }
            }
        }
    }
    let form = if frame == EXAMPLE {
        Form::Example
    } else {
        Form::Drawn
    };
    let signs: Vec<char> = board.rows.iter().flat_map(|row| row.signs).collect();
    let signs = signs.first_chunk().expect("eight rows have 64 signs");
    match read_signs(signs, form) {
        Ok((black, white, _)) => Fit::Whole(Drawn {
            position: Position::from_discs(black, white, board.side),
            seconds: board.seconds,
            lines: at,
        }),
        Err((square, expected, code)) => {
            let index = board.places[square / 8];
            Fit::Wrong(8, wrong(index, lines[index], (0, expected, code)))
        }
    }
}

/// The expectation in place of a word of a frame.
fn expectation(word: &str, number: usize) -> (String, Code) {
    match word {
        "R" | "n" => (
            format!("row {number} of 8, eight squares X, O or -"),
            Code::BoardSquares,
        ),
        "S" | "T" | "B" => (SIDE.to_owned(), Code::NoSide),
        "L" => (
            "the letters A to H above the rows".to_owned(),
            Code::BoardSquares,
        ),
        "N" => ("the time limit in seconds".to_owned(), Code::BoardSquares),
        _ => (
            "the end of the line, or the panel of a known screen".to_owned(),
            Code::BesideBoard,
        ),
    }
}

struct Row {
    signs: [char; 8],
    is_spaced: bool,
    /// The bytes of its squares.
    length: usize,
}

/// The parts of a board that were read.
struct Board {
    rows: Vec<Row>,
    /// The index of the line of each row.
    places: Vec<usize>,
    /// Whether the rows have their number behind them, too.
    is_closed: Option<bool>,
    side: Color,
    seconds: Option<u32>,
}

impl Default for Board {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            places: Vec::new(),
            is_closed: None,
            side: Color::Black,
            seconds: None,
        }
    }
}

impl Board {
    /// Takes a line by its pattern; `number` is that of the row.
    fn fits(&mut self, pattern: &str, line: &str, number: usize) -> Result<(), Misfit> {
        let misfit = |word: &str, at: usize| {
            let (expected, code) = expectation(word, number);
            (at, expected, code)
        };
        let (pattern, text) = match pattern.strip_prefix('|') {
            None => (pattern, line),
            Some(inner) => match line.trim_start().strip_prefix('|') {
                None => return Err(misfit("R", 0)),
                Some(text) => (inner, text),
            },
        };
        let text = match pattern.starts_with('n') {
            true => unmarked(text),
            false => text.into(),
        };
        let mut rest = text.trim_start();
        let mut words = pattern.split(' ').peekable();
        while let Some(word) = words.next() {
            rest = rest.trim_start();
            let at = line.len() - rest.len();
            let Some(length) = self.word(word, rest, number, words.peek().is_none()) else {
                let is_row = row_of(rest).is_some();
                return Err(match word {
                    "S" if is_row => misfit("R", at),
                    "R" | "n" => misfit(word, at + stranger(rest)),
                    "L" if line.trim_start().starts_with('|') => misfit("", at),
                    _ => misfit(word, at),
                });
            };
            rest = &rest[length..];
        }
        match rest.trim().is_empty() {
            true => Ok(()),
            false => {
                let word = if pattern.ends_with('R') { "R" } else { "" };
                Err(misfit(word, line.len() - rest.trim_start().len()))
            }
        }
    }

    /// The length of the text that a word of a pattern means, at the start of `rest`.
    fn word(&mut self, want: &str, rest: &str, number: usize, is_last: bool) -> Option<usize> {
        let word = first_word(rest);
        let is_of_row = word == number.to_string();
        let sided = |side: Option<Color>| side.map(|side| (side, word.len()));
        let (side, length) = match want {
            "R" => return self.row(rest),
            "L" => return letters(rest),
            "n" => return is_of_row.then_some(word.len()),
            "m" => {
                let is_alike = *self.is_closed.get_or_insert(is_of_row) == is_of_row;
                return is_alike.then_some(if is_of_row { word.len() } else { 0 });
            }
            "~" => return Some(rest.len()),
            "K" => return (rest.contains("*) ") || rest.contains("O) ")).then_some(rest.len()),
            "H" => return matches!(word, "update" | "look").then_some(word.len()),
            "C" => return word.chars().all(is_clock).then_some(word.len()),
            "Q" => return is_second(rest, number).then_some(rest.len()),
            "Z" => {
                let sign = ["(*)", "(O)"][self.side as usize];
                return (word == sign).then_some(word.len());
            }
            "B" => sided(of_two(word, ["B", "W"]))?,
            "T" => sided(of_two(word, ["*", "O"]))?,
            "Y" => sided(of_two(word, ["Black's", "White's"]))?,
            "S" => {
                let text = if is_last { rest.trim_end() } else { word };
                (side_of_line(text, self.digits())?, text.len())
            }
            _ => {
                let Some((before, after)) = want.split_once('N') else {
                    return (word == want).then_some(word.len());
                };
                let digits = word.strip_prefix(before)?.strip_suffix(after)?;
                if want == "N" && is_last && self.rows.len() == 8 {
                    self.seconds = Some(digits.parse().ok()?);
                }
                return is_number(digits).then_some(word.len());
            }
        };
        self.side = side;
        Some(length)
    }

    fn row(&mut self, rest: &str) -> Option<usize> {
        let row = row_of(rest)?;
        let is_alike = |first: &Row| first.is_spaced == row.is_spaced;
        let length = row.length;
        let fits = self.rows.first().is_none_or(is_alike);
        self.rows.extend(fits.then_some(row));
        fits.then_some(length)
    }

    fn digits(&self) -> Digits {
        let mut signs = self.rows.iter().flat_map(|row| row.signs);
        match signs.any(|sign| sign.is_ascii_digit()) {
            true => Digits::OneTwo,
            false => Digits::No,
        }
    }
}

/// Eight signs at the start of a text, up to a blank or the end, all with blanks between them or all without.
fn row_of(text: &str) -> Option<Row> {
    let mut signs = ['-'; 8];
    let mut length = 0;
    let mut blanks = 0;
    for (index, sign) in signs.iter_mut().enumerate() {
        let rest = &text[length..];
        let trimmed = rest.trim_start();
        blanks += usize::from(index > 0 && trimmed.len() < rest.len());
        *sign = trimmed.chars().next().filter(|c| is_sign(*c))?;
        length += rest.len() - trimmed.len() + sign.len_utf8();
    }
    let rest = &text[length..];
    let is_end = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (is_end && matches!(blanks, 0 | 7)).then_some(Row {
        signs,
        is_spaced: blanks == 7,
        length,
    })
}

/// The length of the letters of the files at the start of a text, with blanks between them.
fn letters(text: &str) -> Option<usize> {
    let mut length = 0;
    let first = text.chars().next()?.to_ascii_lowercase();
    for index in 0..8 {
        let rest = &text[length..];
        let blanks = rest.len() - rest.trim_start().len();
        let letter = text.as_bytes()[0] + index;
        let is_next = rest.as_bytes().get(blanks) == Some(&letter);
        if first != 'a' || !is_next || (index > 0) != (blanks > 0) {
            return None;
        }
        length += blanks + 1;
    }
    let behind = text[length..].chars().next();
    behind.is_none_or(char::is_whitespace).then_some(length)
}

/// A line without the brackets around the last move on Emilia's screen.
fn unmarked(line: &str) -> Cow<'_, str> {
    let marked = line
        .split_once('[')
        .and_then(|(before, rest)| Some((before, rest.split_once(']')?)));
    match marked {
        Some((before, (disc, behind))) if disc.chars().count() == 1 => {
            format!("{before} {disc} {behind}").into()
        }
        _ => line.into(),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_clock(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, ':' | '.')
}

/// The side of the first or second word.
fn of_two(word: &str, [black, white]: [&str; 2]) -> Option<Color> {
    match word {
        _ if word == black => Some(Color::Black),
        _ if word == white => Some(Color::White),
        _ => None,
    }
}

/// Whether a text is a row of Edax's second board with its numbers.
fn is_second(text: &str, number: usize) -> bool {
    let is_cell = |cell: &str| {
        let cell = cell.trim();
        matches!(cell, "##" | "()") || cell.bytes().all(|b| b.is_ascii_digit())
    };
    let parts: Vec<&str> = text.split('|').collect();
    let is_number = |part: &&str| part.trim() == number.to_string();
    parts.len() == 10
        && [parts[0], parts[9]].iter().all(is_number)
        && parts[1..9].iter().all(|cell| is_cell(cell))
}

/// The first character of a row that is no square.
fn stranger(text: &str) -> usize {
    let digits = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit());
    let begin = if is_sign(text.chars().next().unwrap_or(' ')) {
        0
    } else {
        text.len() - digits.len()
    };
    let strange = text[begin..].find(|c: char| !c.is_whitespace() && !is_sign(c));
    strange.map_or(0, |at| begin + at)
}
