//! A turn as a text has it, and what may be wrong with one.

use std::fmt;

use crate::board::{Color, Move, Square};
use crate::notation::text::moves::MoveToken;

/// A turn of a game as it is written, legal or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// The move with its value and time; `None` where something stands that is no move.
    pub token: Option<MoveToken>,
    /// The side that the text says plays it.
    pub color: Option<Color>,
}

/// One error, by the numbers of the turns that are written, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Another square was played than the one that is written.
    Misread {
        /// The turn.
        turn: usize,
        /// What is written; `None` if that is no move.
        was: Option<Move>,
        /// What was played.
        now: Square,
    },
    /// Two moves stand in each other's place.
    Swapped {
        /// The earlier turn, and what is written there.
        first: (usize, Move),
        /// The later turn.
        second: (usize, Move),
    },
    /// A move was left out.
    Missing {
        /// The turn before which it belongs, or the number of turns.
        turn: usize,
        /// What was played.
        now: Square,
    },
    /// A move too much is written.
    Superfluous {
        /// The turn.
        turn: usize,
        /// What is written; `None` if that is no move.
        was: Option<Move>,
    },
}

impl Turn {
    /// A turn of which nothing but the move is known.
    pub fn of(mv: Option<Move>) -> Self {
        Self { token: mv.map(|mv| MoveToken { mv, eval: None, seconds: None }), color: None }
    }

    /// The move, if it is one.
    pub fn mv(&self) -> Option<Move> {
        self.token.map(|token| token.mv)
    }
}

impl fmt::Display for Edit {
    /// What was written and what stands there now; turns count from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = |was: Option<Move>| was.map_or_else(|| "no move".to_owned(), |mv| mv.to_string());
        match *self {
            Self::Misread { turn, was, now } => {
                write!(f, "move {} was {}, now {now}", turn + 1, written(was))
            }
            Self::Swapped { first: (first, one), second: (second, other) } => {
                let (first, second) = (first + 1, second + 1);
                write!(f, "moves {first} and {second} were {one} and {other}, now {other} and {one}")
            }
            Self::Missing { turn, now } => write!(f, "move {} was missing, now {now}", turn + 1),
            Self::Superfluous { turn, was } => write!(f, "move {} was {}, now gone", turn + 1, written(was)),
        }
    }
}
