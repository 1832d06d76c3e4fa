//! Move numbers: `1.`, `1)`, `1:`, and `1...` before White's move.

use crate::board::{Color, Game, Move};

/// A move number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    pub value: u32,
    /// `...`: White's move follows.
    pub is_whites: bool,
}

/// The move number at the start of a plain text, and its length.
pub fn lex_number(text: &str) -> Option<(Number, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let value = text[..digits].parse().ok()?;
    let rest = &text[digits..];
    let dots = rest.bytes().take_while(|b| *b == b'.').count();
    let is_sign = rest.starts_with([')', ':']);
    let length = if is_sign { 1 } else { dots };
    let number = Number {
        value,
        is_whites: dots == 3,
    };
    (is_sign || matches!(dots, 1 | 3)).then_some((number, digits + length))
}

/// The ways to count that all numbers of a list so far allow.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    pairs: bool,
    turns: bool,
    discs: bool,
    /// Whether the first move has a number.
    has_any: Option<bool>,
    placed: u32,
}

impl Default for Numbers {
    fn default() -> Self {
        Self {
            pairs: true,
            turns: true,
            discs: true,
            has_any: None,
            placed: 0,
        }
    }
}

impl Numbers {
    /// Checks the number before the next move of a game, or that it may be missing; the error is the expectation.
    pub fn check(&mut self, game: &Game, mv: Move, number: Option<Number>) -> Result<(), String> {
        let position = game.position();
        // A pass that the text omits is a turn.
        let is_passed = mv != Move::Pass && position.board.moves().is_empty();
        let side = if is_passed {
            position.side.other()
        } else {
            position.side
        };
        let ply = (game.moves().len() + usize::from(is_passed)) as u32;
        let offset = u32::from(game.start().side == Color::White);
        let before = *self;
        let has_any = *self.has_any.get_or_insert(number.is_some());
        let pair = (ply + offset) / 2 + 1;
        let disc = self.placed + 1;
        self.placed += u32::from(mv != Move::Pass);
        match number {
            None if has_any => (self.turns, self.discs) = (false, false),
            None => return Ok(()),
            Some(_) if !has_any => return Err("no number, as before the first move".to_owned()),
            Some(Number { value, is_whites }) => {
                self.pairs &= value == pair && is_whites == (side == Color::White);
                self.turns &= value == ply + 1 && !is_whites;
                self.discs &= value == disc && !is_whites;
            }
        }
        if self.pairs || self.turns || self.discs {
            return Ok(());
        }
        Err(match (before.pairs, before.turns, side) {
            (true, _, Color::White) => {
                format!("the number {pair}... or no number before White's move")
            }
            (true, ..) => format!("the number {pair}. before Black's move"),
            (_, true, _) => format!("the number {}", ply + 1),
            _ => format!("the number {disc}"),
        })
    }
}
