//! Games with all kinds of results and tags go through every pair of notations and come back equal, or
//! [`Format::losses`] names the lost parts.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::board::testing::{play_on, samples};
use crate::board::{Color, Game, Position};
use crate::notation::formats::wthor::{Beside, Collection, read_record};
use crate::notation::formats::{GGF, MOVES, PGN, SGF, WTHOR};
use crate::notation::read::{format_of, pasted};
use crate::notation::tags::COMMENT;
use crate::notation::wthor::{GameFile, WthorOrigin};
use crate::notation::{Detected, Format, GameResult, How, NamedGame};
use crate::util::rng::Rng;

const FORMATS: [Format; 5] = [MOVES, GGF, SGF, PGN, WTHOR];
const NAMES: &str = "Event Round BlackElo WhiteElo TimeControl Termination Variant Annotator Opening BlackTeam WhiteTitle UTCDate EventDate \
                     TB TW KM TY XX Mode Foo_1 US GN Comment";
const VALUES: &str = "Open 2020|3|1800|1712.5|300|300+3|40/9000|a \"quoted\" word|back\\slash\\|br]ack[ets|\
                      cur{ly} ones|a; b=c, 100 %|Gabrièle Ōmura 東京|a:b|s8r20|15:00//2:00|ann won on time|normal|-|\
                      ] {tags} x=%41";

const DATES: &str = "|2020.05.01|2020|2020.05.01 10:00|May 2020|2020-05-01,02|2000-4-16 11:13 EST|16.4.2000|\
                     4/5/2000|2020-05-01 - 2020-05-03|2020-05-01 evening]|20200501";

fn random_game(rng: &mut Rng) -> Game {
    let start = match rng.below(4) {
        0 => Position::from_discs(0b10, 0b1, Color::Black),
        1 => Position::START.pass(),
        _ => Position::START,
    };
    let plies = if rng.below(2) == 0 {
        200
    } else {
        rng.below(60)
    };
    play_on(Game::new(start), plies, rng)
}

fn random_result(rng: &mut Rng) -> GameResult {
    const HOWS: [How; 6] = [
        How::Stated,
        How::Resigned,
        How::Time,
        How::Forfeit,
        How::Adjudicated,
        How::Agreed,
    ];
    let how = HOWS[rng.below(6) as usize];
    match rng.below(5) {
        0 => GameResult::default(),
        1 => GameResult::VOID,
        2 => GameResult::won(
            if rng.below(2) == 0 {
                Color::Black
            } else {
                Color::White
            },
            how,
        ),
        _ => match rng.below(129) as i32 - 64 {
            0 if how.is_forfeit() => GameResult::VOID,
            discs => GameResult::discs(discs, how),
        },
    }
}

fn random_record(rng: &mut Rng) -> NamedGame {
    let mut record = NamedGame::from(random_game(rng));
    let pick = |list: &'static str, sign, rng: &mut Rng| -> &'static str {
        let all: Vec<&str> = list.split(sign).collect();
        all[rng.below(all.len() as u32) as usize]
    };
    let value = |rng: &mut Rng| pick(VALUES, '|', rng);
    if rng.below(4) > 0 {
        record.put("Black", value(rng));
        record.put("White", value(rng));
    }
    if rng.below(3) == 0 {
        record.put("Site", value(rng));
    }
    record.put("Date", pick(DATES, '|', rng));
    if rng.below(5) == 0 {
        record.put("ResultText", "Black won 3 games");
    }
    for _ in 0..rng.below(8) {
        record.put(pick(NAMES, ' ', rng), value(rng));
    }
    if rng.below(5) == 0 {
        record.put("TI", "15:00//2:00");
    }
    if rng.below(5) == 0 {
        record.put(COMMENT, "first line\n% second: 1-0\n[Black \"x\"]");
    }
    record.concluded(random_result(rng))
}

/// The one game of a text, cut out of a stream; `None` for an empty text.
fn read(text: &str, format: Format) -> Option<NamedGame> {
    let crlf = text.replace('\n', "\r\n");
    let mut entries = pasted(&format!("\u{feff}{crlf}")).into_iter();
    let (chunk, entry) = entries.next()?;
    assert!(entries.next().is_none(), "{text}");
    assert_eq!(format_of(&chunk.class, &chunk.text), Some(format), "{text}");
    Some(
        entry
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
            .record,
    )
}

/// The game written and read again, with its files of names; `None` if the notation refuses its start.
fn through(record: &NamedGame, format: Format) -> Option<NamedGame> {
    let entry = Detected::new(format, record.clone());
    if format != WTHOR {
        return read(&format.write(&entry).ok()?, format);
    }
    let mut collection = Collection::default();
    collection.add(&entry).ok()?;
    let whole = collection.finish(Some(Beside::default())).unwrap();
    let GameFile { header, games } = GameFile::parse(&whole.bytes).unwrap();
    let names = Rc::new(whole.names.unwrap_or_default());
    Some(
        read_record(WthorOrigin {
            record: games[0],
            header,
            names,
        })
        .unwrap()
        .record,
    )
}

/// The names, tags and result of a record, in one order.
fn essence(record: &NamedGame) -> BTreeMap<String, String> {
    let texts = [&record.black, &record.white, &record.place, &record.date];
    let own = ["Black", "White", "Site", "Date"]
        .into_iter()
        .zip(texts.map(String::as_str));
    let all = own
        .chain(record.tags.iter())
        .filter(|(_, value)| !value.is_empty());
    let result = ("Result".to_owned(), format!("{:?}", record.result()));
    all.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .chain([result])
        .collect()
}

/// Words in a loss of the tag `name`.
fn loss_words(name: &str) -> Vec<String> {
    let own: &[&str] = match name {
        "Black" | "White" => &["player's name"],
        "Site" => &["place"],
        "Date" => &["date"],
        "Event" => &["tournament"],
        "Termination" => &["reason of a result"],
        COMMENT => &["remarks"],
        "Result" => &["result", "number of discs", "odd differences"],
        _ => &[],
    };
    let general = (name != "Result").then_some("names, dates, remarks and tags");
    own.iter()
        .copied()
        .chain(general)
        .map(str::to_owned)
        .chain([format!("tag {name}")])
        .collect()
}

/// Checks that `after` is `before`, or that `lost` names each difference.
fn check(before: &NamedGame, after: &NamedGame, lost: &[String], way: &str) {
    assert_eq!(after.game, before.game, "{way}");
    let (before, after) = (essence(before), essence(after));
    for name in before.keys().chain(after.keys()) {
        let is_named = || {
            loss_words(name)
                .iter()
                .any(|words| lost.iter().any(|what| what.contains(words)))
        };
        let (was, is) = (before.get(name), after.get(name));
        assert!(
            was == is || is_named(),
            "{way}, {name}: {was:?} {is:?}, lost are {lost:?}"
        );
    }
}

#[test]
fn every_pair_of_notations_gives_a_game_back_or_names_what_is_lost() {
    let mut rng = Rng::new(7);
    for _ in 0..samples(200) {
        let record = random_record(&mut rng);
        for first in FORMATS {
            let Some(once) = through(&record, first) else {
                continue;
            };
            check(
                &record,
                &once,
                &first.losses(&record),
                &format!("to {first}"),
            );
            for second in FORMATS {
                let Some(twice) = through(&once, second) else {
                    continue;
                };
                let Some(back) = through(&twice, first) else {
                    continue;
                };
                let lost = [second.losses(&once), first.losses(&twice)].concat();
                check(
                    &once,
                    &back,
                    &lost,
                    &format!("{first} to {second} and back"),
                );
            }
        }
    }
}
