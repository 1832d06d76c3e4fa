//! Lists of moves as a notation of games: `f5d6c3`, from the usual start.

use super::format::{Detected, Format, Notation, Shape, WriteError};
use super::tags::COMMENT;
use super::{Fault, GameResult, How, NamedGame, ParseError, movelist, moves, token};
use crate::board::{Move, Position};

/// Moves from the usual start: `f5d6c3`.
pub const MOVES: Format = Format(&Notation {
    name: "moves",
    about: "f5d6c3, from the usual start",
    is_of_games: true,
    shape: Shape::Free,
    is_marked: is_move_list,
    read: |text, _| read(text),
    read_all: Some(read_all),
    write: |entry, _| match &entry.record.game {
        game if game.start() == Position::START => Ok(moves::write_moves(game.moves()) + "\n"),
        _ => Err(WriteError::Start("lists of moves")),
    },
    losses,
});

fn read(text: &str) -> Result<Detected, ParseError> {
    let (game, comment) =
        movelist::read_game(Position::START, text).map_err(|error| several_games(text, error))?;
    let mut record = NamedGame::from(game);
    record.tags.set(COMMENT, &comment);
    Ok(Detected { comment, ..Detected::new(MOVES, record) })
}

/// A numbered list of moves over several lines is one game, or, where it cannot be, a game in each line.
fn read_all(text: &str) -> Result<Vec<Detected>, ParseError> {
    /// More moves than belong to one number.
    const MANY: usize = 3;
    let whole = read(text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() < 2 || lines.len() > moves::MAX_MOVES {
        return whole.map(|one| vec![one]);
    }
    let games: Result<Vec<Detected>, ParseError> = lines.iter().map(|line| read(line)).collect();
    let has_many = |games: &[Detected]| games.iter().any(|one| one.record.game.moves().len() >= MANY);
    match (whole, games) {
        (Ok(_), Ok(games)) if has_many(&games) => {
            let told = "the numbered lines may be one game or a game each: write one game in one line";
            Err(ParseError::doubtful(token::SUBJECT, text, 0, told))
        }
        (Err(_), Ok(games)) => Ok(games),
        (whole, _) => whole.map(|one| vec![one]),
    }
}

/// The error for moves that are illegal because several games stand in one line.
fn several_games(text: &str, error: ParseError) -> ParseError {
    let is_illegal = matches!(error.fault, Fault::Illegal { .. });
    let separator = [';', '|', '\t', ',', '/'].into_iter().find(|&sign| {
        let parts: Vec<&str> = text.split(sign).filter(|part| !part.trim().is_empty()).collect();
        let is_game = |part: &&str| moves::parse_game(Position::START, part).is_ok();
        is_illegal && (2..=moves::MAX_MOVES).contains(&parts.len()) && parts.iter().all(is_game)
    });
    match separator {
        Some(sign) => {
            let told = format!(
                "{}; what stands between \"{}\" is a game each: write one game a line",
                error.fault,
                sign.escape_default()
            );
            ParseError { fault: Fault::Doubtful(told.into()), ..error }
        }
        None => error,
    }
}

/// A list with at least one square: only passes could be a row of an empty board.
pub(super) fn is_move_list(text: &str) -> bool {
    movelist::MoveList::read(text).is_ok_and(|list| list.turns.iter().any(|turn| turn.mv != Move::Pass))
}

/// What is lost of a game of which only the moves are kept.
fn losses(record: &NamedGame) -> Vec<String> {
    let NamedGame { black, white, place, date, tags, .. } = record;
    let mut lost = Vec::new();
    if !tags.is_empty() || [black, white, place, date].iter().any(|text| !text.is_empty()) {
        lost.push("names, dates, remarks and tags".into());
    }
    let result = record.result();
    if result != GameResult::default() && result.how != How::Played {
        lost.push("a result that is not that of all the moves".into());
    }
    lost.extend(record.left_out.iter().map(|what| (*what).to_owned()));
    lost
}
