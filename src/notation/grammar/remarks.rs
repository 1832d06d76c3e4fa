//! Remarks, and boards in them.

use super::board::is_sign;
use super::words::lex_move;
use crate::board::{Move, Position};
use crate::notation::read::is_fen;

/// Fewer signs in a row are no board.
const LEAST_SIGNS: usize = 60;

/// The byte of a remark's sign: `#` or `%` at the start or behind a blank.
pub fn remark(line: &str) -> Option<usize> {
    let mut before = ' ';
    line.char_indices().find_map(|(at, c)| {
        let begins = matches!(c, '#' | '%') && (before.is_whitespace() || before == ';');
        before = c;
        begins.then_some(at)
    })
}

/// A move and its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// Final disc difference for the side to move, `-127..=127`.
    pub discs: i32,
}

/// A move and its score: `f5:+2`.
pub fn scored(field: &str) -> Option<ScoredMove> {
    let (mv, score) = field.split_once(':')?;
    let (mv, length) = lex_move(mv.trim()).filter(|(_, length)| *length == mv.trim().len())?;
    let discs = score
        .trim_end()
        .parse()
        .ok()
        .filter(|discs| (-127..=127).contains(discs))?;
    (length > 0).then_some(ScoredMove { mv, discs })
}

/// Whether a text holds a board: 60 and more signs in a row, or a word with seven `/`.
pub fn holds_board(text: &str) -> bool {
    let mut run = 0;
    let mut first = None;
    let mut is_mixed = false;
    for c in text.chars() {
        if is_sign(c) {
            run += 1;
            is_mixed |= *first.get_or_insert(c) != c;
            if run >= LEAST_SIGNS && is_mixed {
                return true;
            }
        } else if !(c.is_whitespace() || matches!(c, ',' | '|' | '/' | '\'' | '"')) {
            (run, first, is_mixed) = (0, None, false);
        }
    }
    text.contains('/') && text.split_whitespace().any(is_fen)
}

/// Whether a score may stand behind a move: a legal one, or a pass, which suites score as -127 where it is illegal.
pub fn is_scorable(position: Position, mv: Move) -> bool {
    mv == Move::Pass || position.play(mv).is_ok()
}
