//! Games as text of PGN.

use crate::board::{Color, Move, Position};
use crate::notation::NamedGame;
use crate::notation::formats::fen::write_fen;
use crate::notation::tags::{COMMENT, DATE_TEXT, clean, day_and_time, first_day};

/// Tags of every game, including those of NBoard.
pub(super) const ROSTER: [&str; 10] = [
    "Event", "Site", "Date", "Time", "Round", "Black", "White", "BlackElo", "WhiteElo", "Result",
];

/// Writes a game with all its tags and `?` for unknown ones of the roster. The result is in discs, else in points, else
/// `*`.
pub fn write_pgn(record: &NamedGame) -> String {
    let result = record.result().to_pgn();
    let mut text = String::new();
    let mut put = |name: &str, value: &str| {
        let value = clean(value).replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("[{name} \"{value}\"]\n"));
    };
    let first = first_day(&record.date).unwrap_or_default();
    let known_date = day_and_time(&record.date);
    let (day, time) = known_date.unwrap_or((&first, ""));
    let tag = |name| record.tags.get(name).unwrap_or_default();
    for name in ROSTER {
        let value = match name {
            "Site" => &record.place,
            "Date" => &format!("{day}{}", &"????.??.??"[day.len()..]),
            "Time" if !time.is_empty() => time,
            "Black" => &record.black,
            "White" => &record.white,
            "Result" => &result,
            name => tag(name),
        };
        put(name, if value.is_empty() { "?" } else { value });
    }
    for (name, value) in record.tags.iter() {
        if !ROSTER.contains(&name) && name != COMMENT && name != "Termination" && is_pgn_name(name)
        {
            put(name, value);
        }
    }
    if known_date.is_none() && !record.date.is_empty() {
        put(DATE_TEXT, &record.date);
    }
    if let Some(words) = record.termination() {
        put("Termination", words);
    }
    let comment = tag(COMMENT);
    if comment.contains('}') {
        put(COMMENT, &comment.replace('\n', " "));
    }
    if record.game.start() != Position::START {
        put("SetUp", "1");
        put("FEN", &write_fen(&record.game.start()));
    }
    if !comment.is_empty() && !comment.contains('}') {
        text.push_str(&format!("\n{{{comment}}}"));
    }
    text + "\n" + &movetext(record, result)
}

/// The numbered moves and the result, in lines of at most 79 characters.
fn movetext(record: &NamedGame, result: String) -> String {
    let mut number = 0;
    let numbered = |(index, (position, mv)): (usize, (Position, Move))| {
        let name = if mv == Move::Pass {
            "--".to_owned()
        } else {
            mv.to_string()
        };
        if position.side == Color::White && index > 0 {
            return name;
        }
        number += 1;
        format!(
            "{number}.{} {name}",
            if position.side == Color::White {
                ".."
            } else {
                ""
            }
        )
    };
    let mut text = String::new();
    let mut column = 0;
    for word in record
        .game
        .steps()
        .enumerate()
        .map(numbered)
        .chain([result])
    {
        if column + 1 + word.len() > 79 {
            text.push('\n');
            column = 0;
        }
        if column > 0 {
            text.push(' ');
            column += 1;
        }
        column += word.len();
        text += &word;
    }
    text + "\n"
}

pub(super) fn losses(record: &NamedGame) -> Vec<String> {
    let mut lost = Vec::new();
    if record
        .tags
        .get(COMMENT)
        .is_some_and(|comment| comment.contains('}') && comment.contains('\n'))
    {
        lost.push("line ends in remarks".into());
    }
    lost.extend(
        record
            .tags
            .iter()
            .filter(|(name, _)| !is_pgn_name(name))
            .map(|(name, _)| format!("tag {name}")),
    );
    lost
}

/// Whether a tag can have this name.
fn is_pgn_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}
