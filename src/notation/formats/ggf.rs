//! GGF games as records that all notations share, and back.
//!
//! The writer appends tags without a name in GGF to the comment, which every reader of GGF accepts:
//! `CO[a remark {tags} Event=Open 2020; Round=3]`. `%5D` is a bracket.

use super::format::{Detected, Format, Notation, Origin, Sheet};
use crate::notation::clock::{Clock, clock_of, control_of};
use crate::notation::ggf::{GgfGame, Tag, check_match_type};
use crate::notation::grammar::moves::MoveToken;
use crate::notation::repair::Turn;
use crate::notation::scanner::decimal;
use crate::notation::tags::{COMMENT, clean};
use crate::notation::{GameResult, How, NamedGame, Outcome};

/// The game text of NBoard and GGS.
pub const GGF: Format = Format(&Notation {
    name: "ggf",
    about: "the games of NBoard and GGS",
    is_of_games: true,
    read: |text| Ok(detected(&GgfGame::parse(text)?)),
    sheet: Some(|text| {
        let (ggf, written) = GgfGame::unplayed(text).ok()?;
        let turns = written
            .into_iter()
            .map(|(token, color)| Turn {
                token,
                color: Some(color),
            })
            .collect();
        Some(Sheet::new(detected(&ggf), turns))
    }),
    // A game read from GGF keeps its text.
    write: |entry| match &entry.origin {
        Some(Origin::Ggf(text)) => Ok(format!("{text}\n")),
        _ => Ok(format!("{}\n", record_ggf(&entry.record))),
    },
    losses,
});

pub(in crate::notation) fn detected(ggf: &GgfGame) -> Detected {
    Detected {
        origin: Some(Origin::Ggf(ggf.to_string())),
        ..Detected::new(GGF, ggf_record(ggf))
    }
}

/// The mark before the tags in a comment.
const MARK: &str = "{tags}";
const NUMBERS: &str = "values and times of moves";
/// Names of GGF with a meaning beyond their text.
const RESERVED: [&str; 14] = [
    "GM", "PC", "DT", "PB", "PW", "RB", "RW", "TI", "TY", "BO", "RE", "CO", "B", "W",
];

/// The game of a GGF text with its tags.
pub fn ggf_record(ggf: &GgfGame) -> NamedGame {
    let mut record = NamedGame {
        game: ggf.game().clone(),
        ..NamedGame::default()
    };
    let mut packed = String::new();
    for Tag { name, value } in ggf.tags() {
        let name = name.to_ascii_uppercase();
        let value = if name == "CO" {
            value.trim().to_owned()
        } else {
            clean(value)
        };
        let is_open = matches!(value.as_str(), "" | "?");
        match name.as_str() {
            "GM" | "BO" | "B" | "W" | "RE" => {}
            "PB" => record.put("Black", &value),
            "PW" => record.put("White", &value),
            "PC" => record.put("Site", &value),
            "DT" => record.put("Date", &value),
            "RB" if !is_open => record.put("BlackElo", &value),
            "RW" if !is_open => record.put("WhiteElo", &value),
            "TI" => match Clock::parse(&value).and_then(|clock| control_of(&clock)) {
                Some(control) if clock_of(&control) == Clock::parse(&value) => {
                    record.put("TimeControl", &control)
                }
                _ => record.put("TI", &value),
            },
            "TY" if value == "8" => {}
            "CO" => {
                let (comment, tags) = value.rsplit_once(MARK).unwrap_or((&value, ""));
                record.put(COMMENT, comment);
                packed = tags.to_owned();
            }
            _ => record.put(&name, &value),
        }
    }
    for (name, value) in packed
        .split("; ")
        .filter_map(|tag| tag.trim().split_once('='))
    {
        record.put(&unescaped(name), &unescaped(value));
    }
    if ggf
        .plies()
        .iter()
        .any(|ply| ply.eval.is_some() || ply.seconds.is_some())
    {
        record.leave_out(NUMBERS);
    }
    // `RE` has no sign for an adjudication; the comment of a match has the words.
    let is_adjudicated = ggf
        .tag("CO")
        .is_some_and(|text| text.split("; ").any(|part| part == "end adjudicated"));
    let written = ggf.tag("RE").unwrap_or_default();
    let stated = GameResult::of_ggf(written).unwrap_or_else(|| {
        record.put("ResultText", written);
        GameResult::default()
    });
    record.concluded(if is_adjudicated {
        stated.with_termination("adjudication")
    } else {
        stated
    })
}

/// The GGF text of a game with its tags.
pub fn record_ggf(record: &NamedGame) -> GgfGame {
    let mut ggf = GgfGame::new(record.game.start());
    let mut packed = Vec::new();
    let mut pack =
        |name: &str, value: &str| packed.push(format!("{}={}", escaped(name), escaped(value)));
    for (tag, name, value) in [
        ("PC", "Site", &record.place),
        ("DT", "Date", &record.date),
        ("PB", "Black", &record.black),
        ("PW", "White", &record.white),
    ] {
        if !value.is_empty() || matches!(tag, "PB" | "PW") {
            ggf = ggf.with_tag(tag, value);
        }
        // The comment holds the whole value of a tag that GGF must change.
        if !fits(value) {
            pack(name, value);
        }
    }
    let mut comment = String::new();
    let control = record.tags.get("TimeControl").and_then(clock_of);
    for (name, value) in record.tags.iter() {
        let own = match name {
            _ if !fits(value) => None,
            COMMENT if !value.contains(MARK) => {
                comment = value.to_owned();
                continue;
            }
            "TimeControl" if let Some(clock) = control => {
                ggf = ggf.with_tag("TI", &clock.to_string());
                continue;
            }
            "BlackElo" => decimal(value).map(|_| "RB"),
            "WhiteElo" => decimal(value).map(|_| "RW"),
            "TI" => control.is_none().then_some("TI"),
            "TY" => check_match_type(value).is_ok().then_some("TY"),
            name => Some(name).filter(|name| is_ggf_name(name) && !RESERVED.contains(name)),
        };
        match own {
            Some(tag) => ggf = ggf.with_tag(tag, value),
            None => pack(name, value),
        }
    }
    let result = record.result();
    if let (None, How::Adjudicated | How::Agreed) = (record.tags.get("Termination"), result.how) {
        pack("Termination", result.how.termination().unwrap_or_default());
    }
    ggf = ggf.with_tag("RE", &result.to_ggf());
    if !packed.is_empty() {
        comment += &format!(
            "{}{MARK} {}",
            if comment.is_empty() { "" } else { " " },
            packed.join("; ")
        );
    }
    if !comment.is_empty() {
        ggf = ggf.with_tag("CO", &comment);
    }
    for &mv in record.game.moves() {
        ggf.push(MoveToken {
            mv,
            eval: None,
            seconds: None,
        })
        .expect("a game's moves are legal");
    }
    ggf
}

fn losses(record: &NamedGame) -> Vec<String> {
    let result = record.result();
    let holds_result = match result.outcome {
        Outcome::Won(_) => result.score().is_some(),
        Outcome::Discs(discs) => result.how == How::Played || discs.abs() != 1,
        Outcome::Open => true,
    };
    let lost = "a win by an unknown number of discs, written as 1";
    if holds_result {
        Vec::new()
    } else {
        vec![lost.to_owned()]
    }
}

fn is_ggf_name(name: &str) -> bool {
    matches!(name.len(), 1 | 2) && name.bytes().all(|b| b.is_ascii_uppercase())
}

/// Whether brackets can hold the value unchanged.
fn fits(value: &str) -> bool {
    !value.contains(|c: char| c == ']' || c.is_control())
}

fn escaped(text: &str) -> String {
    let code = |c: char| match c {
        '%' | ';' | '=' | ']' | '{' | '\n' => format!("%{:02X}", c as u32),
        c => c.to_string(),
    };
    text.chars().map(code).collect()
}

fn unescaped(text: &str) -> String {
    let mut parts = text.split('%');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part
            .get(..2)
            .and_then(|code| u8::from_str_radix(code, 16).ok())
            .filter(u8::is_ascii);
        match code {
            Some(code) => plain.extend([&char::from(code).to_string(), &part[2..]]),
            None => plain.extend(["%", part]),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::GameResult;

    #[test]
    fn results_are_understood_or_kept_in_words() {
        for (value, result, text) in [
            ("-127.000", GameResult::default(), None),
            ("B+4", GameResult::discs(4, How::Stated), None),
            ("33-31", GameResult::discs(2, How::Stated), None),
            ("34:30", GameResult::discs(4, How::Stated), None),
            ("ann won", GameResult::default(), Some("ann won")),
            ("+99.00", GameResult::default(), Some("+99.00")),
        ] {
            let ggf = GgfGame::parse(&format!("(;GM[Othello]RE[{value}]B[F5]W[D6];)")).unwrap();
            let record = ggf_record(&ggf);
            assert_eq!(
                (record.result(), record.tags.get("ResultText")),
                (result, text),
                "{value}"
            );
            assert!(losses(&record).is_empty(), "{value}");
        }
    }
}
