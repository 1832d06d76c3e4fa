//! What goes out: one JSON object per line, which reports and books read back.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bounds::bounds;
use super::fields::Fault;
use super::line::{Asked, Id};
use super::request::Tag;
use super::resume::Record;
use super::wire::{rounded, seconds};
use crate::board::{Move, Position};
use crate::book;
use crate::engine::BookValue;
use crate::engine::chances::{self, Chances};
use crate::engine::cost::Cost;
use crate::search::{Info, Known, Line, Proof, Selectivity};

/// A line of output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// Which request it belongs to.
    #[serde(flatten)]
    pub origin: Origin,
    /// Positions of the request, each with an answer of its own, if the request was of a game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<usize>,
    /// What it says.
    #[serde(flatten)]
    pub body: Body,
    /// The place of the request in the input.
    #[serde(skip)]
    pub asked: Asked,
}

/// Which request an answer belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// As in the request; `null` if it has none.
    pub id: Option<Id>,
    /// The request's line of input, if it has no id or a fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Instead of that, in a reproducible run, the checksum of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Moves played before the position, if the request was of a game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
}

/// What an answer says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Body {
    /// A position judged, or the state of its search so far.
    Judged(Box<Judged>),
    /// A position whose search was given up before it began.
    Dropped(Dropped),
    /// What a cancellation did.
    Cancelled(Cancelled),
    /// A line that asks for nothing that can be done.
    Failure(Failure),
}

/// A position judged. Scores are in discs for the side to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// `true`: the search goes on and more will come.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
    /// `true`: the search was cancelled; what stands here is what it had found.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cancelled: bool,
    /// The position.
    pub position: Position,
    /// Empty squares.
    #[serde(default)]
    pub empties: u32,
    /// Depth in plies of the best move's score; the empties when searched to the end.
    #[serde(default)]
    pub depth: u8,
    /// How sure the cuts of its search were, percent.
    #[serde(default)]
    pub selectivity: u32,
    /// Whether the score is proven.
    #[serde(default)]
    pub exact: bool,
    /// The value of the best move, or of the finished game.
    #[serde(flatten)]
    pub value: Known,
    /// What the score stands for.
    #[serde(flatten)]
    pub odds: Odds,
    /// Whether the best move was sure enough, if a confidence was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<bool>,
    /// Positions visited.
    #[serde(default)]
    pub nodes: u64,
    /// Of these, those that this run has visited: an answer that is to be the same bytes tells what it once took.
    #[serde(skip)]
    pub searched: u64,
    /// The answer was found in the store: nothing was searched.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stored: bool,
    /// Time of the search; left out where output must be reproducible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// What the proof will take that is asked for and not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// The best moves, best first; none when the game is over.
    #[serde(default)]
    pub moves: Vec<JudgedMove>,
    /// Moves that the request left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub avoid: Vec<Move>,
    /// The move that the game goes on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<PlayedMove>,
    /// The name of the opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<Cow<'static, str>>,
    /// What the opening book knows, if the position is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub book: Option<BookJudgement>,
    /// What was ignored in the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Of this program.
    #[serde(default)]
    pub version: Cow<'static, str>,
    /// Which evaluation searched.
    #[serde(default)]
    pub weights: String,
}

/// What a score stands for, where that is known: see [`crate::engine::chances`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Odds {
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

/// One of the best moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedMove {
    /// `f5`, or `pa` for a forced pass.
    #[serde(rename = "move")]
    pub mv: Move,
    /// For the side to move.
    #[serde(flatten)]
    pub value: Known,
    /// What the score stands for.
    #[serde(flatten)]
    pub odds: Odds,
    /// No true score is lower than this, proven; a search with open end knows no better than -64.
    #[serde(default = "least")]
    pub lower: f64,
    /// No true score is higher.
    #[serde(default = "greatest")]
    pub upper: f64,
    /// Plies.
    #[serde(default)]
    pub depth: u8,
    /// Percent.
    #[serde(default)]
    pub selectivity: u32,
    /// Whether the score is proven.
    #[serde(default)]
    pub exact: bool,
    /// The line expected, this move first.
    #[serde(default)]
    pub pv: Vec<Move>,
    /// What it does, in sentences, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

/// The move played in a game and what it lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// Its value, as deep as the best move's where that was asked for.
    #[serde(flatten)]
    pub value: Option<Known>,
    /// Whether its value is proven.
    #[serde(default, skip_serializing_if = "is_false")]
    pub exact: bool,
    /// Discs less than the best move, at least 0; left out unless both scores are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// The line expected, this move first, where it was searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<Move>,
    /// How good it was and why, in sentences, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

/// What a proof will take in all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Nodes.
    pub nodes: u64,
    /// Time.
    pub seconds: f64,
    /// The selectivity of the last pass before the proof, if that is still to come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selectivity: Option<u32>,
    /// The time until its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selective_seconds: Option<f64>,
}

impl Estimate {
    /// As it is told.
    pub fn new(cost: &Cost) -> Self {
        let (selectivity, time) = cost.nearly.unzip();
        Self {
            nodes: cost.nodes as u64,
            seconds: rounded(cost.seconds, 1e1),
            selectivity: selectivity.map(Selectivity::percent),
            selective_seconds: time.map(|time| rounded(time, 1e1)),
        }
    }
}

/// What the opening book knows of a position. Scores are in discs for the side to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookJudgement {
    /// Its value; left out where only games know the position.
    #[serde(flatten)]
    pub value: Option<BookRange>,
    /// Plies of the search of the position itself, 0 if there was none.
    pub depth: u8,
    /// Games that went on from it.
    pub games: u64,
    /// The best move of the book.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub mv: Option<Move>,
}

/// The book's value of a position and how far it may be off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookRange {
    /// The value.
    pub value: f64,
    /// It is hardly lower than this.
    pub lower: f64,
    /// It is hardly higher.
    pub upper: f64,
}

/// The answer of a position that was never searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    /// Always `true`.
    #[serde(default)]
    pub cancelled: bool,
}

/// The answer of a cancellation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cancelled {
    /// Positions whose search was stopped or dropped; each still gets its own answer.
    pub cancelled_positions: usize,
    /// What was passed over in the line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The answer of a line with a fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// What is wrong, in one line.
    pub error: String,
    /// The field that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<Cow<'static, str>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(super) fn is_false(flag: &bool) -> bool {
    !flag
}

fn least() -> f64 {
    -64.0
}

fn greatest() -> f64 {
    64.0
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
        }
    }
}

impl Answer {
    /// The answer to a line with this fault: it tells the line even if it has an id.
    pub fn fault(tag: &Tag, fault: &Fault) -> Self {
        let line = (!tag.is_named_by_text).then_some(tag.line);
        let body = Failure { error: fault.to_string(), field: fault.field.map(Cow::Borrowed) };
        let origin = Origin { line, ..Origin::new(tag, None) };
        Self { origin, positions: None, body: Body::Failure(body), asked: tag.asked(None) }
    }

    /// The answer to a cancellation that reached so many positions.
    pub fn cancelled(tag: &Tag, positions: usize, warnings: Vec<String>) -> Self {
        let body = Cancelled { cancelled_positions: positions, warnings };
        let (origin, asked) = (Origin::new(tag, None), tag.asked(None));
        Self { origin, positions: None, body: Body::Cancelled(body), asked }
    }

    /// Reads a line of output; fields that are not known are passed over.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn parse(line: &str) -> Result<Self, String> {
        let value: Value =
            serde_json::from_str(line).map_err(|error| format!("expected a JSON object: {error}"))?;
        let read = || {
            let has = |name: &str| value.get(name).is_some();
            let body = match () {
                () if has("error") => Body::Failure(Failure::deserialize(&value)?),
                () if has("cancelled_positions") => Body::Cancelled(Cancelled::deserialize(&value)?),
                () if has("position") => Body::Judged(Box::new(Judged::deserialize(&value)?)),
                () => Body::Dropped(Dropped::deserialize(&value)?),
            };
            let positions = Option::deserialize(&value["positions"])?;
            Ok(Self { origin: Origin::deserialize(&value)?, positions, body, asked: Asked::default() })
        };
        read().map_err(|error: serde_json::Error| format!("expected an answer of emilia analyze: {error}"))
    }

    /// Notes in the record that the answer goes out as `line`.
    ///
    /// # Errors
    /// As [`Record::note`].
    pub fn note(&self, record: &Record, line: &str) -> io::Result<()> {
        let nodes = match &self.body {
            Body::Judged(judged) if !judged.partial => judged.searched,
            _ => 0,
        };
        record.note(self.asked, line, self.is_final(), nodes)
    }

    /// Whether no other answer to the same position follows; a cancelled one is asked for again.
    pub fn is_final(&self) -> bool {
        match &self.body {
            Body::Judged(judged) => !judged.partial && !judged.cancelled,
            Body::Dropped(_) => false,
            Body::Cancelled(_) | Body::Failure(_) => true,
        }
    }

    /// The position judged, if it is an answer with all that was asked for.
    pub fn into_judged(self) -> Option<Judged> {
        match self.body {
            Body::Judged(judged) if !judged.partial && !judged.cancelled => Some(*judged),
            _ => None,
        }
    }
}

impl Odds {
    /// Of a line at a position with so many empties; of an unproven one only by an evaluation that is calibrated.
    fn of(line: &Line, empties: u32, calibrated: bool) -> Self {
        if matches!(line.proof, Proof::AtLeast | Proof::AtMost) || line.proof == Proof::None && !calibrated {
            return Self::default();
        }
        let [error, margin] = [chances::error(line, empties), chances::margin(line, empties)];
        Self::new(chances::chances(line, empties), error, margin)
    }

    /// Chance to win, a draw counting half.
    pub fn chance(&self) -> Option<f64> {
        Some((self.win? + self.draw.unwrap_or(0.0) / 2.0).clamp(0.0, 1.0))
    }

    fn new(Chances { win, draw, loss }: Chances, error: Option<f64>, margin: Option<f64>) -> Self {
        let [win, draw, loss] = [win, draw, loss].map(|chance| Some(rounded(chance, 1e4)));
        let [score_error, margin] = [error, margin].map(|discs| discs.map(|discs| rounded(discs, 1e2)));
        Self { win, draw, loss, score_error, margin }
    }
}

impl Judged {
    /// What a search has found; `info` without lines is a finished game. `calibrated` says whether chances are known of
    /// the evaluation that `weights` names.
    pub fn new(position: Position, info: &Info, calibrated: bool, weights: &str) -> Self {
        let board = position.board;
        let best = info.lines.first();
        let empties = board.empty_count();
        let result = || Odds::new(chances::decided(board.final_score()), Some(0.0), Some(0.0));
        Self {
            partial: false,
            cancelled: false,
            position,
            empties,
            depth: best.map_or(0, |line| line.depth),
            selectivity: best.map_or(100, |line| line.selectivity.percent()),
            exact: best.is_none_or(Line::is_exact),
            value: best.map_or_else(|| Known::Score(f64::from(board.final_score())), Line::known),
            odds: best.map_or_else(result, |line| Odds::of(line, empties, calibrated)),
            settled: None,
            nodes: info.nodes,
            searched: info.nodes,
            stored: false,
            seconds: Some(seconds(info.time)),
            estimate: None,
            moves: info.lines.iter().filter_map(|line| JudgedMove::new(line, empties, calibrated)).collect(),
            avoid: Vec::new(),
            played: None,
            opening: None,
            book: None,
            warnings: Vec::new(),
            version: env!("CARGO_PKG_VERSION").into(),
            weights: weights.to_owned(),
        }
    }

    /// The expected line, the best move first; empty when the game is over.
    pub fn line(&self) -> &[Move] {
        self.moves.first().map_or(&[], |best| &best.pv)
    }

    /// Chance of the side to move to win, a draw counting half.
    pub fn chance(&self) -> Option<f64> {
        self.odds.chance()
    }
}

impl BookJudgement {
    /// What the book says.
    pub fn new(found: &BookValue) -> Self {
        let range = |book::Value { value, lower, upper }| {
            let [value, lower, upper] = [value, lower, upper].map(|score| rounded(score.discs(), 1e3));
            BookRange { value, lower, upper }
        };
        Self {
            value: found.value.map(range),
            depth: found.depth,
            games: found.games,
            mv: found.best.map(Move::Place),
        }
    }
}

impl PlayedMove {
    /// A move of which nothing is known.
    pub fn of(mv: Move) -> Self {
        Self { mv, value: None, exact: false, loss: None, pv: Vec::new(), why: Vec::new() }
    }
}

impl JudgedMove {
    /// What a line says of its first move.
    fn new(line: &Line, empties: u32, calibrated: bool) -> Option<Self> {
        let (lower, upper) = bounds(line);
        Some(Self {
            mv: *line.pv.first()?,
            value: line.known(),
            odds: Odds::of(line, empties, calibrated),
            lower,
            upper,
            depth: line.depth,
            selectivity: line.selectivity.percent(),
            exact: line.is_exact(),
            pv: line.pv.clone(),
            why: Vec::new(),
        })
    }
}
