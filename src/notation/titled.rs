//! A game in a line of moves with a title before it, or with the values of the next moves behind it.

use super::movelist::{MoveList, is_name, play, whole_moves};
use super::token::{SUBJECT, play_as_written};
use super::{ParseError, moves};
use crate::board::{Game, Move, Position};

/// The game that a line of moves holds.
pub(super) struct ReadLine {
    /// The game and the notes in one line.
    pub game: (Game, String),
    /// Moves that are possible behind it, with their values.
    pub scores: Vec<(Move, i32)>,
}

/// Reads a game from the usual start; a title with one square in it may precede the moves: `d3 opening: f5d6c3`.
pub(super) fn read_line(text: &str) -> Result<ReadLine, ParseError> {
    let (list, title) = match titled(text) {
        Some((title, moves)) => (MoveList::read(moves), Some((title, moves))),
        None => (MoveList::read(text), None),
    };
    let mut list = list?;
    let (game, mut comment) = play(Position::START, title.map_or(text, |(_, moves)| moves), &mut list)?;
    if let Some((title, _)) = title {
        comment = format!("{title} {comment}").trim_end().to_owned();
    }
    if let Some((mv, _)) = list.scores.iter().find(|(mv, _)| play_as_written(&mut game.clone(), *mv).is_err())
    {
        let told = format!("the move {mv} with a value is not possible behind the moves before it");
        return Err(ParseError::doubtful(SUBJECT, text, 0, told));
    }
    Ok(ReadLine { game: (game, comment), scores: list.scores })
}

/// A title with one square, a sign and a game from the usual start: the title is no move.
fn titled(text: &str) -> Option<(&str, &str)> {
    let at = text.find([':', '=', '|', '\t']).filter(|_| !text.trim_end().contains('\n'))?;
    let (title, moves) = (text[..at].trim(), &text[at + 1..]);
    let squares = |word: &str| {
        whole_moves(word).filter(|(_, rest)| rest.is_empty()).map_or(0, |(moves, _)| moves.len())
    };
    let words = || title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_name =
        |word: &str| is_name(word, "") && word.len() > 2 && !word.starts_with(|c: char| c.is_ascii_digit());
    let has_title = words().map(squares).sum::<usize>() == 1
        && !title.contains(['#', '%', ';', '{', '('])
        && words().any(|word| squares(word) == 0 && is_name(word));
    let game = MoveList::read(moves).ok().filter(|list| has_title && list.turns.len() > 1)?;
    moves::replay(Position::START, game.turns.iter().map(|turn| turn.mv)).ok()?;
    Some((title, moves))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::moves::write_moves;

    fn read(text: &str) -> Result<(String, String, usize), String> {
        let ReadLine { game: (game, notes), scores } = read_line(text).map_err(|error| error.to_string())?;
        Ok((write_moves(game.moves()), notes, scores.len()))
    }

    #[test]
    fn the_square_of_a_title_is_no_move() {
        for (text, title) in [
            ("d3 opening: f5d6c3", "d3 opening"),
            ("c4 - Heath: f5 d6 c3", "c4 - Heath"),
            ("e3 line\tf5d6c3", "e3 line"),
        ] {
            assert_eq!(read(text), Ok(("f5d6c3".to_owned(), title.to_owned(), 0)), "{text}");
        }
        for text in ["c4 Heath f5f6e6d6", "d3 c5 trap: f5d6c3"] {
            let error = read(text).unwrap_err();
            assert!(error.contains("may be the first move of a game or part of a remark"), "{error}");
        }
    }

    #[test]
    fn moves_with_values_behind_the_game_are_not_played() {
        for text in ["f5d6c3 ; d3:+2 ; f4:-1", "f5d6c3; d3: +2; f4: -1;"] {
            assert_eq!(read(text), Ok(("f5d6c3".to_owned(), String::new(), 2)), "{text}");
        }
        assert!(read("f5d6c3; a1:+2").unwrap_err().contains("is not possible"));
        assert!(read("f5:+2; d3:-1").unwrap_err().contains("may be a game or the moves of one position"));
        assert_eq!(read("f5 +2.0 d6 -1").unwrap().0, "f5d6");
    }

    #[test]
    fn a_semicolon_begins_a_remark_or_stands_between_moves() {
        assert_eq!(read("f5 d6 ; c3 was better"), Ok(("f5d6".to_owned(), "c3 was better".to_owned(), 0)));
        assert_eq!(read("f5 ; d6 ; c3").unwrap().0, "f5d6c3");
        assert_eq!(read("+f5-d6+c3; 8").unwrap().0, "f5d6c3");
        assert_eq!(read("f5; d6; c3 Tiger"), Ok(("f5d6c3".to_owned(), "Tiger".to_owned(), 0)));
        for text in ["f5 d6; c3 was better", "f5; d6 was better"] {
            assert!(read(text).unwrap_err().contains("may be the next move"), "{text}");
        }
        assert!(read("; f5 d6").is_err());
    }

    #[test]
    fn signs_of_zebra_are_the_sides() {
        assert!(read("+f5-d6-c3+d3").unwrap_err().contains("c3 is written as a move of White"));
    }
}
