//! A model of people's moves: the probability that a player of some rating plays a move.
//!
//! ```text
//! scores → inputs (numbers of each move) → net (integers) → probabilities; play samples them
//! table: logarithm and exponential in integers · judge: what a player's moves say about the rating
//! ```
//!
//! Learned from the tournament games of the WTHOR base (Fédération Française d'Othello) by `emilia-lab people`. Ratings are
//! those among its players. All arithmetic is in integers, so every build plays the same moves.

pub mod inputs;
pub mod judge;
pub mod net;
mod play;
pub mod scores;
pub mod table;

pub use play::run_person;

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::board::{Board, Square};
use crate::book::Book;
use crate::eval::Evaluator;
use crate::search::OptionError;
use inputs::View;
use net::{Weights, softmax, with_games};
use scores::Scorer;
use table::SHARE_BITS;

/// A rating among the players of the WTHOR base, `1000..=2000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rating(u16);

impl Rating {
    /// The weakest player of the model.
    pub const MIN: Self = Self(1000);
    /// The strongest player of the model.
    pub const MAX: Self = Self(2000);

    /// This rating; `option` names it in the error.
    ///
    /// # Errors
    /// When it is outside the range.
    pub fn new(option: &'static str, number: u64) -> Result<Self, OptionError> {
        let low = Self::MIN.0.into();
        let high = Self::MAX.0.into();
        OptionError::check(option, number, low, high)?;
        Ok(Self(number as u16))
    }

    /// Its number.
    pub fn number(self) -> u16 {
        self.0
    }
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Rating {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let low = Self::MIN.0.into();
        let high = Self::MAX.0.into();
        let refused = |_| OptionError::range("a rating", text, low, high);
        Self::new("a rating", text.parse().map_err(refused)?)
    }
}

/// An opponent of a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// Weak play of this Elo, which is no rating of people.
    Elo(u16),
    /// A person of this rating.
    Person(u16),
    /// The engine at its level.
    Engine,
}

/// The opponents that menus offer, the weakest first.
pub const OPPONENTS: [(&str, Opponent); 6] = [
    ("First steps", Opponent::Elo(300)),
    ("Beginner", Opponent::Person(1000)),
    ("Club player", Opponent::Person(1300)),
    ("Strong club player", Opponent::Person(1550)),
    ("Expert", Opponent::Person(1800)),
    ("Engine", Opponent::Engine),
];

/// The model with the games of the book inside the program.
pub struct People {
    weights: Weights,
    book: Option<Book>,
}

/// A position before the model.
pub struct Sighted {
    /// The position as the model sees it.
    pub view: View,
    /// Games of the book per legal move, by square; `None` without games.
    games: Option<Vec<u32>>,
}

impl People {
    /// The model inside the program.
    pub fn shipped() -> &'static Self {
        static SHIPPED: OnceLock<People> = OnceLock::new();
        SHIPPED.get_or_init(|| Self {
            weights: Weights::shipped(),
            book: Book::inside().ok(),
        })
    }

    /// The position as the model sees it, after the move `last` of the other side.
    pub fn see(&self, evaluator: &Evaluator, board: Board, last: Option<Square>) -> Sighted {
        Sighted {
            view: View::new(&mut Scorer::new(evaluator), board, last),
            games: self.games(board),
        }
    }

    /// The probability of each legal move, by square, for a player of this rating: shares of `2^24`, which add to it. `rating`
    /// may lie outside the range of [`Rating`] by a few hundred.
    pub fn chances(&self, sighted: &Sighted, rating: i32) -> Vec<u32> {
        let shares = softmax(&self.weights.logits(&sighted.view, rating));
        match &sighted.games {
            Some(games) => with_games(&shares, games, self.weights.opening_weight(rating)),
            None => shares,
        }
    }

    /// The games of the book with each legal move. Moves that the position's symmetry makes equal share theirs.
    fn games(&self, board: Board) -> Option<Vec<u32>> {
        let found = self.book.as_ref()?.probe(board).ok()??;
        if found.passed {
            return None;
        }
        let images = board.own_symmetries().count() as u32;
        let of = |square: Square| {
            let is_image = |other: Square| {
                board
                    .own_symmetries()
                    .any(|own| own.apply_square(other) == square)
            };
            let moves = found.entry.moves.iter().filter(|mv| is_image(mv.square));
            moves
                .map(|mv| u32::try_from(mv.games.count()).unwrap_or(u32::MAX >> 8) / images)
                .sum()
        };
        let games: Vec<u32> = board.moves().iter().map(of).collect();
        (games.iter().sum::<u32>() > 0).then_some(games)
    }
}

/// Shares of [`People::chances`] in 1/10,000; they add to 10,000: the largest remainders are rounded up.
pub fn ten_thousandths(shares: &[u32]) -> Vec<u32> {
    const WHOLE: u64 = 10_000;
    let scaled: Vec<u64> = shares
        .iter()
        .map(|&share| u64::from(share) * WHOLE)
        .collect();
    let mut rounded: Vec<u32> = scaled
        .iter()
        .map(|scaled| (scaled >> SHARE_BITS) as u32)
        .collect();
    let left = WHOLE as usize - rounded.iter().sum::<u32>() as usize;
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(scaled[index] & ((1 << SHARE_BITS) - 1)));
    order
        .into_iter()
        .take(left)
        .for_each(|index| rounded[index] += 1);
    rounded
}

/// A share of [`People::chances`] as a number from 0 to 1.
pub fn share(part: u32) -> f64 {
    f64::from(part) / f64::from(1u32 << SHARE_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Symmetry;
    use crate::board::testing::random_positions;
    use crate::eval::testing::evaluator;

    #[test]
    fn chances_add_to_one_and_turn_with_the_board() {
        let people = People::shipped();
        let last: Square = "c3".parse().unwrap();
        let boards = random_positions(3, 40).into_iter().chain([Board::START]);
        for board in boards.filter(|board| !board.moves().is_empty()) {
            let chances = |board, last| {
                let sighted = people.see(&evaluator(), board, Some(last));
                people.chances(&sighted, 1500)
            };
            let here = chances(board, last);
            assert_eq!(here.iter().sum::<u32>(), 1 << SHARE_BITS, "{board}");
            assert_eq!(ten_thousandths(&here).iter().sum::<u32>(), 10_000);
            let turn = Symmetry::new(6).unwrap();
            let turned = turn.apply(board);
            let there = chances(turned, turn.apply_square(last));
            let place = |square| turned.moves().iter().position(|other| other == square);
            for (square, share) in board.moves().iter().zip(here) {
                let image = place(turn.apply_square(square)).expect("it is legal there");
                // The largest share takes the rest of the rounding.
                assert!(share.abs_diff(there[image]) <= 64, "{board}{square}");
            }
        }
    }

    #[test]
    fn ratings_outside_the_range_are_refused() {
        assert_eq!("1450".parse::<Rating>().map(Rating::number), Ok(1450));
        for text in ["999", "2001", "", "x", "-1", "1e3"] {
            let error = text.parse::<Rating>().unwrap_err().to_string();
            assert!(error.contains("1000 to 2000"), "{error}");
        }
    }
}
