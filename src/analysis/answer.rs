//! Answers: one JSON object per line, which reports and books read back.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::fields::Fault;
use super::line::Id;
use super::request::Tag;
use super::resume::Record;
use super::wire::{rounded, seconds};
use crate::board::{Move, Position};
use crate::book;
use crate::engine::chances::{self, Chances};
use crate::engine::cost::Cost;
use crate::engine::{BookLine, BookValue};
use crate::search::{self, Info, Known, Proof, Selectivity};
use crate::sentences::{Found, Language, name, of_move, of_played};

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
    #[serde(flatten)]
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
    /// The search continues, and more answers follow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// The search was cancelled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
    /// 64 squares from a1 to h8 and the side to move.
    pub position: Position,
    /// Empty squares.
    #[serde(default)]
    pub empties: u32,
    /// The value of the best move, or of the finished game.
    #[serde(flatten)]
    pub line: Line,
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
    /// The best moves, best first; empty when the game is over.
    #[serde(default)]
    pub moves: Vec<JudgedMove>,
    /// Moves that the request excludes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub avoid: Vec<Move>,
    /// The next move of the game.
    pub played: Option<PlayedMove>,
    /// The rating of `find_chance`.
    pub rating: Option<u16>,
    /// With `trap`: a move that a player of `rating` is likely to answer badly.
    pub trap: Option<Trap>,
    /// The name of the opening.
    pub opening: Option<Cow<'static, str>>,
    /// The position in the opening book.
    pub book: Option<BookJudgement>,
    /// Parts of the request that were ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
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
    pub mv: Move,
    #[serde(flatten)]
    pub line: Line,
    /// The probability that a player of `rating` plays this move; over all legal moves they add to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub find_chance: Option<f64>,
    /// The expected line, this move first.
    #[serde(default)]
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
    pub mv: Move,
    #[serde(flatten)]
    pub line: Option<Line>,
    /// Discs lost against the best move, from 0; absent unless both scores are known.
    pub loss: Option<f64>,
    /// The probability that a player of `rating` plays this move; over all legal moves they add to 1.
    pub find_chance: Option<f64>,
    /// The expected line, this move first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<Move>,
    /// Sentences about the move, if the request asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

/// The move with the best expected result against the likely answers of a player of `rating`, if it is not the best move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trap {
    /// The move.
    #[serde(rename = "move")]
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
    pub mv: Option<Move>,
    /// The moves that the book knows, best first, then the most played first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<MoveGames>,
}

/// The games of a book with a move, as the side that plays it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MoveGames {
    /// The move.
    #[serde(rename = "move")]
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
    /// The fault, in one line.
    pub fn parse(line: &str) -> Result<Self, String> {
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
            format!("expected an answer of emilia analyze: {error}")
        })
    }

    /// Notes in the record that the answer goes out as `line`.
    pub fn note(&self, record: &Record, line: &str) -> io::Result<()> {
        let nodes = match &self.body {
            Body::Judged(judged) if !judged.partial => judged.searched,
            _ => 0,
        };
        record.note(&self.tag, self.origin.turn, line, self.is_final(), nodes)
    }

    /// Whether this is the last answer about its position; another run repeats a cancelled one.
    pub fn is_final(&self) -> bool {
        match &self.body {
            Body::Judged(judged) => !judged.partial && !judged.cancelled,
            Body::Dropped(_) => false,
            Body::Cancelled(_) | Body::Version(_) | Body::Failure(_) => true,
        }
    }

    /// The judged position of a complete answer.
    pub fn into_judged(self) -> Option<Judged> {
        match self.body {
            Body::Judged(judged) if !judged.partial && !judged.cancelled => Some(*judged),
            _ => None,
        }
    }
}

impl Line {
    /// The value of a search's line at a position with this number of empties. The chances of an unproven one are known
    /// only if the evaluation is `calibrated`.
    pub fn new(line: &search::Line, empties: u32, calibrated: bool) -> Self {
        let (lower, upper) = bounds(line);
        let is_bound = matches!(line.proof, Proof::AtLeast | Proof::AtMost);
        let odds = if is_bound || line.proof == Proof::None && !calibrated {
            Odds::default()
        } else {
            let [error, margin] = [
                chances::error(line, empties),
                chances::margin(line, empties),
            ];
            Odds::new(chances::chances(line, empties), error, margin)
        };
        Self {
            depth: line.depth,
            selectivity: line.selectivity.percent(),
            exact: line.is_exact(),
            value: line.known(),
            odds,
            lower,
            upper,
        }
    }

    /// The value of a finished game.
    fn result(score: i32) -> Self {
        let odds = Odds::new(chances::decided(score), Some(0.0), Some(0.0));
        let discs = f64::from(score);
        let value = Known::Score(discs);
        Self {
            depth: 0,
            selectivity: 100,
            exact: true,
            value,
            odds,
            lower: discs,
            upper: discs,
        }
    }
}

impl Odds {
    /// Chance to win, a draw counting half.
    pub fn chance(&self) -> Option<f64> {
        Some((self.win_chance? + self.draw_chance.unwrap_or(0.0) / 2.0).clamp(0.0, 1.0))
    }

    fn new(Chances { win, draw, loss }: Chances, error: Option<f64>, margin: Option<f64>) -> Self {
        let [win_chance, draw_chance, loss_chance] =
            [win, draw, loss].map(|chance| Some(rounded(chance, 1e4)));
        let [score_error, margin] =
            [error, margin].map(|discs| discs.map(|discs| rounded(discs, 1e2)));
        Self {
            win_chance,
            draw_chance,
            loss_chance,
            score_error,
            margin,
        }
    }
}

impl Judged {
    /// The result of a search; `info` without lines is a finished game. `calibrated`: the chances of the evaluation `weights`
    /// are known.
    pub fn new(position: Position, info: &Info, calibrated: bool, weights: &str) -> Self {
        let board = position.board;
        let empties = board.empty_count();
        let line = |line: &search::Line| Line::new(line, empties, calibrated);
        let judged_move = |found: &search::Line| {
            let (mv, pv) = (*found.pv.first()?, found.pv.clone());
            Some(JudgedMove {
                mv,
                line: line(found),
                find_chance: None,
                pv,
                why: Vec::new(),
            })
        };
        Self {
            partial: false,
            cancelled: false,
            position,
            empties,
            line: info
                .lines
                .first()
                .map_or_else(|| Line::result(board.final_score()), line),
            settled: None,
            nodes: info.nodes,
            searched: info.nodes,
            stored: false,
            seconds: Some(seconds(info.time)),
            estimate: None,
            moves: info.lines.iter().filter_map(judged_move).collect(),
            avoid: Vec::new(),
            played: None,
            rating: None,
            trap: None,
            opening: None,
            book: None,
            warnings: Vec::new(),
            schema_version: SCHEMA_VERSION,
            version: env!("CARGO_PKG_VERSION").into(),
            weights: weights.to_owned(),
        }
    }

    /// The expected line, the best move first; empty when the game is over.
    pub fn pv(&self) -> &[Move] {
        self.moves.first().map_or(&[], |best| &best.pv)
    }

    /// Discs that the move played is worse than the best one, from 0 to 128; `None` where that is not known.
    pub fn loss(&self) -> Option<f64> {
        self.played
            .as_ref()?
            .loss
            .map(|loss| loss.clamp(0.0, 128.0))
    }

    /// Whether that is proven.
    pub fn is_loss_exact(&self) -> bool {
        let played = self.played.as_ref().and_then(|played| played.line.as_ref());
        self.line.exact && played.is_some_and(|line| line.exact)
    }

    /// Adds sentences to its moves, and to the one played.
    pub fn explain(&mut self, language: Language) {
        let position = self.position;
        let passes = || {
            vec![language.fill(
                "passes-turn",
                &[("own", name(language, position.side).into())],
            )]
        };
        for judged in &mut self.moves {
            judged.why = judged
                .mv
                .square()
                .map_or_else(passes, |square| of_move(language, &position, square));
        }
        let of_square = |square| of_played(language, &position, square, &self.found());
        let why = self
            .played
            .as_ref()
            .map(|played| played.mv.square().map_or_else(passes, of_square));
        if let (Some(played), Some(why)) = (&mut self.played, why) {
            played.why = why;
        }
    }

    /// The values and lines of the move played and of the best one, for sentences.
    pub fn found(&self) -> Found<'_> {
        // A move that was read from a file may be illegal.
        let is_legal = |mv: &Move| self.position.play(*mv).is_ok();
        Found {
            best_line: if self.pv().first().is_some_and(is_legal) {
                self.pv()
            } else {
                &[]
            },
            loss: self.loss(),
            is_exact: self.is_loss_exact(),
            played_line: self.played.as_ref().map_or(&[], |played| &played.pv),
        }
    }

    /// Completes the move played where it is one of the best moves.
    pub fn complete_played(&mut self) {
        let Some(played) = &mut self.played else {
            return;
        };
        if let Some(found) = self.moves.iter().find(|found| found.mv == played.mv) {
            let line = played.line.get_or_insert_with(|| found.line.clone());
            let scores = self.line.value.score().zip(line.value.score());
            played.loss = played
                .loss
                .or(scores.map(|(best, score)| (best - score).clamp(0.0, 128.0)));
            if played.pv.is_empty() {
                played.pv.clone_from(&found.pv);
            }
        }
    }
}

impl Estimate {
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

impl BookJudgement {
    pub fn new(found: &BookValue, lines: &[BookLine]) -> Self {
        let range = |book::Value {
                         value,
                         lower,
                         upper,
                     }| {
            let [value, lower, upper] =
                [value, lower, upper].map(|score| rounded(score.discs(), 1e3));
            BookRange {
                value,
                lower,
                upper,
            }
        };
        Self {
            value: found.value.map(range),
            depth: found.depth,
            games: found.games,
            mv: found.best.map(Move::Place),
            moves: lines.iter().map(MoveGames::new).collect(),
        }
    }
}

impl MoveGames {
    fn new(line: &BookLine) -> Self {
        let games = line.games;
        let count = games.count();
        Self {
            mv: line.pv[0],
            games: count,
            won: games.wins,
            drawn: games.draws,
            lost: games.losses,
            percent: (count > 0).then(|| rounded(100.0 * games.points() / count as f64, 1e1)),
        }
    }
}

impl PlayedMove {
    pub fn of(mv: Move) -> Self {
        Self {
            mv,
            line: None,
            loss: None,
            find_chance: None,
            pv: Vec::new(),
            why: Vec::new(),
        }
    }
}
