//! The result that an object of JSON states.

use serde_json::{Map, Value};

use super::document::{get, text, text_of};
use crate::board::{Color, Game};
use crate::notation::grammar::board::Digits;
use crate::notation::grammar::words::color_of_word;
use crate::notation::record::agreed;
use crate::notation::{GameResult, How, NamedGame};

/// The result that the object states; words that say nothing become a tag.
pub fn stated(
    object: &Map<String, Value>,
    list: Option<GameResult>,
    record: &mut NamedGame,
) -> Result<GameResult, &'static str> {
    let mut results: Vec<GameResult> = list.into_iter().collect();
    let mut odd = Vec::new();
    for key in ["result", "score", "winner"] {
        let Some(value) = get(object, &[key]).filter(|value| !value.is_null()) else {
            continue;
        };
        match result_in(value, key) {
            Some(result) => results.push(result),
            None => odd.push(
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned),
            ),
        }
    }
    let scores = [["blackscore"], ["whitescore"]].map(|key| text_of(object, &key));
    if !scores.concat().is_empty() {
        let result = of_counts(&scores);
        results.push(result.ok_or("the scores of the sides are no counts of discs")?);
    }
    record.put("ResultText", &odd.join("; "));
    let reason = text_of(object, &["reason", "termination"]);
    record.put("Termination", &reason);
    results.extend(Some(ending(object, &record.game)).filter(|result| result.is_known()));
    let mut all = results.into_iter();
    let first = all.next().unwrap_or_default();
    all.try_fold(first, agreed)
        .ok_or("several results that differ")
}

/// The result of the discs of Black and White; `None` unless both are counts.
fn of_counts(discs: &[String; 2]) -> Option<GameResult> {
    let is_count = |discs: &String| !discs.is_empty() && discs.bytes().all(|c| c.is_ascii_digit());
    let are_counts = discs.iter().all(is_count);
    are_counts
        .then(|| GameResult::of_words(&discs.join("-")))
        .flatten()
}

/// The result in a value: words, a number of discs, or an object with the counts of both sides.
fn result_in(value: &Value, key: &str) -> Option<GameResult> {
    if let Some(counts) = value.as_object() {
        let counts = ["black", "white"].map(|side| text_of(counts, &[side]));
        return of_counts(&counts);
    }
    let words = text(value);
    if key == "winner" {
        let winner = color_of_word(&words, Digits::No);
        return match winner {
            _ if words == "1" => Some(GameResult::won(Color::Black, How::Stated)),
            _ if words == "-1" => Some(GameResult::won(Color::White, How::Stated)),
            _ if words == "0" => Some(GameResult::discs(0, How::Stated)),
            Some(winner) => Some(GameResult::won(winner, How::Stated)),
            None => GameResult::of_words(&words).filter(|_| value.is_string()),
        };
    }
    match words.parse::<i32>() {
        Ok(discs) if discs.abs() <= 64 => Some(GameResult::discs(discs, How::Stated)),
        Ok(_) => None,
        Err(_) => GameResult::of_words(&words),
    }
}

/// The ending of Othello Quest. If it names no winner, the side to move lost by resignation, time or connection.
fn ending(object: &Map<String, Value>, game: &Game) -> GameResult {
    let inner = get(object, &["position"])
        .and_then(Value::as_object)
        .unwrap_or(object);
    let last = get(inner, &["moves"])
        .and_then(|moves| moves.as_array()?.last()?.get("s"))
        .map(text);
    let words = last
        .filter(|words| !words.is_empty())
        .unwrap_or_else(|| text_of(object, &["finalstatus"]));
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
