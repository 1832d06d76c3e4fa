//! Texts and files that the user opens: entries, games up to their fault, faults as data.

use std::rc::Rc;

use serde_json::{Value, json};

use super::calls::Call;
use crate::board::{IllegalReason, Position};
use crate::notation::formats::wthor::read_record;
use crate::notation::formats::{GGF, MOVES, SGF};
use crate::notation::split::{Chunk, Splitter};
use crate::notation::wthor::{GameFile, NameFile, NameKind, Names, WthorOrigin};
use crate::notation::{Detected, Fault, Location, ParseError};

/// The longest game that is tried up to its fault, in bytes.
const MAX_CUT: usize = 20_000;
/// The most places at which such a game is cut.
const MAX_CUTS: usize = 500;

/// An entry of a text, or its fault.
pub type Entry = Result<Read, Box<Broken>>;

/// An entry, and its text where side lines may be in it.
pub struct Read {
    pub found: Detected,
    pub text: String,
}

/// An entry with a fault.
pub struct Broken {
    pub error: ParseError,
    /// The number of the game in its file, from 1.
    pub game: Option<usize>,
    /// The game up to its fault, if it has a move.
    pub part: Option<Detected>,
}

/// The entries of a call's text or WTHOR file; a blank text is the start.
///
/// # Errors
/// Bytes that are no file of the base.
pub fn entries(call: &Call) -> Result<Vec<Entry>, String> {
    if !call.hex.is_empty() {
        return wthor(call);
    }
    if call.text.trim().is_empty() {
        let found = Detected::of(MOVES, Position::START);
        return Ok(vec![Ok(whole(found))]);
    }
    Ok(wrapped(&call.text).map_or_else(|| split(&call.text), |entry| vec![entry]))
}

fn whole(found: Detected) -> Read {
    Read {
        found,
        text: String::new(),
    }
}

fn split(text: &str) -> Vec<Entry> {
    let mut splitter = Splitter::new(None);
    text.lines().for_each(|line| splitter.push(line));
    splitter.finish();
    let mut entries = Vec::new();
    while let Some(chunk) = splitter.pop() {
        read(chunk, &mut entries);
    }
    entries
}

fn read(chunk: Chunk, entries: &mut Vec<Entry>) {
    let text = if chunk.format == SGF {
        chunk.text.clone()
    } else {
        String::new()
    };
    match chunk.format.parse_all(&chunk.text) {
        Ok(found) => entries.extend(found.into_iter().map(|found| {
            Ok(Read {
                found,
                text: text.clone(),
            })
        })),
        Err(error) => entries.push(Err(Box::new(Broken {
            part: up_to_fault(&chunk),
            error: error.down(chunk.line - 1),
            game: None,
        }))),
    }
}

/// The game of a list of moves over several lines that are no games of their own.
///
/// The fault of a text in which each line could be a game, and all lines together could be one.
fn wrapped(text: &str) -> Option<Entry> {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let is_list = lines.len() > 1 && lines.iter().all(|line| is_squares(line));
    let found = MOVES.parse(&lines.join(" ")).ok().filter(|_| is_list)?;
    if lines.iter().any(|line| MOVES.parse(line).is_err()) {
        return Some(Ok(whole(found)));
    }
    let words = "two readings: one game over several lines, or a game in each line";
    Some(Err(Box::new(Broken {
        error: ParseError {
            subject: "move list",
            location: Location::Text { line: 2, column: 1 },
            fault: Fault::Doubtful(words.into()),
        },
        game: None,
        part: Some(found),
    })))
}

/// Whether a line has only squares, passes and signs between them.
fn is_squares(line: &str) -> bool {
    let signs: Vec<u8> = line
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace() && *byte != b',')
        .map(|byte| byte.to_ascii_lowercase())
        .collect();
    let (pairs, rest) = signs.as_chunks::<2>();
    rest.is_empty()
        && pairs.iter().all(|pair| {
            let is_square = (b'a'..=b'h').contains(&pair[0]) && (b'1'..=b'8').contains(&pair[1]);
            is_square || matches!(pair, b"--" | b"pa" | b"ps")
        })
}

/// The longest beginning of a game that can be read.
fn up_to_fault(chunk: &Chunk) -> Option<Detected> {
    let Chunk { text, format, .. } = chunk;
    if !format.is_of_games() || text.len() > MAX_CUT {
        return None;
    }
    let is_bracketed = *format == SGF || *format == GGF;
    let ends: &[&str] = if is_bracketed { &[";)", ")"] } else { &[""] };
    let cuts = text
        .char_indices()
        .rev()
        .filter(|(_, c)| !is_bracketed || matches!(c, ';' | 'B' | 'W' | '('));
    cuts.take(MAX_CUTS)
        .flat_map(|(at, _)| ends.iter().map(move |end| format!("{}{end}", &text[..at])))
        .find_map(|part| format.parse(&part).ok())
        .filter(|found| !found.record.game.moves().is_empty())
}

fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = hex.as_bytes().chunks(2).map(byte).collect();
    bytes.ok_or_else(|| "hex: expected two digits for each byte".to_owned())
}

/// The names of a file of the base; none for an empty text.
fn names(hex: &str, kind: NameKind) -> Result<NameFile, String> {
    if hex.is_empty() {
        return Ok(NameFile::default());
    }
    NameFile::parse(&bytes(hex)?, kind).map_err(|error| error.to_string())
}

fn wthor(call: &Call) -> Result<Vec<Entry>, String> {
    let file = GameFile::parse(&bytes(&call.hex)?).map_err(|error| error.to_string())?;
    let names = Rc::new(Names {
        players: names(&call.players, NameKind::Players)?,
        tournaments: names(&call.tournaments, NameKind::Tournaments)?,
    });
    let game = |(number, record)| {
        let found = read_record(WthorOrigin {
            record,
            header: file.header,
            names: Rc::clone(&names),
        });
        found.map(whole).map_err(|error| {
            Box::new(Broken {
                error,
                game: Some(number),
                part: None,
            })
        })
    };
    Ok((1..).zip(file.games).map(game).collect())
}

/// A fault as the page shows it: `code` names its kind, `message` is the sentence.
pub fn fault(broken: &Broken) -> Value {
    let ParseError {
        location, fault, ..
    } = &broken.error;
    let mut fields = json!({ "message": broken.error.to_string() });
    match location {
        Location::Text { line, column } => {
            fields["line"] = (*line).into();
            fields["column"] = (*column).into();
        }
        Location::Ply(ply) => fields["ply"] = (*ply).into(),
        _ => {}
    }
    if let Some(game) = broken.game {
        fields["game"] = game.into();
    }
    let code = match fault {
        Fault::Unexpected { found, .. } if found.is_empty() => "ends",
        Fault::Unexpected { found, .. } => {
            fields["found"] = found.trim().into();
            "unexpected"
        }
        Fault::Illegal { mv, reason } => {
            fields["move"] = json!(mv);
            match reason {
                IllegalReason::GameOver => "illegal-over",
                IllegalReason::Occupied => "illegal-occupied",
                IllegalReason::TurnsNothing => "illegal-turns",
                _ => "illegal-pass",
            }
        }
        _ => "doubtful",
    };
    fields["code"] = code.into();
    fields
}
