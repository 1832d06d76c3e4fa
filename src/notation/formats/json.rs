//! Games as JSON objects: lists of moves under the names that programs use, Othello Quest, Egaroucid. Only read.
//!
//! Othello Quest: `players`, `position.startPos`, `position.moves[].m`, `finalStatus`. Egaroucid: a board for each
//! number of moves, under the names `"0"` to `"60"`. Elsewhere: `{"moves":["f5","d6"]}`, `{"moves":[{"move":"f5"}]}`,
//! `{"transcript":"f5d6c3"}`. Unknown names mean nothing; an object without moves is an error.

use std::borrow::Cow;

use serde_json::Value;

use super::format::{Detected, Format, Notation, Shape, WriteError};
use crate::board::{Color, Game, Move, Position, Square};
use crate::notation::text::moves::{parse_move, parse_moves, replay};
use crate::notation::text::token::play_as_written;
use crate::notation::{Fault, GameResult, How, Location, NamedGame, ParseError};

const SUBJECT: &str = "JSON game";

/// A game as a JSON object.
pub const JSON: Format = Format(&Notation {
    name: "json",
    about: "a game as JSON (Othello Quest, Egaroucid, moves); only read",
    is_of_games: true,
    shape: Shape::Object,
    begins: is_object,
    read,
    write: |_| Err(WriteError("JSON is read, not written")),
    ..Notation::BASE
});

/// Names of lists of moves; the second row is used otherwise too, and counts where its value is moves.
const MOVES: [&str; 8] = [
    "moves",
    "transcript",
    "kifu",
    "movelist",
    "move_list",
    "game_moves",
    "sequence",
    "history",
];
const PERHAPS_MOVES: [&str; 4] = ["game", "record", "line", "pgn"];
/// Names of a move in a list of objects.
const MOVE: [&str; 6] = ["m", "move", "mv", "square", "coord", "pos"];

/// Whether an object, or a list of objects, begins here: `{"name":`, `{` or `[{`.
pub(in crate::notation) fn is_object(text: &str) -> bool {
    let inner = text.trim_start_matches(|c: char| c == '[' || c.is_whitespace());
    let Some(inner) = inner.strip_prefix('{').map(str::trim_start) else {
        return false;
    };
    let name = inner.trim_start_matches(['"', '\'']);
    let behind = name.trim_start_matches(|c: char| c.is_alphanumeric() || "_- .".contains(c));
    let behind = behind.trim_start_matches(|c: char| matches!(c, '"' | '\'') || c.is_whitespace());
    inner.is_empty()
        || inner.starts_with('}')
        || behind.len() < name.len() && behind.starts_with(':')
}

/// Whether a whole object with moves begins at the start of a line.
pub(in crate::notation) fn is_entry(line: &str) -> bool {
    line.starts_with('{') && is_object(line) && read(line).is_ok()
}

fn read(text: &str) -> Result<Detected, ParseError> {
    let value: Value =
        serde_json::from_str(text.trim_end().trim_end_matches(',')).map_err(no_json)?;
    if colons(text) > members(&value) {
        return Err(doubtful(text, "a name occurs twice in one object"));
    }
    let list = value
        .as_array()
        .or_else(|| get(&value, &["games"])?.as_array());
    let object = list.and_then(|items| items.first()).unwrap_or(&value);
    let mut record = match boards(object) {
        boards if boards.is_empty() => listed(text, object)?,
        boards => egaroucid(text, object, &boards)?,
    };
    players(object, &mut record);
    for (names, tag) in [
        (&["created", "date"] as &[&str], "Date"),
        (&["event", "tournament"], "Event"),
        (&["memo", "comment"], "Comment"),
        (&["id"], "GameId"),
    ] {
        record.put(tag, &text_of(object, names));
    }
    let stated = stated(object, &record.game);
    Ok(Detected::new(JSON, record.concluded(stated)))
}

/// Colons outside quotes: one behind each name.
fn colons(text: &str) -> usize {
    let (mut count, mut in_quotes, mut is_escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_quotes,
            b'"' => in_quotes = !in_quotes,
            b':' => count += usize::from(!in_quotes),
            _ => {}
        }
    }
    count
}

/// Members of all objects in a value; of those with one name the last one is there.
fn members(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(members).sum(),
        Value::Object(object) => object.len() + object.values().map(members).sum::<usize>(),
        _ => 0,
    }
}

fn no_json(error: serde_json::Error) -> ParseError {
    let message = error.to_string();
    let message = message.split(" at line").next().unwrap_or_default();
    let location = Location::Text {
        line: error.line(),
        column: error.column().max(1),
    };
    ParseError {
        subject: SUBJECT,
        location,
        fault: Fault::Doubtful(format!("no JSON: {message}").into()),
    }
}

fn doubtful(text: &str, message: impl Into<Cow<'static, str>>) -> ParseError {
    ParseError::doubtful(SUBJECT, text, 0, message)
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The member of an object with one of these names, in either case.
fn get<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    value
        .as_object()?
        .iter()
        .find(|(name, _)| is_one_of(name, names))
        .map(|(_, value)| value)
}

/// A text or number as text; empty for anything else.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// The member with one of these names as text.
fn text_of(object: &Value, names: &[&str]) -> String {
    get(object, names).map(text).unwrap_or_default()
}

fn listed(source: &str, object: &Value) -> Result<NamedGame, ParseError> {
    let inner = get(object, &["position"]);
    let mut found: Option<(String, Game)> = None;
    let mut times = Vec::new();
    for holder in [Some(object), inner].into_iter().flatten() {
        let Some(members) = holder.as_object() else {
            continue;
        };
        let before = parse_moves(&text_of(holder, &["startPos", "start_pos"]))?;
        for (name, value) in members {
            let moves = match name {
                name if is_one_of(name, &MOVES) => moves_of(source, value, &mut times)?,
                name if is_one_of(name, &PERHAPS_MOVES) => {
                    moves_of(source, value, &mut times).unwrap_or_default()
                }
                _ => continue,
            };
            if moves.is_empty() {
                continue;
            }
            let game =
                replay(Position::START, before.iter().copied().chain(moves)).map_err(|error| {
                    ParseError {
                        subject: SUBJECT,
                        ..error
                    }
                })?;
            match &found {
                Some((other, known)) if *known != game => {
                    let message =
                        format!("the names \"{other}\" and \"{name}\" hold different moves");
                    return Err(doubtful(source, message));
                }
                _ => found = Some((name.clone(), game)),
            }
        }
    }
    let Some((_, game)) = found else {
        let message =
            "no moves in this entry: expected them under a name such as moves, transcript or kifu";
        return Err(doubtful(source, message));
    };
    let mut record = NamedGame::from(game);
    record.tags.set("MoveTimes", &times.join(" "));
    Ok(record)
}

/// The moves that a value lists: a text, a list of squares, or a list of objects with a square each.
fn moves_of(source: &str, value: &Value, times: &mut Vec<String>) -> Result<Vec<Move>, ParseError> {
    let items = match value {
        Value::String(moves) => {
            return parse_moves(moves).map_err(|error| ParseError {
                subject: SUBJECT,
                ..error
            });
        }
        Value::Array(items) => items,
        Value::Null | Value::Bool(_) => return Ok(Vec::new()),
        _ => {
            return Err(doubtful(
                source,
                "expected a list of moves such as [\"f5\", \"d6\"]",
            ));
        }
    };
    let mut moves = Vec::new();
    for item in items {
        let written = text(get(item, &MOVE).unwrap_or(item));
        // The last entry of Othello Quest may hold the ending only.
        if written.is_empty() && get(item, &["s"]).is_some() {
            continue;
        }
        let mv = if written == "-" {
            Ok(Move::Pass)
        } else {
            parse_move(&written)
        };
        moves.push(mv.map_err(|_| {
            let number = moves.len() + 1;
            doubtful(
                source,
                format!("move {number} is no square a1-h8 and no pass"),
            )
        })?);
        times.extend(get(item, &["t"]).map(text).filter(|time| !time.is_empty()));
    }
    Ok(moves)
}

/// The boards of a game of Egaroucid with the numbers of their moves, in order.
fn boards(object: &Value) -> Vec<(u32, &Value)> {
    let members = object.as_object().into_iter().flatten();
    let numbered = members.filter(|(_, value)| get(value, &["board_player"]).is_some());
    let mut boards: Vec<_> = numbered
        .filter_map(|(name, value)| Some((name.parse().ok()?, value)))
        .collect();
    boards.sort_by_key(|(number, _)| *number);
    boards
}

/// The game whose boards Egaroucid saved; each must follow from the one before.
fn egaroucid(
    text: &str,
    object: &Value,
    boards: &[(u32, &Value)],
) -> Result<NamedGame, ParseError> {
    let mut game: Option<Game> = None;
    for (number, board) in boards {
        let wrong = || {
            doubtful(
                text,
                format!("board {number} does not follow from the board before it"),
            )
        };
        let position = position(board).ok_or_else(wrong)?;
        match &mut game {
            None => game = Some(Game::new(position)),
            Some(game) => *game = followed(game, position).ok_or_else(wrong)?,
        }
    }
    let Some(game) = game.filter(|game| !game.moves().is_empty()) else {
        return Err(doubtful(
            text,
            "no moves in this entry: it has one board only",
        ));
    };
    let mut record = NamedGame::from(game);
    record.put("Black", &text_of(object, &["black_player"]));
    record.put("White", &text_of(object, &["white_player"]));
    Ok(record)
}

/// A board of Egaroucid: a1 is the highest bit.
fn position(board: &Value) -> Option<Position> {
    let bits = |name| Some(get(board, &[name])?.as_u64()?.reverse_bits());
    let (player, opponent) = (bits("board_player")?, bits("board_opponent")?);
    let side = if text_of(board, &["player"]) == "1" {
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
fn players(object: &Value, record: &mut NamedGame) {
    let sides = [
        ("Black", "black", "black_player"),
        ("White", "white", "white_player"),
    ];
    for (index, (side, short, long)) in sides.into_iter().enumerate() {
        let listed = get(object, &["players"]).and_then(|players| players.get(index));
        let Some(player) = listed.or_else(|| get(object, &[short, long, &format!("{short}_name")]))
        else {
            continue;
        };
        let names = [
            text(player),
            text_of(player, &["name"]),
            text_of(player, &["id"]),
        ];
        record.put(
            side,
            names
                .iter()
                .find(|name| !name.is_empty())
                .map_or("", String::as_str),
        );
        record.put(&format!("{side}Elo"), &text_of(player, &["oldR", "rating"]));
        if let Some(rank) = get(player, &["oldD"]).and_then(Value::as_i64) {
            let rank = if rank >= 0 {
                format!("{}D", rank + 1)
            } else {
                format!("{}K", -rank)
            };
            record.put(&format!("{side}Rank"), &rank);
        }
    }
}

/// The result that the object states.
///
/// If the ending names no winner, the side to move lost by resignation, time or connection.
fn stated(object: &Value, game: &Game) -> GameResult {
    let discs = |name| {
        text_of(object, &[name])
            .parse::<i32>()
            .ok()
            .filter(|discs| (0..=64).contains(discs))
    };
    if let (Some(black), Some(white)) = (discs("black_discs"), discs("white_discs")) {
        return GameResult::discs(black - white, How::Stated);
    }
    let result = text_of(object, &["result"]);
    if let Some(result) = GameResult::of_words(&result).filter(|_| !result.is_empty()) {
        return result;
    }
    let inner = get(object, &["position"]).unwrap_or(object);
    let last =
        get(inner, &["moves"]).and_then(|moves| Some(text_of(moves.as_array()?.last()?, &["s"])));
    let words = last
        .filter(|words| !words.is_empty())
        .unwrap_or_else(|| text_of(object, &["finalStatus"]));
    let words = words.to_ascii_uppercase();
    let has = |word: &str| words.contains(word);
    let how = match () {
        () if has("RESIGN") => How::Resigned,
        () if has("TIMEUP") || has("TIMEOUT") => How::Time,
        () if has("DISCONNECT") => How::Forfeit,
        () => return GameResult::default(),
    };
    match (has("BLACK"), has("WHITE")) {
        (true, false) => GameResult::won(Color::Black, how),
        (false, true) => GameResult::won(Color::White, how),
        _ if game.is_over() => GameResult::default(),
        _ => GameResult::won(game.position().side.other(), how),
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
