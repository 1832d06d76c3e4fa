//! SGF game records of Othello: the main line of the first game.
//!
//! Source: the SGF `FF[4]` specification; `GM[2]` is Othello, with squares as `f5` (Quarry, Edax).
//! GoGui writes `GM[1]` and two letters, counted from the upper left corner of a board whose top row
//! is row 8: `fd` is f5. The reader accepts both, and letters counted from the top if only those are legal.

mod play;
mod properties;
pub mod tree;

use play::{Player, Rows, color_of};
use properties::{Property, SUBJECT, main_line};

use super::format::{Detected, Format, Notation, Sheet};
use crate::board::{Color, Game, Position, Square, SquareSet};
use crate::notation::clock::clock_of;
use crate::notation::error::Code;
use crate::notation::grammar::moves::parse_move;
use crate::notation::grammar::remarks::holds_board;
use crate::notation::record::{MARKS, MOVE_COMMENTS};
use crate::notation::repair::Turn;
use crate::notation::split::Brackets;
use crate::notation::tags::{COMMENT, DATE_TEXT, day_and_time, first_day};
use crate::notation::{GameResult, Location, NamedGame, ParseError};

/// Smart Game Format.
pub const SGF: Format = Format(&Notation {
    name: "sgf",
    about: "Smart Game Format",
    is_of_games: true,
    read: |text| Ok(Detected::new(SGF, parse_sgf(text)?)),
    sheet: Some(sheet),
    write: |entry| Ok(write_sgf(&entry.record) + "\n"),
    ..Notation::BASE
});

/// SGF for GoGui: the number of Go, squares in two letters. It reads as SGF.
pub const GOGUI: Format = Format(&Notation {
    name: "gogui",
    about: "SGF as GoGui reads it",
    write: |entry| Ok(write_gogui(&entry.record) + "\n"),
    ..*SGF.0
});

/// Reads the main line of the first game of `text` with its names.
///
/// A game without setup stones (`AB`, `AW`) begins at the usual start. The text may omit passes. Setup behind the first
/// move may repeat the board.
///
/// # Errors
/// A text that is no SGF, a game other than Othello on 8×8, an illegal move, a move of the wrong side, or setup that
/// changes the board behind the first move.
pub fn parse_sgf(text: &str) -> Result<NamedGame, ParseError> {
    let mut left_out = Vec::new();
    let properties = &main_line(text, &mut left_out)?[..];
    check_properties(text, properties)?;
    let end = Brackets::of_sgf().end(text);
    if end.is_none_or(|end| !text[end..].trim().is_empty()) {
        let at = end.unwrap_or(text.len());
        return Err(ParseError::at(
            SUBJECT,
            text,
            at,
            "the ) that closes the game, and the end",
        ));
    }
    let read = |rows| {
        Player {
            text,
            properties,
            rows,
        }
        .game()
    };
    let game = read(Rows::FromBottom).or_else(|bottom| {
        read(Rows::FromTop).map_err(|top| match (bottom.location, top.location) {
            // The error that comes later in the game is that of the right way to count rows.
            (Location::Ply(one), Location::Ply(other)) if other > one => top,
            _ => bottom,
        })
    })?;
    let stray = properties.iter().find(|property| is_stray_move(property));
    if let Some(stray) = stray.filter(|_| game.moves().is_empty()) {
        return Err(ParseError::at(
            SUBJECT,
            text,
            stray.offset,
            "a move, such as B[f5] or W[d6]",
        ));
    }
    Ok(tagged(
        properties,
        NamedGame {
            game,
            left_out,
            ..NamedGame::default()
        },
    ))
}

/// Refuses a property that stands twice in a node, and boards in texts.
fn check_properties(text: &str, properties: &[Property]) -> Result<(), ParseError> {
    for (index, property) in properties.iter().enumerate() {
        let is_move = |name: &str| matches!(name, "B" | "W");
        let mut before = properties[..index]
            .iter()
            .rev()
            .take_while(|other| other.node == property.node);
        let is_same = |other: &Property| {
            other.name == property.name || is_move(&other.name) && is_move(&property.name)
        };
        const SINGLE: [&str; 10] = ["RE", "FF", "GM", "SZ", "PL", "B", "W", "C", "CA", "TM"];
        let is_single = SINGLE.contains(&property.name.as_str())
            || NAMES.iter().any(|(_, name)| *name == property.name);
        if before.any(is_same) || is_single && property.values.len() > 1 {
            let expected = format!("{} once in its node", property.name);
            return Err(ParseError::at(SUBJECT, text, property.offset, expected).with(Code::Twice));
        }
        if property.values.iter().any(|(_, value)| holds_board(value)) {
            let expected = format!("no board in {}", property.name);
            return Err(
                ParseError::at(SUBJECT, text, property.offset, expected).with(Code::BoardInGame)
            );
        }
    }
    Ok(())
}

/// A property that no standard knows, with a move as its value.
fn is_stray_move(property: &Property) -> bool {
    let is_known = TAKEN.split_whitespace().any(|taken| taken == property.name);
    property.node > 0
        && !is_known
        && property
            .values
            .iter()
            .all(|(_, value)| parse_move(value).is_ok())
}

/// The game of a text, its moves not played. The rows are counted in the way that allows more moves.
fn sheet(text: &str) -> Option<Sheet> {
    let mut left_out = Vec::new();
    let properties = &main_line(text, &mut left_out).ok()?[..];
    let player = |rows| Player {
        text,
        properties,
        rows,
    };
    let legal = |rows| match player(rows).game().err()?.location {
        Location::Ply(ply) => Some(ply),
        _ => None,
    };
    let is_from_top = legal(Rows::FromTop) > legal(Rows::FromBottom);
    let player = player(if is_from_top {
        Rows::FromTop
    } else {
        Rows::FromBottom
    });
    let game = Game::new(player.start().ok().filter(|_| !player.has_setup_inside())?);
    let written = properties
        .iter()
        .filter_map(|property| Some((color_of(property)?, property)));
    let turn = |(color, property)| Turn {
        color: Some(color),
        ..Turn::of(player.read_move(property).ok())
    };
    let turns = written.map(turn).collect();
    let record = tagged(
        properties,
        NamedGame {
            game,
            left_out,
            ..NamedGame::default()
        },
    );
    Some(Sheet::new(Detected::new(SGF, record), turns))
}

/// The same game with the names, tags and result of the properties.
fn tagged(properties: &[Property], mut record: NamedGame) -> NamedGame {
    let mut stated = GameResult::default();
    let value = |name: &str| {
        let found = properties.iter().find(|property| property.name == name);
        found
            .and_then(|property| property.values.first())
            .map_or("", |(_, value)| value.trim())
    };
    let control = time_control(value("TM"), value("OT"));
    for property in properties {
        let name = property.name.as_str();
        let (_, text) = &property.values[0];
        let is_open = matches!(text.trim(), "" | "?");
        match (name, NAMES.iter().find(|(_, sgf)| *sgf == name)) {
            ("FF" | "GM" | "SZ" | "CA" | "AB" | "AW" | "AE" | "PL" | "B" | "W", _) => {}
            ("C", _) if property.node > 0 => record.leave_out(MOVE_COMMENTS),
            _ if property.node > 0 => record.leave_out(MARKS),
            ("RE", _) => match GameResult::of_sgf(text) {
                Some(result) => stated = result,
                None => record.put("ResultText", text),
            },
            ("C", _) if value("GC").is_empty() => record.put(COMMENT, text),
            ("C", _) => record.leave_out(MOVE_COMMENTS),
            ("TM", _) => match &control {
                Some(control) => record.put("TimeControl", control),
                None => record.put("TM", text),
            },
            ("OT", _) if control.is_some() => {}
            (TAGS, _) => {}
            (_, Some((name, "PB" | "PW" | "PC" | "DT"))) => record.put(name, text),
            (_, Some(_)) if is_open => {}
            (_, Some((name, _))) => record.put(name, text),
            _ if is_private(name) => record.put(name, &property.joined()),
            _ => record.leave_out(MARKS),
        }
    }
    for property in properties
        .iter()
        .filter(|property| property.name == TAGS && property.node == 0)
    {
        for (name, value) in property
            .values
            .iter()
            .filter_map(|(_, pair)| pair.split_once(':'))
        {
            record.put(&name.replace("%3A", ":").replace("%25", "%"), value);
        }
    }
    record.concluded(stated)
}

/// Names of PGN and the properties of SGF with the same values.
const NAMES: [(&str, &str); 15] = [
    ("Black", "PB"),
    ("White", "PW"),
    ("Site", "PC"),
    ("Date", "DT"),
    ("Event", "EV"),
    ("Round", "RO"),
    ("BlackElo", "BR"),
    ("WhiteElo", "WR"),
    ("BlackTeam", "BT"),
    ("WhiteTeam", "WT"),
    ("Annotator", "AN"),
    ("Opening", "ON"),
    ("Copyright", "CP"),
    ("Source", "SO"),
    (COMMENT, "GC"),
];
/// The property for all other tags: a list of `name:value`, with `%3A` for a colon and `%25` for a percent sign in names.
const TAGS: &str = "TAG";
/// Properties of the standard; a tag with such a name goes into [`TAGS`].
const TAKEN: &str = "AB AE AN AR AS AW B BL BM BR BS BT C CA CH CP CR DD DM DO DT EL EV EX FF FG GB GC GM GW HO ID IP IT IY \
                     KO L LB LN LT M MA MN N OB OM ON OP OV OW PB PC PL PM PW RE RG RO SC SE SI SL SO SQ SU SZ TAG TB \
                     TC TE TM TR TW UC V VW W WL WR WS WT";
/// The word in `OT` behind the increment.
const FISCHER: &str = " fischer";

/// Whether a tag of that name can become a private property.
fn is_private(name: &str) -> bool {
    let is_name = (1..=8).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_uppercase());
    is_name && TAKEN.split_whitespace().all(|taken| taken != name)
}

/// PGN's `TimeControl` for `TM` and `OT`; `None` if PGN has no form for it.
fn time_control(seconds: &str, overtime: &str) -> Option<String> {
    let control = match overtime.trim() {
        "" => seconds.trim().to_owned(),
        overtime => format!("{}+{}", seconds.trim(), overtime.strip_suffix(FISCHER)?),
    };
    (control != "-" && clock_of(&control).is_some()).then_some(control)
}

/// Whether a date is a list of days such as `2020-05-01,02`, as `DT` allows.
fn is_list_of_days(date: &str) -> bool {
    let mut parts = date.split(',');
    let is_day =
        |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b == b'-') && part.len() >= 2;
    parts
        .next()
        .is_some_and(|first| first_day(first).is_some_and(|day| day.replace('.', "-") == first))
        && parts.all(is_day)
}

/// Writes the game with Othello coordinates. A pass is an empty value, an unusual start a setup.
pub fn write_sgf(record: &NamedGame) -> String {
    write(record, |square| square.to_string(), 2)
}

/// Writes the game with the letters of GoGui, whose number is that of Go.
fn write_gogui(record: &NamedGame) -> String {
    let name_of = |square: Square| {
        let letter = |index| char::from(b'a' + index);
        String::from_iter([square.file(), 7 - square.rank()].map(letter))
    };
    write(record, name_of, 1)
}

fn write(record: &NamedGame, name_of: fn(Square) -> String, number: u8) -> String {
    let mut text = format!("(;FF[4]GM[{number}]SZ[8]");
    write_tags(&mut text, record);
    let start = record.game.start();
    if start != Position::START {
        // A board without discs has no stones to set up, so the setup clears the center.
        let center = !Position::START.board.empties();
        let cleared = if start.board.empties() == u64::MAX {
            center
        } else {
            0
        };
        let setup = [
            ("AB", start.discs(Color::Black)),
            ("AW", start.discs(Color::White)),
            ("AE", cleared),
        ];
        for (name, set) in setup.into_iter().filter(|&(_, set)| set != 0) {
            text.push_str(name);
            text.extend(
                SquareSet(set)
                    .iter()
                    .map(|square| format!("[{}]", name_of(square))),
            );
        }
        text.push_str(if start.side == Color::Black {
            "PL[B]"
        } else {
            "PL[W]"
        });
    }
    for (position, mv) in record.game.steps() {
        let name = if position.side == Color::Black {
            'B'
        } else {
            'W'
        };
        let value = mv.square().map(name_of).unwrap_or_default();
        text.push_str(&format!(";{name}[{value}]"));
    }
    text + ")"
}

/// Writes names, tags and result, as properties or in the list of tags.
fn write_tags(text: &mut String, record: &NamedGame) {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace(']', "\\]");
    let mut put = |name: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("{name}[{}]", escaped(value)));
        }
    };
    let mut other: Vec<(&str, &str)> = Vec::new();
    put("PB", &record.black);
    put("PW", &record.white);
    put("PC", &record.place);
    match day_and_time(&record.date) {
        Some((day, time)) => {
            put("DT", &day.replace('.', "-"));
            other.push(("Time", time));
        }
        None if is_list_of_days(&record.date) => put("DT", &record.date),
        None => {
            put(
                "DT",
                &first_day(&record.date)
                    .unwrap_or_default()
                    .replace('.', "-"),
            );
            other.push((DATE_TEXT, &record.date));
        }
    }
    let has_clock = ["TM", "OT"]
        .iter()
        .any(|name| record.tags.get(name).is_some());
    for (name, value) in record.tags.iter() {
        match (name, NAMES.iter().find(|(common, _)| *common == name)) {
            ("Termination", _) => {}
            (_, Some((_, sgf))) => put(sgf, value),
            ("TimeControl", _) if !has_clock && value != "-" && clock_of(value).is_some() => {
                let (seconds, increment) = value.split_once('+').unwrap_or((value, ""));
                put("TM", seconds);
                if !increment.is_empty() {
                    put("OT", &format!("{increment}{FISCHER}"));
                }
            }
            ("TM", _) => put(name, value),
            _ if is_private(name) => put(name, value),
            _ => other.push((name, value)),
        }
    }
    let result = record.result();
    let words = record
        .termination()
        .filter(|_| record.tags.get("Termination").is_some() || !result.sgf_tells_how());
    other.push(("Termination", words.unwrap_or_default()));
    if result != GameResult::default() {
        put("RE", &result.to_sgf());
    }
    other.retain(|(_, value)| !value.is_empty());
    if !other.is_empty() {
        text.push_str(TAGS);
    }
    for (name, value) in other {
        let name = name.replace('%', "%25").replace(':', "%3A");
        text.push_str(&format!("[{}:{}]", escaped(&name), escaped(value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::grammar::moves::{parse_game, write_moves};
    use crate::notation::record::VARIATIONS;

    fn read(text: &str) -> Result<Game, ParseError> {
        parse_sgf(text).map(|record| record.game)
    }

    fn moves_of(text: &str) -> String {
        write_moves(read(text).unwrap().moves())
    }

    #[test]
    fn othello_and_gogui_coordinates_are_read() {
        for text in [
            "(;FF[4]GM[2]SZ[8];B[f5];W[d6];B[c3])",
            "(;GM[1]SZ[8];B[fd];W[dc];B[cf])",
            "(;GM[1]SZ[8];B[fe];W[df];B[cc])",
            "\u{feff} ( ; GM [2]\n;B[F5]\n;W[D6]C[a \\] comment (;)];B[c3] )",
        ] {
            assert_eq!(moves_of(text), "f5d6c3", "{text}");
        }
    }

    #[test]
    fn gogui_finds_its_letters() {
        let record = NamedGame::from(parse_game(Position::START, "f5d6c3").unwrap());
        let text = write_gogui(&record);
        assert_eq!(text, "(;FF[4]GM[1]SZ[8];B[fd];W[dc];B[cf])");
        assert_eq!(moves_of(&text), "f5d6c3");
        let start = Game::new(Position::START.pass());
        let text = write_gogui(&start.clone().into());
        assert_eq!(read(&text).unwrap(), start, "{text}");
    }

    #[test]
    fn setup_and_side_are_read() {
        let white = Position::START.pass();
        let corners = Position::from_discs(0x0800_0000_0000_0707, 0x8080, Color::Black);
        let low = Position::from_discs(0x0707_0000_0000_0000, 0x80, Color::Black);
        for (text, start) in [
            ("(;GM[2]AB[e4][d5]AW[d4][e5]PL[W];W[e3])", white),
            ("(;GM[2]AB[e4][d5]AW[d4][e5]PL[B];B[f5])", Position::START),
            ("(;GM[1]AB[ee][dd]AW[de][ed]PL[B])", Position::START),
            ("(;FF[4]GM[2]AB[a1:c2][d8]AW[h1:h2]PL[B])", corners),
            ("(;FF[4]GM[1]AB[aa:cb]AW[hh]PL[B])", low),
        ] {
            assert_eq!(read(text).unwrap().start(), start, "{text}");
        }
    }

    #[test]
    fn tags_stand_under_the_names_of_the_notation() {
        let text = "(;FF[4]GM[2]EV[Open]RO[3]BR[1800]WR[1700]TM[300]AN[me]XX[own]C[said \\\nso](;B[f5]C[good])(;B[d3]))";
        let record = parse_sgf(text).unwrap();
        for (name, value) in [
            ("Event", "Open"),
            ("Round", "3"),
            ("BlackElo", "1800"),
            ("WhiteElo", "1700"),
            ("TimeControl", "300"),
            ("Annotator", "me"),
            ("XX", "own"),
            ("Comment", "said so"),
        ] {
            assert_eq!(record.tags.get(name), Some(value));
        }
        assert_eq!(record.left_out, [VARIATIONS, MOVE_COMMENTS]);
        let text = write_sgf(&record);
        assert!(
            text.starts_with("(;FF[4]GM[2]SZ[8]EV[Open]RO[3]BR[1800]WR[1700]TM[300]AN[me]XX[own]"),
            "{text}"
        );
    }

    #[test]
    fn odd_dates_become_numbers_and_keep_their_words() {
        for (date, text) in [
            ("2020-05-01,02", "DT[2020-05-01,02]"),
            ("2000.04.16 11:13 EST", "DT[2000-04-16]TAG[Time:11:13 EST]"),
            ("May 2020", "TAG[DateText:May 2020]"),
            (
                "2020-05-01 - 2020-05-03",
                "DT[2020-05-01]TAG[DateText:2020-05-01 - 2020-05-03]",
            ),
        ] {
            let record = NamedGame {
                date: date.into(),
                ..NamedGame::default()
            };
            let written = write_sgf(&record);
            assert_eq!(written, format!("(;FF[4]GM[2]SZ[8]{text})"));
            assert_eq!(parse_sgf(&written).unwrap().date, date);
        }
    }

    #[test]
    fn records_round_trip() {
        let wiped = parse_game(Position::START, "e6f4e3f6g5d6e7f5c5").unwrap();
        let start = Position::from_discs(0b10, 0b1, Color::Black);
        let mut other = Game::new(start);
        other.play_implying_pass("c1".parse().unwrap()).unwrap();
        let bare =
            [Color::Black, Color::White].map(|side| Game::new(Position::from_discs(0, 0, side)));
        let [black, white] = bare;
        for game in [
            wiped.clone(),
            Game::default(),
            other,
            Game::new(Position::START.pass()),
            black,
            white,
        ] {
            let record = NamedGame {
                game,
                black: "a]b\\c".into(),
                white: "w".into(),
                date: "2026".into(),
                ..NamedGame::default()
            };
            assert_eq!(parse_sgf(&write_sgf(&record)), Ok(record));
        }
        assert!(write_sgf(&wiped.into()).starts_with("(;FF[4]GM[2]SZ[8]RE[B+64];B[e6];W[f4]"));
    }

    #[test]
    fn faults_are_named() {
        for (text, message) in [
            ("", "SGF game, column 1: expected (;, found the end"),
            (
                "(;GM[3])",
                "SGF game, column 6: expected game 2 (Othello), found \"3])\"",
            ),
            (
                "(;SZ[10])",
                "SGF game, column 6: expected size 8, found \"10])\"",
            ),
            (
                "(;B[f5];W[f5])",
                "SGF game, move 2: f5 is illegal: the square is occupied",
            ),
            (
                "(;B[z9])",
                "SGF game, column 5: expected a square, found \"z9])\"",
            ),
            (
                "(;AB[d1]AW[d2])",
                "SGF game, column 16: expected PL with the side to move, found the end",
            ),
            (
                "(;PB[a]PB[b];B[f5])",
                "SGF game, column 8: expected PB once in its node, found \"PB[b];B[f5])\"",
            ),
            ("(;B[f5", "SGF game, column 7: expected ], found the end"),
            (
                "(;B)",
                "SGF game, column 4: expected [ and a value, found \")\"",
            ),
            (
                "(;B[f5]",
                "SGF game, column 8: expected a property or ), found the end",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
