//! Games with results of all kinds and tags of all notations go through every pair of notations and come back equal, or
//! [`losses`] names what was lost on the way.

use super::ggf::GgfGame;
use super::pgn::{parse_pgn, write_pgn};
use super::position::Format;
use super::sgf::{parse_sgf, write_sgf};
use super::split::Splitter;
use super::tags::COMMENT;
use super::wthor::GameRecord;
use super::{GameResult, How, NamedGame, losses};
use super::{ggf_record, record_ggf};
use crate::board::testing::{play_on, samples};
use crate::board::{Color, Game, Position};
use crate::util::rng::Rng;

const FORMATS: [Format; 3] = [Format::Ggf, Format::Sgf, Format::Pgn];
const NAMES: [&str; 23] = [
    "Event",
    "Round",
    "BlackElo",
    "WhiteElo",
    "TimeControl",
    "Termination",
    "Variant",
    "Annotator",
    "Opening",
    "BlackTeam",
    "WhiteTitle",
    "UTCDate",
    "EventDate",
    "TB",
    "TW",
    "KM",
    "TY",
    "XX",
    "Mode",
    "Foo_1",
    "US",
    "GN",
    COMMENT,
];
const VALUES: [&str; 20] = [
    "Open 2020",
    "3",
    "1800",
    "1712.5",
    "300",
    "300+3",
    "40/9000",
    "a \"quoted\" word",
    "back\\slash\\",
    "br]ack[ets",
    "cur{ly} ones",
    "a; b=c, 100 %",
    "Gabrièle Ōmura 東京",
    "a:b",
    "s8r20",
    "15:00//2:00",
    "ann won on time",
    "normal",
    "-",
    "] {tags} x=%41",
];

fn random_game(rng: &mut Rng) -> Game {
    let start = match rng.below(4) {
        0 => Position::from_discs(0b10, 0b1, Color::Black),
        1 => Position::START.pass(),
        _ => Position::START,
    };
    let plies = if rng.below(2) == 0 { 200 } else { rng.below(60) };
    play_on(Game::new(start), plies, rng)
}

fn random_result(rng: &mut Rng) -> GameResult {
    const HOWS: [How; 6] =
        [How::Stated, How::Resigned, How::Time, How::Forfeit, How::Adjudicated, How::Agreed];
    let how = HOWS[rng.below(6) as usize];
    match rng.below(5) {
        0 => GameResult::default(),
        1 => GameResult::VOID,
        2 => GameResult::won(if rng.below(2) == 0 { Color::Black } else { Color::White }, how),
        _ => match rng.below(129) as i32 - 64 {
            0 if how.is_forfeit() => GameResult::VOID,
            discs => GameResult::discs(discs, how),
        },
    }
}

fn random_record(rng: &mut Rng) -> NamedGame {
    let mut record = NamedGame::from(random_game(rng));
    let value = |rng: &mut Rng| VALUES[rng.below(VALUES.len() as u32) as usize];
    if rng.below(4) > 0 {
        record.put("Black", value(rng));
        record.put("White", value(rng));
    }
    if rng.below(3) == 0 {
        record.put("Site", value(rng));
    }
    record.put("Date", ["", "2020.05.01", "2020", "2020.05.01 10:00", "May 2020"][rng.below(5) as usize]);
    for _ in 0..rng.below(8) {
        let name = NAMES[rng.below(NAMES.len() as u32) as usize];
        record.put(name, value(rng));
    }
    if rng.below(5) == 0 {
        record.put("TI", "15:00//2:00");
    }
    if rng.below(5) == 0 {
        record.put(COMMENT, "first line\n% second: 1-0\n[Black \"x\"]");
    }
    record.concluded(random_result(rng))
}

fn write(record: &NamedGame, format: Format) -> String {
    match format {
        Format::Ggf => record_ggf(record).to_string(),
        Format::Sgf => write_sgf(record),
        _ => write_pgn(record),
    }
}

/// The entries of a text.
fn split(text: &str) -> Vec<String> {
    let mut splitter = Splitter::new(None);
    text.lines().for_each(|line| splitter.push(line));
    splitter.finish();
    std::iter::from_fn(|| splitter.pop()).map(|chunk| chunk.text).collect()
}

/// The one game of a text, cut out of a stream.
fn read(text: &str, format: Format) -> NamedGame {
    let mut splitter = Splitter::new(None);
    let crlf = text.replace('\n', "\r\n");
    format!("\u{feff}{crlf}").lines().for_each(|line| splitter.push(line));
    splitter.finish();
    let chunk = splitter.pop().expect("a game");
    assert_eq!(splitter.pop(), None, "{text}");
    assert_eq!(Format::detect(&chunk.text), format, "{text}");
    let record = match format {
        Format::Ggf => GgfGame::parse(&chunk.text).map(|ggf| ggf_record(&ggf)),
        Format::Sgf => parse_sgf(&chunk.text),
        _ => parse_pgn(&chunk.text),
    };
    record.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What counts of a record beside its moves, its tags in one order.
fn essence(record: &NamedGame) -> ([String; 4], GameResult, Vec<(String, String)>) {
    let mut tags: Vec<_> = record.tags.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
    tags.sort();
    let texts = [&record.black, &record.white, &record.place, &record.date].map(Clone::clone);
    (texts, record.result(), tags)
}

#[test]
fn every_pair_of_notations_gives_a_game_back() {
    let mut rng = Rng::new(7);
    for _ in 0..samples(400) {
        let record = random_record(&mut rng);
        for first in FORMATS {
            let once = read(&write(&record, first), first);
            if losses(&record, first).is_empty() {
                assert_eq!(essence(&once), essence(&record), "{}", write(&record, first));
            }
            assert_eq!(once.game, record.game);
            assert_eq!(once.result().winner(), record.result().winner(), "{}", write(&record, first));
            for second in FORMATS {
                let twice = read(&write(&once, second), second);
                let back = read(&write(&twice, first), first);
                if losses(&once, second).is_empty() && losses(&twice, first).is_empty() {
                    assert_eq!(essence(&back), essence(&once), "{first} {second}\n{}", write(&once, second));
                }
                assert_eq!(back.game, once.game);
            }
        }
    }
}

#[test]
fn wthor_names_what_it_cannot_hold() {
    let mut rng = Rng::new(8);
    for _ in 0..samples(400) {
        let record = random_record(&mut rng);
        let Some(wthor) = GameRecord::from_record(&record) else { continue };
        let game = wthor.replay().unwrap().game;
        let stated = wthor.stated(&game);
        let back = NamedGame::from(game).with_stated(stated);
        if record.result().is_known() && !record.game.is_over() {
            assert!([None, record.result().winner()].contains(&back.result().winner()));
        }
        let is_equal = back.result() == record.result();
        let named = losses(&record, Format::Wthor);
        assert!(is_equal || !named.is_empty(), "{:?} {:?}", back.result(), record.result());
    }
}

#[test]
fn separators_between_games_are_no_entries() {
    let text = "Game 001\n[Black \"a\"]\n1. f5 d6\n2. c3 d3\n----------\nGame 002\n[Black \"b\"]\n1. f5 f6\n=====\n% c\n\
                [Black \"c\"]\n% escaped [x]\n1. f5 f4";
    let texts = split(text);
    assert_eq!(
        texts,
        [
            "[Black \"a\"]\n1. f5 d6\n2. c3 d3",
            "[Black \"b\"]\n1. f5 f6",
            "[Black \"c\"]\n% escaped [x]\n1. f5 f4"
        ]
    );
    assert_eq!(split("2 (;B[f5];)(;B[d3];)").len(), 2);
}

#[test]
fn a_line_of_bitboards_is_an_entry() {
    let lines = ["0000003018040000 0000080800000000 O", "0000002810000000 0000201008000000 X"];
    assert_eq!(split(&lines.join("\n")), lines);
}
