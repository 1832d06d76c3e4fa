//! How positions, moves and values are written in JSON, and the schema of each.

use std::time::Duration;

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_with::skip_serializing_none;

use crate::board::{Move, Position};
use crate::notation::diagram::{parse_board, write_board};
use crate::notation::moves::parse_move;
use crate::search::Known;
use crate::util::refusal::Refusal;

/// A value of another crate, and its form in JSON.
pub trait Wire: Sized {
    type Written: Serialize + DeserializeOwned;

    fn written(&self) -> Self::Written;

    fn read(written: Self::Written) -> Result<Self, Refusal>;
}

/// For `#[serde(with = "wire")]`.
pub fn serialize<T: Wire, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.written().serialize(serializer)
}

/// For `#[serde(with = "wire")]`.
pub fn deserialize<'de, T: Wire, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::read(T::Written::deserialize(deserializer)?).map_err(Error::custom)
}

/// 64 squares from a1 to h8 and the side to move; read from any text of a board.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Position")]
pub struct PositionText(#[schemars(regex(pattern = r"^[-XO]{64} [XO]$"))] String);

impl Wire for Position {
    type Written = PositionText;

    fn written(&self) -> PositionText {
        PositionText(write_board(self))
    }

    fn read(PositionText(text): PositionText) -> Result<Self, Refusal> {
        parse_board(&text).map_err(Refusal::of)
    }
}

/// `f5`, or `pa` for a pass.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Move")]
pub struct MoveText(#[schemars(regex(pattern = r"^([a-h][1-8]|pa)$"))] String);

impl Wire for Move {
    type Written = MoveText;

    fn written(&self) -> MoveText {
        MoveText(self.to_string())
    }

    fn read(MoveText(text): MoveText) -> Result<Self, Refusal> {
        parse_move(&text).map_err(Refusal::of)
    }
}

impl<T: Wire> Wire for Vec<T> {
    type Written = Vec<T::Written>;

    fn written(&self) -> Self::Written {
        self.iter().map(T::written).collect()
    }

    fn read(written: Self::Written) -> Result<Self, Refusal> {
        written.into_iter().map(T::read).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    type Written = Option<T::Written>;

    fn written(&self) -> Self::Written {
        self.as_ref().map(T::written)
    }

    fn read(written: Self::Written) -> Result<Self, Refusal> {
        written.map(T::read).transpose()
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

impl Wire for Known {
    type Written = KnownFields;

    fn written(&self) -> KnownFields {
        let none = KnownFields::default;
        match *self {
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
        }
    }

    fn read(fields: KnownFields) -> Result<Self, Refusal> {
        let KnownFields {
            score,
            result,
            at_least,
            at_most,
        } = fields;
        let known = match (score, result, at_least, at_most) {
            (Some(discs), None, None, None) => Known::Score(discs),
            (None, Some(outcome), None, None) => Known::Winner(outcome as i32),
            (None, None, Some(discs), None) => Known::AtLeast(discs),
            (None, None, None, Some(discs)) => Known::AtMost(discs),
            _ => {
                return Err("expected one of score, result, at_least and at_most".into());
            }
        };
        match known {
            Known::Score(discs) | Known::AtLeast(discs) | Known::AtMost(discs)
                if !(-64.0..=64.0).contains(&discs) =>
            {
                Err(format!("expected a score from -64 to 64, found {discs}").into())
            }
            known => Ok(known),
        }
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
