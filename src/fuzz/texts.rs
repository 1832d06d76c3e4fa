//! Notations, options, command lines and answers of earlier runs.

use std::ffi::OsString;
use std::path::Path;

use crate::analysis::Earlier;
use crate::board::{Color, Game, Position};
use crate::book::policy::Policy;
use crate::cli;
use crate::engine::{Elo, Level};
use crate::eval::EvalKind;
use crate::notation::example::{parse_example_board, write_example_board};
use crate::notation::ggf::GgfGame;
use crate::notation::hex::{parse_hex, write_hex};
use crate::notation::obf::OBF;
use crate::notation::{
    Detected, Format, NamedGame, ParseError, diagram, fen, moves, obf, parse_games, parse_position,
    pgn, record_ggf, sgf,
};
use crate::peers::process::split_words;
use crate::search::Options;
use crate::tournament::matches::log::{LoggedGame, read_game};
use crate::tournament::players::spec::Spec;

/// All notations of positions, moves and games.
pub fn notations(text: &str) {
    let mut found = Found::default();
    for format in Format::ALL {
        found.add(format.parse(text));
        if let Some(repaired) = format.repair(text) {
            found.add(Ok(repaired.entry));
        }
    }
    found.add(parse_position(text));
    sound(moves::parse_move(text).err());
    sound(moves::parse_move_token(text).err());
    obf_file(text);
    parse_games(text)
        .into_iter()
        .for_each(|(_, entry)| found.add(entry));
    found.check();
}

/// The results of the parsers for a text, often repeated.
#[derive(Default)]
struct Found {
    records: Vec<NamedGame>,
    games: Vec<GgfGame>,
}

impl Found {
    fn add(&mut self, item: Result<Detected, ParseError>) {
        match item {
            Err(error) => sound(Some(error)),
            Ok(item) => {
                self.games.extend(item.ggf());
                self.records.push(item.record);
            }
        }
    }

    fn check(mut self) {
        self.records.dedup();
        self.records.iter().for_each(named_game);
        self.games.dedup();
        self.games.iter().for_each(ggf_game);
    }
}

fn obf_file(text: &str) {
    for entry in obf::parse_file(text) {
        match entry {
            Err(error) => sound(Some(error)),
            Ok(entry) => {
                let line = OBF.write(&entry).expect("a position is a line");
                assert_eq!(OBF.parse(&line), Ok(entry), "an OBF line is read back");
            }
        }
    }
}

/// An error that a protocol may echo.
fn sound(error: Option<ParseError>) {
    if let Some(error) = error.map(|error| error.to_string()) {
        assert!(
            !error.contains(char::is_control) && error.len() < 400,
            "{error:?}"
        );
    }
}

/// A game goes by the rules, and every notation gives it back.
fn named_game(record: &NamedGame) {
    lawful(&record.game);
    position(&record.game.start());
    position(&record.game.position());
    let once = sgf::parse_sgf(&sgf::write_sgf(record)).expect("SGF is read back");
    assert_eq!(once.game, record.game, "by SGF");
    assert_eq!(
        sgf::parse_sgf(&sgf::write_sgf(&once)).as_ref(),
        Ok(&once),
        "SGF twice"
    );
    let once = pgn::parse_pgn(&pgn::write_pgn(record)).expect("PGN is read back");
    assert_eq!(once.game, record.game, "by PGN");
    assert_eq!(
        pgn::parse_pgn(&pgn::write_pgn(&once)).as_ref(),
        Ok(&once),
        "PGN twice"
    );
    ggf_game(&record_ggf(record));
    if record.game.start() == Position::START {
        let text = moves::write_moves(record.game.moves());
        assert_eq!(
            moves::parse_game(Position::START, &text).as_ref(),
            Ok(&record.game),
            "{text}"
        );
    }
}

fn ggf_game(game: &GgfGame) {
    lawful(game.game());
    let text = game.to_string();
    let again = GgfGame::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(again.game(), game.game(), "{text}");
    assert_eq!(again.to_string(), text);
    for color in [Color::Black, Color::White] {
        let left = game.clock(color).map(|clock| game.remaining(clock, color));
        assert!(left.is_none_or(|left| left >= 0.0), "{text}");
    }
}

/// All ways to write a position give it back.
fn position(position: &Position) {
    let text = diagram::write_board(position);
    assert_eq!(diagram::parse_board(&text).as_ref(), Ok(position), "{text}");
    let text = diagram::write_diagram(position);
    assert_eq!(
        diagram::parse_diagram(&text).as_ref(),
        Ok(position),
        "{text}"
    );
    let text = fen::write_fen(position);
    assert_eq!(fen::parse_fen(&text).as_ref(), Ok(position), "{text}");
    let text = write_hex(position);
    assert_eq!(parse_hex(&text).as_ref(), Ok(position), "{text}");
    let text = write_example_board(position);
    assert_eq!(parse_example_board(&text), Ok((*position, 5)), "{text}");
}

/// Every move of the game is legal and leads to the next position.
pub fn lawful(game: &Game) {
    let mut now = game.start();
    for (&mv, &next) in game.moves().iter().zip(&game.positions()[1..]) {
        let after = now.board.play_move(mv);
        let legal = after.map(|board| Position {
            board,
            side: now.side.other(),
        });
        assert_eq!(legal, Some(next), "{mv} in {now:?}");
        now = next;
    }
    assert_eq!(game.position(), now);
}

/// Answers of analyses, which are resumed, and games of matches, which are resumed.
pub fn answers(text: &str) {
    let record = format!("{{\"options\":\"\"}}\n{text}");
    for record in [text, &record] {
        let read = Earlier::read(
            record.as_bytes(),
            text.as_bytes(),
            Path::new("x.run"),
            "",
            false,
        );
        assert!(read.map_or(0, |earlier| earlier.answer_bytes) as usize <= text.len());
    }
    for line in text.lines() {
        // The number is that of the match in the samples.
        if let Ok(LoggedGame { summary, .. }) = read_game(line) {
            assert!(summary.discs.abs() <= 64, "{summary:?}");
        }
    }
}

/// Options with a grammar, one a line.
pub fn options(text: &str) {
    for line in text.lines() {
        if let Ok(level) = line.parse::<Level>() {
            assert!(level <= Level::MAX);
        }
        if let Ok(threads) = Options::parse_threads(line) {
            assert!((1..=Options::MAX_THREADS).contains(&threads));
        }
        if let Ok(elo) = line.parse::<Elo>() {
            let _ = elo.to_string();
        }
        if let Ok(kind) = line.parse::<EvalKind>() {
            assert_eq!(kind.to_string(), line);
        }
        let _ = line.parse::<Policy>();
        let _ = line
            .parse::<Spec>()
            .map(|spec| assert_eq!(spec.to_string(), line));
    }
}

/// A whole command line, words split as in an engine's command.
pub fn command_line(text: &str) {
    let words = ["emilia".to_owned()].into_iter().chain(split_words(text));
    cli::is_understood(words.map(OsString::from));
}
