//! One move at the start of a text, and one move of a game as texts give it.

use crate::board::{Game, IllegalMove, Move, Square};

/// What lists of moves are called in errors.
pub(super) const SUBJECT: &str = "move list";
/// What should stand where a move was not found.
pub(super) const EXPECTED: &str = "a square a1-h8 or a pass";
/// More turns than any game has: 60 placements and at most one pass after each.
pub const MAX_MOVES: usize = 128;

/// The move at the very start of `text` and its length in bytes.
pub(super) fn lex_move(text: &str) -> Option<(Move, usize)> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    if let (b'a'..=b'h', Some(rank @ b'1'..=b'8')) = (first.to_ascii_lowercase(), bytes.get(1)) {
        return Some((Move::Place(Square::at(first.to_ascii_lowercase() - b'a', rank - b'1')), 2));
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
    let length = bytes.iter().zip(b"pass").take_while(|(b, p)| b.eq_ignore_ascii_case(p)).count();
    // `pa1` is a pass and then a1.
    if length == 2 && matches!(bytes.get(2), Some(b'1'..=b'8')) { 1 } else { length }
}

/// Plays a move as texts give it: with forced passes left out, or with passes after the end.
pub(super) fn play_as_written(game: &mut Game, mv: Move) -> Result<(), IllegalMove> {
    match mv {
        Move::Pass if game.is_over() => Ok(()),
        Move::Pass => game.play(mv),
        Move::Place(square) => game.play_implying_pass(square),
    }
}
