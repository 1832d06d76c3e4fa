//! Games and positions as JSON objects: the keys that programs use, Othello Quest, Egaroucid. Only read.
//!
//! Othello Quest: `players`, `position.startPos`, `position.moves[].m`, `finalStatus`. Egaroucid: a board for each
//! number of moves, under the names `"0"` to `"60"`. Section 8 of `NOTATIONS.md` has the tables of keys.

mod document;
mod result;

use std::borrow::Cow;

use serde_json::{Map, Value};

use document::{get, text, text_of};
use result::stated;

use super::board::bare;
use super::format::{Detected, Format, Notation, ScoredMove, WriteError};
use super::{GGF, MOVES, PGN, SGF};
use crate::board::{Color, Game, Move, Position, Square};
use crate::notation::error::Code;
use crate::notation::grammar::list::MoveList;
use crate::notation::grammar::moves::{parse_move, replay};
use crate::notation::grammar::remarks::holds_board;
use crate::notation::grammar::words::play_as_written;
use crate::notation::keys::{Key, meaning, normal};
use crate::notation::read::{Class, is_sgf};
use crate::notation::{Fault, GameResult, Location, NamedGame, ParseError};
use crate::util::json::{Document, TWICE};

const SUBJECT: &str = "JSON game";

/// A game as a JSON object.
pub const JSON: Format = Format(&Notation {
    name: "json",
    about: "a game as JSON (Othello Quest, Egaroucid, moves); only read",
    is_of_games: true,
    read,
    write: |_| Err(WriteError("JSON is read, not written")),
    ..Notation::BASE
});

/// Keys of a move in a list of objects.
const MOVE: [&str; 4] = ["move", "m", "square", "coord"];
/// Tags under the names of PGN.
const TAGS: [(&str, &str); 7] = [
    ("date", "Date"),
    ("created", "Date"),
    ("event", "Event"),
    ("tournament", "Event"),
    ("comment", "Comment"),
    ("memo", "Comment"),
    ("id", "GameId"),
];

fn doubtful(text: &str, message: impl Into<Cow<'static, str>>, code: Code) -> ParseError {
    ParseError::doubtful(SUBJECT, text, 0, message).with(code)
}

fn no_json(error: serde_json::Error) -> ParseError {
    let message = error.to_string();
    let message = message.split(" at line").next().unwrap_or_default();
    let location = Location::Text {
        line: error.line(),
        column: error.column().max(1),
    };
    let code = if message.starts_with(TWICE) {
        Code::Twice
    } else {
        Code::Syntax
    };
    ParseError::new(
        SUBJECT,
        location,
        Fault::Doubtful(format!("no JSON: {message}").into()),
    )
    .with(code)
}

fn read(text: &str) -> Result<Detected, ParseError> {
    let Document(value) =
        serde_json::from_str(text.trim_end().trim_end_matches(',')).map_err(no_json)?;
    let object = match &value {
        Value::Object(object) => object,
        Value::Array(items) if items.len() == 1 && items[0].is_object() => {
            items[0].as_object().expect("it is")
        }
        value => {
            let list = squares(text, value, &mut Vec::new())?;
            let game = played(Position::START, list.turns)?;
            return Ok(Detected::new(JSON, game.into()));
        }
    };
    let boards = boards(object);
    let (mut record, list) = match boards.is_empty() {
        true => listed(text, object)?,
        false => (egaroucid(text, &boards)?, List::default()),
    };
    check_others(text, object, &mut record)?;
    players(object, &mut record);
    for (key, tag) in TAGS {
        record.put(tag, &text_of(object, &[key]));
    }
    let stated = stated(object, list.result, &mut record)
        .map_err(|message| doubtful(text, message, Code::TwoReadings))?;
    Ok(Detected {
        scores: list.scores,
        ..Detected::new(JSON, record.concluded(stated))
    })
}

/// Moves with their scores, result and remark.
#[derive(Default)]
struct List {
    turns: Vec<Move>,
    scores: Vec<ScoredMove>,
    result: Option<GameResult>,
    remark: String,
    /// The moves are a whole game of another notation.
    is_record: bool,
    /// The list, of which the numbers are checked.
    read: Option<(MoveList, String)>,
}

fn played(start: Position, turns: Vec<Move>) -> Result<Game, ParseError> {
    replay(start, turns).map_err(|error| ParseError {
        subject: SUBJECT,
        ..error
    })
}

/// The game of the first position and the moves.
fn listed(source: &str, object: &Map<String, Value>) -> Result<(NamedGame, List), ParseError> {
    let inner = get(object, &["position"]).and_then(Value::as_object);
    let holders = || [Some(object), inner].into_iter().flatten().flatten();
    let mut start: Option<(&str, Game)> = None;
    for (key, value) in holders().filter(|(key, _)| meaning(key) == Some(Key::Start)) {
        let Some(game) = first(source, key, value)? else {
            continue;
        };
        match &start {
            Some((other, known)) if *known != game => return Err(differing(source, other, key)),
            _ => start = Some((key, game)),
        }
    }
    let mut times = Vec::new();
    let mut found: Option<(&str, Game, List)> = None;
    let begin = start
        .as_ref()
        .map_or_else(Game::default, |(_, game)| game.clone());
    let are_moves =
        |(key, value): &(&String, &Value)| meaning(key) == Some(Key::Moves) && !value.is_null();
    for (key, value) in holders().filter(are_moves) {
        let list = squares(source, value, &mut times)?;
        if list.is_record && start.is_some() {
            return Err(differing(source, "start", key));
        }
        let game = joined(&begin, &list)?;
        match &found {
            Some((other, known, _)) if *known != game => return Err(differing(source, other, key)),
            _ => found = Some((key, game, list)),
        }
    }
    let (game, list) = match (found, start) {
        (Some((_, game, list)), _) => (game, list),
        (None, Some((_, game))) => (game, List::default()),
        (None, None) => {
            let message = "no moves in this entry: expected them under a key such as moves, transcript or kifu";
            return Err(doubtful(source, message, Code::NoMoves));
        }
    };
    let mut record = NamedGame::from(game);
    record.tags.set("MoveTimes", &times.join(" "));
    record.put("Comment", &list.remark);
    Ok((record, list))
}

fn differing(source: &str, one: &str, other: &str) -> ParseError {
    let message = format!("the keys {one:?} and {other:?} hold different values");
    doubtful(source, message, Code::TwoReadings)
}

/// The game that goes on with a list.
fn joined(begin: &Game, list: &List) -> Result<Game, ParseError> {
    let rest = match &list.read {
        Some((list, text)) => list.play(begin.position(), text)?,
        None => played(begin.position(), list.turns.clone())?,
    };
    let moves = begin.moves().iter().chain(rest.moves()).copied();
    Ok(Game::from_moves(begin.start(), moves).expect("both parts are legal"))
}

/// The game of a first position: a board, a FEN, or moves; `None` for an empty value or an object around moves.
fn first(source: &str, key: &str, value: &Value) -> Result<Option<Game>, ParseError> {
    let text = match value {
        Value::Null => return Ok(None),
        Value::Object(_) if normal(key) == "position" => return Ok(None),
        Value::String(text) if text.trim().is_empty() => return Ok(None),
        Value::String(text) => text,
        _ => {
            let message = format!("the key {key:?}: expected a board, a FEN or moves");
            return Err(doubtful(source, message, Code::Syntax));
        }
    };
    let error = |error: ParseError| {
        let code = error.code;
        doubtful(source, format!("the key {key:?}: {error}"), code)
    };
    let begin = text.trim_start();
    let game = match Class::of(begin).map_err(error)? {
        Class::Moves => MOVES.parse(text).map_err(error)?.record.game,
        Class::Board | Class::Fen if !begin.trim_start_matches('[').starts_with("8 ") => {
            bare(begin).map_err(error)?.record.game
        }
        _ => {
            let message = format!("the key {key:?}: expected a board, a FEN or moves");
            return Err(doubtful(source, message, Code::Syntax));
        }
    };
    Ok(Some(game))
}

/// The moves of a game of PGN, GGF or SGF from the usual start.
fn recorded(source: &str, text: &str) -> Result<List, ParseError> {
    let text = text.trim_start();
    let found = match Class::of(text)? {
        Class::Pgn => PGN.parse(text),
        _ if is_sgf(text) => SGF.parse(text),
        _ => GGF.parse(text),
    }?;
    let game = found.record.game;
    if game.start() != Position::START || game.moves().is_empty() {
        let message = "expected one game from the usual start with moves";
        return Err(doubtful(source, message, Code::Syntax));
    }
    Ok(List {
        turns: game.moves().to_vec(),
        result: Some(found.record.stated),
        is_record: true,
        ..List::default()
    })
}

/// The moves that a value lists: a text, a list of squares, or a list of objects with a square each.
fn squares(source: &str, value: &Value, times: &mut Vec<String>) -> Result<List, ParseError> {
    let items = match value {
        Value::String(moves)
            if Class::of(moves.trim_start())
                .is_ok_and(|class| matches!(class, Class::Pgn | Class::Brackets)) =>
        {
            return recorded(source, moves);
        }
        Value::String(moves) => {
            let list = MoveList::read(moves).map_err(|error| ParseError {
                subject: SUBJECT,
                ..error
            })?;
            return Ok(List {
                turns: list.turns.iter().map(|turn| turn.mv).collect(),
                scores: list.scores.clone(),
                result: list.result,
                remark: list.remark.clone(),
                is_record: false,
                read: Some((list, moves.clone())),
            });
        }
        Value::Array(items) => items,
        _ => {
            let message = "expected a list of moves such as [\"f5\", \"d6\"]";
            return Err(doubtful(source, message, Code::Syntax));
        }
    };
    if items.is_empty() {
        return Err(doubtful(source, "an empty list of moves", Code::NoMoves));
    }
    let mut turns = Vec::new();
    for item in items {
        let object = item.as_object();
        let written = text(object.and_then(|object| get(object, &MOVE)).unwrap_or(item));
        // The last entry of Othello Quest may hold the ending only.
        if written.is_empty() && object.is_some_and(|object| get(object, &["s"]).is_some()) {
            continue;
        }
        let is_other = |(key, value): (&String, &Value)| {
            let is_move = MOVE.contains(&normal(key).as_str());
            !is_move && (holds_moves(value) || holds_board(&value.to_string()))
        };
        if object.is_some_and(|object| object.iter().any(is_other)) {
            let message = "a move with other moves or a board under another key";
            return Err(doubtful(source, message, Code::UnknownKey));
        }
        let mv = if written == "-" && object.is_some() {
            Ok(Move::Pass)
        } else {
            parse_move(&written)
        };
        turns.push(mv.map_err(|_| {
            let number = turns.len() + 1;
            let message = format!("move {number} is no square a1-h8 and no pass");
            doubtful(source, message, Code::UnknownWord)
        })?);
        let time = object.and_then(|object| get(object, &["t"])).map(text);
        times.extend(time.filter(|time| !time.is_empty()));
    }
    Ok(List {
        turns,
        ..List::default()
    })
}

/// Refuses boards and moves under other keys, and notes the keys that are not read.
fn check_others(
    source: &str,
    object: &Map<String, Value>,
    record: &mut NamedGame,
) -> Result<(), ParseError> {
    let mut unread = Vec::new();
    for (key, value) in object {
        let is_board = value.get("board_player").is_some();
        match meaning(key) {
            Some(Key::Start | Key::Moves) => {}
            None if is_board => {}
            Some(_) if holds_board(&value.to_string()) => {
                let message = format!("a board under the key {key:?}: write it under start");
                return Err(doubtful(source, message, Code::BoardInGame));
            }
            Some(_) => {}
            None if holds_moves(value) || holds_board(&value.to_string()) => {
                let message = format!(
                    "the unknown key {key:?} holds moves or a board: write them under moves or start"
                );
                return Err(doubtful(source, message, Code::UnknownKey));
            }
            None => unread.push(key.as_str()),
        }
    }
    if !unread.is_empty() {
        record.leave_out(format!("the keys {}", unread.join(", ")));
    }
    Ok(())
}

/// Whether a value is moves with a square, or holds them.
fn holds_moves(value: &Value) -> bool {
    match value {
        Value::String(text) => MoveList::read(text)
            .is_ok_and(|list| list.turns.iter().any(|turn| turn.mv != Move::Pass)),
        Value::Array(items) => items.iter().any(holds_moves),
        Value::Object(object) => object.values().any(holds_moves),
        _ => false,
    }
}

/// The boards of a game of Egaroucid with the numbers of their moves, in order.
fn boards(object: &Map<String, Value>) -> Vec<(u32, &Value)> {
    let numbered = object
        .iter()
        .filter(|(_, value)| value.get("board_player").is_some());
    let mut boards: Vec<_> = numbered
        .filter_map(|(name, value)| Some((name.parse().ok()?, value)))
        .collect();
    boards.sort_by_key(|(number, _)| *number);
    boards
}

/// The game whose boards Egaroucid saved; each must follow from the one before.
fn egaroucid(text: &str, boards: &[(u32, &Value)]) -> Result<NamedGame, ParseError> {
    let mut game: Option<Game> = None;
    for (number, board) in boards {
        let wrong = || {
            let message = format!("board {number} does not follow from the board before it");
            doubtful(text, message, Code::IllegalMove)
        };
        let position = position(board).ok_or_else(wrong)?;
        match &mut game {
            None => game = Some(Game::new(position)),
            Some(game) => *game = followed(game, position).ok_or_else(wrong)?,
        }
    }
    let Some(game) = game.filter(|game| !game.moves().is_empty()) else {
        let message = "no moves in this entry: it has one board only";
        return Err(doubtful(text, message, Code::NoMoves));
    };
    Ok(game.into())
}

/// A board of Egaroucid: a1 is the highest bit.
fn position(board: &Value) -> Option<Position> {
    let bits = |name| Some(board.get(name)?.as_u64()?.reverse_bits());
    let (player, opponent) = (bits("board_player")?, bits("board_opponent")?);
    let side = if board.get("player").map(text).as_deref() == Some("1") {
        Color::White
    } else {
        Color::Black
    };
    let (black, white) = if side == Color::Black {
        (player, opponent)
    } else {
        (opponent, player)
    };
    (black & white == 0).then(|| Position::from_discs(black, white, side))
}

/// The game with the one move more that leads to the discs of `next`; passes are put in.
fn followed(game: &Game, next: Position) -> Option<Game> {
    let discs = |position: &Position| (position.discs(Color::Black), position.discs(Color::White));
    if discs(&game.position()) == discs(&next) {
        return Some(game.clone());
    }
    Square::all().find_map(|square| {
        let mut longer = game.clone();
        play_as_written(&mut longer, Move::Place(square)).ok()?;
        (discs(&longer.position()) == discs(&next)).then_some(longer)
    })
}

/// Sets the players, with the ratings and ranks of Othello Quest.
fn players(object: &Map<String, Value>, record: &mut NamedGame) {
    let sides = [
        ("Black", "black", "blackplayer"),
        ("White", "white", "whiteplayer"),
    ];
    for (index, (side, short, long)) in sides.into_iter().enumerate() {
        let players = get(object, &["players"]);
        let listed = players.and_then(|players| players.get(index).or_else(|| players.get(short)));
        let Some(player) = listed.or_else(|| get(object, &[short, long])) else {
            continue;
        };
        let of = |key: &str| player.get(key).map(text).unwrap_or_default();
        let names = [text(player), of("name"), of("id")];
        let name = names.iter().find(|name| !name.is_empty());
        record.put(side, name.map_or("", String::as_str));
        let ratings = [of("oldR"), of("rating")];
        let rating = ratings.iter().find(|rating| !rating.is_empty());
        record.put(&format!("{side}Elo"), rating.map_or("", String::as_str));
        if let Some(rank) = player.get("oldD").and_then(Value::as_i64) {
            let rank = if rank >= 0 {
                format!("{}D", rank + 1)
            } else {
                format!("{}K", -rank)
            };
            record.put(&format!("{side}Rank"), &rank);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_lists_are_refused() {
        assert!(JSON.parse(&"[".repeat(10_000)).is_err());
    }
}
