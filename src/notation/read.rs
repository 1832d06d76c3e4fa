//! The one reader: an entry's beginning decides its class, and the class its reader. `NOTATIONS.md` has the rules.

use super::ParseError;
use super::class::{Class, is_sgf};
use super::error::Code;
use super::formats::format::Detected;
use super::formats::{BOARD, DIAGRAM, FEN, Format, GGF, HEX, JSON, MOVES, PGN, SGF};
use super::plain::plain;
use super::rows::row;
use super::split::{Chunk, MAX_ENTRY_BYTES, Splitter};

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
