//! One line of input as plain data: a request, a cancellation, or a fault.

#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Defaults;
use super::answer::Names;
use super::fields::{self, Fault};
use super::line::{Count, Id, RequestLine, Squares, Turns, TurnsWord};
use crate::board::{Game, Move, Position, Square, SquareSet};
use crate::book::names::name_of;
use crate::engine::people::Rating;
use crate::engine::{Elo, Level};
use crate::notation::moves::{parse_game, parse_moves};
use crate::notation::parse_position;
use crate::search::{Clock, Goal, Handicap, Limits, Selectivity};
use crate::sentences::Language;
use crate::util::text::did_you_mean;

/// The oversights of a weaker player depend on the position and on this.
const WEAK_SEED: u64 = 1;
/// Longest time that a request may ask for: ten years.
const MAX_SECONDS: f64 = 315_360_000.0;
/// Shortest time between two partial answers.
const MIN_PARTIAL_SECONDS: f64 = 0.01;
/// Most unknown fields with a warning each.
const MAX_WARNINGS: usize = 20;
/// Fields that exclude others, those, and the reason.
const CONFLICTS: [(&str, &str, &str); 7] = [
    (
        "position",
        "game",
        "give either a position or a game, not both",
    ),
    (
        "elo",
        "depth level nodes seconds exact wld selectivity best_moves losses confidence",
        "give either elo, a budget for one move, or this field",
    ),
    (
        "person",
        "elo depth level nodes seconds exact wld selectivity best_moves losses confidence",
        "give either person, a budget for one move, or this field",
    ),
    (
        "confidence",
        "losses",
        "give either losses or confidence, not both",
    ),
    ("exact", "wld depth level", SOLVES),
    ("wld", "depth level", SOLVES),
    ("depth", "level", "give either depth or level, not both"),
];
const SOLVES: &str = "exact and wld search to the end; give one of them, or a depth or level";
/// Fields that a reproducible run refuses, and the reason.
const UNREPEATABLE: [(&str, &str); 6] = [
    ("cancel", "cancelled answers are not reproducible"),
    (
        "warm",
        "answers from a warm table are not reproducible; leave it out",
    ),
    ("cancel_all", "cancelled answers are not reproducible"),
    (
        "seconds",
        "time limits are not reproducible; give depth or nodes",
    ),
    ("partial_every", "partial answers are not reproducible"),
    (
        "threads",
        "searches by several threads are not reproducible",
    ),
];
/// Fields of schema version 1 and their present names.
const RENAMED: [(&str, &str); 2] = [("moves", "best_moves"), ("report", "partial_every")];

/// Which request an answer belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    pub id: Option<Id>,
    /// The line of input, from 1, on which it stood.
    pub line: u64,
    /// The checksum of its text, or of the content of an entry.
    pub crc32: u32,
    /// In a reproducible run, which may be a part of a larger one, the checksum names a request without an id: the number
    /// of a line would depend on where the parts begin.
    pub is_named_by_text: bool,
    /// The source and the players of an entry.
    pub source: Option<String>,
    pub names: Option<Names>,
}

impl Tag {
    /// The tag of a line whose id is not known yet.
    pub fn of_line(line: u64, text: &str, defaults: &Defaults) -> Self {
        let crc32 = crc32fast::hash(text.trim().as_bytes());
        Self {
            id: None,
            line,
            crc32,
            is_named_by_text: defaults.reproducible,
            ..Self::default()
        }
    }
}

/// One position to analyze, or all those of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub tag: Tag,
    /// The positions, at least one; those that an earlier run answered are taken out.
    pub turns: Vec<Turn>,
    /// How many positions were asked for, of a game.
    pub positions: Option<usize>,
    pub limits: Limits,
    /// The oversights of a weaker player.
    pub handicap: Option<Handicap>,
    /// The rating of that player.
    pub elo: Option<u32>,
    /// The rating of the person who plays the move.
    pub person: Option<u32>,
    /// How many of the best moves to report.
    pub moves: usize,
    /// Squares that may be played on.
    pub allowed: SquareSet,
    /// Stop when the best move is so sure to be the best.
    pub confidence: Option<f64>,
    /// Whether to score the move played, too.
    pub losses: bool,
    /// Whether to keep the table of the search before.
    pub warm: bool,
    /// The rating of the player whose chances to find the moves are asked for.
    pub rating: Option<Rating>,
    /// The most discs that a trap may cost.
    pub trap: Option<f64>,
    pub why: Option<Language>,
    pub priority: i64,
    pub partial_every: Option<Duration>,
    /// Threads that search each position.
    pub threads: usize,
    /// The most moves of a line that answers show.
    pub pv_length: usize,
    pub warnings: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Moves, passes included, played before it; `None` if only a position was asked for.
    pub number: Option<usize>,
    pub position: Position,
    pub played: Option<Move>,
    /// The move before, unless it was a pass.
    pub last: Option<Square>,
    /// The name of the opening that led here.
    pub opening: Option<&'static str>,
}

impl Request {
    /// Every position of a game with the losses of its moves, or a single position, with the defaults.
    pub fn of_game(number: u64, game: &Game, defaults: &Defaults) -> Self {
        let last = game.moves().len();
        let openings = openings(game);
        let turns: Vec<Turn> = (0..=last)
            .map(|number| turn(game, number, &openings))
            .collect();
        let tag = Tag {
            id: i64::try_from(number).ok().map(Id::Number),
            line: number,
            ..Tag::default()
        };
        let line = RequestLine {
            losses: Some(last > 0),
            ..RequestLine::default()
        };
        request(&line, tag, turns, Vec::new(), defaults)
            .expect("a line without values has no fault")
    }
}

/// The position after `number` moves of a game.
fn turn(game: &Game, number: usize, openings: &[Option<&'static str>]) -> Turn {
    let played = game.moves().get(number).copied();
    Turn {
        number: Some(number),
        position: game.positions()[number],
        played,
        last: last_of(&game.moves()[..number]),
        opening: openings[number],
    }
}

/// The square of the last move.
fn last_of(moves: &[Move]) -> Option<Square> {
    moves.last().and_then(|mv| mv.square())
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

#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    Analyze(Request),
    Cancel {
        tag: Tag,
        /// The id, `None` for all.
        id: Option<Id>,
        warnings: Vec<String>,
    },
    Version {
        tag: Tag,
        warnings: Vec<String>,
    },
}

/// Reads a line; `line` is its number from 1.
///
/// # Errors
/// The id, if it could be read, and the fault.
#[allow(clippy::result_large_err, reason = "a fault is answered at once")]
pub fn parse(text: &str, line: u64, defaults: &Defaults) -> Result<Query, (Tag, Fault)> {
    let mut tag = Tag::of_line(line, text, defaults);
    let read = fields::read(text).and_then(|(line, unknown): (RequestLine, _)| {
        tag.id.clone_from(&line.id);
        query(line, &unknown, &tag, defaults)
    });
    read.map_err(|fault| {
        // An answer to a fault names its request, too.
        let id = || Id::deserialize(serde_json::from_str::<Value>(text).ok()?.get("id")?).ok();
        tag.id = tag.id.take().or_else(id);
        (tag, fault)
    })
}

fn query(
    line: RequestLine,
    unknown: &[String],
    tag: &Tag,
    defaults: &Defaults,
) -> Result<Query, Fault> {
    if let Some((old, new)) = RENAMED
        .into_iter()
        .find(|(old, _)| unknown.iter().any(|name| name == old))
    {
        return Err(Fault::new(old, format!("renamed: use {new}")));
    }
    let mut warnings = warnings(unknown);
    check(&line, defaults)?;
    let all = line.cancel_all == Some(true);
    if all || line.cancel.is_some() {
        let id = if all { None } else { line.cancel };
        return Ok(Query::Cancel {
            tag: tag.clone(),
            id,
            warnings,
        });
    }
    if line.version == Some(true) {
        return Ok(Query::Version {
            tag: tag.clone(),
            warnings,
        });
    }
    let (game, whole) = game(&line)?;
    let turns = turns(&line, &game, whole)?;
    if line.losses == Some(true) && turns.iter().all(|turn| turn.played.is_none()) {
        warnings.push("losses: no move was played in these positions; give a game".to_owned());
    }
    request(&line, tag.clone(), turns, warnings, defaults).map(Query::Analyze)
}

fn request(
    line: &RequestLine,
    tag: Tag,
    turns: Vec<Turn>,
    warnings: Vec<String>,
    defaults: &Defaults,
) -> Result<Request, Fault> {
    let elo = line.elo.map(|elo| Elo::new(elo.0 as u64)).transpose();
    let weak = elo
        .map_err(|error| Fault::new("elo", error))?
        .map(Elo::strength);
    let confidence = number("confidence", line.confidence, 0.5, 0.9999)?;
    let trap = number("trap", line.trap, 0.0, 64.0)?;
    let [person, rating] = ratings(line, defaults)?;
    if trap.is_some() && rating.is_none() {
        return Err(Fault::new("trap", "give the rating of the player, too"));
    }
    let of_embedded = [
        ("confidence", confidence.is_some()),
        ("person", person.is_some()),
        ("rating", line.rating.is_some()),
    ];
    if let Some((field, _)) = of_embedded
        .into_iter()
        .find(|(_, is_given)| *is_given && !defaults.calibrated)
    {
        return Err(Fault::new(field, "known only for the embedded network"));
    }
    if person.is_some() && turns.iter().all(|turn| turn.position.is_over()) {
        return Err(Fault::new(
            "person",
            "the game is over: there is no move to play",
        ));
    }
    let seed = line.seed.map_or(WEAK_SEED, |seed| seed.0 as u64);
    let handicap = weak.and_then(|strength| strength.handicap(seed));
    let person = person.map(|rating| Handicap::of_person(rating.number(), seed));
    Ok(Request {
        tag,
        confidence,
        limits: match weak {
            Some(strength) => bounded(strength.level.limits(Clock::Unlimited), defaults),
            None => limits(line, defaults)?,
        },
        handicap: person.or(handicap),
        elo: line
            .elo
            .map(|elo| elo.0 as u32)
            .filter(|_| handicap.is_some()),
        person: line.person.map(|person| person.0 as u32),
        rating,
        trap: trap.or(defaults.trap).filter(|_| rating.is_some()),
        moves: match line.best_moves {
            Some(Count::Word(_)) => 64,
            Some(Count::Number(count)) => count.0 as usize,
            None if weak.is_some() || person.is_some() => 1,
            None if trap.is_some() => 64,
            None => defaults.moves,
        },
        allowed: allowed(line, &turns)?,
        losses: line.losses == Some(true),
        warm: line.warm == Some(true),
        why: line.why.or(defaults.why),
        priority: line.priority.map_or(0, |priority| priority.0),
        partial_every: seconds("partial_every", line.partial_every, MIN_PARTIAL_SECONDS)?,
        threads: line.threads.map_or(1, |threads| threads.0 as usize),
        pv_length: line
            .pv_length
            .map_or(usize::MAX, |length| length.0 as usize),
        warnings,
        positions: turns[0].number.map(|_| turns.len()),
        turns,
    })
}

/// The ratings of the person that plays and of the player whose chances are asked for.
fn ratings(line: &RequestLine, defaults: &Defaults) -> Result<[Option<Rating>; 2], Fault> {
    let read = |field, number: i64| {
        Rating::new(field, number as u64).map_err(|error| Fault::new(field, error))
    };
    let person = line
        .person
        .map(|number| read("person", number.0))
        .transpose()?;
    let rating = line
        .rating
        .map(|number| read("rating", number.0))
        .transpose()?;
    Ok([person, rating.or(defaults.rating)])
}

/// Refuses fields that exclude one another, and in a reproducible run those that make answers differ.
fn check(line: &RequestLine, defaults: &Defaults) -> Result<(), Fault> {
    let fields = json!(line);
    let is_given = |name: &&str| !matches!(fields[*name], Value::Null | Value::Bool(false));
    for (field, others, reason) in CONFLICTS {
        if let Some(other) = others
            .split(' ')
            .find(|name| is_given(&field) && is_given(name))
        {
            return Err(Fault::new(other.to_owned(), reason));
        }
    }
    let unrepeatable = UNREPEATABLE
        .iter()
        .find(|(field, _)| defaults.reproducible && is_given(field));
    unrepeatable.map_or(Ok(()), |(field, reason)| Err(Fault::new(*field, reason)))
}

/// A warning for each field that is no field of a request, with the most similar name.
fn warnings(unknown: &[String]) -> Vec<String> {
    let known = json!(RequestLine::default());
    let names = || known.as_object().into_iter().flatten();
    let warning = |name: &String| {
        let advice = did_you_mean(name, names().map(|(known, _)| known.as_str()));
        format!("unknown field {name:?}{advice}")
    };
    let more = unknown.len().saturating_sub(MAX_WARNINGS);
    let rest = (more > 0).then(|| format!("and {more} more unknown fields"));
    unknown
        .iter()
        .take(MAX_WARNINGS)
        .map(warning)
        .chain(rest)
        .collect()
}

fn number(
    field: &'static str,
    number: Option<f64>,
    low: f64,
    high: f64,
) -> Result<Option<f64>, Fault> {
    match number {
        Some(number) if !(low..=high).contains(&number) => Err(Fault::field(
            field,
            format!("a number from {low} to {high}"),
            number,
        )),
        other => Ok(other),
    }
}

fn seconds(field: &'static str, time: Option<f64>, low: f64) -> Result<Option<Duration>, Fault> {
    Ok(number(field, time, low, MAX_SECONDS)?.map(Duration::from_secs_f64))
}

/// The game of the request, and whether all of it is asked for unless `turns` says otherwise.
fn game(line: &RequestLine) -> Result<(Game, bool), Fault> {
    let (name, text) = match (&line.position, &line.game) {
        (Some(text), _) => ("position", text),
        (_, Some(text)) => ("game", text),
        (None, None) => {
            return Err(Fault::new(
                "position",
                "missing: give a position or a game in any notation",
            ));
        }
    };
    let mut game = parse_position(text)
        .map_err(|error| Fault::new(name, error))?
        .record
        .game;
    if let Some(moves) = &line.play {
        let played =
            parse_game(game.position(), moves).map_err(|error| Fault::new("play", error))?;
        for &mv in played.moves() {
            game.play(mv).map_err(|error| Fault::new("play", error))?;
        }
    }
    Ok((game, name == "game"))
}

/// The positions asked for: `"all"`, `"last"` or a list of numbers of moves played, -1 being the last position.
fn turns(line: &RequestLine, game: &Game, whole: bool) -> Result<Vec<Turn>, Fault> {
    let last = game.moves().len();
    let openings = openings(game);
    let numbers: Vec<usize> = match &line.turns {
        None if !whole => {
            let opening = openings[last];
            return Ok(vec![Turn {
                number: None,
                position: game.position(),
                played: None,
                last: last_of(game.moves()),
                opening,
            }]);
        }
        None | Some(Turns::Word(TurnsWord::All)) => (0..=last).collect(),
        Some(Turns::Word(TurnsWord::Last)) => vec![last],
        Some(Turns::List(list)) => {
            let number = |&number: &i64| {
                let number = if number < 0 {
                    number.checked_add(last as i64 + 1)?
                } else {
                    number
                };
                usize::try_from(number)
                    .ok()
                    .filter(|&number| number <= last)
            };
            let all: Option<Vec<usize>> = list.iter().map(number).collect();
            all.filter(|all| (1..=1000).contains(&all.len()))
                .ok_or_else(|| {
                    let least = -(last as i64) - 1;
                    let expected = format!(
                        "\"all\", \"last\" or a list of whole numbers from {least} to {last}"
                    );
                    Fault::field("turns", expected, list)
                })?
        }
    };
    Ok(numbers
        .into_iter()
        .map(|number| turn(game, number, &openings))
        .collect())
}

fn limits(line: &RequestLine, defaults: &Defaults) -> Result<Limits, Fault> {
    let nodes = line.nodes.map(|nodes| nodes.0 as u64);
    let seconds = seconds("seconds", line.seconds, 0.001)?;
    let mut limits = match (line.depth, line.level) {
        _ if line.exact == Some(true) => Limits::exact(),
        _ if line.wld == Some(true) => Limits::win_loss_draw(),
        (Some(depth), _) => Limits::depth(depth.0 as u8),
        (_, Some(level)) => {
            let level = Level::new(level.0 as u64).map_err(|error| Fault::new("level", error))?;
            level.limits(Clock::Unlimited)
        }
        _ if nodes.is_some() || seconds.is_some() => Limits::depth(60),
        _ => defaults.limits,
    };
    if let Some(percent) = line.selectivity {
        if limits.goal != Goal::Play {
            let reason = "exact and wld search every move; give it with a depth or level";
            return Err(Fault::new("selectivity", reason));
        }
        let known = Selectivity::from_percent(percent.0 as u32);
        let expected = "one of 52, 73, 87, 95, 98, 99, 100";
        limits.selectivity = known.ok_or_else(|| Fault::field("selectivity", expected, percent))?;
    }
    let clock = seconds.map_or(limits.clock, Clock::Move);
    Ok(bounded(
        limits.with_nodes(nodes.or(limits.nodes)).with_clock(clock),
        defaults,
    ))
}

/// The limits within the nodes and the time of the defaults: a request only lowers them.
fn bounded(limits: Limits, defaults: &Defaults) -> Limits {
    let clock = match (limits.clock, defaults.limits.clock) {
        (Clock::Move(own), Clock::Move(most)) => Clock::Move(own.min(most)),
        (Clock::Unlimited, clock) | (clock, _) => clock,
    };
    Limits {
        nodes: limits.nodes.into_iter().chain(defaults.limits.nodes).min(),
        clock,
        ..limits
    }
}

/// The squares left by `allow` and `avoid`; each position must keep a move.
fn allowed(line: &RequestLine, turns: &[Turn]) -> Result<SquareSet, Fault> {
    let mut allowed = SquareSet::ALL;
    for (name, value, keeps) in [("allow", &line.allow, true), ("avoid", &line.avoid, false)] {
        if let Some(value) = value {
            let listed = listed_squares(name, value)?;
            allowed = allowed & if keeps { listed } else { !listed };
        }
        for turn in turns {
            let moves = turn.position.board.moves();
            if !moves.is_empty() && (moves & allowed).is_empty() {
                let at = turn
                    .number
                    .map_or_else(String::new, |number| format!(" after {number} moves"));
                let message = format!("leaves no legal move{at}; legal are {moves}");
                return Err(Fault::new(name, message));
            }
        }
    }
    Ok(allowed)
}

fn listed_squares(name: &'static str, listed: &Squares) -> Result<SquareSet, Fault> {
    let text = match listed {
        Squares::Text(text) => text.clone(),
        Squares::List(list) => list.join(" "),
    };
    let moves = parse_moves(&text).unwrap_or_default();
    match moves.iter().filter_map(|mv| mv.square()).collect() {
        SquareSet(0) => Err(Fault::field(
            name,
            "a list of squares such as [\"f5\", \"d6\"]",
            listed,
        )),
        squares => Ok(squares),
    }
}
