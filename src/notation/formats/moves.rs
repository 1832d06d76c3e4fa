//! Lists of moves as a notation of games: `f5d6c3`, from the usual start.

use super::format::{Detected, Format, Notation, ScoredMove, Shape, Sheet, WriteError};
use crate::board::{Game, Move, Position};
use crate::notation::repair::{Turn, counted};
use crate::notation::tags::COMMENT;
use crate::notation::text::move_list::{self, MoveList, is_name, moves_only, play};
use crate::notation::text::moves::{parse_game, replay, write_moves};
use crate::notation::text::token::{MAX_MOVES, SUBJECT, lex_move, play_as_written};
use crate::notation::{Fault, GameResult, How, NamedGame, ParseError};

/// Moves from the usual start: `f5d6c3`.
pub const MOVES: Format = Format(&Notation {
    name: "moves",
    about: "f5d6c3, from the usual start",
    is_of_games: true,
    shape: Shape::Moves,
    begins: |text| is_move_list(text) || move_number(text).is_some() || is_open_list(text),
    read,
    read_all: Some(read_all),
    sheet: Some(sheet),
    write: |entry| match &entry.record.game {
        game if game.start() == Position::START => Ok(write_moves(game.moves()) + "\n"),
        _ => Err(WriteError(
            "lists of moves need a game from the usual start; this is a position or a game from another",
        )),
    },
    losses,
});

/// Reads a game from the usual start; a title with one square in it may precede the moves: `d3 opening: f5d6c3`.
fn read(text: &str) -> Result<Detected, ParseError> {
    let (title, moves) = titled(text).unwrap_or(("", text));
    let mut list = MoveList::read(moves)?;
    let (game, note) =
        play(Position::START, moves, &mut list).map_err(|error| several_games(text, error))?;
    // Text without a move is no game without moves.
    if game.moves().is_empty() {
        return Err(ParseError::unknown(text));
    }
    let is_impossible = |(mv, _): &&(Move, i32)| play_as_written(&mut game.clone(), *mv).is_err();
    if let Some((mv, _)) = list.scores.iter().find(is_impossible) {
        let message = format!("the scored move {mv} is illegal after the moves before it");
        return Err(ParseError::doubtful(SUBJECT, text, 0, message));
    }
    let scores = list
        .scores
        .into_iter()
        .map(|(mv, discs)| ScoredMove { mv, discs })
        .collect();
    Ok(Detected {
        scores,
        ..commented(game, format!("{title} {note}").trim().to_owned())
    })
}

fn commented(game: Game, comment: String) -> Detected {
    let mut record = NamedGame::from(game);
    record.tags.set(COMMENT, &comment);
    Detected {
        comment,
        ..Detected::new(MOVES, record)
    }
}

/// A title with one square, a sign and a game from the usual start: the square of the title is no move.
fn titled(text: &str) -> Option<(&str, &str)> {
    let at = text
        .find([':', '=', '|', '\t'])
        .filter(|_| !text.trim_end().contains('\n'))?;
    let (title, moves) = (text[..at].trim(), &text[at + 1..]);
    let squares = |word: &str| moves_only(word).map_or(0, |moves| moves.len());
    let words = || {
        title
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
    };
    let is_name = |word: &str| {
        is_name(word, "") && word.len() > 2 && !word.starts_with(|c: char| c.is_ascii_digit())
    };
    let has_title = words().map(squares).sum::<usize>() == 1
        && !title.contains(['#', '%', ';', '{', '('])
        && words().any(|word| squares(word) == 0 && is_name(word));
    let game = MoveList::read(moves)
        .ok()
        .filter(|list| has_title && list.turns.len() > 1)?;
    replay(Position::START, game.turns.iter().map(|turn| turn.mv)).ok()?;
    Some((title, moves))
}

/// The only game of a text, its moves not played; `None` if a remark may contain moves.
///
/// Two letters or digits in the place of a move may be a misread move.
fn sheet(text: &str) -> Option<Sheet> {
    let mut legible = text.to_owned();
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
    let last = list.turns.last()?;
    let is_certain = list.is_certain(text) && separator(text).is_none();
    let turn = |turn: &move_list::Turn| {
        let is_legible = illegible != Some(turn.range.start);
        Turn {
            color: turn.color,
            ..Turn::of(is_legible.then_some(turn.mv))
        }
    };
    let end = counted(score_behind(&text[last.range.end..]));
    let entry = commented(Game::default(), list.comment(text));
    is_certain.then(|| Sheet {
        entry,
        turns: list.turns.iter().map(turn).collect(),
        end,
    })
}

/// The score behind the moves, Black's discs less White's or both, Black's first: `+4`, `34-30`.
fn score_behind(text: &str) -> GameResult {
    let words = text
        .split_whitespace()
        .map(|word| word.trim_matches([',', ';', ':', '.', '(', ')', '[', ']', '=']));
    let score = |word: &str| match word.parse() {
        Ok(discs) if word.starts_with(['+', '-']) => Some(GameResult::discs(discs, How::Stated)),
        _ => GameResult::of_words(word).filter(|result| result.is_known()),
    };
    words.filter_map(score).next().unwrap_or_default()
}

/// A numbered list of moves over several lines is one game, or, where it cannot be, a game in each line.
fn read_all(text: &str) -> Result<Vec<Detected>, ParseError> {
    /// More moves than belong to one number.
    const MANY: usize = 3;
    let whole = read(text);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    if lines.len() < 2 || lines.len() > MAX_MOVES {
        return whole.map(|one| vec![one]);
    }
    let games: Result<Vec<Detected>, ParseError> = lines.iter().map(|line| read(line)).collect();
    let has_many = |games: &[Detected]| {
        games
            .iter()
            .any(|one| one.record.game.moves().len() >= MANY)
    };
    match (whole, games) {
        (Ok(_), Ok(games)) if has_many(&games) => {
            let message = "the numbered lines may be one game or several: write one game per line";
            Err(ParseError::doubtful(SUBJECT, text, 0, message))
        }
        (Err(_), Ok(games)) => Ok(games),
        (whole, _) => whole.map(|one| vec![one]),
    }
}

/// The error for moves that are illegal because a line holds several games.
fn several_games(text: &str, error: ParseError) -> ParseError {
    let is_illegal = matches!(error.fault, Fault::Illegal { .. });
    let Some(sign) = separator(text).filter(|_| is_illegal) else {
        return error;
    };
    let message = format!(
        "{}; each part between \"{}\" is a game: write one game per line",
        error.fault,
        sign.escape_default()
    );
    ParseError {
        fault: Fault::Doubtful(message.into()),
        ..error
    }
}

/// The sign between games in one line.
fn separator(text: &str) -> Option<char> {
    [';', '|', '\t', ',', '/'].into_iter().find(|&sign| {
        let parts: Vec<&str> = text
            .split(sign)
            .filter(|part| !part.trim().is_empty())
            .collect();
        let is_game = |part: &&str| parse_game(Position::START, part).is_ok();
        (2..=MAX_MOVES).contains(&parts.len()) && parts.iter().all(is_game)
    })
}

/// A list with at least one square: only passes could be a row of an empty board.
pub(in crate::notation) fn is_move_list(text: &str) -> bool {
    MoveList::read(text).is_ok_and(|list| list.turns.iter().any(|turn| turn.mv != Move::Pass))
}

/// Longer texts are no list of moves in brackets, in bytes.
const MAX_LIST_BYTES: usize = 10_000;

/// The number with which a plain line begins, if it is a move number: `1.`, `1)`, `1: f5`, `1 f5`, `| 1 | f5`.
pub(in crate::notation) fn move_number(line: &str) -> Option<u32> {
    let line = line.trim_start_matches(|c: char| c == '|' || c.is_whitespace());
    let end = line
        .find(|c: char| !c.is_ascii_digit())
        .filter(|&end| end > 0)?;
    let rest = &line[end..];
    let moves = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '|' || c == ':');
    let is_number =
        rest.starts_with(['.', ')']) || moves.len() < rest.len() && lex_move(moves).is_some();
    is_number.then(|| line[..end].parse().ok()).flatten()
}

/// Whether brackets around moves or squares are open at the end of a plain text.
pub(in crate::notation) fn is_open_list(text: &str) -> bool {
    let count = |signs: [char; 2]| text.matches(signs).count();
    let may_be_list =
        text.starts_with(['[', '{']) && text.len() <= MAX_LIST_BYTES && is_in_brackets(text);
    may_be_list && count(['[', '{']) > count([']', '}'])
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

/// Whether brackets are around moves or squares, and not around the tag of a game.
pub(in crate::notation) fn is_in_brackets(text: &str) -> bool {
    let inner =
        text.trim_start_matches(|c: char| c == '[' || c.is_whitespace() || matches!(c, '"' | '\''));
    let is_square = lex_move(inner).is_some_and(|(mv, _)| mv != Move::Pass);
    is_square || inner.is_empty() || inner.starts_with(|c: char| !c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_game_with_a_title_or_with_scored_moves_or_in_doubt() {
        for (text, want) in [
            ("d3 opening: f5d6c3", "f5d6c3 0 d3 opening"),
            ("c4 - Heath: f5 d6 c3", "f5d6c3 0 c4 - Heath"),
            ("e3 line\tf5d6c3", "f5d6c3 0 e3 line"),
            (
                "c4 Heath f5f6e6d6",
                "may be the first move of a game or part of a remark",
            ),
            (
                "d3 c5 trap: f5d6c3",
                "may be the first move of a game or part of a remark",
            ),
            ("f5d6c3 ; d3:+2 ; f4:-1", "f5d6c3 2 "),
            ("f5d6c3; d3: +2; f4: -1;", "f5d6c3 2 "),
            ("f5d6c3; a1:+2", "is illegal after the moves"),
            ("f5:+2; d3:-1", "may be a game or the moves of one position"),
            ("f5 +2.0 d6 -1", "f5d6 0 "),
            ("f5 d6 ; c3 was better", "f5d6 0 c3 was better"),
            ("f5 ; d6 ; c3", "f5d6c3 0 "),
            ("+f5-d6+c3; 8", "f5d6c3 0 "),
            ("f5; d6; c3 Tiger", "f5d6c3 0 Tiger"),
            ("f5 d6; c3 was better", "may be the next move"),
            ("f5; d6 was better", "may be the next move"),
            ("; f5 d6", "expected a square"),
            ("+f5-d6-c3+d3", "c3 is written as a move of White"),
        ] {
            match read(text).map_err(|error| error.to_string()) {
                Ok(Detected {
                    record,
                    scores,
                    comment,
                    ..
                }) => {
                    let moves = write_moves(record.game.moves());
                    assert_eq!(
                        format!("{moves} {} {comment}", scores.len()),
                        want,
                        "{text}"
                    );
                }
                Err(error) => assert!(error.contains(want), "{text}: {error}"),
            }
        }
    }
}
