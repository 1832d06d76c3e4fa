//! OBF: one position per line with the scores of its moves, as in Edax's problem files.
//!
//! `64 squares side; move:score; …`, scores in discs for the side to move, best first. `%` starts a comment.

use super::board::{line, read_line};
use super::format::{Detected, Format, Notation, ScoredMove, WriteError};
use crate::board::Move;
use crate::notation::ParseError;
use crate::notation::grammar::diagram::write_board;

/// A board with the scores of its moves.
pub const OBF: Format = Format(&Notation {
    name: "obf",
    about: "a board with scored moves",
    read: |text| {
        let first = parse_file(text).next();
        first.unwrap_or_else(|| Err(ParseError::unknown(text)))
    },
    write,
    ..Notation::BASE
});

/// Reads one line; `Ok(None)` when it is blank or only a comment.
pub fn parse_line(text: &str) -> Result<Option<Detected>, ParseError> {
    let trimmed = text.trim_start();
    if trimmed.is_empty() || trimmed.starts_with(['%', '#']) {
        return Ok(None);
    }
    Ok(Some(read_line(OBF, text, line)?.0))
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
    use crate::board::Position;
    use crate::notation::moves::parse_move;

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
    fn faults_are_named_where_they_are() {
        let wrong_sign = format!("{LINE}\n{}", LINE.replace("D3:-2", "D3=-2"));
        for (text, error) in [
            (
                &LINE[..63],
                "obf, column 64: expected square h8 of 64, found the end",
            ),
            (
                &LINE[..64],
                "obf, column 65: expected the side to move, X or O, found the end",
            ),
            (
                &LINE.replace("--:-127", "D3:+1"),
                "the scored move d3 is given twice",
            ),
            (
                &wrong_sign,
                "obf, line 2, column 76: expected move:score, such as f5:+2, found \"D3=-2; --",
            ),
            (&LINE.replace("-2", "+200"), "expected move:score"),
            (&LINE.replace("D3", "D9"), "expected move:score"),
            (
                &format!("{}{}", &LINE[..67], "a1:+1;".repeat(65)),
                "the scored move a1 is given twice",
            ),
        ] {
            let found = parse_file(text).find_map(Result::err).unwrap().to_string();
            assert!(found.contains(error), "{found}");
        }
    }
}
