//! Squares and moves.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A square of the board: a1 = 0, b1 = 1, …, h1 = 7, a2 = 8, …, h8 = 63.
///
/// ```
/// use emilia_engine::board::Square;
///
/// let square: Square = "f5".parse()?;
/// assert_eq!(square.index(), 37);
/// assert_eq!(square.to_string(), "f5");
/// # Ok::<(), emilia_engine::board::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

/// Why a text is not a square.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseSquareError {
    /// The text does not have exactly two characters.
    #[error("a square has 2 characters, not {0}")]
    Length(usize),
    /// The first character is not `a`-`h` in either case.
    #[error("expected a column a-h, found {0:?}")]
    File(char),
    /// The second character is not `1`-`8`.
    #[error("expected a row 1-8, found {0:?}")]
    Rank(char),
}

impl Square {
    /// The square with this index, or `None` from 64 on.
    ///
    /// ```
    /// use emilia_engine::board::Square;
    ///
    /// assert_eq!(Square::new(63).map(|square| square.to_string()), Some("h8".to_owned()));
    /// assert_eq!(Square::new(64), None);
    /// ```
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The square of the lowest set bit of `bits`, which must not be 0.
    ///
    /// ```
    /// use emilia_engine::board::Square;
    /// assert_eq!(Square::lowest(0b1010), Square::at(1, 0));
    /// ```
    #[inline(always)]
    pub const fn lowest(bits: u64) -> Self {
        debug_assert!(bits != 0);
        Self((bits.trailing_zeros() & 63) as u8)
    }

    /// The square in column `file` (0 = a) and row `rank` (0 = 1), both below 8.
    ///
    /// ```
    /// use emilia_engine::board::Square;
    /// assert_eq!(Square::at(0, 7).to_string(), "a8");
    /// ```
    pub const fn at(file: u8, rank: u8) -> Self {
        assert!(file < 8 && rank < 8);
        Self(rank * 8 + file)
    }

    /// Index, `0..64`.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The bitboard with only this square.
    ///
    /// ```
    /// use emilia_engine::board::Square;
    /// assert_eq!(Square::at(7, 0).bit(), 0x80);
    /// ```
    #[inline(always)]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// Column, 0 = a.
    ///
    /// ```
    /// use emilia_engine::board::Square;
    ///
    /// let square = Square::at(2, 6);
    /// assert_eq!(square.file(), 2);
    /// assert_eq!(square.rank(), 6);
    /// assert_eq!(square.to_string(), "c7");
    /// ```
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// Row, 0 = 1 (the top row of a diagram).
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// All squares from a1 to h8.
    ///
    /// ```
    /// use emilia_engine::board::Square;
    /// assert_eq!(Square::all().len(), 64);
    /// ```
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..64u8).map(Self)
    }
}

impl fmt::Display for Square {
    /// `f5`; with the alternate flag (`{:#}`) upper case, `F5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = if f.alternate() { b'A' } else { b'a' };
        write!(f, "{}{}", (first + self.file()) as char, self.rank() + 1)
    }
}

impl FromStr for Square {
    type Err = ParseSquareError;

    /// Two characters, column letter in either case, then row digit.
    fn from_str(text: &str) -> Result<Self, ParseSquareError> {
        let mut chars = text.chars();
        let (Some(file), Some(rank), None) = (chars.next(), chars.next(), chars.next()) else {
            return Err(ParseSquareError::Length(text.chars().count()));
        };
        let column = match file.to_ascii_lowercase() {
            letter @ 'a'..='h' => letter as u8 - b'a',
            _ => return Err(ParseSquareError::File(file)),
        };
        match rank {
            '1'..='8' => Ok(Self::at(column, rank as u8 - b'1')),
            _ => Err(ParseSquareError::Rank(rank)),
        }
    }
}

/// A move or a pass.
///
/// ```
/// use emilia_engine::board::{Move, Square};
///
/// assert_eq!(Move::Place(Square::at(5, 4)).to_string(), "f5");
/// assert_eq!(Move::Pass.to_string(), "pa");
/// assert_eq!(Move::Pass.in_words(), "pass");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Places a disc.
    Place(Square),
    /// Has no legal move and passes.
    Pass,
}

impl Move {
    /// The square of its disc; `None` for a pass.
    ///
    /// ```
    /// use emilia_engine::board::Move;
    /// assert_eq!(Move::Pass.square(), None);
    /// ```
    pub fn square(self) -> Option<Square> {
        match self {
            Self::Place(square) => Some(square),
            Self::Pass => None,
        }
    }

    /// `f5` or `pass`, as people and GTP write it.
    pub fn in_words(self) -> String {
        match self {
            Self::Place(square) => square.to_string(),
            Self::Pass => "pass".to_owned(),
        }
    }
}

impl fmt::Display for Move {
    /// `f5` or `pa`; with the alternate flag upper case, `F5` or `PA`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(square) => square.fmt(f),
            Self::Pass if f.alternate() => f.write_str("PA"),
            Self::Pass => f.write_str("pa"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(format!("{square:#}").parse(), Ok(square));
        }
        assert_eq!("i1".parse::<Square>(), Err(ParseSquareError::File('i')));
        assert_eq!("a9".parse::<Square>(), Err(ParseSquareError::Rank('9')));
        assert_eq!("a".parse::<Square>(), Err(ParseSquareError::Length(1)));
    }

    #[test]
    fn moves_have_a_short_and_a_long_spelling() {
        let spellings = |mv: Move| [mv.to_string(), format!("{mv:#}"), mv.in_words()];
        assert_eq!(spellings(Move::Place(Square::at(5, 4))), ["f5", "F5", "f5"]);
        assert_eq!(spellings(Move::Pass), ["pa", "PA", "pass"]);
    }
}
