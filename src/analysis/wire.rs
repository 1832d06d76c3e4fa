//! How positions, moves and values are written in JSON, and the schema of each.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_with::skip_serializing_none;

use crate::board::{Move, Position};
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

impl JsonSchema for Position {
    fn schema_name() -> Cow<'static, str> {
        "Position".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[-XO]{64} [XO]$" })
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

impl JsonSchema for Move {
    fn schema_name() -> Cow<'static, str> {
        "Move".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^([a-h][1-8]|pa)$" })
    }
}

/// A [`Known`] as fields of an object: exactly one of them.
#[skip_serializing_none]
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct KnownFields {
    /// Score in discs, for the side to move: of the best move, or of the finished game.
    #[schemars(range(min = -64, max = 64))]
    score: Option<f64>,
    /// Instead of `score`: the winner is proven, the score is not.
    result: Option<Outcome>,
    /// Instead of `score`: a search that was cut short found at least this score, with the certainty of `selectivity`.
    #[schemars(range(min = -64, max = 64))]
    at_least: Option<f64>,
    /// Instead of `score`: a search that was cut short found at most this score, with the certainty of `selectivity`.
    #[schemars(range(min = -64, max = 64))]
    at_most: Option<f64>,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Outcome {
    Loss = -1,
    Draw,
    Win,
}

impl Serialize for Known {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let none = KnownFields::default;
        let fields = match *self {
            Self::Score(discs) => KnownFields {
                score: Some(discs),
                ..none()
            },
            Self::AtLeast(discs) => KnownFields {
                at_least: Some(discs),
                ..none()
            },
            Self::AtMost(discs) => KnownFields {
                at_most: Some(discs),
                ..none()
            },
            Self::Winner(0) => KnownFields {
                result: Some(Outcome::Draw),
                ..none()
            },
            Self::Winner(1..) => KnownFields {
                result: Some(Outcome::Win),
                ..none()
            },
            Self::Winner(_) => KnownFields {
                result: Some(Outcome::Loss),
                ..none()
            },
        };
        fields.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Known {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let KnownFields {
            score,
            result,
            at_least,
            at_most,
        } = KnownFields::deserialize(deserializer)?;
        let known = match (score, result, at_least, at_most) {
            (Some(discs), None, None, None) => Self::Score(discs),
            (None, Some(outcome), None, None) => Self::Winner(outcome as i32),
            (None, None, Some(discs), None) => Self::AtLeast(discs),
            (None, None, None, Some(discs)) => Self::AtMost(discs),
            _ => {
                return Err(Error::custom(
                    "expected one of score, result, at_least and at_most",
                ));
            }
        };
        match known {
            Self::Score(discs) | Self::AtLeast(discs) | Self::AtMost(discs)
                if !(-64.0..=64.0).contains(&discs) =>
            {
                Err(Error::custom(format_args!(
                    "expected a score from -64 to 64, found {discs}"
                )))
            }
            known => Ok(known),
        }
    }
}

impl JsonSchema for Known {
    fn schema_name() -> Cow<'static, str> {
        "Known".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        KnownFields::json_schema(generator)
    }
}

/// Seconds to the microsecond.
pub fn seconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64(), 1e6)
}

/// To the nearest multiple of one part in `places`.
pub fn rounded(number: f64, places: f64) -> f64 {
    (number * places).round() / places
}
