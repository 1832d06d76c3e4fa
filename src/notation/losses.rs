//! What a notation cannot hold of a game.

use super::ggf_games::ggf_holds_result;
use super::pgn::is_pgn_name;
use super::position::Format;
use super::tags::{COMMENT, day_and_time};
use super::wthor::{GameRecord, NameKind};
use super::{GameResult, How, NamedGame, Outcome};

/// Tags that files of WTHOR hold: the tournament, and what perfect play would have come to.
const OF_WTHOR: [&str; 3] = ["Event", "TheoreticalDiscs", "TheoreticalEmpties"];

/// What is lost or stands for something else when `record` is written in `to`, each in some words; empty for lists of
/// moves and notations of positions, of which nobody expects more.
pub fn losses(record: &NamedGame, to: Format) -> Vec<String> {
    let mut lost: Vec<String> = Vec::new();
    match to {
        Format::Ggf => {
            if !ggf_holds_result(record.result()) {
                lost.push("that nobody knows by how many discs a game was won: one stands for it".into());
            }
        }
        Format::Sgf => {}
        Format::Pgn => of_pgn(record, &mut lost),
        Format::Wthor => of_wthor(record, &mut lost),
        _ => return lost,
    }
    lost.extend(record.left_out.iter().map(|what| (*what).to_owned()));
    lost
}

fn of_pgn(record: &NamedGame, lost: &mut Vec<String>) {
    if record.tags.get(COMMENT).is_some_and(|comment| comment.contains('}') && comment.contains('\n')) {
        lost.push("line ends in remarks".into());
    }
    lost.extend(
        record.tags.iter().filter(|(name, _)| !is_pgn_name(name)).map(|(name, _)| format!("tag {name}")),
    );
}

fn of_wthor(record: &NamedGame, lost: &mut Vec<String>) {
    let result = record.result();
    if record.game.is_over() && result.how != How::Played {
        lost.push("a result other than that of all the moves".into());
    }
    let is_mistaken = |wthor: GameRecord| wthor.stated(&record.game) == GameResult::default();
    if result.is_known() && !record.game.is_over() && GameRecord::from_record(record).is_some_and(is_mistaken)
    {
        lost.push("a result that is the count on the board of a broken-off game".into());
    }
    match result.outcome {
        Outcome::Open => lost.push("that there is no result: the discs on the board stand for it".into()),
        Outcome::Won(_) if result.score().is_none() => {
            lost.push("that nobody knows by how many discs: two stand for it".into());
        }
        Outcome::Discs(discs) if discs % 2 != 0 => lost.push("odd differences: a disc is added".into()),
        _ => {}
    }
    if result.how.termination().is_some() || record.tags.get("Termination").is_some() {
        lost.push("how a game ended".into());
    }
    let is_cut = |kind: NameKind, name: &str| kind.fit(name) != name;
    if [&record.black, &record.white].iter().any(|name| is_cut(NameKind::Players, name)) {
        lost.push("all but the first 19 letters of Latin-1 of a player's name".into());
    }
    let event = record.tags.get("Event").unwrap_or_default();
    let tournament = if event.is_empty() { &record.place } else { event };
    if is_cut(NameKind::Tournaments, tournament) {
        lost.push("all but the first 25 letters of Latin-1 of a tournament".into());
    }
    match (event.is_empty(), record.place.is_empty()) {
        (_, true) => {}
        (true, false) => lost.push("that a place is no tournament: it stands for one".into()),
        (false, false) => lost.push("places".into()),
    }
    match day_and_time(&record.date) {
        Some((day, time)) if day.len() == 4 && time.is_empty() => {}
        Some(_) => lost.push("all of a date but the year".into()),
        None if record.date.is_empty() => {}
        None => lost.push("dates in words".into()),
    }
    let others = record.tags.iter().filter(|(name, _)| !OF_WTHOR.contains(name) && *name != "Termination");
    lost.extend(others.map(|(name, _)| format!("tag {name}")));
}
