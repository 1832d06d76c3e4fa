//! OBF: one position per line with the scores of its moves, as in Edax's problem files.
//!
//! `64 squares side; move:score; …`, scores in discs for the side to move, best first. `%` starts a comment.

use std::fmt;

use super::ParseError;
use super::diagram::write_board;
use super::moves::parse_move;
use super::plain::plain;
use super::side::{Said, said};
use super::squares::parse_cells;
use crate::board::{Move, Position};

/// What this file reads, for its errors.
const SUBJECT: &str = "OBF line";
/// More scored moves than a position has.
const MAX_SCORES: usize = 64;

/// A position with known scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObfEntry {
    /// The position.
    pub position: Position,
    /// Moves with their scores, as the line gives them; may be empty.
    ///
    /// Some files end with a pass at -127 discs as a mark; it is kept.
    pub scores: Vec<ScoredMove>,
    /// Text after `%`, trimmed; empty if there was none.
    pub comment: String,
}

/// A move and what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// Final disc difference for the side to move, `-127..=127`.
    pub discs: i32,
}

impl ObfEntry {
    /// The best known score in discs, or `None` if no move is scored; marks at -127 do not count.
    pub fn best_score(&self) -> Option<i32> {
        best_score(&self.scores)
    }

    /// The score of `mv`, if the line gives it.
    pub fn score_of(&self, mv: Move) -> Option<i32> {
        self.scores.iter().find(|s| s.mv == mv).map(|s| s.discs)
    }
}

/// The best of the known scores in discs, or `None` if no move is scored; marks at -127 do not count.
pub fn best_score(scores: &[ScoredMove]) -> Option<i32> {
    scores.iter().filter(|s| s.discs.abs() <= 64).map(|s| s.discs).max()
}

/// Reads one line; `Ok(None)` when it is blank or only a comment.
pub fn parse_line(text: &str) -> Result<Option<ObfEntry>, ParseError> {
    let (data, comment) = text.split_once('%').unwrap_or((text, ""));
    if data.trim().is_empty() {
        return Ok(None);
    }
    let plain = plain(data);
    let (position, scores, note) = read_fields(&plain).map_err(|error| error.quoting(text))?;
    let comment = [note.as_str(), comment.trim()].into_iter().filter(|part| !part.is_empty());
    Ok(Some(ObfEntry { position, scores, comment: comment.collect::<Vec<_>>().join("; ") }))
}

/// The board, the scores, and what else stands in the fields of a plain line.
fn read_fields(text: &str) -> Result<(Position, Vec<ScoredMove>, String), ParseError> {
    let mut fields = text.split(';');
    let board = fields.next().unwrap_or("");
    let mut cells = parse_cells(SUBJECT, text, 0..board.len())?;
    let mut offset = board.len() + 1;
    let mut scores = Vec::new();
    let mut notes: Vec<String> =
        Some(cells.note.clone()).into_iter().filter(|note| !note.is_empty()).collect();
    for (index, field) in fields.enumerate() {
        match said(field, None) {
            Said::Side(side) if index == 0 && cells.side.is_none() => cells.side = Some(side),
            _ if field.trim().is_empty() => {}
            _ => {
                if scores.len() == MAX_SCORES {
                    return Err(ParseError::too_many(SUBJECT, text, offset, "scored moves", MAX_SCORES));
                }
                let start = offset + field.len() - field.trim_start().len();
                match parse_score(field) {
                    Some(scored) => scores.push(scored),
                    None if is_note(field) => notes.push(field.trim().to_owned()),
                    None => return Err(ParseError::at(SUBJECT, text, start, "move:score, such as f5:+2")),
                }
            }
        }
        offset += field.len() + 1;
    }
    let position = cells.with_side(SUBJECT, text, board.trim_end().len())?;
    Ok((position, scores, notes.join("; ")))
}

/// A column of something else: no move stands in it.
fn is_note(field: &str) -> bool {
    !field.contains(':') && !field.split(|c: char| !c.is_alphanumeric()).any(|word| parse_move(word).is_ok())
}

fn parse_score(field: &str) -> Option<ScoredMove> {
    let (mv, score) = field.split_once(':')?;
    let mv = parse_move(mv).ok()?;
    let discs = score.trim().parse().ok().filter(|d| (-127..=127).contains(d))?;
    Some(ScoredMove { mv, discs })
}

/// Reads a whole file; errors name their line.
pub fn parse_file(text: &str) -> Result<Vec<ObfEntry>, ParseError> {
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        entries.extend(parse_line(line).map_err(|error| error.down(index))?);
    }
    Ok(entries)
}

impl fmt::Display for ObfEntry {
    /// The line without its line end, upper-case moves: `… X; F5:+2; D6:+0;`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};", write_board(&self.position))?;
        for ScoredMove { mv, discs } in &self.scores {
            match mv {
                Move::Pass => write!(f, " --:{discs:+};")?,
                Move::Place(square) => write!(f, " {square:#}:{discs:+};")?,
            }
        }
        if !self.comment.is_empty() {
            write!(f, " % {}", self.comment)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "---------------------------OX------XO--------------------------- X; C4:+0; D3:-2; --:-127; % a start";

    #[test]
    fn lines_round_trip() {
        let entry = parse_line(LINE).unwrap().unwrap();
        assert_eq!(entry.position, Position::START);
        assert_eq!(entry.best_score(), Some(0));
        assert_eq!(entry.score_of(parse_move("d3").unwrap()), Some(-2));
        assert_eq!(entry.scores[2], ScoredMove { mv: Move::Pass, discs: -127 });
        assert_eq!(entry.comment, "a start");
        assert_eq!(entry.to_string(), LINE);
    }

    #[test]
    fn other_alphabets_and_sparse_lines_are_read() {
        let text = format!(
            "{}*\n\n% only a comment\n{LINE}",
            "...........................o*......*o..........................."
        );
        let entries = parse_file(&text).unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].position, entries[1].position);
        assert!(entries[0].scores.is_empty());
        assert_eq!(entries[0].best_score(), None);
    }

    #[test]
    fn faults_are_named_where_they_are() {
        let error = |text: &str| parse_file(text).unwrap_err().to_string();
        let short = &LINE[..63];
        assert_eq!(error(short), "OBF line, column 64: expected square h8 of 64, found the end");
        assert_eq!(
            error(&LINE[..64]),
            "OBF line, column 65: expected the side to move, X or O, found the end"
        );
        let text = format!("{LINE}\n{}", LINE.replace("D3:-2", "D3=-2"));
        assert_eq!(
            error(&text),
            r#"OBF line, line 2, column 76: expected move:score, such as f5:+2, found "D3=-2; --:-127; % a star...""#
        );
        assert!(parse_line(&LINE.replace("-2", "+200")).is_err());
        assert!(parse_line(&LINE.replace("D3", "D9")).is_err());
        assert!(parse_line(&format!("{}{}", &LINE[..67], "a1:+1;".repeat(65))).is_err());
    }
}
