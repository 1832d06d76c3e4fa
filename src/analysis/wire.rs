//! How positions, moves and values are written in JSON, and the schema of each.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_with::schemars_1::JsonSchemaAs;
use serde_with::{DeserializeAs, SerializeAs, skip_serializing_none};

use crate::board::{Move, Position};
use crate::notation::diagram::{parse_board, write_board};
use crate::notation::moves::parse_move;
use crate::search::Known;

/// A position as 64 squares from a1 to h8 and the side to move, read from any text of a board; a move as `f5`, or `pa` for a
/// pass.
pub struct Text;

impl SerializeAs<Position> for Text {
    fn serialize_as<S: Serializer>(source: &Position, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&write_board(source))
    }
}

impl<'de> DeserializeAs<'de, Position> for Text {
    fn deserialize_as<D: Deserializer<'de>>(deserializer: D) -> Result<Position, D::Error> {
        parse_board(&String::deserialize(deserializer)?).map_err(Error::custom)
    }
}

impl JsonSchemaAs<Position> for Text {
    fn schema_name() -> Cow<'static, str> {
        "Position".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[-XO]{64} [XO]$" })
    }
}

impl SerializeAs<Move> for Text {
    fn serialize_as<S: Serializer>(source: &Move, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(source)
    }
}

impl<'de> DeserializeAs<'de, Move> for Text {
    fn deserialize_as<D: Deserializer<'de>>(deserializer: D) -> Result<Move, D::Error> {
        parse_move(&String::deserialize(deserializer)?).map_err(Error::custom)
    }
}

impl JsonSchemaAs<Move> for Text {
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
pub struct KnownFields {
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
pub enum Outcome {
    Loss = -1,
    Draw,
    Win,
}

impl SerializeAs<Known> for KnownFields {
    fn serialize_as<S: Serializer>(source: &Known, serializer: S) -> Result<S::Ok, S::Error> {
        let none = KnownFields::default;
        let fields = match *source {
            Known::Score(discs) => KnownFields {
                score: Some(discs),
                ..none()
            },
            Known::AtLeast(discs) => KnownFields {
                at_least: Some(discs),
                ..none()
            },
            Known::AtMost(discs) => KnownFields {
                at_most: Some(discs),
                ..none()
            },
            Known::Winner(0) => KnownFields {
                result: Some(Outcome::Draw),
                ..none()
            },
            Known::Winner(1..) => KnownFields {
                result: Some(Outcome::Win),
                ..none()
            },
            Known::Winner(_) => KnownFields {
                result: Some(Outcome::Loss),
                ..none()
            },
        };
        fields.serialize(serializer)
    }
}

impl<'de> DeserializeAs<'de, Known> for KnownFields {
    fn deserialize_as<D: Deserializer<'de>>(deserializer: D) -> Result<Known, D::Error> {
        let KnownFields {
            score,
            result,
            at_least,
            at_most,
        } = KnownFields::deserialize(deserializer)?;
        let known = match (score, result, at_least, at_most) {
            (Some(discs), None, None, None) => Known::Score(discs),
            (None, Some(outcome), None, None) => Known::Winner(outcome as i32),
            (None, None, Some(discs), None) => Known::AtLeast(discs),
            (None, None, None, Some(discs)) => Known::AtMost(discs),
            _ => {
                return Err(Error::custom(
                    "expected one of score, result, at_least and at_most",
                ));
            }
        };
        match known {
            Known::Score(discs) | Known::AtLeast(discs) | Known::AtMost(discs)
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

impl JsonSchemaAs<Known> for KnownFields {
    fn schema_name() -> Cow<'static, str> {
        "Known".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <KnownFields as JsonSchema>::json_schema(generator)
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
