//! What goes out: one JSON object per line.

use std::time::Duration;

use serde::Serialize;

use super::Settings;
use super::bounds::bounds;
use super::fields::Fault;
use super::reasons::{Reasons, rounded};
use super::request::{Id, Request, Tag, Turn};
use crate::board::{Move, Score};
use crate::book::Value;
use crate::engine::BookValue;
use crate::engine::chances::{self, Chances};
use crate::notation::diagram::write_board;
use crate::search::{Info, Known, Line, Proof, result_word};

/// A line of output.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// A position analysed, or the state of its search so far.
    Report(Box<Report>),
    /// A position whose search was given up before it began.
    Dropped(Dropped),
    /// What a cancellation did.
    Cancelled(Cancelled),
    /// A line that asks for nothing that can be done.
    Failure(Failure),
}

/// A position analysed. Scores are in discs for the side to move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// As in the request; `null` if it has none.
    pub id: Option<Id>,
    /// The request's line of input, if it has no id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Instead of that, in a reproducible run, the checksum of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Moves played before the position, if the request was of a game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// `true`: the search goes on and more will come.
    #[serde(skip_serializing_if = "is_false")]
    pub partial: bool,
    /// `true`: the search was cancelled; what stands here is what it had found.
    #[serde(skip_serializing_if = "is_false")]
    pub cancelled: bool,
    /// 64 characters `X O -` and the side to move.
    pub position: String,
    /// Empty squares.
    pub empties: u32,
    /// Depth in plies of the best move's score; the empties when searched to the end.
    pub depth: u8,
    /// How sure the cuts of its search were, percent.
    pub selectivity: u32,
    /// Whether the score is proven.
    pub exact: bool,
    /// The value of the best move, or of the finished game.
    #[serde(flatten)]
    pub value: MoveValue,
    /// What the score stands for.
    #[serde(flatten)]
    pub worth: Worth,
    /// Whether the best move was sure enough, if a confidence was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<bool>,
    /// Positions visited.
    pub nodes: u64,
    /// Time of the search; left out where output must be reproducible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The best moves, best first; none when the game is over.
    pub moves: Vec<MoveReport>,
    /// The move that the game goes on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<Played>,
    /// Why, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Reasons>,
    /// The name of the opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<&'static str>,
    /// What the opening book knows, if the position is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub book: Option<BookReport>,
    /// What was passed over in the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Of this program.
    pub version: &'static str,
    /// Which evaluation searched.
    pub weights: String,
}

/// What the opening book knows of a position. Scores are in discs for the side to move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BookReport {
    /// Its value; left out where only games know the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The value is hardly lower than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// The value is hardly higher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// Plies of the search of the position itself, 0 if there was none.
    pub depth: u8,
    /// Games that went on from it.
    pub games: u64,
    /// The best move of the book.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub mv: Option<String>,
}

/// How good a move is, in discs for the side to move: exactly one of these fields stands in the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MoveValue {
    /// The score, estimated or exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// `win`, `draw` or `loss`, proven, where nothing is known of by how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<&'static str>,
    /// A search cut short knew only that the score is not less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// Or not more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
}

impl From<Known> for MoveValue {
    fn from(known: Known) -> Self {
        let none = Self::default();
        match known {
            Known::Score(discs) => Self { score: Some(discs), ..none },
            Known::Winner(sign) => Self { result: Some(result_word(sign)), ..none },
            Known::AtLeast(discs) => Self { at_least: Some(discs), ..none },
            Known::AtMost(discs) => Self { at_most: Some(discs), ..none },
        }
    }
}

/// What a score stands for, where that is known: see [`crate::engine::chances`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Worth {
    /// Chance to win.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub win: Option<f64>,
    /// Chance to draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<f64>,
    /// Chance to lose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Error of the score to expect, in discs; none where only the sign is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_error: Option<f64>,
    /// A search six plies deeper lies within so many discs of the score, with the certainty of its selectivity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
}

/// One move of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveReport {
    /// `f5`, or `pa` for a forced pass.
    #[serde(rename = "move")]
    pub mv: String,
    /// For the side to move.
    #[serde(flatten)]
    pub value: MoveValue,
    /// What the score stands for.
    #[serde(flatten)]
    pub worth: Worth,
    /// No true score is lower than this, proven; a search with open end knows no better than -64.
    pub lower: f64,
    /// No true score is higher.
    pub upper: f64,
    /// Plies.
    pub depth: u8,
    /// Percent.
    pub selectivity: u32,
    /// Whether the score is proven.
    pub exact: bool,
    /// The line expected, this move first.
    pub pv: Vec<String>,
}

/// The move played in a game and what it lost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Played {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its value, as deep as the best move's where that was asked for.
    #[serde(flatten)]
    pub value: Option<MoveValue>,
    /// Discs less than the best move, at least 0; left out unless both scores are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
}

/// The answer of a position that was never searched.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dropped {
    /// As in the request.
    pub id: Option<Id>,
    /// The request's line of input, if it has no id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Instead of that, in a reproducible run, the checksum of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Moves played before the position, if the request was of a game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// Always `true`.
    pub cancelled: bool,
}

/// The answer of a cancellation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cancelled {
    /// Of the cancelling line itself.
    pub id: Option<Id>,
    /// The line of input, if it has no id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Positions whose search was stopped or dropped; each still gets its own answer.
    pub cancelled_positions: usize,
    /// What was passed over in the line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The answer of a line with a fault.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// The id, if it could be read.
    pub id: Option<Id>,
    /// The line of input; none in a reproducible run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Instead of that the checksum of its text, if it has no id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// What is wrong, in one line.
    pub error: String,
    /// The field that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'static str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Tag {
    /// The line, for an answer without an id.
    fn line_without_id(&self) -> Option<u64> {
        (self.id.is_none() && self.text.is_none()).then_some(self.line)
    }

    /// The checksum of the text, for a reproducible answer without an id.
    fn text_without_id(&self) -> Option<String> {
        self.text.filter(|_| self.id.is_none()).map(|text| format!("{text:08x}"))
    }
}

impl Failure {
    /// The answer to a line with this fault.
    pub fn new(tag: Tag, fault: &Fault) -> Self {
        let line = tag.text.is_none().then_some(tag.line);
        Self {
            request: tag.text_without_id(),
            id: tag.id,
            line,
            error: fault.to_string(),
            field: fault.field,
        }
    }
}

impl Dropped {
    /// The answer of a position never searched.
    pub fn new(tag: &Tag, turn: &Turn) -> Self {
        let (id, line, request) = (tag.id.clone(), tag.line_without_id(), tag.text_without_id());
        Self { id, line, request, turn: turn.number, cancelled: true }
    }
}

impl Cancelled {
    /// The answer to a cancellation that reached so many positions.
    pub fn new(tag: &Tag, positions: usize, warnings: Vec<String>) -> Self {
        let (id, line) = (tag.id.clone(), tag.line_without_id());
        Self { id, line, cancelled_positions: positions, warnings }
    }
}

impl Worth {
    /// Of a line at a position with so many empties; of an unproven one only by an evaluation that is calibrated.
    fn of(line: &Line, empties: u32, calibrated: bool) -> Self {
        if matches!(line.proof, Proof::AtLeast | Proof::AtMost) || line.proof == Proof::None && !calibrated {
            return Self::default();
        }
        let [error, margin] = [chances::error(line, empties), chances::margin(line, empties)];
        Self::new(chances::chances(line, empties), error, margin)
    }

    fn new(Chances { win, draw, loss }: Chances, error: Option<f64>, margin: Option<f64>) -> Self {
        let [win, draw, loss] = [win, draw, loss].map(|chance| Some(rounded(chance, 1e4)));
        let [score_error, margin] = [error, margin].map(|discs| discs.map(|discs| rounded(discs, 1e2)));
        Self { win, draw, loss, score_error, margin }
    }
}

impl Report {
    /// What a search has found; `info` without lines is a finished game.
    pub fn new(request: &Request, turn: &Turn, info: &Info, settings: &Settings) -> Self {
        let tag = &request.tag;
        let board = turn.position.board;
        let best = info.lines.first();
        let empties = board.empty_count();
        // What a weaker player's scores would stand for is not known.
        let calibrated = settings.defaults.calibrated && request.handicap.is_none();
        let result = || Worth::new(chances::decided(board.final_score()), Some(0.0), Some(0.0));
        Self {
            id: tag.id.clone(),
            line: tag.line_without_id(),
            request: tag.text_without_id(),
            turn: turn.number,
            partial: false,
            cancelled: false,
            position: write_board(&turn.position),
            empties,
            depth: best.map_or(0, |line| line.depth),
            selectivity: best.map_or(100, |line| line.selectivity.percent()),
            exact: best.is_none_or(|line| line.proof == Proof::Exact),
            value: best.map_or_else(|| Known::Score(f64::from(board.final_score())), Line::known).into(),
            worth: best.map_or_else(result, |line| Worth::of(line, empties, calibrated)),
            settled: None,
            nodes: info.nodes,
            seconds: Some(seconds(info.time)),
            moves: info.lines.iter().map(|line| MoveReport::new(line, empties, calibrated)).collect(),
            played: turn.played.map(|mv| Played { mv: mv.to_string(), value: None, loss: None }),
            explanation: None,
            opening: turn.opening,
            book: None,
            warnings: Vec::new(),
            version: env!("CARGO_PKG_VERSION"),
            weights: settings.weights.clone(),
        }
    }
}

impl BookReport {
    /// What the book says.
    pub fn new(found: &BookValue) -> Self {
        let discs = |score: fn(Value) -> Score| found.value.map(|value| rounded(score(value).discs(), 1e3));
        Self {
            value: discs(|value| value.value),
            lower: discs(|value| value.lower),
            upper: discs(|value| value.upper),
            depth: found.depth,
            games: found.games,
            mv: found.best.map(|square| square.to_string()),
        }
    }
}

impl MoveReport {
    fn new(line: &Line, empties: u32, calibrated: bool) -> Self {
        let (lower, upper) = bounds(line);
        Self {
            mv: line.pv.first().map_or_else(String::new, Move::to_string),
            value: line.known().into(),
            worth: Worth::of(line, empties, calibrated),
            lower,
            upper,
            depth: line.depth,
            selectivity: line.selectivity.percent(),
            exact: line.proof == Proof::Exact,
            pv: line.pv.iter().map(Move::to_string).collect(),
        }
    }
}

/// Seconds to the microsecond.
pub fn seconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64(), 1e6)
}
