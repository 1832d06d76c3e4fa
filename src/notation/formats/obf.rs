//! OBF: one position per line with the scores of its moves, as in Edax's problem files.
//!
//! `64 squares side; move:score; …`, scores in discs for the side to move, best first. `%` starts a comment.

use super::format::{Detected, Format, Notation, ScoredMove, WriteError};
use crate::board::{Move, Position};
use crate::notation::ParseError;
use crate::notation::text::board::{Source, is_filler, parse_cells};
use crate::notation::text::diagram::write_board;
use crate::notation::text::moves::parse_move;
use crate::notation::text::plain::plain;
use crate::notation::text::side::{Said, said};
use crate::notation::text::signs::is_sign;

const SUBJECT: &str = "OBF line";
/// More scored moves than a position has.
const MAX_SCORES: usize = 64;

/// A board with the scores of its moves.
pub const OBF: Format = Format(&Notation {
    name: "obf",
    about: "a board with scored moves",
    begins: |text| {
        let fields = text.lines().next().and_then(|line| line.split_once(';'));
        fields.is_some_and(|(board, _)| looks_like_board(board))
    },
    read: |text| {
        let first = parse_file(text).next();
        first.unwrap_or_else(|| Err(ParseError::at(SUBJECT, text, text.len(), "a position")))
    },
    write,
    ..Notation::BASE
});

/// Whether most of the first 64 signs are squares; a list of moves has as many signs that are not.
fn looks_like_board(text: &str) -> bool {
    let signs: Vec<char> = text.chars().filter(|c| !is_filler(*c)).take(64).collect();
    signs.len() >= 60 && signs.iter().filter(|sign| is_sign(**sign)).count() >= 56
}

/// Reads one line; `Ok(None)` when it is blank or only a comment.
pub fn parse_line(text: &str) -> Result<Option<Detected>, ParseError> {
    let (data, comment) = text.split_once('%').unwrap_or((text, ""));
    if data.trim().is_empty() {
        return Ok(None);
    }
    let plain = plain(data);
    let (position, scores, note) = read_fields(&plain).map_err(|error| error.quoting(text))?;
    let comment = joined([note.as_str(), comment.trim()]);
    Ok(Some(Detected {
        scores,
        comment,
        ..Detected::of(OBF, position)
    }))
}

fn joined<'a>(notes: impl IntoIterator<Item = &'a str>) -> String {
    notes
        .into_iter()
        .filter(|note| !note.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

/// The board, the scores and the notes of a plain line.
fn read_fields(text: &str) -> Result<(Position, Vec<ScoredMove>, String), ParseError> {
    let mut fields = text.split(';');
    let board = fields.next().unwrap_or("");
    let source = Source {
        subject: SUBJECT,
        text,
    };
    let mut cells = parse_cells(source, 0..board.len())?;
    let mut offset = board.len() + 1;
    let mut scores = Vec::new();
    let mut notes = vec![cells.note.as_str()];
    for (index, field) in fields.enumerate() {
        let start = offset + field.len() - field.trim_start().len();
        match (said(field, None), parse_score(field)) {
            (Said::Side(side), _) if index == 0 && cells.side.is_none() => cells.side = Some(side),
            _ if field.trim().is_empty() => {}
            _ if scores.len() == MAX_SCORES => {
                let message = format!("more than {MAX_SCORES} scored moves");
                return Err(ParseError::doubtful(SUBJECT, text, offset, message));
            }
            (_, Some(scored)) => scores.push(scored),
            _ if is_note(field) => notes.push(field.trim()),
            _ => {
                return Err(ParseError::at(
                    SUBJECT,
                    text,
                    start,
                    "move:score, such as f5:+2",
                ));
            }
        }
        offset += field.len() + 1;
    }
    let position = cells.with_side(source, board.trim_end().len())?;
    Ok((position, scores, joined(notes)))
}

/// Whether a field is a note: it contains no move.
fn is_note(field: &str) -> bool {
    !field.contains(':')
        && !field
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| parse_move(word).is_ok())
}

fn parse_score(field: &str) -> Option<ScoredMove> {
    let (mv, score) = field.split_once(':')?;
    let mv = parse_move(mv).ok()?;
    let discs = score
        .trim()
        .parse()
        .ok()
        .filter(|d| (-127..=127).contains(d))?;
    Some(ScoredMove { mv, discs })
}

/// The entries of a whole file; errors name their line.
pub fn parse_file(text: &str) -> impl Iterator<Item = Result<Detected, ParseError>> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(index, line)| {
        parse_line(line)
            .map_err(|error| error.down(index))
            .transpose()
    })
}

/// The line with upper-case moves: `… X; F5:+2; D6:+0;`.
fn write(entry: &Detected) -> Result<String, WriteError> {
    let name = |mv: &Move| {
        mv.square()
            .map_or("--".to_owned(), |square| format!("{square:#}"))
    };
    let score = |ScoredMove { mv, discs }: &ScoredMove| format!(" {}:{discs:+};", name(mv));
    let scores: String = entry.scores.iter().map(score).collect();
    let comment = if entry.comment.is_empty() {
        String::new()
    } else {
        format!(" % {}", entry.comment)
    };
    Ok(format!(
        "{};{scores}{comment}\n",
        write_board(&entry.position())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "---------------------------OX------XO--------------------------- X; C4:+0; D3:-2; --:-127; % a start";

    #[test]
    fn lines_round_trip() {
        let entry = parse_line(LINE).unwrap().unwrap();
        assert_eq!(entry.position(), Position::START);
        assert_eq!(entry.known_score(), Some(0));
        assert_eq!(entry.score_of(parse_move("d3").unwrap()), Some(-2));
        assert_eq!(
            entry.scores[2],
            ScoredMove {
                mv: Move::Pass,
                discs: -127
            }
        );
        assert_eq!(entry.comment, "a start");
        assert_eq!(write(&entry).unwrap().trim_end(), LINE);
    }

    #[test]
    fn other_alphabets_and_sparse_lines_are_read() {
        let text = format!(
            "{}*\n\n% only a comment\n{LINE}",
            "...........................o*......*o..........................."
        );
        let entries: Vec<_> = parse_file(&text).map(Result::unwrap).collect();
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].position(), entries[1].position());
        assert!(entries[0].scores.is_empty());
        assert_eq!(entries[0].known_score(), None);
    }

    #[test]
    fn faults_are_named_where_they_are() {
        let wrong_sign = format!("{LINE}\n{}", LINE.replace("D3:-2", "D3=-2"));
        for (text, error) in [
            (
                &LINE[..63],
                "OBF line, column 64: expected square h8 of 64, found the end",
            ),
            (
                &LINE[..64],
                "OBF line, column 65: expected the side to move, X or O, found the end",
            ),
            (
                &wrong_sign,
                "OBF line, line 2, column 76: expected move:score, such as f5:+2, found \"D3=-2; --",
            ),
            (&LINE.replace("-2", "+200"), "expected move:score"),
            (&LINE.replace("D3", "D9"), "expected move:score"),
            (
                &format!("{}{}", &LINE[..67], "a1:+1;".repeat(65)),
                "more than 64 scored moves",
            ),
        ] {
            let found = parse_file(text).find_map(Result::err).unwrap().to_string();
            assert!(found.contains(error), "{found}");
        }
    }
}
