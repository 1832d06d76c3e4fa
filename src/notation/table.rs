//! Tables with a line of names: positions, moves, results.

use super::error::Code;
use super::formats::format::Detected;
use super::formats::{BOARD, FEN, HEX, OBF};
use super::grammar::board::holds_board;
use super::grammar::list::MoveList;
use super::grammar::words::result_of_word;
use super::read::Class;
use super::record::agreed;
use super::{GameResult, How, ParseError};
use crate::board::{Color, Position};

const SUBJECT: &str = "table";

/// The meanings of columns and their names, in small letters and without `_`.
const KNOWN: [&str; 5] = [
    "position board",
    "side",
    "moves gamemoves transcript",
    "id",
    "result winner",
];

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    separator: char,
    count: usize,
    /// The place of each known column.
    places: [Option<usize>; KNOWN.len()],
    /// The results stand under `winner`: 1 is Black, -1 White, 0 a draw.
    is_winner: bool,
    /// The names that are not read.
    pub unread: Vec<String>,
}

/// The columns that a line names; `None` for a line that is no header.
///
/// # Errors
/// Two columns of one meaning, an empty name, or neither positions nor moves.
pub fn header(line: &str) -> Result<Option<Columns>, ParseError> {
    let line = line.trim_end();
    let mut signs = [',', ';', '\t']
        .into_iter()
        .filter(|sign| line.contains(*sign));
    let separator = signs.next().unwrap_or(',');
    if signs.next().is_some() || line.len() > 1000 {
        return Ok(None);
    }
    let Ok(cells) = cells(line, separator) else {
        return Ok(None);
    };
    let names: Vec<&str> = cells.iter().map(|(_, name)| name.as_str()).collect();
    let meaning = |name: &str| {
        let name = name.to_lowercase().replace('_', "");
        KNOWN
            .iter()
            .position(|names| names.split(' ').any(|known| known == name))
    };
    if !names.iter().all(|name| is_name(name)) || !names.iter().any(|name| meaning(name).is_some())
    {
        return Ok(None);
    }
    let mut columns = Columns {
        separator,
        count: names.len(),
        places: [None; 5],
        unread: Vec::new(),
        is_winner: false,
    };
    for (index, name) in names.iter().enumerate() {
        let error = |expected: &str, code| {
            ParseError::at(SUBJECT, line, cells[index].0, expected.to_owned()).with(code)
        };
        match meaning(name) {
            _ if name.is_empty() => return Err(error("a name for each column", Code::Syntax)),
            None => columns.unread.push((*name).to_owned()),
            Some(known) if columns.places[known].replace(index).is_some() => {
                return Err(error("one column of each meaning", Code::Twice));
            }
            Some(_) => columns.is_winner |= name.eq_ignore_ascii_case("winner"),
        }
    }
    match columns.places[0].or(columns.places[2]) {
        Some(_) => Ok(Some(columns)),
        None => {
            Err(ParseError::at(SUBJECT, line, 0, "a column position or moves").with(Code::NoMoves))
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.');
    name.is_empty() || name.starts_with(char::is_alphabetic) && name.chars().all(is_part)
}

/// The cells of a line without quotes, each with its byte; a doubled quote in quotes is one.
fn cells(line: &str, separator: char) -> Result<Vec<(usize, String)>, ParseError> {
    let mut cells = Vec::new();
    let mut at = 0;
    loop {
        let blank = |c: char| c.is_whitespace() && c != separator;
        let rest = line[at..].trim_start_matches(blank);
        let begin = line.len() - rest.len();
        let Some(quoted) = rest.strip_prefix('"') else {
            let length = rest.find(separator).unwrap_or(rest.len());
            cells.push((begin, rest[..length].trim_end().to_owned()));
            if length == rest.len() {
                return Ok(cells);
            }
            at = begin + length + separator.len_utf8();
            continue;
        };
        let mut value = String::new();
        let mut parts = quoted.split('"').peekable();
        let mut length = 1;
        loop {
            let part = parts.next().unwrap_or_default();
            value.push_str(part);
            length += part.len() + 1;
            match parts.peek() {
                None => {
                    return Err(ParseError::at(
                        SUBJECT,
                        line,
                        line.len(),
                        "a quote behind the cell",
                    ));
                }
                // A doubled quote is an empty part before the next.
                Some(next) if next.is_empty() && rest[length..].starts_with('"') => {
                    parts.next();
                    length += 1;
                    value.push('"');
                }
                Some(_) => break,
            }
        }
        let behind = rest[length..].trim_start_matches(blank);
        cells.push((begin + 1, value));
        at = line.len() - behind.len();
        match behind.chars().next() {
            None => return Ok(cells),
            Some(c) if c == separator => at += c.len_utf8(),
            Some(_) => {
                return Err(ParseError::at(
                    SUBJECT,
                    line,
                    at,
                    "the end of the cell behind its quote",
                ));
            }
        }
    }
}

/// Reads a row.
///
/// # Errors
/// Another number of cells, or the first fault in a cell.
pub fn row(columns: &Columns, line: &str) -> Result<Detected, ParseError> {
    let cells = cells(line, columns.separator).map_err(|error| error.with(Code::Cells))?;
    if cells.len() != columns.count {
        let expected = format!(
            "{} cells, as in the first line; found {}",
            columns.count,
            cells.len()
        );
        return Err(ParseError::doubtful(SUBJECT, line, 0, expected).with(Code::Cells));
    }
    let is_foreign = |(index, (_, text)): (usize, &(usize, String))| {
        columns.places[0] != Some(index) && holds_board(text)
    };
    if cells.iter().enumerate().any(is_foreign) {
        let message = "a board in a cell that is no position";
        return Err(ParseError::doubtful(SUBJECT, line, 0, message).with(Code::BoardInGame));
    }
    let cell = |known: usize| {
        let place = columns.places[known]?;
        let (begin, text) = &cells[place];
        (!text.is_empty()).then_some((line[..*begin].chars().count(), text.as_str()))
    };
    let mut found = match (cell(0), cell(1)) {
        (Some((begin, position)), side) => {
            let side = side.map_or(String::new(), |(_, side)| format!(" {side}"));
            let text = format!("{position}{side}");
            position_in(&text).map_err(|error| error.right(begin))?
        }
        (None, Some((begin, _))) => {
            let message = "a side without a position";
            return Err(ParseError::doubtful(SUBJECT, line, 0, message)
                .with(Code::Cells)
                .right(begin));
        }
        (None, None) if columns.places[0].is_some() => {
            let message = "a row without its position";
            return Err(ParseError::doubtful(SUBJECT, line, 0, message).with(Code::Cells));
        }
        (None, None) => Detected::of(BOARD, Position::START),
    };
    if let Some((begin, moves)) = cell(2) {
        let read =
            MoveList::read(moves).and_then(|list| Ok((list.play(found.position(), moves)?, list)));
        let (game, list) = read.map_err(|error| error.right(begin))?;
        found = Detected::listed(game, list);
    } else if cell(0).is_none() {
        return Err(
            ParseError::doubtful(SUBJECT, line, 0, "a row without moves").with(Code::NoMoves),
        );
    }
    if let Some((_, id)) = cell(3) {
        found.record.put("GameId", id);
    }
    if let Some((_, words)) = cell(4) {
        put_result(&mut found, words, columns.is_winner).map_err(|message| {
            ParseError::doubtful(SUBJECT, line, 0, message).with(Code::TwoReadings)
        })?;
    }
    Ok(found)
}

/// The position in a cell, and nothing else.
fn position_in(text: &str) -> Result<Detected, ParseError> {
    let found = match Class::of(text)? {
        Class::Board => BOARD.parse(text),
        Class::Fen => FEN.parse(text),
        Class::Bitboards => HEX.parse(text),
        _ => Err(
            ParseError::at(SUBJECT, text, 0, "a board, a FEN or bitboards")
                .with(Code::BoardSquares),
        ),
    }?;
    let is_bare = found.format != OBF
        && found.comment.is_empty()
        && found.scores.is_empty()
        && found.record.game.moves().is_empty();
    match is_bare {
        true => Ok(found),
        false => Err(
            ParseError::at(SUBJECT, text, text.len(), "a position and nothing else")
                .with(Code::BesideBoard),
        ),
    }
}

/// Sets the result in a cell; other words become a tag.
fn put_result(found: &mut Detected, words: &str, is_winner: bool) -> Result<(), &'static str> {
    let result = match (words.to_lowercase().as_str(), is_winner) {
        ("1", true) => Some(GameResult::won(Color::Black, How::Stated)),
        ("-1", true) => Some(GameResult::won(Color::White, How::Stated)),
        ("draw", _) | ("0", true) => Some(GameResult::discs(0, How::Stated)),
        ("black", _) => Some(GameResult::won(Color::Black, How::Stated)),
        ("white", _) => Some(GameResult::won(Color::White, How::Stated)),
        _ => result_of_word(words),
    };
    match result {
        None => found.record.put("ResultText", words),
        Some(result) => {
            let result = agreed(result, found.record.stated)
                .ok_or("the result of the cell differs from that behind the moves")?;
            found.record = std::mem::take(&mut found.record).with_stated(result);
        }
    }
    Ok(())
}
