//! How positions, moves and values stand in JSON.

use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::words::result_word;

use crate::board::{Move, Position, squares};
use crate::notation::diagram::{parse_board, write_board};
use crate::notation::moves::parse_move;
use crate::search::Known;

/// Written as 64 squares from a1 to h8 and the side to move; read from any text of a board.
impl Serialize for Position {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&write_board(self))
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parse_board(&String::deserialize(deserializer)?).map_err(Error::custom)
    }
}

/// `f5`, or `pa` for a pass.
impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parse_move(&String::deserialize(deserializer)?).map_err(Error::custom)
    }
}

/// Exactly one of these fields stands in an object.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Known", rename = "score or result", rename_all = "snake_case")]
enum KnownFields {
    #[serde(deserialize_with = "discs")]
    Score(f64),
    #[serde(deserialize_with = "discs")]
    AtLeast(f64),
    #[serde(deserialize_with = "discs")]
    AtMost(f64),
    #[serde(rename = "result", with = "word")]
    Winner(i32),
}

impl Serialize for Known {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        KnownFields::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Known {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        KnownFields::deserialize(deserializer)
    }
}

/// Reads discs that a game can end with.
fn discs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let score = f64::deserialize(deserializer)?;
    if score.abs() <= 64.0 {
        return Ok(score);
    }
    Err(Error::custom(format_args!("expected a score from -64 to 64, found {score}")))
}

/// `win`, `draw` and `loss` as a sign.
mod word {
    use super::*;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub fn serialize<S: Serializer>(sign: &i32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(result_word(*sign))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
        let word = String::deserialize(deserializer)?;
        let sign = [1, 0, -1].into_iter().find(|&sign| result_word(sign) == word);
        sign.ok_or_else(|| Error::custom(format_args!("expected win, draw or loss, found {word:?}")))
    }
}

/// The squares of a set as moves.
pub fn moves_of(bits: u64) -> Vec<Move> {
    squares(bits).map(Move::Place).collect()
}

/// Seconds to the microsecond.
pub fn seconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64(), 1e6)
}

/// To the nearest multiple of one part in `places`.
pub fn rounded(number: f64, places: f64) -> f64 {
    (number * places).round() / places
}
