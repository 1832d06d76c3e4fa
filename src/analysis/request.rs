//! One line of input as plain data: a request, a cancellation, or what is wrong with it.

#[cfg(test)]
mod tests;

use std::time::Duration;

use clap::ValueEnum;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Defaults;
use super::fields::{Fault, Fields, Whole, doubled, excerpt};
use super::line::{Asked, Id, RequestLine};
use crate::board::{Game, Move, Position, squares};
use crate::book::names::name_of;
use crate::engine::{Elo, Level, Strength};
use crate::notation::moves::{parse_game, parse_moves};
use crate::notation::parse_position;
use crate::search::{Clock, Goal, Handicap, Limits, Selectivity};
use crate::sentences::Language;

/// What a weaker player overlooks depends on the position and on this.
const WEAK_SEED: u64 = 1;
/// Longest time that a request may ask for: ten years.
const MAX_SECONDS: f64 = 315_360_000.0;
/// Shortest time between two partial reports.
const MIN_REPORT_SECONDS: f64 = 0.01;

/// Which request an answer belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    /// The id, if the request has one.
    pub id: Option<Id>,
    /// The line of input, from 1, on which it stood.
    pub line: u64,
    /// The checksum of its text, or of the content of an entry.
    pub crc32: u32,
    /// In a reproducible run, which may be a part of a larger one, the checksum names a request without an id: the number
    /// of a line would depend on where the parts begin.
    pub is_named_by_text: bool,
}

impl Tag {
    /// The tag of a line whose id is not known yet.
    pub fn of_line(line: u64, text: &str, defaults: &Defaults) -> Self {
        let crc32 = crc32fast::hash(text.trim().as_bytes());
        Self { id: None, line, crc32, is_named_by_text: defaults.reproducible }
    }

    /// The place in the input of the position after `turn` moves.
    pub fn asked(&self, turn: Option<usize>) -> Asked {
        Asked { line: self.line, crc32: self.crc32, turn }
    }
}

/// One position to analyse, or all those of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Whose it is.
    pub tag: Tag,
    /// The positions, at least one; those that an earlier run answered are taken out.
    pub turns: Vec<Turn>,
    /// How many positions were asked for, of a game.
    pub positions: Option<usize>,
    /// Bounds of the search of each position.
    pub limits: Limits,
    /// What a weaker player overlooks; its scores are its own.
    pub handicap: Option<Handicap>,
    /// How many of the best moves to report.
    pub moves: usize,
    /// Squares that may be played on.
    pub allowed: u64,
    /// Stop when the best move is so sure to be the best.
    pub confidence: Option<f64>,
    /// Whether to score the move played as well, and what it lost.
    pub losses: bool,
    /// The language of sentences about its moves, if there shall be any.
    pub why: Option<Language>,
    /// Requests of higher priority are begun first.
    pub priority: i64,
    /// Time between partial reports, if any are wanted.
    pub report: Option<Duration>,
    /// What was passed over in the line.
    pub warnings: Vec<String>,
}

/// A position of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Moves, passes included, played before it; `None` if only a position was asked for.
    pub number: Option<usize>,
    /// The position.
    pub position: Position,
    /// The move that the game goes on with.
    pub played: Option<Move>,
    /// The name of the opening that led here.
    pub opening: Option<&'static str>,
}

impl Request {
    /// Every position of a game with what each move lost, or a lone position, by the defaults.
    pub fn of_game(number: u64, game: &Game, defaults: &Defaults) -> Self {
        let last = game.moves().len();
        let openings = openings(game);
        let turns: Vec<Turn> = (0..=last).map(|number| turn(game, number, &openings)).collect();
        let tag = Tag { id: i64::try_from(number).ok().map(Id::Number), line: number, ..Tag::default() };
        Self {
            tag,
            positions: Some(turns.len()),
            turns,
            limits: defaults.limits,
            handicap: None,
            moves: defaults.moves,
            allowed: !0,
            confidence: None,
            losses: last > 0,
            why: defaults.why,
            priority: 0,
            report: None,
            warnings: Vec::new(),
        }
    }
}

/// The position after so many moves of a game.
fn turn(game: &Game, number: usize, openings: &[Option<&'static str>]) -> Turn {
    let played = game.moves().get(number).copied();
    Turn { number: Some(number), position: game.positions()[number], played, opening: openings[number] }
}

/// For each position of a game the name of its opening, or the last name before it.
fn openings(game: &Game) -> Vec<Option<&'static str>> {
    let mut last = None;
    let mut named = |position: &Position| {
        last = name_of(position.board).or(last);
        last
    };
    game.positions().iter().map(&mut named).collect()
}

/// What a line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// To analyse.
    Analyse(Request),
    /// To give up the requests with this id, or all of them.
    Cancel {
        /// Whose line this is.
        tag: Tag,
        /// The id, `None` for all.
        id: Option<Id>,
        /// What was passed over in the line.
        warnings: Vec<String>,
    },
}

/// Reads a line; `line` is its number from 1.
///
/// # Errors
/// The id, if it could be read, and what is wrong with which field.
pub fn parse(text: &str, line: u64, defaults: &Defaults) -> Result<Query, (Tag, Fault)> {
    let mut tag = Tag::of_line(line, text, defaults);
    let object = match serde_json::from_str(text) {
        Ok(Value::Object(object)) => object,
        Ok(other) => {
            return Err((tag, Fault::line(format!("expected a JSON object, found {}", excerpt(&other)))));
        }
        Err(error) => return Err((tag, Fault::line(format!("expected a JSON object: {error}")))),
    };
    if let Some(field) = doubled(text) {
        tag.id = object.get("id").filter(|_| field != "id").and_then(|id| Id::deserialize(id).ok());
        return Err((tag, Fault::line(format!("the field {field:?} stands twice; give it once"))));
    }
    query(object, &mut tag, defaults).map_err(|fault| (tag, fault))
}

fn query(object: Map<String, Value>, tag: &mut Tag, defaults: &Defaults) -> Result<Query, Fault> {
    // An answer to a fault names its request, too.
    tag.id = object.get("id").and_then(|id| Id::deserialize(id).ok());
    let mut fields = Fields::new(object);
    let line = RequestLine::deserialize(&mut fields)?;
    let mut warnings = fields.warnings();
    let all = line.cancel_all == Some(true);
    if all || line.cancel.is_some() {
        if defaults.reproducible {
            let field = if all { "cancel_all" } else { "cancel" };
            return Err(Fault::new(field, "what is cancelled is not reproducible"));
        }
        let id = if all { None } else { line.cancel };
        return Ok(Query::Cancel { tag: tag.clone(), id, warnings });
    }
    let weak = elo(&line)?;
    let (game, whole) = game(&line)?;
    let turns = turns(&line, &game, whole)?;
    let confidence = number("confidence", line.confidence, 0.5, 0.9999)?;
    known("confidence", confidence.is_some(), defaults)?;
    let losses = line.losses == Some(true);
    if losses && confidence.is_some() {
        return Err(Fault::new("losses", "give either losses or confidence, not both"));
    }
    if losses && turns.iter().all(|turn| turn.played.is_none()) {
        warnings.push("losses: no move was played in the positions asked for; give a game".to_owned());
    }
    Ok(Query::Analyse(Request {
        tag: tag.clone(),
        confidence,
        limits: match weak {
            Some(strength) => bounded(strength.level.limits(Clock::Unlimited), defaults),
            None => limits(&line, defaults)?,
        },
        handicap: weak.and_then(|strength| strength.handicap(WEAK_SEED)),
        moves: moves(&line)?.unwrap_or(if weak.is_some() { 1 } else { defaults.moves }),
        allowed: allowed(&line, &turns)?,
        losses,
        why: language(&line)?.or(defaults.why),
        priority: line.priority.map_or(0, |priority| priority.0),
        report: report(&line, defaults)?,
        warnings,
        positions: turns[0].number.map(|_| turns.len()),
        turns,
    }))
}

/// The language of sentences.
fn language(line: &RequestLine) -> Result<Option<Language>, Fault> {
    let known = |value: &Value| value.as_str().and_then(|name| Language::from_str(name, false).ok());
    let read = |value: &Value| known(value).ok_or_else(|| Fault::field("why", "en, fr or ja", value));
    line.why.as_ref().map(read).transpose()
}

/// Refuses what is known of the embedded network only where another evaluation searches.
fn known(field: &'static str, is_asked: bool, defaults: &Defaults) -> Result<(), Fault> {
    if is_asked && !defaults.calibrated {
        return Err(Fault::new(field, "not known for this evaluation; the embedded network has it"));
    }
    Ok(())
}

/// A number within `low..=high`.
fn number(field: &'static str, number: Option<f64>, low: f64, high: f64) -> Result<Option<f64>, Fault> {
    match number {
        Some(number) if !(low..=high).contains(&number) => {
            Err(Fault::field(field, format!("a number from {low} to {high}"), &number.into()))
        }
        other => Ok(other),
    }
}

/// A time of at least `low` seconds.
fn seconds(field: &'static str, time: Option<f64>, low: f64) -> Result<Option<Duration>, Fault> {
    Ok(number(field, time, low, MAX_SECONDS)?.map(Duration::from_secs_f64))
}

/// The game of the request, and whether all of it is asked for unless `turns` says otherwise.
fn game(line: &RequestLine) -> Result<(Game, bool), Fault> {
    let (name, text) = match (&line.position, &line.game) {
        (Some(text), None) => ("position", text),
        (None, Some(text)) => ("game", text),
        (Some(_), Some(_)) => return Err(Fault::new("game", "give either a position or a game, not both")),
        (None, None) => {
            return Err(Fault::new("position", "missing: give a position or a game in any notation"));
        }
    };
    let mut game = parse_position(text).map_err(|error| Fault::new(name, error))?.record.game;
    if let Some(moves) = &line.play {
        let played = parse_game(game.position(), moves).map_err(|error| Fault::new("play", error))?;
        for &mv in played.moves() {
            game.play(mv).map_err(|error| Fault::new("play", error))?;
        }
    }
    Ok((game, name == "game"))
}

/// The positions asked for: `"all"`, `"last"` or a list of numbers of moves played, -1 being the last position.
fn turns(line: &RequestLine, game: &Game, whole: bool) -> Result<Vec<Turn>, Fault> {
    const NAME: &str = "turns";
    let last = game.moves().len();
    let expected =
        || format!("\"all\", \"last\" or a list of whole numbers from {} to {last}", -(last as i64) - 1);
    let numbers: Vec<usize> = match &line.turns {
        None if whole => (0..=last).collect(),
        None => {
            let opening = openings(game).pop().flatten();
            return Ok(vec![Turn { number: None, position: game.position(), played: None, opening }]);
        }
        Some(Value::String(word)) if word == "all" => (0..=last).collect(),
        Some(Value::String(word)) if word == "last" => vec![last],
        Some(Value::Array(list)) if !list.is_empty() && list.len() <= 1000 => {
            let number = |value: &Value| {
                let number = value.as_i64()?;
                let number = if number < 0 { number.checked_add(last as i64 + 1)? } else { number };
                usize::try_from(number).ok().filter(|&number| number <= last)
            };
            let all: Option<Vec<usize>> = list.iter().map(number).collect();
            all.ok_or_else(|| Fault::field(NAME, expected(), &Value::Array(list.clone())))?
        }
        Some(other) => return Err(Fault::field(NAME, expected(), other)),
    };
    let openings = openings(game);
    Ok(numbers.into_iter().map(|number| turn(game, number, &openings)).collect())
}

/// The strength of a weaker player, which is a budget by itself.
fn elo(line: &RequestLine) -> Result<Option<Strength>, Fault> {
    let Some(value) = &line.elo else { return Ok(None) };
    let known = value.as_u64().and_then(|elo| Elo::new(elo).ok());
    let expected = || format!("a whole number from {} to {}", Elo::MIN, Elo::MAX);
    let elo = known.ok_or_else(|| Fault::field("elo", expected(), value))?;
    let others = [
        ("depth", line.depth.is_some()),
        ("level", line.level.is_some()),
        ("nodes", line.nodes.is_some()),
        ("seconds", line.seconds.is_some()),
        ("exact", line.exact.is_some()),
        ("wld", line.wld.is_some()),
        ("selectivity", line.selectivity.is_some()),
        ("moves", line.moves.is_some()),
        ("losses", line.losses.is_some()),
        ("confidence", line.confidence.is_some()),
    ];
    match others.into_iter().find(|(_, is_given)| *is_given) {
        Some((other, _)) => Err(Fault::new(other, "elo is a budget by itself, for one move")),
        None => Ok(Some(elo.strength())),
    }
}

fn limits(line: &RequestLine, defaults: &Defaults) -> Result<Limits, Fault> {
    let nodes = line.nodes.map(|nodes| nodes.0 as u64);
    let seconds = seconds("seconds", line.seconds, 0.001)?;
    let (exact, wld) = (line.exact == Some(true), line.wld == Some(true));
    if defaults.reproducible && seconds.is_some() {
        return Err(Fault::new("seconds", "time limits are not reproducible; give depth or nodes"));
    }
    let mut limits = match (exact, wld, line.depth, line.level) {
        (true, true, ..) => return Err(Fault::new("wld", "give either exact or wld, not both")),
        (true, _, Some(_), _) | (_, true, Some(_), _) => {
            return Err(Fault::new("depth", "exact and wld search to the end; give one of them or a depth"));
        }
        (true, _, _, Some(_)) | (_, true, _, Some(_)) => {
            return Err(Fault::new("level", "exact and wld search to the end; give one of them or a level"));
        }
        (_, _, Some(_), Some(_)) => return Err(Fault::new("level", "give either depth or level, not both")),
        (true, ..) => Limits::exact(),
        (_, true, ..) => Limits { goal: Goal::WinLossDraw, ..Limits::exact() },
        (_, _, Some(depth), _) => Limits::depth(depth.0 as u8),
        (.., Some(level)) => {
            Level::new(level.0 as u64).map_err(|error| Fault::new("level", error))?.limits(Clock::Unlimited)
        }
        _ if nodes.is_some() || seconds.is_some() => Limits::depth(60),
        _ => defaults.limits,
    };
    if line.selectivity.is_some() && limits.goal != Goal::Play {
        return Err(Fault::new(
            "selectivity",
            "exact and wld leave nothing out; give a depth or level with it",
        ));
    }
    if let Some(Whole(percent)) = line.selectivity {
        let known = u32::try_from(percent).ok().and_then(Selectivity::from_percent);
        let expected = "one of 52, 73, 87, 95, 98, 99, 100";
        limits.selectivity = known.ok_or_else(|| Fault::field("selectivity", expected, &percent.into()))?;
    }
    limits.nodes = nodes.or(limits.nodes);
    if let Some(time) = seconds {
        limits.clock = Clock::Move(time);
    }
    Ok(bounded(limits, defaults))
}

/// The limits, bounded by nodes and time of the defaults where the request has no such bound.
fn bounded(limits: Limits, defaults: &Defaults) -> Limits {
    let clock = if limits.clock == Clock::Unlimited { defaults.limits.clock } else { limits.clock };
    Limits { nodes: limits.nodes.or(defaults.limits.nodes), clock, ..limits }
}

fn moves(line: &RequestLine) -> Result<Option<usize>, Fault> {
    match &line.moves {
        None => Ok(None),
        Some(Value::String(word)) if word == "all" => Ok(Some(64)),
        Some(value) => match value.as_u64() {
            Some(count @ 1..=64) => Ok(Some(count as usize)),
            _ => Err(Fault::field("moves", "a whole number from 1 to 64 or \"all\"", value)),
        },
    }
}

/// The squares left by `allow` and `avoid`; each position must keep a move.
fn allowed(line: &RequestLine, turns: &[Turn]) -> Result<u64, Fault> {
    let mut allowed = !0;
    for (name, value, keeps) in [("allow", &line.allow, true), ("avoid", &line.avoid, false)] {
        if let Some(value) = value {
            let listed = listed_squares(name, value)?;
            allowed &= if keeps { listed } else { !listed };
        }
        for turn in turns {
            let moves = turn.position.board.moves();
            if moves != 0 && moves & allowed == 0 {
                let legal: Vec<String> = squares(moves).map(|square| square.to_string()).collect();
                let at = turn.number.map_or_else(String::new, |number| format!(" after {number} moves"));
                let message = format!("leaves no legal move{at}; legal are {}", legal.join(" "));
                return Err(Fault::new(name, message));
            }
        }
    }
    Ok(allowed)
}

fn listed_squares(name: &'static str, value: &Value) -> Result<u64, Fault> {
    let text = match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => list.iter().map(Value::as_str).collect::<Option<Vec<_>>>().map(|l| l.join(" ")),
        _ => None,
    };
    let expected = "a list of squares such as [\"f5\", \"d6\"]";
    let moves = text.as_deref().map(parse_moves);
    let Some(Ok(moves)) = moves else { return Err(Fault::field(name, expected, value)) };
    let bits = moves.iter().fold(0, |bits, mv| match mv {
        Move::Place(square) => bits | square.bit(),
        Move::Pass => bits,
    });
    if bits == 0 { Err(Fault::field(name, expected, value)) } else { Ok(bits) }
}

fn report(line: &RequestLine, defaults: &Defaults) -> Result<Option<Duration>, Fault> {
    let report = seconds("report", line.report, MIN_REPORT_SECONDS)?;
    if defaults.reproducible && report.is_some() {
        return Err(Fault::new("report", "partial reports are not reproducible"));
    }
    Ok(report)
}
