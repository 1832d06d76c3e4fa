//! Positions in any notation; `recognise.rs` finds the notation.

use std::str::FromStr;

use thiserror::Error;

use super::ParseError;
use super::diagram::{BOARD, DIAGRAM};
use super::error::Shown;
use super::example::EXAMPLE;
use super::fen::FEN;
use super::format::{BitOrder, Detected, Format};
use super::ggf_games::GGF;
use super::hex::HEX;
use super::json::JSON;
use super::list::MOVES;
use super::obf::OBF;
use super::pgn::PGN;
use super::recognise::{moves_below, recognise};
use super::sgf::{GOGUI, SGF};
use super::wthor_games::WTHOR;

/// The name is of no notation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{}\" is no notation: {}", Shown(.0), Format::ALL.map(Format::name).join(", "))]
pub struct UnknownFormat(String);

impl Format {
    /// Every notation.
    pub const ALL: [Self; 13] =
        [MOVES, BOARD, DIAGRAM, EXAMPLE, OBF, HEX, FEN, PGN, GGF, SGF, GOGUI, JSON, WTHOR];
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

/// Reads a position in any notation; of a game its last position.
///
/// Understood are 64 characters and a side, drawn boards, othelloAI's board file, OBF, FEN, hexadecimal
/// bitboards (a1 = bit 0), move lists from the usual start, GGF, SGF, PGN and JSON. The error is that of the notation
/// which the text looks like.
pub fn parse_position(text: &str) -> Result<Detected, ParseError> {
    if text.trim().is_empty() {
        return Err(ParseError::unknown(text));
    }
    let format = Format::detect(text);
    if !format.is_of_games() && text.contains('\n') {
        return parse_with_moves(format, text);
    }
    format.parse(text, BitOrder::A1Lsb)
}

/// Reads a position and the moves below it that go on from it.
fn parse_with_moves(format: Format, text: &str) -> Result<Detected, ParseError> {
    let lines: Vec<&str> = text.lines().collect();
    let below = lines.iter().rev().take_while(|line| recognise(line) == Some(MOVES)).count();
    let (board, moves) = lines.split_at(lines.len() - below);
    let whole = || format.parse(text, BitOrder::A1Lsb);
    if below == 0 || board.is_empty() {
        return whole();
    }
    let position = format.parse(&board.join("\n"), BitOrder::A1Lsb)?.position();
    let Some(read) = moves_below(position, &moves.join("\n")) else { return whole() };
    let (game, comment) = read.map_err(|error| error.down(board.len()))?;
    Ok(Detected { comment, ..Detected::new(MOVES, game.into()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::notation::hex::write_hex;
    use crate::notation::{NamedGame, diagram, example, fen, moves, pgn, record_ggf, sgf};

    /// After f5 d6.
    fn want() -> Position {
        moves::parse_game(Position::START, "f5d6").unwrap().position()
    }

    #[test]
    fn every_notation_is_recognised() {
        let position = want();
        let record: NamedGame = moves::parse_game(Position::START, "f5d6").unwrap().into();
        let board = diagram::write_board(&position);
        let example = example::ExampleBoard { position, seconds: 5 };
        for (format, text) in [
            (MOVES, "f5d6".to_string()),
            (MOVES, "1. F5 D6".to_string()),
            (MOVES, "\n1. f5\n2. d6\n".to_string()),
            (BOARD, board.clone()),
            (BOARD, format!("{}\nX", &board[..64])),
            (DIAGRAM, diagram::write_diagram(&position)),
            (HEX, write_hex(&position, BitOrder::A1Lsb)),
            (EXAMPLE, example::write_example_board(&example)),
            (FEN, fen::write_fen(&position)),
            (OBF, format!("{board};")),
            (OBF, format!("{board}; C3:+0; % a comment\n{board};")),
            (GGF, record_ggf(&record).to_string()),
            (GGF, "(;B[F5]W[D6];)".to_string()),
            (GGF, "1 (;GM[othello]B[F5]W[D6];)".to_string()),
            (SGF, sgf::write_sgf(&record)),
            (SGF, "(;B[f5];W[d6])".to_string()),
            (PGN, pgn::write_pgn(&record)),
        ] {
            let detected = parse_position(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
            assert_eq!((detected.format, detected.position()), (format, position), "{text}");
        }
    }

    #[test]
    fn old_sgf_is_sgf() {
        for text in [
            "(;FF[3]GM[2];B[f5];W[d6])",
            "(;GaMe[2]SiZe[8]PlayerBlack[a];Black[f5];White[d6])",
            "(;PB[a]PW[b];B[f5]\n;W[d6])",
        ] {
            assert_eq!(Format::detect(text), SGF, "{text}");
            assert_eq!(parse_position(text).unwrap().position(), want(), "{text}");
        }
        assert_eq!(parse_position("(;FF[3]GM[2];B[a1])").unwrap_err().subject, "SGF game");
    }

    #[test]
    fn names_behind_moves_go_into_games() {
        let record = parse_position("f5d6   Perpendicular").unwrap().record;
        for text in [record_ggf(&record).to_string(), sgf::write_sgf(&record), pgn::write_pgn(&record)] {
            assert!(text.contains("Perpendicular"), "{text}");
            assert_eq!(parse_position(&text).unwrap().record.game, record.game);
        }
    }

    #[test]
    fn every_notation_has_a_name_of_its_own() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!("FEN".parse::<Format>().unwrap_err().to_string().lines().count(), 1);
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
}
