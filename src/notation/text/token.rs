//! One move at the start of a text, and one move of a game as texts give it.

use crate::board::{Color, Game, IllegalMove, Move, Square};
use crate::notation::Fault;

/// The name of lists of moves in errors.
pub const SUBJECT: &str = "move list";
/// The expectation in place of a move.
pub const EXPECTED: &str = "a square a1-h8 or a pass";
/// More turns than any game has: 60 placements and at most one pass after each.
pub const MAX_MOVES: usize = 128;

/// The move at the very start of `text` and its length in bytes.
pub fn lex_move(text: &str) -> Option<(Move, usize)> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    if let (b'a'..=b'h', Some(rank @ b'1'..=b'8')) = (first.to_ascii_lowercase(), bytes.get(1)) {
        return Some((
            Move::Place(Square::at(first.to_ascii_lowercase() - b'a', rank - b'1')),
            2,
        ));
    }
    if first.eq_ignore_ascii_case(&b'p') {
        return Some((Move::Pass, pass_length(bytes)));
    }
    let spelled = |pass: &[u8]| bytes.starts_with(pass).then_some((Move::Pass, pass.len()));
    spelled(b"@@@@").or_else(|| spelled(b"--"))
}

/// Bytes of the pass at the start of `bytes`, whose first letter is a `p`.
fn pass_length(bytes: &[u8]) -> usize {
    if bytes.get(1).is_some_and(|b| b.eq_ignore_ascii_case(&b's')) {
        return 2;
    }
    let length = bytes
        .iter()
        .zip(b"pass")
        .take_while(|(b, p)| b.eq_ignore_ascii_case(p))
        .count();
    // `pa1` is a pass and then a1.
    if length == 2 && matches!(bytes.get(2), Some(b'1'..=b'8')) {
        1
    } else {
        length
    }
}

/// Plays a written move: adds a missing forced pass, ignores a pass after the end.
pub fn play_as_written(game: &mut Game, mv: Move) -> Result<(), IllegalMove> {
    match mv {
        Move::Pass if game.is_over() => Ok(()),
        Move::Pass => game.play(mv),
        Move::Place(square) => game.play_implying_pass(square),
    }
}

/// Plays a move of a list, of the side that the text names; the side of a pass does not matter.
pub fn play_turn(game: &mut Game, color: Option<Color>, mv: Move) -> Result<(), Fault> {
    match color {
        Some(color) if mv != Move::Pass => play_for(game, color, mv),
        _ => play_as_written(game, mv).map_err(Fault::from),
    }
}

/// Plays a move that the text assigns to `color`; adds a missing forced pass of the other side.
///
/// On an error the game is unchanged.
pub fn play_for(game: &mut Game, color: Color, mv: Move) -> Result<(), Fault> {
    if game.is_over() {
        return play_as_written(game, mv).map_err(Fault::from);
    }
    let is_other = game.position().side != color;
    if is_other && !game.pass_if_forced() {
        let (stated, side) = (color.title(), color.other().title());
        let message =
            format!("{mv} is written as a move of {stated}, but {side} is to move and has moves");
        return Err(Fault::Doubtful(message.into()));
    }
    game.play(mv).map_err(|illegal| {
        if is_other {
            game.undo();
        }
        illegal.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color::{Black, White};
    use crate::board::Position;
    use crate::notation::text::moves::{parse_game, parse_move};

    #[test]
    fn a_move_belongs_to_the_side_that_the_text_names() {
        let mut game = parse_game(Position::START, "f5f6d3g5h5h4f7h6").unwrap();
        let before = game.clone();
        let mut play = |color, text: &str| {
            let played = play_for(&mut game, color, parse_move(text).unwrap());
            let message = played
                .err()
                .map_or_else(String::new, |fault| fault.to_string());
            assert!(message.is_empty() || game == before, "{message}");
            message
        };
        // Black must pass here.
        assert_eq!(
            play(Black, "e7"),
            "e7 is illegal: there is no legal move, only a pass"
        );
        assert_eq!(
            play(White, "pa"),
            "pa is illegal: there are legal moves, so no pass"
        );
        assert_eq!(play(White, "e7"), "");
        assert_eq!(game.moves().len(), 10);
        let mut game = Game::default();
        let message = play_for(&mut game, White, Move::Place("f5".parse().unwrap()))
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "f5 is written as a move of White, but Black is to move and has moves"
        );
    }
}
