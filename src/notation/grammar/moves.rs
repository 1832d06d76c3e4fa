//! Moves as text: `f5`, `PA`, `F5/1.20/0.35`; games of them. Lists are read by `list`.

use super::list::MoveList;
use super::words::{EXPECTED, SUBJECT, lex_move, play_as_written};
use crate::board::{Game, Move, Position};
use crate::notation::ParseError;
use crate::notation::error::Code;
use crate::notation::scanner::decimal;

/// A move with its value and time, as in protocols and game files: `F5/1.20/0.35`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveToken {
    /// The move.
    pub mv: Move,
    /// Value in discs for the mover, if given and readable.
    pub eval: Option<f64>,
    /// Elapsed time in seconds, if given and readable; never negative.
    pub seconds: Option<f64>,
}

/// Reads a single move; the whole text, up to surrounding blanks, must be one.
pub fn parse_move(text: &str) -> Result<Move, ParseError> {
    let trimmed = text.trim();
    match lex_move(trimmed) {
        Some((mv, length)) if length == trimmed.len() => Ok(mv),
        _ => Err(ParseError::at(
            "move",
            text,
            text.len() - text.trim_start().len(),
            EXPECTED,
        )),
    }
}

/// Reads `F5`, `F5/eval`, `F5/eval/seconds`, `F5//seconds`, or the same with blanks for slashes.
///
/// Only the move can fail: characters glued to it are skipped, and an unreadable eval or time is `None`. Decimal commas
/// and exponents are accepted, as GUIs in other locales send them.
pub fn parse_move_token(text: &str) -> Result<MoveToken, ParseError> {
    let trimmed = text.trim();
    let (move_text, rest) =
        trimmed.split_at(trimmed.find(['/', ' ', '\t']).unwrap_or(trimmed.len()));
    let Some((mv, _)) = lex_move(move_text) else {
        return Err(ParseError::at(
            "move",
            text,
            text.len() - text.trim_start().len(),
            EXPECTED,
        ));
    };
    let rest = rest.trim_start();
    let mut fields = match rest.strip_prefix('/') {
        Some(fields) => fields.split('/').collect::<Vec<_>>(),
        None => rest.split_whitespace().collect(),
    }
    .into_iter();
    let eval = fields.next().and_then(decimal);
    let seconds = fields.next().and_then(decimal).filter(|&s| s >= 0.0);
    Ok(MoveToken { mv, eval, seconds })
}

/// Reads a list of moves without checking the rules, numbers included.
///
/// A remark or result is an error. An empty text is an empty list.
pub fn parse_moves(text: &str) -> Result<Vec<Move>, ParseError> {
    Ok(bare_list(text)?
        .turns
        .into_iter()
        .map(|turn| turn.mv)
        .collect())
}

/// Reads a list of moves as [`parse_moves`] does and plays it from `start`; adds missing passes and checks the numbers.
pub fn parse_game(start: Position, text: &str) -> Result<Game, ParseError> {
    bare_list(text)?.play(start, text)
}

/// A list without remark, scores and result, which may be empty.
fn bare_list(text: &str) -> Result<MoveList, ParseError> {
    if text.trim().is_empty() {
        return Ok(MoveList::default());
    }
    let list = MoveList::read(text)?;
    if list.remark.is_empty() && list.result.is_none() && list.scores.is_empty() {
        return Ok(list);
    }
    let last = list.turns.last().map_or(0, |turn| turn.range.end);
    let error = ParseError::at(SUBJECT, text, text.floor_char_boundary(last), EXPECTED);
    Err(error.with(Code::UnknownWord))
}

/// Plays `moves` from `start` and adds missing passes.
///
/// Ignores passes after the end of the game. The error of an illegal move names its place among `moves`, from 1.
pub fn replay(start: Position, moves: impl IntoIterator<Item = Move>) -> Result<Game, ParseError> {
    let mut game = Game::new(start);
    for (index, mv) in moves.into_iter().enumerate() {
        play_as_written(&mut game, mv)
            .map_err(|error| ParseError::of_turn("game", index + 1, error.into()))?;
    }
    Ok(game)
}

/// Writes moves without separators, lower case: `f5d6c3`.
///
/// Omits passes except those behind the last square: the rules imply them.
pub fn write_moves(moves: &[Move]) -> String {
    let placed = moves
        .iter()
        .rposition(|&mv| mv != Move::Pass)
        .map_or(0, |last| last + 1);
    let is_needed = |&(index, mv): &(usize, &Move)| index >= placed || *mv != Move::Pass;
    moves
        .iter()
        .enumerate()
        .filter(is_needed)
        .map(|(_, mv)| mv.to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Color};

    fn text_of(moves: &[Move]) -> String {
        moves
            .iter()
            .map(|mv| mv.to_string() + " ")
            .collect::<String>()
            .trim_end()
            .to_string()
    }

    #[test]
    fn every_pass_is_a_pass() {
        for pass in [
            "pa", "pass", "PA", "PASS", "ps", "PS", "PP", "--", "@@@@", "パス",
        ] {
            assert_eq!(parse_move(pass), Ok(Move::Pass), "{pass}");
            assert_eq!(
                text_of(&parse_moves(&format!("a1{pass}h8")).unwrap()),
                "a1 pa h8",
                "{pass}"
            );
            assert_eq!(
                text_of(&parse_moves(&format!("a1 {pass} a2")).unwrap()),
                "a1 pa a2",
                "{pass}"
            );
            assert_eq!(
                text_of(&parse_moves(&format!("{pass}a1")).unwrap()),
                "pa a1",
                "{pass}"
            );
        }
    }

    #[test]
    fn faults_are_named_where_they_are() {
        let error = |text| parse_moves(text).unwrap_err().to_string();
        assert_eq!(
            error("f5d9"),
            r#"move list, column 3: expected a square a1-h8 or a pass, found "d9""#
        );
        assert_eq!(
            error("f5\n d6 i1"),
            r#"move list, line 2, column 5: expected a square a1-h8 or a pass, found "i1""#
        );
        assert_eq!(
            error("f56"),
            r#"move list, column 3: expected a square a1-h8 or a pass, found "6""#
        );
        assert_eq!(
            error(&"a1".repeat(129)),
            "move list, column 257: more than 128 moves"
        );
        assert!(parse_move("").is_err());
        assert!(parse_move("f5d6").is_err());
        assert_eq!(parse_move(" e6 ").unwrap().to_string(), "e6");
    }

    #[test]
    fn tokens_carry_eval_and_time_in_every_locale() {
        let token = |text| {
            let MoveToken { mv, eval, seconds } = parse_move_token(text).unwrap();
            (mv.to_string(), eval, seconds)
        };
        let f5 = "f5".to_string();
        assert_eq!(token("F5"), (f5.clone(), None, None));
        assert_eq!(token("f5/1.2"), (f5.clone(), Some(1.2), None));
        assert_eq!(token("F5//0.5"), (f5.clone(), None, Some(0.5)));
        assert_eq!(
            token("F5/1,23/0.066"),
            (f5.clone(), Some(1.23), Some(0.066))
        );
        assert_eq!(
            token("F5/1.0/1.0E-4"),
            (f5.clone(), Some(1.0), Some(0.0001))
        );
        assert_eq!(token("F5x/-.5/3"), (f5.clone(), Some(-0.5), Some(3.0)));
        assert_eq!(token("F5/nan/-1"), (f5.clone(), None, None));
        assert_eq!(token("d6 -1.00 0.5"), ("d6".into(), Some(-1.0), Some(0.5)));
        assert_eq!(token("PASS//2"), ("pa".into(), None, Some(2.0)));
        assert_eq!(token("--/0.00"), ("pa".into(), Some(0.0), None));
        for bad in ["", "zz", "99", "a9", "/f5", "resign", "i5", "\u{e9}5"] {
            assert!(parse_move_token(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn replay_checks_the_rules() {
        let game = parse_game(Position::START, "f5d6c3").unwrap();
        assert_eq!(game.position().side, Color::White);
        assert_eq!(write_moves(game.moves()), "f5d6c3");
        let error = |text| parse_game(Position::START, text).unwrap_err().to_string();
        assert_eq!(
            error("f5f5"),
            "game, move 2: f5 is illegal: the square is occupied"
        );
        assert_eq!(
            error("f5a1"),
            "game, move 2: a1 is illegal: it turns no disc"
        );
        assert_eq!(
            error("f5pa"),
            "game, move 2: pa is illegal: there are legal moves, so no pass"
        );
    }

    #[test]
    fn replay_puts_in_left_out_passes() {
        let board = Board {
            player: 0b10,
            opponent: 0b10 << 32 | 1,
        };
        assert!(board.moves().is_empty());
        let start = Position {
            board,
            side: Color::Black,
        };
        let mv = Move::Place(board.opponent_moves().first().unwrap());
        let game = replay(start, [mv]).unwrap();
        assert_eq!(game.moves(), [Move::Pass, mv]);
        assert_eq!(game.position().side, Color::Black);
        assert_eq!(replay(start, [Move::Pass, mv]).unwrap(), game);
        assert!(game.is_over());
        assert_eq!(write_moves(game.moves()), mv.to_string());
        assert_eq!(write_moves(&[mv, Move::Pass]), format!("{mv}pa"));
        assert_eq!(replay(start, [mv, Move::Pass, Move::Pass]).unwrap(), game);
    }
}
