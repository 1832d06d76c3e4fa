//! Tables with a line of names: positions, moves, results.

use super::ParseError;
use super::error::Code;

pub const SUBJECT: &str = "table";

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
    pub separator: char,
    pub count: usize,
    /// The place of each known column.
    pub places: [Option<usize>; KNOWN.len()],
    /// The results stand under `winner`: 1 is Black, -1 White, 0 a draw.
    pub is_winner: bool,
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
pub fn cells(line: &str, separator: char) -> Result<Vec<(usize, String)>, ParseError> {
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
