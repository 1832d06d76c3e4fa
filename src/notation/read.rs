//! The one reader: an entry's beginning decides its class, and the class its reader. `NOTATIONS.md` has the rules.

use std::rc::Rc;

use super::ParseError;
use super::error::Code;
use super::formats::format::Detected;
use super::formats::{BOARD, DIAGRAM, FEN, Format, GGF, HEX, JSON, MOVES, PGN, SGF};
use super::grammar::board::is_sign;
use super::grammar::drawn;
use super::grammar::words::digits_of;
use super::rows::row;
use super::scanner::{first_word, plain};
use super::split::{Chunk, MAX_ENTRY_BYTES, Splitter};
use super::table::{self, Columns};

/// The class of an entry, which its beginning decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Class {
    Json,
    Pgn,
    /// A game of GGF or SGF.
    Brackets,
    Fen,
    Diagram,
    /// A board in one line, also GGF's.
    Board,
    Bitboards,
    /// A row of a table with these columns.
    Table(Rc<Columns>),
    Moves,
}

/// Fewer signs at the beginning are no board.
const LEAST_SIGNS: usize = 20;

impl Class {
    /// The class of an entry that begins with this plain line, which begins with no blank.
    pub fn of(line: &str) -> Result<Self, ParseError> {
        let first = line.chars().next().unwrap_or(' ');
        let word = first_word(line);
        let is_ggf_board = |line: &str| {
            let signs = line.strip_prefix("8 ").map(str::trim_start);
            signs.is_some_and(|signs| {
                signs.starts_with(is_sign) && signs.split_whitespace().count() > 8
            })
        };
        let is_board = || {
            line.strip_prefix('[')
                .map_or(is_ggf_board(line), is_ggf_board)
                || word
                    .chars()
                    .take(LEAST_SIGNS)
                    .filter(|c| is_sign(*c))
                    .count()
                    == LEAST_SIGNS
        };
        Ok(match first {
            '{' => Self::Json,
            '[' if is_tag(line) => Self::Pgn,
            '[' if is_board() => Self::Board,
            '[' if begins_list(&line[1..]) => Self::Json,
            '(' if line.starts_with("(;") => Self::Brackets,
            '0'..='9' if is_match(line) => Self::Brackets,
            '8' if is_board() => Self::Board,
            _ if is_fen(word) => Self::Fen,
            _ if drawn::begins(line) => Self::Diagram,
            _ if is_sign(first) && is_board() => Self::Board,
            _ if is_bitboards(line) => Self::Bitboards,
            'a'..='z' | 'A'..='Z' | '"' => match table::header(line)? {
                Some(columns) => Self::Table(columns.into()),
                None => Self::Moves,
            },
            _ => Self::Moves,
        })
    }

    /// Whether its entries are positions.
    pub fn is_of_positions(&self) -> bool {
        matches!(
            self,
            Self::Fen | Self::Diagram | Self::Board | Self::Bitboards
        )
    }
}

/// Whether a line begins as a tag of PGN: `[Word "`.
pub fn is_tag(line: &str) -> bool {
    let Some(inner) = line.strip_prefix('[') else {
        return false;
    };
    let name = inner.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    name.len() < inner.len()
        && name.starts_with([' ', '\t'])
        && name.trim_start_matches([' ', '\t']).starts_with('"')
}

/// Whether the text behind `[` begins a list of JSON.
fn begins_list(inner: &str) -> bool {
    let inner = inner.trim_start();
    let number = inner.strip_prefix('-').unwrap_or(inner);
    inner.is_empty()
        || inner.starts_with(['{', '[', ']', '"'])
        || number.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a line begins with the number of games of a match: `2 (;`.
fn is_match(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.starts_with([' ', '\t']) && rest.trim_start_matches([' ', '\t']).starts_with("(;")
}

/// Whether the first two words have 16 hexadecimal digits, or the first one `0x`.
fn is_bitboards(line: &str) -> bool {
    let mut words = line.split_whitespace().take(2);
    let is_marked = line.starts_with("0x") || line.starts_with("0X");
    is_marked || words.clone().count() == 2 && words.all(|word| digits_of(word).is_some())
}

/// Whether a game in brackets is SGF: it has `;` before each node, or tags that GGF lacks. Old files write `Black[f5]`.
pub fn is_sgf(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
    let lower = text.to_ascii_lowercase();
    let has = |mark: &str| lower.contains(mark);
    let is_ggf = has("bo[8") || has("gm[othello");
    let later_node = lower
        .get(2..)
        .is_some_and(|rest| rest.contains(";b[") || rest.contains(";w["));
    let marks = ["gm[1]", "gm[2]", "ff[", "sz[", "ca["];
    !is_ggf && (later_node || marks.into_iter().any(has))
}

/// Whether a word has the seven slashes of a FEN.
pub fn is_fen(word: &str) -> bool {
    word.bytes().filter(|b| *b == b'/').count() >= 7
}

/// The notation of a text of this class.
pub fn format_of(class: &Class, text: &str) -> Option<Format> {
    Some(match class {
        Class::Json => JSON,
        Class::Pgn => PGN,
        Class::Brackets if is_sgf(text) => SGF,
        Class::Brackets => GGF,
        Class::Fen => FEN,
        Class::Diagram => DIAGRAM,
        Class::Board => BOARD,
        Class::Bitboards => HEX,
        Class::Moves => MOVES,
        Class::Table(_) => return None,
    })
}

/// Reads an entry.
///
/// # Errors
/// The first fault.
pub fn read(chunk: &Chunk) -> Result<Detected, ParseError> {
    if let Some(fault) = &chunk.fault {
        return Err(fault.clone());
    }
    let text = chunk.text.as_str();
    if text.len() > MAX_ENTRY_BYTES {
        let message = format!("more than {MAX_ENTRY_BYTES} bytes in one entry");
        return Err(ParseError::doubtful("entry", text, 0, message).with(Code::TooLong));
    }
    match (&chunk.class, format_of(&chunk.class, text)) {
        (Class::Table(columns), _) => row(columns, text),
        (_, Some(format)) => format.parse(text),
        (_, None) => Err(ParseError::unknown(text)),
    }
}

/// The entries of a text as [`Splitter`] cuts it.
fn chunks(text: &str) -> Vec<Chunk> {
    let mut splitter = Splitter::default();
    text.split('\n').for_each(|line| splitter.push(line, true));
    splitter.finish();
    std::iter::from_fn(|| splitter.pop()).collect()
}

/// The entries of a pasted text, each with its first line, from 1.
///
/// Lines of moves with nothing between them are one game, or else a list of games; see section 2 of the page.
pub fn parse_games(text: &str) -> Vec<(usize, Result<Detected, ParseError>)> {
    pasted(text)
        .into_iter()
        .map(|(chunk, found)| (chunk.line, found))
        .collect()
}

/// The entries of a pasted text with their texts.
pub(crate) fn pasted(text: &str) -> Vec<(Chunk, Result<Detected, ParseError>)> {
    let mut found: Vec<(Chunk, Result<Detected, ParseError>)> = Vec::new();
    let mut block: Vec<Chunk> = Vec::new();
    for chunk in chunks(text) {
        let goes_on = block
            .last()
            .is_some_and(|last: &Chunk| chunk.line == last.line + last.lines());
        let is_moves = chunk.class == Class::Moves && chunk.fault.is_none();
        if !(goes_on && is_moves) {
            found.extend(games_of(std::mem::take(&mut block)));
        }
        if is_moves {
            block.push(chunk);
        } else {
            let read = read(&chunk);
            found.push((chunk, read));
        }
    }
    found.extend(games_of(block));
    found
}

/// The game or the games of adjacent lines of moves.
fn games_of(block: Vec<Chunk>) -> Vec<(Chunk, Result<Detected, ParseError>)> {
    if block.len() < 2 {
        return block
            .into_iter()
            .map(|chunk| (chunk.clone(), read(&chunk)))
            .collect();
    }
    let texts: Vec<&str> = block.iter().map(|chunk| chunk.text.as_str()).collect();
    // A line end is a blank, and keeps the places of faults.
    let whole = Chunk {
        text: texts.join("\n"),
        ..block[0].clone()
    };
    let joined = read(&whole);
    let single: Vec<_> = block
        .into_iter()
        .map(|chunk| (chunk.clone(), read(&chunk)))
        .collect();
    let is_game = |(chunk, found): &(Chunk, Result<Detected, ParseError>)| {
        chunk.lines() == 1 && found.is_ok()
    };
    let are_games = single.iter().all(is_game);
    match joined {
        Ok(_) if are_games => {
            let message = "two readings: the lines may be one game or a list of games; join them, or leave lines empty between games";
            let error =
                ParseError::doubtful("moves", &whole.text, 0, message).with(Code::TwoReadings);
            vec![(whole, Err(error))]
        }
        Err(_) if are_games => single,
        joined => vec![(whole, joined)],
    }
}

/// Reads the one entry of a pasted text, with its class.
pub(super) fn one(text: &str) -> Result<(Class, Detected), ParseError> {
    let mut entries = pasted(text).into_iter();
    let (chunk, found) = entries.next().ok_or_else(|| ParseError::unknown(text))?;
    let found = found.map_err(|error| error.down(chunk.line - 1))?;
    match entries.next() {
        None => Ok((chunk.class, found)),
        Some((second, _)) => {
            let message = "a second position or game: give one";
            let error = ParseError::doubtful("entry", "", 0, message).with(Code::Several);
            Err(error.down(second.line - 1))
        }
    }
}

/// Reads the one position or game of a pasted text, in any notation; of a game the position is the last one.
///
/// # Errors
/// The first fault, or a second entry.
pub fn parse_position(text: &str) -> Result<Detected, ParseError> {
    one(text).map(|(_, found)| found)
}

/// Whether `text` is a whole position or game and nothing else.
pub fn is_entry(text: &str) -> bool {
    parse_position(&plain(text)).is_ok_and(|found| found.comment.is_empty())
}
