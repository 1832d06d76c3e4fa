//! No text makes a parser panic: random bytes, valid texts cut at every byte, valid texts with misprints.

use super::parsers;
use crate::board::testing::{play_on, samples};
use crate::board::{Game, Move};
use crate::notation::formats::{BOARD, DIAGRAM, EXAMPLE, FEN, GGF, HEX, MOVES, OBF, PGN, SGF};
use crate::notation::{Detected, Format, NamedGame, ScoredMove, diagram, parse_position};
use crate::util::rng::Rng;

/// One text in every notation, of the same game.
fn valid_texts(rng: &mut Rng) -> Vec<(Format, String)> {
    let plies = rng.below(70);
    let game = play_on(Game::default(), plies, rng);
    let mut record = NamedGame {
        black: "a b".into(),
        place: "caf\u{e9}".into(),
        ..game.clone().into()
    };
    record.tags.set("TI", "5:00/3/1:00");
    let best = game.position().board.moves().first().map(Move::Place);
    let scores = best
        .map(|mv| (mv, 2))
        .into_iter()
        .chain([(Move::Pass, -127)]);
    let scores = scores.map(|(mv, discs)| ScoredMove { mv, discs }).collect();
    let entry = Detected {
        scores,
        comment: "a comment".into(),
        ..Detected::new(BOARD, record)
    };
    let formats = [BOARD, DIAGRAM, HEX, EXAMPLE, FEN, OBF, GGF, SGF, PGN, MOVES];
    let all = if game.moves().is_empty() {
        &formats[..9]
    } else {
        &formats
    };
    all.iter()
        .map(|format| (*format, format.write(&entry).unwrap()))
        .collect()
}

/// Gives the bytes to every parser of notations.
fn feed(bytes: &[u8]) {
    for kind in [b'x', b'w'] {
        parsers(&[&[kind], bytes].concat());
    }
}

/// Changes, removes, doubles or swaps a few bytes.
fn misprint(rng: &mut Rng, bytes: &mut Vec<u8>) {
    const LIKELY: &[u8] = b"[](){};:/\\\"%-*XO.0189abhpBW \n\r\xff\x00\xc3";
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len().max(1) as u32) as usize;
        if at >= bytes.len() {
            return;
        }
        match rng.below(5) {
            0 => bytes[at] = rng.next() as u8,
            1 => bytes[at] = LIKELY[rng.below(LIKELY.len() as u32) as usize],
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, LIKELY[rng.below(LIKELY.len() as u32) as usize]),
            _ => {
                let other = rng.below(bytes.len() as u32) as usize;
                bytes.swap(at, other);
            }
        }
    }
}

#[test]
fn valid_texts_are_read_back_and_recognized() {
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        let texts = valid_texts(&mut rng);
        let want = diagram::parse_board(&texts[0].1).unwrap();
        for (format, text) in &texts {
            let detected = parse_position(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(
                (detected.format, detected.position()),
                (*format, want),
                "{text}"
            );
        }
    }
}

#[test]
fn valid_texts_cut_anywhere_do_no_harm() {
    let mut rng = Rng::new(2);
    for _ in 0..samples(1) {
        for (_, text) in valid_texts(&mut rng) {
            (0..text.len()).for_each(|end| feed(&text.as_bytes()[..end]));
        }
    }
}

#[test]
fn misprints_do_no_harm() {
    let mut rng = Rng::new(3);
    for _ in 0..samples(75) {
        for (_, text) in valid_texts(&mut rng) {
            let mut bytes = text.into_bytes();
            misprint(&mut rng, &mut bytes);
            feed(&bytes);
        }
    }
}

#[test]
fn long_texts_of_anything_are_answered_at_once() {
    for filler in [
        "(",
        "f5",
        "-",
        "X",
        "1. ",
        "[a \"b\"]\n",
        "(;B[f5]",
        "8/",
        "a b\n",
        "pass",
        "0",
        "{",
        "\u{25cf}",
    ] {
        let text = filler.repeat((1 << 18) / filler.len());
        let begin = std::time::Instant::now();
        let _ = parse_position(&text);
        let taken = begin.elapsed().as_millis();
        // Some milliseconds on an idle machine; a quadratic reader would take a minute.
        assert!(taken < 5000, "{filler:?} took {taken} ms");
    }
}
