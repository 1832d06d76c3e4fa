//! Rows of tables: positions, moves, results.

use super::error::Code;
use super::formats::BOARD;
use super::formats::board::bare;
use super::formats::format::Detected;
use super::formats::moves::listed;
use super::grammar::list::MoveList;
use super::grammar::remarks::holds_board;
use super::grammar::words::result_of_word;
use super::record::agreed;
use super::table::{Columns, SUBJECT, cells};
use super::{GameResult, How, ParseError};
use crate::board::{Color, Position};

/// Reads a row.
///
/// # Errors
/// Another number of cells, or the first fault in a cell.
pub fn row(columns: &Columns, line: &str) -> Result<Detected, ParseError> {
    let cells = cells(line, columns.separator).map_err(|error| error.with(Code::Cells))?;
    if cells.len() != columns.count {
        let expected = format!(
            "{} cells, as in the first line; found {}",
            columns.count,
            cells.len()
        );
        return Err(ParseError::doubtful(SUBJECT, line, 0, expected).with(Code::Cells));
    }
    let is_foreign = |(index, (_, text)): (usize, &(usize, String))| {
        columns.places[0] != Some(index) && holds_board(text)
    };
    if cells.iter().enumerate().any(is_foreign) {
        let message = "a board in a cell that is no position";
        return Err(ParseError::doubtful(SUBJECT, line, 0, message).with(Code::BoardInGame));
    }
    let cell = |known: usize| {
        let place = columns.places[known]?;
        let (begin, text) = &cells[place];
        (!text.is_empty()).then_some((line[..*begin].chars().count(), text.as_str()))
    };
    let mut found = match (cell(0), cell(1)) {
        (Some((begin, position)), side) => {
            let side = side.map_or(String::new(), |(_, side)| format!(" {side}"));
            let text = format!("{position}{side}");
            bare(&text).map_err(|error| error.right(begin))?
        }
        (None, Some((begin, _))) => {
            let message = "a side without a position";
            return Err(ParseError::doubtful(SUBJECT, line, 0, message)
                .with(Code::Cells)
                .right(begin));
        }
        (None, None) if columns.places[0].is_some() => {
            let message = "a row without its position";
            return Err(ParseError::doubtful(SUBJECT, line, 0, message).with(Code::Cells));
        }
        (None, None) => Detected::of(BOARD, Position::START),
    };
    if let Some((begin, moves)) = cell(2) {
        let read =
            MoveList::read(moves).and_then(|list| Ok((list.play(found.position(), moves)?, list)));
        let (game, list) = read.map_err(|error| error.right(begin))?;
        found = listed(game, list);
    } else if cell(0).is_none() {
        return Err(
            ParseError::doubtful(SUBJECT, line, 0, "a row without moves").with(Code::NoMoves),
        );
    }
    if let Some((_, id)) = cell(3) {
        found.record.put("GameId", id);
    }
    if let Some((_, words)) = cell(4) {
        put_result(&mut found, words, columns.is_winner).map_err(|message| {
            ParseError::doubtful(SUBJECT, line, 0, message).with(Code::TwoReadings)
        })?;
    }
    Ok(found)
}

/// Sets the result in a cell; other words become a tag.
fn put_result(found: &mut Detected, words: &str, is_winner: bool) -> Result<(), &'static str> {
    let result = match (words.to_lowercase().as_str(), is_winner) {
        ("1", true) => Some(GameResult::won(Color::Black, How::Stated)),
        ("-1", true) => Some(GameResult::won(Color::White, How::Stated)),
        ("draw", _) | ("0", true) => Some(GameResult::discs(0, How::Stated)),
        ("black", _) => Some(GameResult::won(Color::Black, How::Stated)),
        ("white", _) => Some(GameResult::won(Color::White, How::Stated)),
        _ => result_of_word(words),
    };
    match result {
        None => found.record.put("ResultText", words),
        Some(result) => {
            let result = agreed(result, found.record.stated)
                .ok_or("the result of the cell differs from that behind the moves")?;
            found.record = std::mem::take(&mut found.record).with_stated(result);
        }
    }
    Ok(())
}
