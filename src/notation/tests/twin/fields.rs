//! The second reader, sections 7 and 8: tables and JSON.

use serde_json::{Map, Value};

use super::boards::{bare, holds_board};
use super::lists::{self, List, agreed, stated};
use super::reader::{Class, Read, between, class, first_line, lines, plain};
use super::{Outcome, Stated, records};
use crate::board::{Color, Game, Move, Position};

/// The separator and the names of the first line of a table.
pub fn header(line: &str) -> Option<(char, Vec<String>)> {
    let name = |name: &String| {
        let sign = |c: char| c.is_alphanumeric() || " _-.".contains(c);
        name.starts_with(char::is_alphabetic) && name.chars().all(sign)
    };
    let mut forms = [',', ';', '\t']
        .into_iter()
        .filter_map(|sign| Some((sign, cells(line, sign)?)));
    let (sign, names) = forms.find(|form| form.1.iter().all(name))?;
    let names: Vec<String> = names.iter().map(|name| key(name)).collect();
    names
        .iter()
        .any(|name| column(name).is_some())
        .then_some((sign, names))
}

/// The meaning of a known column.
fn column(name: &str) -> Option<usize> {
    match name {
        "position" | "board" => Some(0),
        "side" => Some(1),
        "moves" | "gamemoves" | "transcript" => Some(2),
        "result" | "winner" => Some(3),
        "id" => Some(4),
        _ => None,
    }
}

fn key(name: &str) -> String {
    name.trim().to_lowercase().replace('_', "")
}

/// The cells of a line; `None` for a wrong quote.
fn cells(line: &str, sign: char) -> Option<Vec<String>> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let start = rest.trim_start_matches(' ');
        let mut cell = String::new();
        if let Some(mut inner) = start.strip_prefix('"') {
            loop {
                let (text, next) = inner.split_once('"')?;
                cell += text;
                inner = next;
                match inner.strip_prefix('"') {
                    Some(next) => inner = next,
                    None => break,
                }
                cell.push('"');
            }
            rest = inner.trim_start_matches(' ');
        } else {
            let end = rest.find(sign).unwrap_or(rest.len());
            cell.push_str(rest[..end].trim());
            rest = &rest[end..];
        }
        cells.push(cell);
        match rest.strip_prefix(sign) {
            Some(next) => rest = next,
            None if rest.is_empty() => return Some(cells),
            None => return None,
        }
    }
}

/// The games of a table, one a row.
pub fn table(text: &str) -> Read<(Vec<Outcome>, &str)> {
    let (line, mut rest) = first_line(text);
    let (sign, names) = header(line).ok_or("a table begins with its columns")?;
    let mut games = Vec::new();
    let mut known = [None; 5];
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            return Err("a column twice");
        }
        if let Some(meaning) = column(name)
            && known[meaning].replace(at).is_some()
        {
            return Err("two columns of one meaning");
        }
    }
    while !first_line(rest).0.trim().is_empty() {
        let line = first_line(rest).0;
        rest = first_line(rest).1;
        let row = cells(line, sign).filter(|row| row.len() == names.len());
        let row = row.ok_or("another number of cells")?;
        games.push(row_game(&row, &names, known)?);
    }
    match games.is_empty() {
        true => Err("a table without rows"),
        false => Ok((games, rest)),
    }
}

fn row_game(row: &[String], names: &[String], known: [Option<usize>; 5]) -> Read<Outcome> {
    let cell = |meaning: usize| known[meaning].map(|at| row[at].as_str());
    let others = (0..row.len()).filter(|at| known[0] != Some(*at));
    if others.clone().any(|at| holds_board(&row[at])) {
        return Err("a board in another cell");
    }
    let start = match (cell(0), cell(1).unwrap_or("")) {
        (None, "") => Position::START,
        (None, _) => return Err("a side without a position"),
        (Some(board), "") => bare(board)?,
        (Some(board), _) if bare(board).is_ok() => return Err("two sides"),
        (Some(board), side) => bare(&format!("{board} {side}"))?,
    };
    let mut game = match cell(2).unwrap_or("") {
        "" if known[0].is_none() => return Err("a row without moves"),
        "" => List::new(start).outcome(),
        moves => lists::whole(moves, start)?.outcome(),
    };
    let mut results: Vec<Stated> = game.result.into_iter().collect();
    results.extend(known[3].and_then(|at| result(&row[at], &names[at])));
    game.result = agreed(&results)?;
    Ok(game)
}

/// The result of a text of section 6, a word, or a number of `winner`.
fn result(text: &str, name: &str) -> Option<Stated> {
    match (text.trim().to_lowercase().as_str(), name) {
        ("black", _) | ("1", "winner") => Some(Stated::Won(Color::Black)),
        ("white", _) | ("-1", "winner") => Some(Stated::Won(Color::White)),
        ("draw", _) | ("0", "winner") => Some(Stated::Margin(0)),
        (text, _) if text.strip_prefix("b+").is_some_and(is_zero) => {
            Some(Stated::Won(Color::Black))
        }
        (text, _) if text.strip_prefix("w+").is_some_and(is_zero) => {
            Some(Stated::Won(Color::White))
        }
        _ => stated(text.trim()).flatten(),
    }
}

/// Discs that are written and not counted.
fn is_zero(discs: &str) -> bool {
    !discs.is_empty() && discs.bytes().all(|byte| byte == b'0')
}

pub fn begins_json(text: &str) -> bool {
    let inner = text.strip_prefix('[').map_or("", str::trim_start);
    let number = inner
        .trim_start_matches('-')
        .starts_with(|c: char| c.is_ascii_digit());
    let list = inner.starts_with(['{', '[', ']', '"']) || number;
    text.starts_with('{') || list && !super::boards::begins_ggf(first_line(text).0)
}

/// The entries of the JSON value at the beginning of `text`, and the text behind it.
pub fn json(text: &str) -> Read<(Vec<Outcome>, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next().and_then(Result::ok).ok_or("wrong JSON")?;
    let (read, rest) = text.split_at(values.byte_offset());
    if colons(read) != keys(&value) {
        return Err("a key twice");
    }
    Ok((entries(&value)?, rest))
}

/// Colons outside strings: the number of keys with each repeated one.
fn colons(text: &str) -> usize {
    let mut inside = false;
    let mut escaped = false;
    let mut count = 0;
    for c in text.chars() {
        inside ^= c == '"' && !escaped;
        count += usize::from(c == ':' && !inside);
        escaped = c == '\\' && !escaped;
    }
    count
}

fn keys(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(keys).sum(),
        Value::Object(map) => map.values().map(|value| 1 + keys(value)).sum(),
        _ => 0,
    }
}

fn entries(value: &Value) -> Read<Vec<Outcome>> {
    match value {
        Value::Object(map) => object(map),
        Value::Array(list) if list.iter().all(Value::is_object) && !list.is_empty() => {
            let games: Read<Vec<_>> = list.iter().map(entries).collect();
            Ok(games?.concat())
        }
        Value::Array(_) => Ok(vec![moves(value, Position::START)?]),
        _ => Err("no entry"),
    }
}

fn object(map: &Map<String, Value>) -> Read<Vec<Outcome>> {
    let mut pairs: Vec<(String, &Value)> = Vec::new();
    for (name, value) in map {
        match (key(name).as_str(), value) {
            ("position", Value::Object(inner)) => {
                pairs.extend(inner.iter().map(|(k, v)| (key(k), v)))
            }
            (name, value) => pairs.push((name.to_owned(), value)),
        }
    }
    let mut starts = Vec::new();
    let mut texts = Vec::new();
    let mut results = Vec::new();
    let mut discs = [None; 2];
    let mut nested = None;
    for (name, value) in pairs.into_iter().filter(|pair| !pair.1.is_null()) {
        match name.as_str() {
            "games" | "data" if nested.is_some() => return Err("two lists of games"),
            "games" | "data" => nested = Some(entries(value)?),
            "start" | "initial" | "initialboard" | "startposition" | "startpos" | "setup"
            | "from" | "state" | "board" | "fen" | "position" => starts.push(start(value)?),
            "moves" | "transcript" | "kifu" | "movelist" | "gamemoves" | "sequence" | "history"
            | "game" | "record" | "line" | "pgn" => texts.push(value),
            "result" | "winner" | "score" => results.extend(result(&text_of(value), &name)),
            "blackscore" => discs[0] = value.as_i64(),
            "whitescore" => discs[1] = value.as_i64(),
            "finalstatus" | "reason" | "termination" | "black" | "white" | "blackplayer"
            | "whiteplayer" | "players" | "date" | "created" | "event" | "tournament"
            | "comment" | "memo" | "id" => refuse(value, &holds_board)?,
            _ => refuse(value, &|text| {
                holds_board(text) || lists::is_list(&plain(text))
            })?,
        }
    }
    if discs.iter().flatten().count() == 1 {
        return Err("the score of one side");
    }
    if let [Some(black), Some(white)] = discs {
        if !(0..=64).contains(&black) || !(0..=64 - black).contains(&white) {
            return Err("more than 64 discs");
        }
        results.push(Stated::Margin((black - white) as i32));
    }
    if let Some(games) = nested {
        return match starts.is_empty() && texts.is_empty() {
            true => Ok(games),
            false => Err("moves beside a list of games"),
        };
    }
    if starts.is_empty() && texts.is_empty() {
        return Err("an object without a position and moves");
    }
    let begun = same(starts)?.unwrap_or_default();
    let start = begun.position();
    let read: Read<Vec<_>> = texts.into_iter().map(|value| moves(value, start)).collect();
    let mut game = same(read?)?.unwrap_or_else(|| List::new(start).outcome());
    game.start = begun.start();
    game.moves.splice(..0, begun.moves().iter().copied());
    results.extend(game.result);
    game.result = agreed(&results)?;
    Ok(vec![game])
}

fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The one value of keys that agree.
fn same<T: PartialEq>(mut values: Vec<T>) -> Read<Option<T>> {
    let last = values.pop();
    match values.iter().all(|value| Some(value) == last.as_ref()) {
        true => Ok(last),
        false => Err("two keys differ"),
    }
}

fn refuse(value: &Value, wrong: &impl Fn(&str) -> bool) -> Read<()> {
    match value {
        Value::String(text) if wrong(text) => Err("a board or moves in this key"),
        Value::Array(list) => list.iter().try_for_each(|value| refuse(value, wrong)),
        Value::Object(map) => map.values().try_for_each(|value| refuse(value, wrong)),
        _ => Ok(()),
    }
}

/// A board, a FEN, or moves from the usual start, which the game begins with.
fn start(value: &Value) -> Read<Game> {
    let text = plain(value.as_str().ok_or("a text")?);
    match class(&text) {
        Class::Fen | Class::Board => Ok(Game::new(bare(text.trim_end())?)),
        Class::Moves if text.trim().is_empty() => Ok(Game::default()),
        Class::Moves => Ok(lists::whole(&text, Position::START)?.game),
        _ => Err("a board, a FEN or moves"),
    }
}

fn moves(value: &Value, start: Position) -> Read<Outcome> {
    match value {
        Value::String(text) => text_game(&plain(text), start),
        Value::Array(list) => {
            let mut game = List::new(start);
            for value in list {
                let mv = one_move(value).ok_or("a list of single moves")?;
                game.play(None, mv)?;
            }
            match list.is_empty() {
                true => Err("a list has a move"),
                false => Ok(game.outcome()),
            }
        }
        _ => Err("moves are a text or a list"),
    }
}

fn text_game(text: &str, start: Position) -> Read<Outcome> {
    let (mut games, rest) = match class(between(text)) {
        Class::Moves => lines(between(text), start)?,
        Class::Pgn if start == Position::START => records::pgn(between(text))?,
        Class::Tree if start == Position::START => records::trees(between(text))?,
        _ => return Err("moves, or a record"),
    };
    let alone = between(rest).is_empty() && games.len() == 1;
    let game = games.pop().filter(|game| alone && !game.moves.is_empty());
    game.ok_or("one game in a key")
}

fn one_move(value: &Value) -> Option<Move> {
    let text = match value {
        Value::String(text) => text.as_str(),
        Value::Object(map) => {
            let names = ["move", "m", "square", "coord"];
            let mut moves = Vec::new();
            let mut others = Map::new();
            for (name, value) in map {
                match names.contains(&key(name).as_str()) {
                    true => moves.push(value.as_str()?),
                    false => drop(others.insert(name.clone(), value.clone())),
                }
            }
            let (text, found) = moves.split_first()?;
            refuse(&Value::Object(others), &|text| {
                holds_board(text) || lists::is_list(text)
            })
            .ok()?;
            if found.iter().any(|other| other != text) {
                return None;
            }
            if *text == "-" {
                return Some(Move::Pass);
            }
            *text
        }
        _ => return None,
    };
    lists::one_move(&plain(text))
}
