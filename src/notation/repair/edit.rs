//! A written turn, and the errors of a turn.

use std::fmt;

use crate::board::{Color, Move, Square};
use crate::notation::grammar::moves::MoveToken;

/// A written turn, legal or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// The move with its value and time; `None` for another word.
    pub token: Option<MoveToken>,
    /// The side that the text names.
    pub color: Option<Color>,
}

/// One error, by the numbers of the turns that are written, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A wrong square.
    Misread {
        /// The turn.
        turn: usize,
        /// The written move; `None` for another word.
        was: Option<Move>,
        /// The right square.
        now: Square,
    },
    /// Two moves exchanged.
    Swapped {
        /// The earlier turn and its written move.
        first: (usize, Move),
        /// The later turn and its written move.
        second: (usize, Move),
    },
    /// A missing move.
    Missing {
        /// The turn behind it, or the number of turns.
        turn: usize,
        /// The right square.
        now: Square,
    },
    /// A superfluous move.
    Superfluous {
        /// The turn.
        turn: usize,
        /// The written move; `None` for another word.
        was: Option<Move>,
    },
}

impl Turn {
    /// A turn with only a move.
    pub fn of(mv: Option<Move>) -> Self {
        Self {
            token: mv.map(|mv| MoveToken {
                mv,
                eval: None,
                seconds: None,
            }),
            color: None,
        }
    }

    /// The move, if it is one.
    pub fn mv(&self) -> Option<Move> {
        self.token.map(|token| token.mv)
    }
}

impl fmt::Display for Edit {
    /// The written move and the right one; turns count from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written =
            |was: Option<Move>| was.map_or_else(|| "no move".to_owned(), |mv| mv.to_string());
        match *self {
            Self::Misread { turn, was, now } => {
                write!(f, "move {} was {}, now {now}", turn + 1, written(was))
            }
            Self::Swapped {
                first: (first, one),
                second: (second, other),
            } => {
                let (first, second) = (first + 1, second + 1);
                write!(
                    f,
                    "moves {first} and {second} were {one} and {other}, now {other} and {one}"
                )
            }
            Self::Missing { turn, now } => write!(f, "move {} was missing, now {now}", turn + 1),
            Self::Superfluous { turn, was } => {
                write!(f, "move {} was {}, now gone", turn + 1, written(was))
            }
        }
    }
}
