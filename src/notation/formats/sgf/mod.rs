//! SGF game records of Othello: the main line of the first game.
//!
//! Source: the SGF `FF[4]` specification; `GM[2]` is Othello, with squares as `f5` (Quarry, Edax).
//! GoGui writes `GM[1]` and two letters, counted from the upper left corner of a board whose top row
//! is row 8: `fd` is f5. Both are read; if letters read so break the rules, they are taken from the top.

mod play;
mod properties;

use play::{Rows, color_of, inside, is_setup, play, read_move, start};
use properties::{Property, SUBJECT, main_line};

use super::format::{Detected, Format, Notation, Shape, Sheet};
use crate::board::{Color, Game, Move, Position, Square};
use crate::notation::clock::clock_of;
use crate::notation::record::{MARKS, MOVE_COMMENTS};
use crate::notation::repair::Turn;
use crate::notation::tags::{COMMENT, DATE_TEXT, SGF_NAMES, day_and_time, first_day};
use crate::notation::text::moves::parse_move;
use crate::notation::{GameResult, Location, NamedGame, ParseError};

/// Smart Game Format.
pub const SGF: Format = Format(&Notation {
    name: "sgf",
    about: "Smart Game Format",
    is_of_games: true,
    shape: Shape::Bracketed,
    begins: |text| begins_game(text) && is_sgf(text),
    read: |text, _| Ok(Detected::new(SGF, parse_sgf(text)?)),
    sheet: Some(sheet),
    write: |entry, _| Ok(write_sgf(&entry.record) + "\n"),
    ..Notation::BASE
});

/// The same as GoGui reads and writes it: a game of Go by its number, with squares in two letters. It reads as SGF.
pub const GOGUI: Format = Format(&Notation {
    name: "gogui",
    about: "SGF as GoGui reads it",
    begins: |_| false,
    write: |entry, _| Ok(write(&entry.record, Some(Rows::FromBottom)) + "\n"),
    ..*SGF.0
});

/// Whether a game in brackets begins here, perhaps behind the count of a match: `(;`, `(` at the end of a line, `(B[`.
pub(in crate::notation) fn begins_game(text: &str) -> bool {
    let unnumbered = text.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
    unnumbered.strip_prefix('(').map(str::trim_start).is_some_and(|rest| {
        let value = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        rest.is_empty()
            || rest.starts_with([';', '(', ')'])
            || value.len() < rest.len() && value.starts_with('[')
    })
}

/// SGF puts `;` before each node and has tags of its own, in old files spelled out: `Black[f5]`; GGF has one `;` at each
/// end.
fn is_sgf(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
    let lower = text.to_ascii_lowercase();
    let has = |mark: &str| lower.contains(mark);
    let is_ggf = has("bo[8") || has("gm[othello");
    let later_node = lower
        .get(2..)
        .is_some_and(|rest| [";b[", ";w[", ";black[", ";white["].iter().any(|mark| rest.contains(mark)));
    let marks = ["gm[1]", "gm[2]", "ff[", "sz[", "game[", "size[", "fileformat[", "ca["];
    !is_ggf && (later_node || marks.into_iter().any(has))
}

/// Reads the main line of the first game of `text` with its names.
///
/// Without setup stones (`AB`, `AW`) the game begins at the usual start. Passes may be written or
/// left out. Setup behind the first move may repeat the board that the moves give.
///
/// # Errors
/// What is no SGF, not Othello on 8×8, an illegal move, a move of the side that is not to move, or setup that changes
/// the board behind the first move.
pub fn parse_sgf(text: &str) -> Result<NamedGame, ParseError> {
    let mut left_out = Vec::new();
    let properties = main_line(text, &mut left_out)?;
    let game = match play(text, &properties, Rows::FromBottom) {
        Ok(game) => game,
        Err(error) => play(text, &properties, Rows::FromTop).map_err(|other| further(error, other))?,
    };
    if let Some(stray) = properties.iter().find(|property| is_stray_move(property))
        && game.moves().is_empty()
    {
        return Err(ParseError::at(SUBJECT, text, stray.offset, "a move, such as B[f5] or W[d6]"));
    }
    Ok(told(&properties, NamedGame { game, left_out, ..NamedGame::default() }))
}

/// Of the errors of both ways to count rows the one that comes later in the game.
fn further(bottom: ParseError, top: ParseError) -> ParseError {
    match (bottom.location, top.location) {
        (Location::Ply(one), Location::Ply(other)) if other > one => top,
        _ => bottom,
    }
}

/// A property that no standard knows, with a move as its value.
fn is_stray_move(property: &Property) -> bool {
    let is_known = TAKEN.split_whitespace().any(|taken| taken == property.name);
    property.node > 0 && !is_known && property.values.iter().all(|(_, value)| parse_move(value).is_ok())
}

/// The game of a text, its moves not played; of both ways to count rows that which can be played further.
fn sheet(text: &str) -> Option<Sheet> {
    let mut left_out = Vec::new();
    let properties = main_line(text, &mut left_out).ok()?;
    if inside(&properties).any(is_setup) {
        return None;
    }
    let legal = |rows| match play(text, &properties, rows).err()?.location {
        Location::Ply(ply) => Some(ply),
        _ => None,
    };
    let rows = match (legal(Rows::FromBottom), legal(Rows::FromTop)) {
        (bottom, top) if top > bottom => Rows::FromTop,
        _ => Rows::FromBottom,
    };
    let written = properties.iter().filter_map(|property| Some((color_of(property)?, property)));
    let turns = written.map(|(color, property)| {
        let value = property.single(text).and_then(|(offset, value)| read_move(text, offset, value, rows));
        Turn { color: Some(color), ..Turn::of(value.ok()) }
    });
    let game = Game::new(start(text, &properties, rows).ok()?);
    let turns = turns.collect();
    let record = told(&properties, NamedGame { game, left_out, ..NamedGame::default() });
    Some(Sheet::new(Detected::new(SGF, record), turns))
}

/// The same game with all that the properties tell besides.
fn told(properties: &[Property], mut record: NamedGame) -> NamedGame {
    let mut stated = GameResult::default();
    let value = |name: &str| {
        let found = properties.iter().find(|property| property.name == name);
        found.and_then(|property| property.values.first()).map_or("", |(_, value)| value.trim())
    };
    for property in properties {
        let name = property.name.as_str();
        let (_, text) = &property.values[0];
        let is_open = matches!(text.trim(), "" | "?");
        let common = SGF_NAMES.iter().find(|(_, sgf)| *sgf == name);
        match name {
            "FF" | "GM" | "SZ" | "CA" | "AB" | "AW" | "AE" | "PL" | "B" | "W" => {}
            "C" if property.node > 0 => record.leave_out(MOVE_COMMENTS),
            _ if property.node > 0 => record.leave_out(MARKS),
            "RE" => match GameResult::of_sgf(text) {
                Some(result) => stated = result,
                None => record.put("ResultText", text),
            },
            "PB" => record.put("Black", text),
            "PW" => record.put("White", text),
            "PC" => record.put("Site", text),
            "DT" => record.put("Date", text),
            "C" if value("GC").is_empty() => record.put(COMMENT, text),
            "C" => record.leave_out(MOVE_COMMENTS),
            "TM" => match time_control(value("TM"), value("OT")) {
                Some(control) => record.put("TimeControl", &control),
                None => record.put("TM", text),
            },
            "OT" if time_control(value("TM"), value("OT")).is_some() => {}
            TAGS => {}
            _ => match common {
                Some((common, _)) if !is_open => record.put(common, text),
                Some(_) => {}
                None if is_private(name) => record.put(name, &property.joined()),
                None => record.leave_out(MARKS),
            },
        }
    }
    for property in properties.iter().filter(|property| property.name == TAGS && property.node == 0) {
        for (name, value) in property.values.iter().filter_map(|(_, pair)| pair.split_once(':')) {
            record.put(&unescaped(name), value);
        }
    }
    record.concluded(stated)
}

/// Tags that SGF knows no property for, as a list of `name:value`.
const TAGS: &str = "TAG";
/// Properties of the standard that are no text about the game; a tag of such a name cannot become one.
const TAKEN: &str = "AB AE AN AR AS AW B BL BM BR BS BT C CA CH CP CR DD DM DO DT EL EV EX FF FG GB GC GM GW HO ID IP IT IY \
                     KO L LB LN LT M MA MN N OB OM ON OP OV OW PB PC PL PM PW RE RG RO SC SE SI SL SO SQ SU SZ TAG TB \
                     TC TE TM TR TW UC V VW W WL WR WS WT";

/// Whether a tag of that name can stand as a property: private ones, and those of the standard that hold a text.
fn is_private(name: &str) -> bool {
    let is_name = (1..=8).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_uppercase());
    is_name && TAKEN.split_whitespace().all(|taken| taken != name)
}

/// PGN's word for the clock of `TM` and `OT`; `None` for one that it has no word for.
fn time_control(seconds: &str, overtime: &str) -> Option<String> {
    let control = match overtime.trim() {
        "" => seconds.trim().to_owned(),
        overtime => format!("{}+{}", seconds.trim(), overtime.strip_suffix(FISCHER)?),
    };
    (control != "-" && clock_of(&control).is_some()).then_some(control)
}

/// What stands in `OT` behind the seconds that every move adds.
const FISCHER: &str = " fischer";

/// A name in a list of tags: percent and colon stand for themselves.
fn unescaped(name: &str) -> String {
    name.replace("%3A", ":").replace("%25", "%")
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace(']', "\\]")
}

/// Writes the game with Othello coordinates; a pass is an empty value, another start than the usual a setup.
pub fn write_sgf(record: &NamedGame) -> String {
    write(record, None)
}

/// Days as `DT` holds them: `2020-05-01,02`.
fn is_list_of_days(date: &str) -> bool {
    let mut parts = date.split(',');
    let is_day = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b == b'-') && part.len() >= 2;
    parts.next().is_some_and(|first| first_day(first).is_some_and(|day| day.replace('.', "-") == first))
        && parts.all(is_day)
}

/// Writes a game whose squares have two letters, their rows counted so; or names such as `f5`.
fn write(record: &NamedGame, letters: Option<Rows>) -> String {
    let mut text = format!("(;FF[4]GM[{}]SZ[8]", if letters.is_some() { 1 } else { 2 });
    let name_of = |square: Square| match letters {
        None => square.to_string(),
        Some(rows) => {
            let row = if rows == Rows::FromBottom { 7 - square.rank() } else { square.rank() };
            [square.file(), row].map(|index| char::from(b'a' + index)).iter().collect()
        }
    };
    let mut own = String::new();
    let mut put = |name: &str, value: &str| {
        if !value.is_empty() {
            own.push_str(&format!("{name}[{}]", escaped(value)));
        }
    };
    let mut other: Vec<(&str, String)> = Vec::new();
    put("PB", &record.black);
    put("PW", &record.white);
    put("PC", &record.place);
    match day_and_time(&record.date) {
        Some((day, time)) => {
            put("DT", &day.replace('.', "-"));
            if !time.is_empty() {
                other.push(("Time", time.to_owned()));
            }
        }
        None if is_list_of_days(&record.date) => put("DT", &record.date),
        None => {
            put("DT", &first_day(&record.date).unwrap_or_default().replace('.', "-"));
            other.extend((!record.date.is_empty()).then(|| (DATE_TEXT, record.date.clone())));
        }
    }
    for (name, value) in record.tags.iter() {
        let common = SGF_NAMES.iter().find(|(common, _)| *common == name);
        match (name, common) {
            ("Termination", _) => {}
            (_, Some((_, sgf))) => put(sgf, value),
            ("TimeControl", _) if record.tags.get("TM").is_none() && record.tags.get("OT").is_none() => {
                match clock_of(value).map(|_| value.split_once('+')) {
                    Some(Some((seconds, increment))) => {
                        put("TM", seconds);
                        put("OT", &format!("{increment}{FISCHER}"));
                    }
                    Some(None) if value != "-" => put("TM", value),
                    _ => other.push((name, value.to_owned())),
                }
            }
            ("TM", _) => put(name, value),
            (name, _) if is_private(name) => put(name, value),
            _ => other.push((name, value.to_owned())),
        }
    }
    let result = record.result();
    if let Some(words) = record.termination()
        && (record.tags.get("Termination").is_some() || !result.sgf_tells_how())
    {
        other.push(("Termination", words.to_owned()));
    }
    if result != GameResult::default() {
        put("RE", &result.to_sgf());
    }
    text.push_str(&own);
    if !other.is_empty() {
        text.push_str(TAGS);
    }
    for (name, value) in other {
        let name = name.replace('%', "%25").replace(':', "%3A");
        text.push_str(&format!("[{}:{}]", escaped(&name), escaped(&value)));
    }
    let start = record.game.start();
    if start != Position::START {
        // A board without discs has no stones to set up: that the centre is empty says it.
        let centre = !Position::START.board.empties();
        let cleared = if start.board.empties() == u64::MAX { centre } else { 0 };
        let setup = [("AB", start.discs(Color::Black)), ("AW", start.discs(Color::White)), ("AE", cleared)];
        for (name, squares) in setup.into_iter().filter(|&(_, squares)| squares != 0) {
            text.push_str(name);
            text.extend(crate::board::squares(squares).map(|square| format!("[{}]", name_of(square))));
        }
        text.push_str(if start.side == Color::Black { "PL[B]" } else { "PL[W]" });
    }
    for (position, mv) in record.game.steps() {
        let name = if position.side == Color::Black { 'B' } else { 'W' };
        match mv {
            Move::Place(square) => text.push_str(&format!(";{name}[{}]", name_of(square))),
            Move::Pass => text.push_str(&format!(";{name}[]")),
        }
    }
    text + ")"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::record::VARIATIONS;
    use crate::notation::text::moves::{parse_game, write_moves};

    fn read(text: &str) -> Result<Game, ParseError> {
        parse_sgf(text).map(|record| record.game)
    }

    fn moves_of(text: &str) -> String {
        write_moves(read(text).unwrap().moves())
    }

    #[test]
    fn othello_and_gogui_coordinates_are_read() {
        assert_eq!(moves_of("(;FF[4]GM[2]SZ[8];B[f5];W[d6];B[c3])"), "f5d6c3");
        assert_eq!(moves_of("(;GM[1]SZ[8];B[fd];W[dc];B[cf])"), "f5d6c3");
        assert_eq!(moves_of("(;GM[1]SZ[8];B[fe];W[df];B[cc])"), "f5d6c3");
        assert_eq!(moves_of(" ( ; GM [2]\n;B[F5]\n;W[D6]C[a \\] comment (;)] )"), "f5d6");
    }

    #[test]
    fn gogui_finds_its_letters() {
        let record = NamedGame::from(parse_game(Position::START, "f5d6c3").unwrap());
        let text = write(&record, Some(Rows::FromBottom));
        assert_eq!(text, "(;FF[4]GM[1]SZ[8];B[fd];W[dc];B[cf])");
        assert_eq!(moves_of(&text), "f5d6c3");
        let start = Game::new(Position::START.pass());
        let text = write(&start.clone().into(), Some(Rows::FromBottom));
        assert_eq!(read(&text).unwrap(), start, "{text}");
    }

    #[test]
    fn setup_and_side_are_read() {
        let game = read("(;GM[2]AB[e4][d5]AW[d4][e5]PL[W];W[e3])").unwrap();
        assert_eq!(game.start(), Position::START.pass());
        assert_eq!(read("(;GM[2]AB[e4][d5]AW[d4][e5])").unwrap().start(), Position::START);
        let letters = read("(;GM[1]AB[ee][dd]AW[de][ed])").unwrap();
        assert_eq!(letters.start(), Position::START);
    }

    #[test]
    fn setup_points_may_be_rectangles() {
        let game = read("(;FF[4]GM[2]AB[a1:c2][d8]AW[h1:h2])").unwrap();
        assert_eq!(game.start().discs(Color::Black), 0x0800_0000_0000_0707);
        assert_eq!(game.start().discs(Color::White), 0x8080);
        let letters = read("(;FF[4]GM[1]AB[aa:cb]AW[hh])").unwrap();
        assert_eq!(letters.start().discs(Color::Black), 0x0707_0000_0000_0000);
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
            ("2020-05-01 - 2020-05-03", "DT[2020-05-01]TAG[DateText:2020-05-01 - 2020-05-03]"),
        ] {
            let record = NamedGame { date: date.into(), ..NamedGame::default() };
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
        let bare = [Color::Black, Color::White].map(|side| Game::new(Position::from_discs(0, 0, side)));
        let [black, white] = bare;
        for game in [wiped.clone(), Game::default(), other, Game::new(Position::START.pass()), black, white] {
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
            ("(;GM[3])", "SGF game, column 6: expected game 2 (Othello), found \"3])\""),
            ("(;SZ[10])", "SGF game, column 6: expected size 8, found \"10])\""),
            ("(;B[f5];W[f5])", "SGF game, move 2: f5 is illegal: the square is occupied"),
            ("(;B[z9])", "SGF game, column 5: expected a square, found \"z9])\""),
            ("(;B[f5", "SGF game, column 7: expected ], found the end"),
            ("(;B)", "SGF game, column 4: expected [ and a value, found \")\""),
            ("(;B[f5]", "SGF game, column 8: expected a property or ), found the end"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
