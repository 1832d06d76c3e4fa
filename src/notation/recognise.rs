//! Which notation a text is: the one table behind splitting, detection, file names and moves below a board.
//!
//! Each notation states once how its entries begin ([`Notation::begins`](super::format::Notation::begins)) and where
//! they end ([`Shape`](super::format::Shape)). [`super::split`] asks for the first line of an entry, [`Format::detect`]
//! for the whole entry. Drawn boards are read by [`super::diagram`], lists of moves by [`super::movelist`].

use super::diagram::{BOARD, DIAGRAM};
use super::example::EXAMPLE;
use super::fen::FEN;
use super::format::{BitOrder, Format};
use super::ggf_games::GGF;
use super::hex::HEX;
use super::json::JSON;
use super::list::MOVES;
use super::obf::OBF;
use super::pgn::PGN;
use super::plain::{is_blank, plain};
use super::sgf::SGF;
use super::side::{Said, said};
use super::{ParseError, movelist};
use crate::board::{Game, Position};

/// The notations of texts; the first whose entries begin as a text does is its notation.
const TABLE: [Format; 11] = [SGF, GGF, JSON, PGN, FEN, HEX, OBF, EXAMPLE, DIAGRAM, BOARD, MOVES];

/// The notation of an entry from its beginning: its first line, or all of it; `None` for other text.
pub(super) fn recognise(text: &str) -> Option<Format> {
    let plain = plain(text);
    let text = plain.trim_start_matches(is_blank);
    TABLE.into_iter().find(|format| (format.0.begins)(text))
}

impl Format {
    /// The notation that a text looks like; it may still have faults.
    pub fn detect(text: &str) -> Self {
        recognise(text).unwrap_or_else(|| {
            let text = plain(text);
            let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
            // A move list with a misprint still begins like one.
            let begins_like_moves = text.bytes().zip(text.bytes().skip(1)).take(16).any(|(file, rank)| {
                matches!(file.to_ascii_lowercase(), b'a'..=b'h') && matches!(rank, b'1'..=b'8')
            });
            match () {
                () if lines >= 8 => DIAGRAM,
                () if begins_like_moves => MOVES,
                () => BOARD,
            }
        })
    }
}

/// Whether `text` is a whole position or game with nothing else in it.
pub fn is_entry(text: &str, bits: BitOrder) -> bool {
    Format::detect(text).parse(text, bits).is_ok_and(|found| found.comment.is_empty())
}

/// The moves below a board that go on from `position`, with the words among them; `None` for other text.
///
/// # Errors
/// Moves that are illegal from there.
pub fn moves_below(position: Position, text: &str) -> Option<Result<(Game, String), ParseError>> {
    (Format::detect(text) == MOVES).then(|| movelist::read_game(position, text))
}

/// Whether a line names columns, as above tables of moves: `Black White`, `id,winner,moves`.
pub(super) fn is_header(line: &str) -> bool {
    const NAMES: [&str; 10] =
        ["black", "white", "move", "moves", "transcript", "kifu", "game", "games", "record", "sequence"];
    /// Further names in a header without commas.
    const OTHERS: [&str; 12] =
        ["no", "nr", "no.", "nr.", "#", "ply", "number", "time", "eval", "score", "player", "result"];
    let is_name = |word: &str| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name));
    let is_other = |word: &str| OTHERS.iter().any(|name| word.eq_ignore_ascii_case(name));
    if line.len() > 400 || matches!(said(line, None), Said::Side(_)) {
        return false;
    }
    let is_sign = |c: char| matches!(c, ',' | ';' | '\t' | '|');
    if !line.contains(is_sign) {
        let mut words = line.split_whitespace();
        return line.split_whitespace().count() > 1
            && line.split_whitespace().any(is_name)
            && words.all(|word| is_name(word) || is_other(word));
    }
    let fields = || line.split(is_sign).map(|field| field.trim_matches(is_blank)).filter(|f| !f.is_empty());
    let is_plain = |field: &str| {
        field.split_whitespace().count() <= 2
            && field.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || "_-#.".contains(c))
    };
    fields().count() > 1
        && fields().all(is_plain)
        && fields().any(|field| field.split(['_', ' ', '-']).any(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines_and_whole_entries_are_the_same_notation() {
        let board = "---------------------------OX------XO--------------------------- X";
        for (text, format) in [
            ("f5d6", Some(MOVES)),
            ("1. f5 d6\n2. c3", Some(MOVES)),
            ("+f5-d6+c4-d3+e2-f6+c5-f4+g5-h6+f7-b5+g4-h3+h4-c3+b2-f8+a5-d2+c7-f3; 8", Some(MOVES)),
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
            assert_eq!(recognise(text), format, "{text}");
            assert_eq!(recognise(text.lines().next().unwrap()), format, "{text}");
        }
    }

    #[test]
    fn headers_are_no_entries() {
        for line in
            ["Black White", "No Black White", "eOthello_game_id,winner,game_moves", "Move | Black | White"]
        {
            assert!(is_header(line), "{line}");
        }
        for line in
            ["Black to move", "Black", "f5,moves", "my game", "Well, the game was fun", "X,O,-", "moves: f5"]
        {
            assert!(!is_header(line), "{line}");
        }
    }
}
