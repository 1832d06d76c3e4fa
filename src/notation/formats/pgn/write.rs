//! Games as text of PGN.

use crate::board::{Color, Move, Position};
use crate::notation::NamedGame;
use crate::notation::formats::fen::write_fen;
use crate::notation::tags::{COMMENT, DATE_TEXT, clean, day_and_time, first_day};

/// Tags that are written for every game, those of NBoard among them.
pub(super) const ROSTER: [&str; 10] =
    ["Event", "Site", "Date", "Time", "Round", "Black", "White", "BlackElo", "WhiteElo", "Result"];

/// Writes a game with the tags that NBoard asks for, `?` where nothing is known, and all others that it has; the result
/// is in discs, in points where they are not known, `*` where nothing is.
pub fn write_pgn(record: &NamedGame) -> String {
    let result = record.result().to_pgn();
    let first = first_day(&record.date).unwrap_or_default();
    let known_date = day_and_time(&record.date);
    let (day, time) = known_date.unwrap_or((&first, ""));
    let date = format!("{day}{}", &"????.??.??"[day.len()..]);
    let tag = |name| record.tags.get(name).unwrap_or_default();
    let time = if time.is_empty() { tag("Time") } else { time };
    let known = |value: &'_ str| if value.is_empty() { "?".to_owned() } else { value.to_owned() };
    let mut tags: Vec<(&str, String)> = vec![
        ("Event", known(tag("Event"))),
        ("Site", known(&record.place)),
        ("Date", date),
        ("Time", known(time)),
        ("Round", known(tag("Round"))),
        ("Black", known(&record.black)),
        ("White", known(&record.white)),
        ("BlackElo", known(tag("BlackElo"))),
        ("WhiteElo", known(tag("WhiteElo"))),
        ("Result", result.clone()),
    ];
    let (comment, in_tag) = match tag(COMMENT) {
        comment if comment.contains('}') => ("", comment),
        comment => (comment, ""),
    };
    for (name, value) in record.tags.iter() {
        if !ROSTER.contains(&name) && name != COMMENT && name != "Termination" && is_pgn_name(name) {
            tags.push((name, value.to_owned()));
        }
    }
    if known_date.is_none() && !record.date.is_empty() {
        tags.push((DATE_TEXT, record.date.clone()));
    }
    tags.extend(record.termination().map(|words| ("Termination", words.to_owned())));
    if !in_tag.is_empty() {
        tags.push((COMMENT, in_tag.replace('\n', " ")));
    }
    if record.game.start() != Position::START {
        tags.extend([("SetUp", "1".to_owned()), ("FEN", write_fen(&record.game.start()))]);
    }
    let mut text = String::new();
    for (name, value) in tags {
        let value = clean(&value).replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("[{name} \"{value}\"]\n"));
    }
    if !comment.is_empty() {
        text.push_str(&format!("\n{{{comment}}}"));
    }
    let mut line = String::new();
    let mut number = 0;
    for (index, (position, mv)) in record.game.steps().enumerate() {
        let mut word = String::new();
        if position.side == Color::Black || index == 0 {
            number += 1;
            word = format!("{number}.{} ", if position.side == Color::White { ".." } else { "" });
        }
        word += &if mv == Move::Pass { "--".to_string() } else { mv.to_string() };
        push_wrapped(&mut text, &mut line, &word);
    }
    push_wrapped(&mut text, &mut line, &result);
    text + "\n" + &line + "\n"
}

/// Adds a word to the last line of `text`, which is kept in `line` until it is full.
fn push_wrapped(text: &mut String, line: &mut String, word: &str) {
    if line.len() + 1 + word.len() > 79 {
        text.push('\n');
        text.push_str(line);
        line.clear();
    }
    if !line.is_empty() {
        line.push(' ');
    }
    line.push_str(word);
}

pub(super) fn losses(record: &NamedGame) -> Vec<String> {
    let mut lost = Vec::new();
    if record.tags.get(COMMENT).is_some_and(|comment| comment.contains('}') && comment.contains('\n')) {
        lost.push("line ends in remarks".into());
    }
    lost.extend(
        record.tags.iter().filter(|(name, _)| !is_pgn_name(name)).map(|(name, _)| format!("tag {name}")),
    );
    lost
}

/// A name that can stand in brackets before a value.
fn is_pgn_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| !c.is_whitespace() && !c.is_control() && !"[]\"".contains(c))
}
