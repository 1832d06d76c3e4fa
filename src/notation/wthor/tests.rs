//! Tests of `wthor.rs`.

use super::*;
use crate::notation::grammar::moves::parse_game;

/// The header and the beginning of the first game of a yearly file.
const HEADER: [u8; 16] = [0x14, 1, 4, 5, 1, 0, 0, 0, 0, 0, 0xbc, 7, 0, 0, 0, 0];
const GAME_START: [u8; 11] = [0x46, 0, 0xbd, 1, 0x2c, 2, 0x1f, 0x27, 0x38, 0x2e, 0x23];

fn file() -> Vec<u8> {
    let mut bytes = [&HEADER[..], &GAME_START].concat();
    bytes.resize(HEADER_LEN + GAME_LEN, 0);
    bytes
}

#[test]
fn a_real_record_means_what_its_page_says() {
    let file = GameFile::parse(&file()).unwrap();
    assert_eq!((file.header.year, file.header.solved_empties()), (1980, 22));
    let game = file.games[0];
    assert_eq!((game.tournament, game.black, game.white), (70, 445, 556));
    assert_eq!((game.score, game.theoretical), (31, 39));
    let squares: Vec<String> = game
        .written()
        .map(|square| square.unwrap().to_string())
        .collect();
    assert_eq!(squares, ["f5", "f4", "e3"]);
}

#[test]
fn files_round_trip_byte_for_byte() {
    assert_eq!(
        GameFile::parse(&file()).unwrap().to_bytes().unwrap(),
        file()
    );
    let mut bytes = vec![0x14, 26, 2, 16, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend(b"???\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    bytes.extend(b"P\xe9n\xe9lope Marc\0\0\0\0\0\0\0");
    let names = NameFile::parse(&bytes, NameKind::Players).unwrap();
    assert_eq!(names.names, ["???", "Pénélope Marc"]);
    assert_eq!(names.to_bytes(NameKind::Players).unwrap(), bytes);
    assert!(NameFile::parse(&bytes, NameKind::Tournaments).is_err());
    // Long and foreign names are cut to the format.
    let names = NameFile {
        header: Header::default(),
        names: vec!["ł".repeat(40)],
    };
    let bytes = names.to_bytes(NameKind::Tournaments).unwrap();
    assert_eq!(bytes.len(), 16 + 26);
    assert_eq!(
        NameFile::parse(&bytes, NameKind::Tournaments)
            .unwrap()
            .names,
        ["?".repeat(25)]
    );
}

#[test]
fn a_wipe_out_is_complete_with_all_squares_to_the_winner() {
    let game = parse_game(Position::START, "e6f4e3f6g5d6e7f5c5").unwrap();
    let record = GameRecord::from_record(&game.clone().into()).unwrap();
    assert_eq!((record.score, record.replay().as_ref()), (64, Ok(&game)));
    assert!(
        record.is_complete(&game)
            && !GameRecord {
                score: 63,
                ..record
            }
            .is_complete(&game)
    );
    let mut shorter = record;
    shorter.moves[8] = 0;
    assert!(!shorter.is_complete(&shorter.replay().unwrap()));
    assert_eq!(
        GameRecord::from_record(&Game::new(Position::START.pass()).into()),
        None
    );
}

#[test]
fn the_score_of_a_broken_off_game_is_its_result() {
    let game = parse_game(Position::START, "f5d6c3").unwrap();
    for (result, byte, back) in [
        (
            GameResult::won(Color::White, How::Resigned),
            0,
            GameResult::discs(-64, How::Stated),
        ),
        (
            GameResult::won(Color::Black, How::Time),
            64,
            GameResult::discs(64, How::Stated),
        ),
        (
            GameResult::won(Color::White, How::Stated),
            31,
            GameResult::discs(-2, How::Stated),
        ),
        (
            GameResult::discs(12, How::Adjudicated),
            38,
            GameResult::discs(12, How::Stated),
        ),
        (
            GameResult::discs(-1, How::Stated),
            31,
            GameResult::discs(-2, How::Stated),
        ),
        (
            GameResult::discs(1, How::Stated),
            33,
            GameResult::discs(2, How::Stated),
        ),
        (
            GameResult::discs(0, How::Agreed),
            32,
            GameResult::discs(0, How::Stated),
        ),
        (GameResult::default(), 5, GameResult::default()),
    ] {
        let record = NamedGame::from(game.clone()).with_stated(result);
        let written = GameRecord::from_record(&record).unwrap();
        assert_eq!(
            (written.score, written.stated(&game)),
            (byte, back),
            "{result:?}"
        );
    }
}

#[test]
fn bad_moves_are_named() {
    let record = GameFile::parse(&file()).unwrap().games[0];
    for (byte, error) in [
        (
            99,
            r#"WTHOR game, move 2: expected 10 * row + column, 11 to 88, found "99""#,
        ),
        (11, "WTHOR game, move 2: a1 is illegal: it turns no disc"),
        (
            0,
            r#"WTHOR game, move 2: expected 10 * row + column, 11 to 88, found "0""#,
        ),
    ] {
        let mut moves = record.moves;
        moves[..3].copy_from_slice(&[56, byte, 11]);
        assert_eq!(
            GameRecord { moves, ..record }
                .replay()
                .unwrap_err()
                .to_string(),
            error
        );
    }
}

#[test]
fn damaged_files_are_refused_with_the_place() {
    let whole = file();
    for length in 0..whole.len() {
        let error = GameFile::parse(&whole[..length]).unwrap_err();
        assert_eq!(error.location, Location::Byte(length));
        assert!(NameFile::parse(&whole[..length.min(15)], NameKind::Players).is_err());
    }
    let with = |at: usize, bytes: &[u8]| [&whole[..at], bytes, &whole[at + bytes.len()..]].concat();
    for (file, error) in [
        (
            [&whole[..], &[7]].concat(),
            r#"byte 84: expected the end of the file after 1 records, found "07""#,
        ),
        (with(4, &[0xff; 4]), "expected 4294967295 records of 68"),
        (with(12, &[10]), "byte 12: expected board size 0 or 8"),
        (
            with(13, &[1]),
            "byte 13: a WTHOR base of solitaires; expected a base of games",
        ),
    ] {
        let found = GameFile::parse(&file).unwrap_err().to_string();
        assert!(
            found.starts_with("WTHOR games, ") && found.contains(error),
            "{found}"
        );
    }
}
