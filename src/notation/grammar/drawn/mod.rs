//! Drawn boards: the frames that programs print, line by line.

mod screens;

use screens::{game_of_edax, ggs, panel_of_edax, panel_of_play, without_counts};

use super::board::SIDE;
use super::signs::{self, Digits, Form, is_sign};
use super::words::side_of_line;
use crate::board::{Color, Position};
use crate::notation::ParseError;
use crate::notation::error::{Code, Fault, Location};
use crate::notation::plain::plain;

const SUBJECT: &str = "diagram";
/// The heads of messages of GGS with a board.
const HEADS: [&str; 2] = ["/os: update", "/os: look"];
const READY: &str = "READY";

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
enum Stop {
    /// They end too early; the expectation.
    Short(String),
    Wrong(ParseError),
}

type Step<T> = Result<T, Stop>;

/// Whether a drawn board begins with this plain line.
pub fn begins(line: &str) -> bool {
    let line = line.trim();
    bare_row(line).is_some()
        || begins_with_letters(line)
        || line.starts_with('|')
        || HEADS.iter().any(|head| line.starts_with(head))
        || side_of_line(line, Digits::No).is_some()
        || line.starts_with(|c: char| matches!(c, '1'..='8'))
            && (1..=8).any(|number| numbered_row(line, number).is_some())
}

/// The board at the start of plain lines; `None` if more lines must follow.
pub fn read(lines: &[&str]) -> Result<Option<Drawn>, ParseError> {
    match frame(lines) {
        Ok(drawn) => Ok(Some(drawn)),
        Err(Stop::Short(_)) => Ok(None),
        Err(Stop::Wrong(error)) => Err(error),
    }
}

/// Reads a whole text, in which `moves:` may follow: the board and the line behind it.
pub fn parse_begin(text: &str) -> Result<Drawn, ParseError> {
    let plain = plain(text);
    let lines: Vec<&str> = plain.lines().collect();
    frame(&lines).map_err(|stop| match stop {
        Stop::Wrong(error) => error.quoting(text),
        Stop::Short(expected) => {
            let code = if expected.starts_with(SIDE) {
                Code::NoSide
            } else {
                Code::BoardSquares
            };
            ParseError::at(SUBJECT, text, text.trim_end().len(), expected).with(code)
        }
    })
}

/// Reads a board and nothing else, and the seconds of othelloAI's board.
pub fn parse(text: &str) -> Result<(Position, Option<u32>), ParseError> {
    let text = text.trim_end();
    let drawn = parse_begin(text)?;
    match text.lines().nth(drawn.lines) {
        None => Ok((drawn.position, drawn.seconds)),
        Some(line) => Err(wrong(
            drawn.lines,
            0,
            line,
            "the end of the board",
            Code::BesideBoard,
        )),
    }
}

fn wrong(
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

fn stop<T>(
    index: usize,
    at: usize,
    line: &str,
    expected: impl Into<String>,
    code: Code,
) -> Step<T> {
    Err(Stop::Wrong(wrong(index, at, line, expected, code)))
}

/// The next line.
fn line<'a>(lines: &[&'a str], index: usize, expected: impl Into<String>) -> Step<&'a str> {
    lines
        .get(index)
        .copied()
        .ok_or_else(|| Stop::Short(expected.into()))
}

fn frame(lines: &[&str]) -> Step<Drawn> {
    let first = line(lines, 0, "a board")?.trim();
    if first.starts_with('|') || HEADS.iter().any(|head| first.starts_with(head)) {
        return ggs(lines);
    }
    if let Some(side) = side_of_line(first, Digits::No) {
        return numbered(lines, 1, Some(side));
    }
    match begins_with_letters(first) {
        true if is_letters(first) => numbered(lines, 0, None),
        true => game_of_edax(lines),
        false => bare(lines),
    }
}

/// A line of eight signs, all with blanks between them or all without.
fn bare_row(line: &str) -> Option<Row> {
    let row = row_at(line, 0)?;
    (row.end == line.len()).then_some(row)
}

#[derive(Clone, Copy)]
struct Row {
    signs: [char; 8],
    is_spaced: bool,
    /// The number stands behind it, too.
    is_closed: bool,
    /// The byte behind it.
    end: usize,
}

/// Eight signs from byte `at` on, up to a blank or the end.
fn row_at(line: &str, at: usize) -> Option<Row> {
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
fn numbered_row(line: &str, number: usize) -> Option<Row> {
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

fn begins_with_letters(line: &str) -> bool {
    let mut letters = line.chars().filter(|c| !c.is_whitespace());
    let first: String = letters.by_ref().take(8).collect();
    let is_apart = line.trim().get(1..2) == Some(" ");
    is_apart && matches!(first.as_str(), "abcdefgh" | "ABCDEFGH")
}

/// Whether a line names the files and nothing else.
fn is_letters(line: &str) -> bool {
    begins_with_letters(line) && line.chars().filter(|c| !c.is_whitespace()).count() == 8
}

/// The position of eight rows, which all have the same form.
fn position(rows: &[(usize, Row)], form: Form, lines: &[&str], side: Color) -> Step<Position> {
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

/// Eight rows and a line with the side; of othelloAI also a line with seconds.
fn bare(lines: &[&str]) -> Step<Drawn> {
    let mut rows = Vec::new();
    for index in 0..8 {
        let expected = format!("row {} of 8, eight squares X, O or -", index + 1);
        let text = line(lines, index, expected.clone())?;
        match bare_row(text.trim()) {
            Some(row) => rows.push((index, row)),
            None => return stop(index, stranger(text), text, expected, Code::BoardSquares),
        }
    }
    let signs = || rows.iter().flat_map(|(_, row)| row.signs);
    let is_example = signs().any(|sign| sign == '0')
        && signs().all(|sign| matches!(sign, '0' | 'B' | 'W'))
        && signs().any(|sign| sign != '0');
    let text = line(lines, 8, SIDE)?;
    let digits = match signs().any(|sign| sign.is_ascii_digit()) {
        true if !is_example => Digits::OneTwo,
        _ => Digits::No,
    };
    let Some(side) = side_of_line(text, digits) else {
        return match bare_row(text.trim()) {
            Some(_) => stop(
                8,
                0,
                text,
                format!("{SIDE}, behind 8 rows"),
                Code::BoardSquares,
            ),
            None => stop(8, 0, text, SIDE, Code::NoSide),
        };
    };
    let may_be_example = signs().all(|sign| matches!(sign, 'B' | 'W')) && is_number(lines.get(9));
    if !is_example && !may_be_example {
        let position = position(&rows, Form::Drawn, lines, side)?;
        return Ok(Drawn {
            position,
            seconds: None,
            lines: 9,
        });
    }
    let text = line(lines, 9, "the time limit in seconds")?;
    let (true, Ok(seconds)) = (matches!(lines[8].trim(), "B" | "W"), text.trim().parse()) else {
        return stop(9, 0, text, "the time limit in seconds", Code::BesideBoard);
    };
    let position = position(&rows, Form::Example, lines, side)?;
    Ok(Drawn {
        position,
        seconds: Some(seconds),
        lines: 10,
    })
}

/// Whether a line is a whole number.
fn is_number(line: Option<&&str>) -> bool {
    let text = line.map_or("", |line| line.trim());
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The first character of a row that is no square.
fn stranger(text: &str) -> usize {
    text.find(|c: char| !c.is_whitespace() && !is_sign(c))
        .unwrap_or(0)
}

/// Eight numbered rows from line `begin` on, and the texts behind them.
fn rows<'a>(lines: &[&'a str], begin: usize) -> Step<(Vec<(usize, Row)>, Vec<&'a str>)> {
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
fn stranger_of(text: &str) -> usize {
    let begin = text.len()
        - text
            .trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit())
            .len();
    begin + stranger(&text[begin..])
}

/// The letters, eight numbered rows, the letters or not, and the side; or Edax's panel with it.
fn numbered(lines: &[&str], begin: usize, above: Option<Color>) -> Step<Drawn> {
    let text = line(lines, begin, "the letters A to H above the rows")?;
    if !is_letters(text) {
        return stop(
            begin,
            0,
            text,
            "the letters A to H above the rows",
            Code::BoardSquares,
        );
    }
    let (rows, panel) = rows(lines, begin + 1)?;
    let inside = match panel.iter().position(|text| !text.trim().is_empty()) {
        None => None,
        Some(_) => match panel_of_play(&panel) {
            Some(side) => Some(side),
            None => Some(panel_of_edax(lines, &rows, &panel)?),
        },
    };
    if above.is_some() && inside.is_some() {
        return stop(
            0,
            0,
            lines[0],
            "one side to move: the panel names one, too",
            Code::TwoSides,
        );
    }
    let mut end = begin + 9;
    end += usize::from(lines.get(end).is_some_and(|text| is_letters(text)));
    let side = match above.or(inside) {
        Some(side) => side,
        None => {
            let text = line(lines, end, SIDE)?;
            let Some(side) = side_of_line(without_counts(text), digits_of(&rows)) else {
                return stop(end, 0, text, SIDE, Code::NoSide);
            };
            end += 1;
            side
        }
    };
    let position = position(&rows, Form::Drawn, lines, side)?;
    Ok(Drawn {
        position,
        seconds: None,
        lines: end,
    })
}

fn digits_of(rows: &[(usize, Row)]) -> Digits {
    let has_digit = rows
        .iter()
        .flat_map(|(_, row)| row.signs)
        .any(|sign| sign.is_ascii_digit());
    if has_digit {
        Digits::OneTwo
    } else {
        Digits::No
    }
}

/// Whether a line may still belong to the board above it, which is whole without it.
pub fn closes(line: &str) -> bool {
    is_letters(line.trim()) || line.trim() == READY || is_number(Some(&line))
}
