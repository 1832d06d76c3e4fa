//! Lists of moves as a notation of games: `f5d6c3`, from the usual start.

use super::format::{Detected, Format, Notation, Sheet, WriteError};
use crate::board::{Game, Position};
use crate::notation::grammar::list::{self, MoveList};
use crate::notation::grammar::moves::write_moves;
use crate::notation::repair::{Turn, counted};
use crate::notation::scanner::plain;
use crate::notation::tags::COMMENT;
use crate::notation::{Code, GameResult, How, NamedGame, ParseError};

/// Moves from the usual start: `f5d6c3`.
pub const MOVES: Format = Format(&Notation {
    name: "moves",
    about: "f5d6c3, from the usual start",
    is_of_games: true,
    read: |text| {
        let list = MoveList::read_game(text).map_err(|error| foreign(text, error))?;
        Ok(listed(list.play(Position::START, text)?, list))
    },
    sheet: Some(sheet),
    write: |entry| match &entry.record.game {
        game if game.start() == Position::START => Ok(write_moves(game.moves()) + "\n"),
        _ => Err(WriteError(
            "lists of moves need a game from the usual start; this is a position or a game from another",
        )),
    },
    losses,
});

/// The error for a text that does not begin as a list does.
fn foreign(text: &str, error: ParseError) -> ParseError {
    let begin = text.trim_start();
    let is_first = error.offset(text) == Some(text.len() - begin.len());
    let has_rank = begin.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    match error.code == Code::UnknownWord && is_first && !has_rank {
        true => ParseError::unknown(text).with(error.code),
        false => error,
    }
}

/// A game of a list of moves, with its scores, remark and result.
pub fn listed(game: Game, list: MoveList) -> Detected {
    let mut record = NamedGame::from(game);
    record.tags.set(COMMENT, &list.remark);
    Detected {
        scores: list.scores,
        comment: list.remark,
        ..Detected::new(MOVES, record.with_stated(list.result.unwrap_or_default()))
    }
}

/// The game of a text, its moves not played. Two letters or digits in the place of a move may be a misread move.
fn sheet(text: &str) -> Option<Sheet> {
    let mut legible = plain(text).into_owned();
    let mut illegible = None;
    let list = loop {
        let error = match MoveList::read(&legible) {
            Ok(list) => break list,
            Err(error) => error,
        };
        let at = error.offset(&legible)?;
        let is_pair = legible
            .as_bytes()
            .get(at..at + 2)?
            .iter()
            .all(u8::is_ascii_alphanumeric);
        if !is_pair || illegible.is_some() {
            return None;
        }
        illegible = Some(at);
        legible.replace_range(at..at + 2, "a1");
    };
    let turn = |turn: &list::Turn| {
        let is_legible = illegible != Some(turn.range.start);
        Turn {
            color: turn.color,
            ..Turn::of(is_legible.then_some(turn.mv))
        }
    };
    let turns = list.turns.iter().map(turn).collect();
    let end = counted(list.result.unwrap_or_default());
    let entry = listed(Game::default(), list);
    Some(Sheet { entry, turns, end })
}

/// The parts of a game that a list of moves cannot hold.
fn losses(record: &NamedGame) -> Vec<String> {
    let NamedGame {
        black,
        white,
        place,
        date,
        tags,
        ..
    } = record;
    let has_names = [black, white, place, date]
        .iter()
        .any(|text| !text.is_empty());
    let result = record.result();
    let is_stated = result != GameResult::default() && result.how != How::Played;
    let table = [
        (
            has_names || !tags.is_empty(),
            "names, dates, remarks and tags",
        ),
        (is_stated, "a result that differs from the moves"),
    ];
    table
        .into_iter()
        .filter(|(is_lost, _)| *is_lost)
        .map(|(_, what)| what.to_owned())
        .collect()
}
