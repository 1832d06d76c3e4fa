//! No text makes a parser panic: random bytes, valid texts cut at every byte, valid texts with misprints.

use crate::board::Game;
use crate::board::testing::{play_on, samples};
use crate::notation::formats::example::write_example_board;
use crate::notation::formats::hex::write_hex;
use crate::notation::formats::{BOARD, DIAGRAM, EXAMPLE, FEN, GGF, HEX, MOVES, OBF, PGN, SGF};
use crate::notation::repair::End;
use crate::notation::wthor::{GameFile, NameFile, NameKind};
use crate::notation::{
    Format, NamedGame, ParseError, diagram, fen, moves, obf, parse_end, parse_position, pgn, record_ggf, sgf,
};
use crate::util::rng::Rng;

/// One text in every notation, of the same game.
fn valid_texts(rng: &mut Rng) -> Vec<(Format, String)> {
    let plies = rng.below(70);
    let game = play_on(Game::default(), plies, rng);
    let position = game.position();
    let record = NamedGame { black: "a b".into(), place: "caf\u{e9}".into(), ..game.clone().into() };
    let board = diagram::write_board(&position);
    let mut texts = vec![
        (BOARD, board.clone()),
        (DIAGRAM, diagram::write_diagram(&position)),
        (HEX, write_hex(&position)),
        (EXAMPLE, write_example_board(&position)),
        (FEN, fen::write_fen(&position)),
        (OBF, format!("{board}; F5:+2; --:-127; % a comment")),
        (GGF, record_ggf(&record).with_tag("TI", "5:00/3/1:00").to_string()),
        (SGF, sgf::write_sgf(&record)),
        (PGN, pgn::write_pgn(&record)),
    ];
    if !game.moves().is_empty() {
        texts.push((MOVES, moves::write_moves(game.moves())));
    }
    texts
}

/// Gives the text to every parser. Protocols echo errors, so these must be printable and in one line.
fn feed(text: &str) {
    let check = |error: Option<ParseError>| {
        if let Some(error) = error.map(|error| error.to_string()) {
            assert!(!error.contains(char::is_control) && error.len() < 400, "{error}");
        }
    };
    for format in Format::ALL {
        check(format.parse(text).err());
        let _ = format.repair(text, End::default());
    }
    check(parse_end(text).err());
    check(parse_position(text).err());
    check(moves::parse_move(text).err());
    check(moves::parse_move_token(text).err());
    obf::parse_file(text).for_each(|entry| check(entry.err()));
    check(pgn::parse_games(text).err());
}

fn feed_bytes(bytes: &[u8]) {
    feed(&String::from_utf8_lossy(bytes));
    if let Ok(file) = GameFile::parse(bytes) {
        assert_eq!(file.to_bytes().as_deref(), Ok(bytes));
        file.games.iter().for_each(|game| drop(game.replay()));
    }
    for kind in [NameKind::Players, NameKind::Tournaments] {
        let _ = NameFile::parse(bytes, kind);
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
            assert_eq!((detected.format, detected.position()), (*format, want), "{text}");
        }
    }
}

#[test]
fn valid_texts_cut_anywhere_do_no_harm() {
    let mut rng = Rng::new(2);
    for _ in 0..samples(1) {
        for (_, text) in valid_texts(&mut rng) {
            (0..text.len()).for_each(|end| feed_bytes(&text.as_bytes()[..end]));
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
            feed_bytes(&bytes);
        }
    }
}

#[test]
fn long_texts_of_anything_are_answered_at_once() {
    for filler in
        ["(", "f5", "-", "X", "1. ", "[a \"b\"]\n", "(;B[f5]", "8/", "a b\n", "pass", "0", "{", "\u{25cf}"]
    {
        let text = filler.repeat((1 << 18) / filler.len());
        let begin = std::time::Instant::now();
        let _ = parse_position(&text);
        let taken = begin.elapsed().as_millis();
        // Some milliseconds on an idle machine; a quadratic reader would take a minute.
        assert!(taken < 5000, "{filler:?} took {taken} ms");
    }
}
