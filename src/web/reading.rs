//! Texts and files that the user opens: entries, games up to their fault, faults as data.

use std::rc::Rc;

use serde_json::{Value, json};

use super::calls::Call;
use crate::board::{IllegalReason, Position};
use crate::notation::formats::wthor::read_record;
use crate::notation::formats::{MOVES, SGF};
use crate::notation::read::pasted;
use crate::notation::split::Chunk;
use crate::notation::wthor::{GameFile, NameFile, NameKind, Names, WthorOrigin};
use crate::notation::{Detected, Fault, Location, ParseError};

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
    Ok(split(&call.text))
}

fn whole(found: Detected) -> Read {
    Read {
        found,
        text: String::new(),
    }
}

fn split(text: &str) -> Vec<Entry> {
    let entry = |(chunk, found): (Chunk, Result<Detected, ParseError>)| match found {
        Ok(found) if found.format == SGF => Ok(Read {
            found,
            text: chunk.text,
        }),
        Ok(found) => Ok(whole(found)),
        Err(error) => Err(Box::new(Broken {
            part: up_to_fault(&error),
            error: error.down(chunk.line - 1),
            game: None,
        })),
    };
    pasted(text).into_iter().map(entry).collect()
}

/// The game up to its fault, if it has a move.
fn up_to_fault(error: &ParseError) -> Option<Detected> {
    let game = error.readable.as_deref()?;
    let has_moves = !game.moves().is_empty();
    has_moves.then(|| Detected::new(MOVES, game.clone().into()))
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
        location,
        fault,
        code,
        ..
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
        Fault::Unexpected { found, .. } => {
            fields["found"] = found.trim().into();
            code.name()
        }
        Fault::Illegal { mv, reason } => {
            fields["move"] = json!(mv.to_string());
            match reason {
                IllegalReason::GameOver => "illegal-over",
                IllegalReason::Occupied => "illegal-occupied",
                IllegalReason::TurnsNothing => "illegal-turns",
                _ => "illegal-pass",
            }
        }
        _ => code.name(),
    };
    fields["code"] = code.into();
    fields
}
