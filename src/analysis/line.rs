//! A line of input as it stands: what is read by [`super::request`], and written by whoever asks.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::fields::Whole;

/// Longest id given as a text, in bytes.
const MAX_ID_BYTES: usize = 1000;

/// What a client calls a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a text of at most 1000 bytes or a whole number")]
pub enum Id {
    /// A text.
    Text(#[serde(deserialize_with = "short")] String),
    /// A whole number.
    Number(i64),
    /// A whole number of 2^63 or more.
    Large(u64),
}

/// Which request an answer belongs to, by its place in the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The line or entry of the input, from 1.
    pub line: u64,
    /// Checksum of its text, or of an entry's content.
    pub crc32: u32,
    /// Moves played before the position, if the request was of a game.
    pub turn: Option<usize>,
}

/// Reads a text that is kept for as long as its request waits.
fn short<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.len() <= MAX_ID_BYTES { Ok(text) } else { Err(D::Error::custom("a long text")) }
}

/// A line as it stands, for whoever writes one. Absent fields are as the command line says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestLine {
    pub id: Option<Id>,
    pub position: Option<String>,
    pub game: Option<String>,
    pub play: Option<String>,
    pub turns: Option<Value>,
    pub depth: Option<Whole<1, 60>>,
    pub level: Option<Whole<0, 60>>,
    pub elo: Option<Value>,
    pub nodes: Option<Whole<1, { i64::MAX }>>,
    pub seconds: Option<f64>,
    pub exact: Option<bool>,
    pub wld: Option<bool>,
    pub selectivity: Option<Whole<52, 100>>,
    pub moves: Option<Value>,
    pub allow: Option<Value>,
    pub avoid: Option<Value>,
    pub confidence: Option<f64>,
    pub losses: Option<bool>,
    pub why: Option<Value>,
    pub priority: Option<Whole<-1_000_000, 1_000_000>>,
    pub report: Option<f64>,
    pub cancel: Option<Id>,
    pub cancel_all: Option<bool>,
}

impl RequestLine {
    /// The line, without what is absent.
    pub fn to_json(&self) -> Value {
        let fields = serde_json::to_value(self).expect("numbers, texts and lists are always JSON");
        let Value::Object(mut fields) = fields else { unreachable!("a struct is an object") };
        fields.retain(|_, value| !value.is_null());
        Value::Object(fields)
    }
}
