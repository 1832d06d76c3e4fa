//! Recognizes the notation of a text, for splitting, detection, file names and moves below a board.
//!
//! Each notation states once how its entries begin ([`Notation::begins`](super::formats::format::Notation::begins)) and
//! where they end ([`Shape`](super::formats::format::Shape)). [`super::split`] asks for the first line of an entry,
//! [`Format::detect`] for the whole entry.

use super::ParseError;
use super::formats::format::Detected;
use super::formats::{BOARD, DIAGRAM, Format, MOVES};
use super::text::move_list;
use super::text::plain::{is_blank, plain};
use super::text::side::{Said, said};
use crate::board::{Game, Position};

/// The notation of an entry from its beginning: its first line, or all of it; `None` for other text.
pub fn recognize(text: &str) -> Option<Format> {
    let plain = plain(text);
    let text = plain.trim_start_matches(is_blank);
    Format::ALL
        .into_iter()
        .rev()
        .find(|format| (format.0.begins)(text))
}

impl Format {
    /// The notation that a text looks like; it may still have faults.
    pub fn detect(text: &str) -> Self {
        recognize(text).unwrap_or_else(|| {
            let text = plain(text);
            let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
            // A move list with a misprint still begins like one.
            let begins_like_moves =
                text.bytes()
                    .zip(text.bytes().skip(1))
                    .take(16)
                    .any(|(file, rank)| {
                        matches!(file.to_ascii_lowercase(), b'a'..=b'h')
                            && matches!(rank, b'1'..=b'8')
                    });
            match () {
                () if lines >= 8 => DIAGRAM,
                () if begins_like_moves => MOVES,
                () => BOARD,
            }
        })
    }
}

/// Whether `text` is a whole position or game and nothing else.
pub fn is_entry(text: &str) -> bool {
    Format::detect(text)
        .parse(text)
        .is_ok_and(|found| found.comment.is_empty())
}

/// The moves below a board that go on from `position`, with the words among them; `None` for other text.
///
/// # Errors
/// Moves that are illegal from there.
pub fn moves_below(position: Position, text: &str) -> Option<Result<(Game, String), ParseError>> {
    (Format::detect(text) == MOVES).then(|| move_list::read_game(position, text))
}

/// Reads a position in any notation; of a game its last position.
///
/// Reads 64 characters and a side, drawn boards, othelloAI's board file, OBF, FEN, hexadecimal bitboards (a1 = bit 0),
/// move lists from the usual start, GGF, SGF, PGN and JSON. The error names the likeliest notation.
pub fn parse_position(text: &str) -> Result<Detected, ParseError> {
    if text.trim().is_empty() {
        return Err(ParseError::unknown(text));
    }
    let format = Format::detect(text);
    if !format.is_of_games() && text.contains('\n') {
        return parse_with_moves(format, text);
    }
    format.parse(text)
}

/// Reads a position and the moves below it that go on from it.
fn parse_with_moves(format: Format, text: &str) -> Result<Detected, ParseError> {
    let lines: Vec<&str> = text.lines().collect();
    let below = lines
        .iter()
        .rev()
        .take_while(|line| recognize(line) == Some(MOVES))
        .count();
    let (board, moves) = lines.split_at(lines.len() - below);
    let whole = || format.parse(text);
    if below == 0 || board.is_empty() {
        return whole();
    }
    let position = format.parse(&board.join("\n"))?.position();
    let Some(read) = moves_below(position, &moves.join("\n")) else {
        return whole();
    };
    let (game, comment) = read.map_err(|error| error.down(board.len()))?;
    Ok(Detected {
        comment,
        ..Detected::new(MOVES, game.into())
    })
}

/// Whether a line names columns, as above tables of moves: `Black White`, `id,winner,moves`.
pub fn is_header(line: &str) -> bool {
    const NAMES: [&str; 10] = [
        "black",
        "white",
        "move",
        "moves",
        "transcript",
        "kifu",
        "game",
        "games",
        "record",
        "sequence",
    ];
    /// Further names in a header without commas.
    const OTHERS: [&str; 12] = [
        "no", "nr", "no.", "nr.", "#", "ply", "number", "time", "eval", "score", "player", "result",
    ];
    let is_name = |word: &str| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name));
    let is_other = |word: &str| OTHERS.iter().any(|name| word.eq_ignore_ascii_case(name));
    if line.len() > 400 || matches!(said(line, None), Said::Side(_)) {
        return false;
    }
    let is_sign = |c: char| matches!(c, ',' | ';' | '\t' | '|');
    if !line.contains(is_sign) {
        let mut words = line.split_whitespace();
        let has_name = words.clone().count() > 1 && words.clone().any(is_name);
        return has_name && words.all(|word| is_name(word) || is_other(word));
    }
    let fields = || {
        line.split(is_sign)
            .map(|field| field.trim_matches(is_blank))
            .filter(|f| !f.is_empty())
    };
    let is_plain = |field: &str| {
        field.split_whitespace().count() <= 2
            && field
                .chars()
                .all(|c| c.is_alphabetic() || c.is_whitespace() || "_-#.".contains(c))
    };
    fields().count() > 1
        && fields().all(is_plain)
        && fields().any(|field| field.split(['_', ' ', '-']).any(is_name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::notation::formats::*;

    #[test]
    fn every_notation_has_a_name_of_its_own() {
        let names = BTreeSet::from(Format::ALL.map(Format::name));
        assert_eq!(names.len(), Format::ALL.len());
    }

    #[test]
    fn errors_are_those_of_the_notation_meant() {
        let subject = |text: &str| parse_position(text).unwrap_err().subject;
        assert_eq!(subject(""), "entry");
        assert_eq!(subject("f5d6e9"), "move list");
        assert_eq!(subject("1. f5 d7"), "game");
        assert_eq!(subject("hello"), "board");
        assert_eq!(subject("8/8/8/8/8/8/8 b"), "FEN");
        assert_eq!(subject("(;BO[8 ---];)"), "GGF game");
        assert_eq!(subject("(;FF[4]GM[2];B[a1])"), "SGF game");
        assert_eq!(subject("[Black"), "PGN game");
        assert_eq!(subject(&"-".repeat(63)), "board");
        assert_eq!(subject(&format!("{}; f5:1", "-".repeat(64))), "OBF line");
        assert_eq!(subject(&"X X X X\n".repeat(8)), "diagram");
    }

    #[test]
    fn first_lines_and_whole_entries_are_the_same_notation() {
        let board = "---------------------------OX------XO--------------------------- X";
        for (text, format) in [
            ("f5d6", Some(MOVES)),
            ("1. f5 d6\n2. c3", Some(MOVES)),
            (
                "+f5-d6+c4-d3+e2-f6+c5-f4+g5-h6+f7-b5+g4-h3+h4-c3+b2-f8+a5-d2+c7-f3; 8",
                Some(MOVES),
            ),
            ("[\"f5\",\n\"d6\"]", Some(MOVES)),
            (&format!("{board}; f5:+2;"), Some(OBF)),
            ("(;GM[Othello]B[f5];)", Some(GGF)),
            ("(;FF[4]GM[2];B[f5])", Some(SGF)),
            ("[Black \"a\"]\n\n1. f5", Some(PGN)),
            ("{\"moves\":\n\"f5\"}", Some(JSON)),
            ("[{\"moves\":\"f5\"}]", Some(JSON)),
            ("{f5, d6}", Some(MOVES)),
            ("8/8/8/3pP3/3Pp3/8/8/8 b", Some(FEN)),
            ("hello", None),
        ] {
            assert_eq!(recognize(text), format, "{text}");
            assert_eq!(recognize(text.lines().next().unwrap()), format, "{text}");
        }
    }

    #[test]
    fn headers_are_no_entries() {
        for (line, header) in [
            ("Black White", true),
            ("No Black White", true),
            ("eOthello_game_id,winner,game_moves", true),
            ("Move | Black | White", true),
            ("Black to move", false),
            ("Black", false),
            ("f5,moves", false),
            ("my game", false),
            ("Well, the game was fun", false),
            ("X,O,-", false),
            ("moves: f5", false),
        ] {
            assert_eq!(is_header(line), header, "{line}");
        }
    }
}
