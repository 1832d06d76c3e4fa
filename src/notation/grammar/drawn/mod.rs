//! Drawn boards: the frames that programs print, line by line.

mod rows;
mod screens;

use rows::*;
use screens::{game_of_edax, ggs, panel_of_edax, panel_of_play, without_counts};

use super::board::SIDE;
use super::signs::{Digits, Form};
use super::words::side_of_line;
use crate::board::{Color, Position};
use crate::notation::ParseError;
use crate::notation::error::Code;
use crate::notation::plain::plain;

/// The heads of messages of GGS with a board.
const HEADS: [&str; 2] = ["/os: update", "/os: look"];
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
