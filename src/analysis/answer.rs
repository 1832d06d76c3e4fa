//! Answers: one JSON object per line, which reports and books read back.

mod judged;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::fields::{Fault, check_doubles};
use super::line::Id;
use super::request::Tag;
use super::resume::Record;
use super::wire::{self, KnownFields, MoveText, PositionText, rounded, seconds};
use crate::board::{Move, Position};
use crate::book;
use crate::engine::chances::{self, Chances};
use crate::engine::cost::Cost;
use crate::engine::{BookLine, BookValue};
use crate::search::{self, Info, Known, Proof, Selectivity};
use crate::sentences::{Found, Language, name, of_move, of_played};
use crate::util::refusal::Refusal;

/// The version of the form of requests and answers.
pub const SCHEMA_VERSION: u32 = 2;

/// A line of output.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Answer {
    #[serde(flatten)]
    pub origin: Origin,
    /// With `turn`: positions of the request, each with an answer.
    pub positions: Option<usize>,
    #[serde(flatten)]
    pub body: Body,
    #[serde(skip)]
    pub tag: Tag,
}

/// Which request an answer belongs to.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The id of the request, `null` if the request has no readable id.
    #[serialize_always]
    pub id: Option<Id>,
    /// The line of input, from 1, that the answer belongs to, if it has no id or a fault.
    pub line: Option<u64>,
    /// Instead of a line, in reproducible answers: the checksum (CRC-32) of a request without an id.
    pub request: Option<String>,
    /// Moves, passes included, played before the position, of a game.
    pub turn: Option<usize>,
    /// The file of a position or game, `stdin` or `argument`.
    pub source: Option<String>,
    /// The players of a game.
    pub names: Option<Names>,
}

/// The players of a game, as far as its text names them.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Names {
    /// The name of Black.
    pub black: Option<String>,
    /// The name of White.
    pub white: Option<String>,
}

impl Names {
    /// `None` without any name.
    pub fn of(black: &str, white: &str) -> Option<Self> {
        let named = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
        let names = Self {
            black: named(black),
            white: named(white),
        };
        Some(names).filter(|names| *names != Self::default())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Body {
    Judged(Box<Judged>),
    Dropped(Dropped),
    Cancelled(Cancelled),
    Version(Version),
    Failure(Failure),
}

/// The value of a position or a move, and how well it is known. Scores are in discs, for the side to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// Plies searched; the empties when searched to the end.
    #[serde(default)]
    pub depth: u8,
    /// Certainty of the selective search, percent: 52, 73, 87, 95, 98, 99, or 100, which searched every move.
    #[serde(default)]
    pub selectivity: u32,
    /// The score is proven; a proven draw counts.
    #[serde(default)]
    pub exact: bool,
    #[serde(flatten, with = "wire")]
    #[schemars(with = "KnownFields")]
    pub value: Known,
    #[serde(flatten)]
    pub odds: Odds,
    /// Proven lower bound of the score; -64 without a proof.
    #[serde(default = "least")]
    pub lower: f64,
    /// Proven upper bound of the score; 64 without a proof.
    #[serde(default = "greatest")]
    pub upper: f64,
}

/// The meaning of a score, where it is known: see [`crate::engine::chances`].
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Odds {
    /// Chance to win, 0 to 1, if both sides play on strongly; absent if it is not known.
    pub win_chance: Option<f64>,
    /// Chance to draw, 0 to 1.
    pub draw_chance: Option<f64>,
    /// Chance to lose, 0 to 1.
    pub loss_chance: Option<f64>,
    /// The expected root mean square error of the score, in discs.
    pub score_error: Option<f64>,
    /// The score of a search six plies deeper differs by at most this number of discs, with the certainty of `selectivity` (of 100: 99 %).
    pub margin: Option<f64>,
}

/// A position judged, or with `partial` the state of its search.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    #[serde(flatten)]
    pub state: State,
    /// 64 squares from a1 to h8 and the side to move.
    #[serde(with = "wire")]
    #[schemars(with = "PositionText")]
    pub position: Position,
    /// Empty squares.
    #[serde(default)]
    pub empties: u32,
    /// The value of the best move, or of the finished game.
    #[serde(flatten)]
    pub line: Line,
    #[serde(flatten)]
    pub work: Work,
    /// The best moves, best first; empty when the game is over.
    #[serde(default)]
    pub moves: Vec<JudgedMove>,
    /// Moves that the request excludes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "wire")]
    #[schemars(with = "Vec<MoveText>")]
    pub avoid: Vec<Move>,
    /// The next move of the game.
    pub played: Option<PlayedMove>,
    #[serde(flatten)]
    pub ratings: Ratings,
    #[serde(flatten)]
    pub theory: Theory,
    /// Parts of the request that were ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    #[serde(flatten)]
    pub maker: Maker,
}

/// Whether the search is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// The search continues, and more answers follow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// The search was cancelled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
}

/// The search that found an answer.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// The best move is as sure as `confidence` asked for.
    pub settled: Option<bool>,
    /// Nodes searched.
    #[serde(default)]
    pub nodes: u64,
    /// Nodes that this run searched: a reproducible answer from the store states those of its first search.
    #[serde(skip)]
    pub searched: u64,
    /// The answer is from the store, without a search.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stored: bool,
    /// Time of the search; not in reproducible answers.
    pub seconds: Option<f64>,
    /// Nodes and time of the requested proof, until it is finished.
    pub estimate: Option<Estimate>,
}

/// The ratings of players in a request, and their traps.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratings {
    /// The rating of the weaker player of the request, whose opinion the score is.
    pub elo: Option<u32>,
    /// The rating of the person of the request, who plays the move.
    pub person: Option<u32>,
    /// The rating of `find_chance`.
    pub rating: Option<u16>,
    /// With `trap`: a move that a player of `rating` is likely to answer badly.
    pub trap: Option<Trap>,
}

/// What openings and books know of a position.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Theory {
    /// The name of the opening.
    pub opening: Option<Cow<'static, str>>,
    /// The position in the opening book.
    pub book: Option<BookJudgement>,
}

/// What wrote an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Maker {
    /// The version of the schema: 2.
    #[serde(default)]
    pub schema_version: u32,
    /// The version of the program.
    #[serde(default)]
    pub version: Cow<'static, str>,
    /// The evaluation of the search.
    #[serde(default)]
    pub weights: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedMove {
    /// A square, or `pa` for a pass.
    #[serde(rename = "move")]
    #[serde(with = "wire")]
    #[schemars(with = "MoveText")]
    pub mv: Move,
    #[serde(flatten)]
    pub line: Line,
    /// The probability that a player of `rating` plays this move; over all legal moves they add to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub find_chance: Option<f64>,
    /// The expected line, this move first.
    #[serde(default)]
    #[serde(with = "wire")]
    #[schemars(with = "Vec<MoveText>")]
    pub pv: Vec<Move>,
    /// Sentences about the move, if the request asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

/// The next move of the game. Its value is known if it is one of `moves`, or if `losses` asked for it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlayedMove {
    /// A square, or `pa` for a pass.
    #[serde(rename = "move")]
    #[serde(with = "wire")]
    #[schemars(with = "MoveText")]
    pub mv: Move,
    #[serde(flatten)]
    pub line: Option<Line>,
    /// Discs lost against the best move, from 0; absent unless both scores are known.
    pub loss: Option<f64>,
    /// The probability that a player of `rating` plays this move; over all legal moves they add to 1.
    pub find_chance: Option<f64>,
    /// The expected line, this move first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "wire")]
    #[schemars(with = "Vec<MoveText>")]
    pub pv: Vec<Move>,
    /// Sentences about the move, if the request asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

/// The move with the best expected result against the likely answers of a player of `rating`, if it is not the best move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trap {
    /// The move.
    #[serde(rename = "move", with = "wire")]
    #[schemars(with = "MoveText")]
    pub mv: Move,
    /// Discs that it costs if the answer is the best one.
    pub cost: f64,
    /// Discs that such a player is expected to lose by the answer.
    pub expected_gain: f64,
}

/// The median nodes and time of a whole proof.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Nodes of the whole proof.
    pub nodes: u64,
    /// Time of the whole proof.
    pub seconds: f64,
    /// Selectivity of the last pass before the proof, until it is finished.
    pub selectivity: Option<u32>,
    /// Time until the end of that pass.
    pub selective_seconds: Option<f64>,
}

/// The opening book about a position. Scores are in discs, for the side to move.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BookJudgement {
    #[serde(flatten)]
    pub value: Option<BookRange>,
    /// Plies of the search of the position itself, 0 if it was not searched.
    pub depth: u8,
    /// Games that continued from it.
    pub games: u64,
    /// The best move of the book.
    #[serde(rename = "move")]
    #[serde(default, with = "wire")]
    #[schemars(with = "Option<MoveText>")]
    pub mv: Option<Move>,
    /// The moves that the book knows, best first, then the most played first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<MoveGames>,
}

/// The games of a book with a move, as the side that plays it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MoveGames {
    /// The move.
    #[serde(rename = "move", with = "wire")]
    #[schemars(with = "MoveText")]
    pub mv: Move,
    /// Games in which it was played.
    pub games: u64,
    /// Games won by the side that played it.
    pub won: u32,
    /// Games drawn.
    pub drawn: u32,
    /// Games lost by the side that played it.
    pub lost: u32,
    /// Points won in percent, a draw counting half; absent without games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
}

/// The book's value of a position and its likely bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BookRange {
    /// The value of the position; absent if the book has only games.
    pub value: f64,
    /// The likely lower bound of the value.
    pub lower: f64,
    /// The likely upper bound of the value.
    pub upper: f64,
}

/// A position that was cancelled before its search began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dropped {
    /// The search was cancelled.
    #[serde(default)]
    pub cancelled: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cancelled {
    /// Positions whose search was stopped or dropped; each still gets an answer.
    pub cancelled_positions: usize,
    /// Parts of the request that were ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The answer to a question for the version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Version {
    /// The version of the schema: 2.
    pub schema_version: u32,
    /// The version of the program.
    pub version: Cow<'static, str>,
    /// The evaluation of the search.
    pub weights: String,
    /// Parts of the request that were ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The fault, beginning with the field.
    pub error: String,
    /// The field that is wrong.
    pub field: Option<Cow<'static, str>>,
}

fn least() -> f64 {
    -64.0
}

fn greatest() -> f64 {
    64.0
}

/// The least and the greatest score that are not ruled out, in discs for the side to move.
///
/// Final scores are even, the empties being the winner's: a proven win is by 2 at least.
pub fn bounds(line: &search::Line) -> (f64, f64) {
    let score = line.bound.discs();
    match line.proof {
        Proof::Exact => (score, score),
        Proof::WinLossDraw if score > 0.0 => (2.0, 64.0),
        Proof::WinLossDraw if score < 0.0 => (-64.0, -2.0),
        Proof::WinLossDraw => (0.0, 0.0),
        Proof::None | Proof::AtLeast | Proof::AtMost => (-64.0, 64.0),
    }
}

impl Origin {
    /// That of a position of the request.
    pub fn new(tag: &Tag, turn: Option<usize>) -> Self {
        let is_named = tag.id.is_some();
        Self {
            id: tag.id.clone(),
            line: (!is_named && !tag.is_named_by_text).then_some(tag.line),
            request: (!is_named && tag.is_named_by_text).then(|| format!("{:08x}", tag.crc32)),
            turn,
            source: tag.source.clone(),
            names: tag.names.clone(),
        }
    }
}

impl Answer {
    /// The answer about the position after `turn` moves, one of the `positions` of a game.
    pub fn new(tag: &Tag, turn: Option<usize>, positions: Option<usize>, body: Body) -> Self {
        Self {
            origin: Origin::new(tag, turn),
            positions,
            body,
            tag: tag.clone(),
        }
    }

    /// The answer to a line with this fault: it names the line even if it has an id.
    pub fn fault(tag: &Tag, fault: &Fault) -> Self {
        let body = Failure {
            error: fault.to_string(),
            field: fault.field.clone(),
        };
        let mut answer = Self::new(tag, None, None, Body::Failure(body));
        answer.origin.line = (!tag.is_named_by_text).then_some(tag.line);
        answer
    }

    /// The answer to a cancellation that reached this number of positions.
    pub fn cancelled(tag: &Tag, positions: usize, warnings: Vec<String>) -> Self {
        let body = Cancelled {
            cancelled_positions: positions,
            warnings,
        };
        Self::new(tag, None, None, Body::Cancelled(body))
    }

    /// Reads a line of output, of earlier versions too; unknown fields are ignored.
    ///
    /// # Errors
    /// The fault, in one line; a field that is given twice.
    pub fn parse(line: &str) -> Result<Self, Refusal> {
        check_doubles(line).map_err(|fault| fault.to_string())?;
        let value: Value = serde_json::from_str(line)
            .map_err(|error| format!("expected a JSON object: {error}"))?;
        let has = |name: &str| value.get(name).is_some();
        let read = || {
            let body = match () {
                () if has("error") => Body::Failure(Failure::deserialize(&value)?),
                () if has("cancelled_positions") => {
                    Body::Cancelled(Cancelled::deserialize(&value)?)
                }
                () if has("position") => {
                    let mut judged = Judged::deserialize(&value)?;
                    judged.complete_played();
                    Body::Judged(Box::new(judged))
                }
                () if has("version") => Body::Version(Version::deserialize(&value)?),
                () => Body::Dropped(Dropped::deserialize(&value)?),
            };
            let positions = Option::deserialize(&value["positions"])?;
            Ok(Self {
                origin: Origin::deserialize(&value)?,
                positions,
                body,
                tag: Tag::default(),
            })
        };
        read().map_err(|error: serde_json::Error| {
            Refusal::from(format!("expected an answer of emilia analyze: {error}"))
        })
    }

    /// Notes in the record that the answer goes out as `line`.
    pub fn note(&self, record: &Record, line: &str) -> io::Result<()> {
        let nodes = match &self.body {
            Body::Judged(judged) if !judged.state.partial => judged.work.searched,
            _ => 0,
        };
        record.note(&self.tag, self.origin.turn, line, self.is_final(), nodes)
    }

    /// Whether this is the last answer about its position; another run repeats a cancelled one.
    pub fn is_final(&self) -> bool {
        match &self.body {
            Body::Judged(judged) => !judged.state.partial && !judged.state.cancelled,
            Body::Dropped(_) => false,
            Body::Cancelled(_) | Body::Version(_) | Body::Failure(_) => true,
        }
    }

    /// The judged position of a complete answer.
    pub fn into_judged(self) -> Option<Judged> {
        match self.body {
            Body::Judged(judged) if !judged.state.partial && !judged.state.cancelled => {
                Some(*judged)
            }
            _ => None,
        }
    }
}
