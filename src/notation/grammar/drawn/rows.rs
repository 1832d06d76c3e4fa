//! The rows of drawn boards.

use super::super::signs::{self, Form, is_sign};
use crate::board::{Color, Position};
use crate::notation::ParseError;
use crate::notation::error::{Code, Fault, Location};

pub const SUBJECT: &str = "diagram";

pub const READY: &str = "READY";

/// A drawn board.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    pub position: Position,
    /// The time of othelloAI's board.
    pub seconds: Option<u32>,
    /// Number of its lines.
    pub lines: usize,
}

/// Why lines are no whole board.
pub enum Stop {
    /// They end too early; the expectation.
    Short(String),
    Wrong(ParseError),
}

pub type Step<T> = Result<T, Stop>;

pub fn wrong(
    index: usize,
    at: usize,
    line: &str,
    expected: impl Into<String>,
    code: Code,
) -> ParseError {
    let at = line.floor_char_boundary(at);
    let location = Location::Text {
        line: index + 1,
        column: line[..at].chars().count() + 1,
    };
    ParseError::new(
        SUBJECT,
        location,
        Fault::unexpected(expected.into(), &line[at..]),
    )
    .with(code)
}

pub fn stop<T>(
    index: usize,
    at: usize,
    line: &str,
    expected: impl Into<String>,
    code: Code,
) -> Step<T> {
    Err(Stop::Wrong(wrong(index, at, line, expected, code)))
}

/// The next line.
pub fn line<'a>(lines: &[&'a str], index: usize, expected: impl Into<String>) -> Step<&'a str> {
    lines
        .get(index)
        .copied()
        .ok_or_else(|| Stop::Short(expected.into()))
}

#[derive(Clone, Copy)]
pub struct Row {
    pub signs: [char; 8],
    pub is_spaced: bool,
    /// The number stands behind it, too.
    pub is_closed: bool,
    /// The byte behind it.
    pub end: usize,
}

/// Eight signs from byte `at` on, up to a blank or the end.
pub fn row_at(line: &str, at: usize) -> Option<Row> {
    let mut signs = ['-'; 8];
    let mut end = at;
    let mut blanks = 0;
    for (index, sign) in signs.iter_mut().enumerate() {
        let rest = &line[end..];
        let trimmed = rest.trim_start();
        blanks += usize::from(index > 0 && trimmed.len() < rest.len());
        *sign = trimmed.chars().next().filter(|c| is_sign(*c))?;
        end += rest.len() - trimmed.len() + sign.len_utf8();
    }
    let is_end = line[end..].is_empty() || line[end..].starts_with(char::is_whitespace);
    (is_end && matches!(blanks, 0 | 7)).then_some(Row {
        signs,
        is_spaced: blanks == 7,
        is_closed: false,
        end,
    })
}

/// A row behind its number, with the number behind it or not.
pub fn numbered_row(line: &str, number: usize) -> Option<Row> {
    // The last move on Emilia's screen.
    if let Some((before, rest)) = line.split_once('[')
        && let Some((disc, behind)) = rest.split_once(']')
        && disc.chars().count() == 1
    {
        let bare = format!("{before} {disc} {behind}");
        return numbered_row(&bare, number);
    }
    let begin = line.len() - line.trim_start().len();
    let digit = char::from(b'0' + number as u8);
    let rest = line[begin..].strip_prefix(digit)?;
    if !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let mut row = row_at(line, begin + 1)?;
    let behind = line[row.end..].trim_start();
    if let Some(rest) = behind.strip_prefix(digit)
        && (rest.is_empty() || rest.starts_with(char::is_whitespace))
    {
        row.is_closed = true;
        row.end = line.len() - rest.len();
    }
    Some(row)
}

pub fn begins_with_letters(line: &str) -> bool {
    let mut letters = line.chars().filter(|c| !c.is_whitespace());
    let first: String = letters.by_ref().take(8).collect();
    let is_apart = line.trim().get(1..2) == Some(" ");
    is_apart && matches!(first.as_str(), "abcdefgh" | "ABCDEFGH")
}

/// Whether a line names the files and nothing else.
pub fn is_letters(line: &str) -> bool {
    begins_with_letters(line) && line.chars().filter(|c| !c.is_whitespace()).count() == 8
}

/// The position of eight rows, which all have the same form.
pub fn position(rows: &[(usize, Row)], form: Form, lines: &[&str], side: Color) -> Step<Position> {
    let signs: Vec<char> = rows.iter().flat_map(|(_, row)| row.signs).collect();
    if let Some((index, _)) = rows.iter().find(|(_, row)| {
        row.is_spaced != rows[0].1.is_spaced || row.is_closed != rows[0].1.is_closed
    }) {
        let expected =
            "a row with blanks between the squares and the number behind, or not, as the first row";
        return stop(*index, 0, lines[*index], expected, Code::BoardSquares);
    }
    let signs = signs.first_chunk().expect("eight rows have 64 signs");
    let (black, white, _) = match signs::read(signs, form) {
        Ok(discs) => discs,
        Err((square, expected, code)) => {
            let index = rows[square / 8].0;
            return stop(index, 0, lines[index], expected, code);
        }
    };
    Ok(Position::from_discs(black, white, side))
}

/// The first character of a row that is no square.
pub fn stranger(text: &str) -> usize {
    text.find(|c: char| !c.is_whitespace() && !is_sign(c))
        .unwrap_or(0)
}

/// Eight rows, each with the index of its line, and the texts behind them.
type Rows<'a> = (Vec<(usize, Row)>, Vec<&'a str>);

/// Eight numbered rows from line `begin` on.
pub fn rows<'a>(lines: &[&'a str], begin: usize) -> Step<Rows<'a>> {
    let mut rows = Vec::new();
    let mut panel = Vec::new();
    for number in 1..=8 {
        let index = begin + number - 1;
        let text = line(lines, index, format!("row {number} of 8"))?;
        let Some(row) = numbered_row(text, number) else {
            let expected =
                format!("a square of row {number}, X, O or -, behind the number of the row");
            return stop(index, stranger_of(text), text, expected, Code::BoardSquares);
        };
        panel.push(&text[row.end..]);
        rows.push((index, row));
    }
    Ok((rows, panel))
}

/// The first character behind the number of a row that is no square.
pub fn stranger_of(text: &str) -> usize {
    let begin = text.len()
        - text
            .trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit())
            .len();
    begin + stranger(&text[begin..])
}
