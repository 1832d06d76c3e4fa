//! A line of input as plain data: [`super::request`] reads it, `emilia book jobs` writes it.

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::fields::Whole;
use crate::sentences::Language;

/// Longest id given as a text, in bytes.
const MAX_ID_BYTES: usize = 1000;

/// A client's name for a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a text of at most 1000 bytes or a whole number"
)]
#[schemars(inline)]
pub enum Id {
    /// A text.
    Text(#[serde(deserialize_with = "short")] String),
    /// A whole number.
    Number(i64),
    /// A whole number of 2^63 or more.
    Large(u64),
}

/// Reads a text that is kept for as long as its request waits.
fn short<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.len() <= MAX_ID_BYTES {
        Ok(text)
    } else {
        Err(D::Error::custom("a long text"))
    }
}

/// Which positions of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected \"all\", \"last\" or a list of whole numbers"
)]
#[schemars(inline)]
pub enum Turns {
    Word(TurnsWord),
    List(Vec<i64>),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum TurnsWord {
    All,
    Last,
}

/// How many of the best moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a whole number from 1 to 64 or \"all\""
)]
#[schemars(inline)]
pub enum Count {
    Number(Whole<1, 64>),
    Word(CountWord),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum CountWord {
    All,
}

/// Squares as one text or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a list of squares such as [\"f5\", \"d6\"]"
)]
#[schemars(inline)]
pub enum Squares {
    Text(String),
    List(Vec<String>),
}

/// A position or game to analyze, or with `cancel` or `cancel_all` requests to give up, or with `version` a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Request")]
#[schemars(extend("oneOf" = [
    { "required": ["position"] }, { "required": ["game"] }, { "required": ["cancel"] }, { "required": ["cancel_all"] },
    { "required": ["version"] }
]))]
pub struct RequestLine {
    /// The client's name for its request: any text of at most 1000 bytes, or a whole number from -2^63 to 2^64 - 1.
    pub id: Option<Id>,
    /// A position or game in any notation: a board (64 characters and a side), moves, OBF, FEN, GGF, SGF, PGN, a diagram. For a game: its last position.
    pub position: Option<String>,
    /// Instead of `position`: every position of the game is analyzed, one answer each.
    pub game: Option<String>,
    /// Moves to play from there, such as `f5d6`.
    pub play: Option<String>,
    /// Which positions: all (the default of `game`), the last (the default of `position`), or numbers of moves played before them; -1 is the last position.
    pub turns: Option<Turns>,
    /// Plies of midgame search. Solves at this number of empties or fewer; from depth 8 on at four more, up to 20.
    pub depth: Option<Whole<1, 60>>,
    /// Instead of `depth`: the level of play.
    pub level: Option<Whole<0, 60>>,
    /// Instead of `depth`: the move of a weaker player. Its score is that player's opinion and has no chances.
    pub elo: Option<Whole<191, 2834>>,
    /// Instead of `depth`: a move as a person of this rating may play it. Its score has no chances.
    pub person: Option<Whole<1000, 2000>>,
    /// Seed of the moves of `person` and the oversights of `elo`. Default: 1.
    pub seed: Option<Whole<0, { i64::MAX }>>,
    /// Adds the chances that a player of this rating finds the moves, with any budget.
    pub rating: Option<Whole<1000, 2000>>,
    /// With `rating`: name the best trap among `best_moves` that costs at most this number of discs, 0 to 64.
    #[schemars(range(min = 0.0, max = 64.0))]
    pub trap: Option<f64>,
    /// The most nodes to search, at most `--nodes`.
    pub nodes: Option<Whole<1, { i64::MAX }>>,
    /// The longest time to search in seconds, from 0.001, at most `--move-time`.
    pub seconds: Option<f64>,
    /// Instead of `depth`: search until the score is proven.
    pub exact: Option<bool>,
    /// Instead of `depth`: search until win, draw or loss is proven.
    pub wld: Option<bool>,
    /// Certainty of the selective search, percent: 52, 73, 87, 95, 98, 99, or 100, which searches every move. Default: 73; 100 up to level 8.
    pub selectivity: Option<Whole<52, 100>>,
    /// The number of best moves to score. Default: `--moves`, which is 1; with `trap` all moves.
    pub best_moves: Option<Count>,
    /// Score only these moves.
    pub allow: Option<Squares>,
    /// Exclude these moves.
    pub avoid: Option<Squares>,
    /// Stop when the best move is no worse than the second with this probability, 0.5 to 0.9999. Not with `losses`.
    #[schemars(range(min = 0.5, max = 0.9999))]
    pub confidence: Option<f64>,
    /// Score the next move of the game, as deep as the best move.
    pub losses: Option<bool>,
    /// Search with the table of the search before; the answer depends on it and is not stored. Not with `--reproducible`.
    pub warm: Option<bool>,
    /// Explain each move in sentences of this language. Default: no sentences; with `--why` those of `--language`.
    pub why: Option<Language>,
    /// Requests with a higher priority start first. Default: 0.
    pub priority: Option<Whole<-1_000_000, 1_000_000>>,
    /// Seconds between partial answers, from 0.01. Default: no partial answers.
    pub partial_every: Option<f64>,
    /// Threads that search a position together. Default: 1, and only one thread gives the same answer again.
    pub threads: Option<Whole<1, 256>>,
    /// The most moves of each `pv`. Default: all.
    pub pv_length: Option<Whole<1, 64>>,
    /// The id of the requests to cancel.
    pub cancel: Option<Id>,
    /// Cancel all requests.
    pub cancel_all: Option<bool>,
    /// Ask for the versions of the program, the schema and the weights.
    pub version: Option<bool>,
}

impl RequestLine {
    /// The line as JSON, without absent fields.
    pub fn to_json(&self) -> String {
        let mut fields =
            serde_json::to_value(self).expect("numbers, texts and lists are always JSON");
        fields
            .as_object_mut()
            .expect("a struct is an object")
            .retain(|_, value| !value.is_null());
        fields.to_string()
    }
}
