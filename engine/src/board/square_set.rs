//! Sets of squares.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

use super::Square;

/// A set of squares: the bits of a bitboard, for callers. Lists its squares from a1 to h8.
///
/// ```
/// use emilia_engine::board::{Board, Square, SquareSet};
///
/// let moves = Board::START.moves();
/// assert_eq!(moves.to_string(), "d3 c4 f5 e6");
/// assert!(moves.contains("f5".parse()?));
/// let corners: SquareSet = ["a1", "h8"].iter().flat_map(|name| name.parse::<Square>()).collect();
/// assert_eq!((corners | moves).len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SquareSet(
    /// Bit `n` stands for the square of index `n`.
    pub u64,
);

impl SquareSet {
    /// All 64 squares.
    pub const ALL: Self = Self(!0);

    /// Whether it has no square.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of its squares, `0..=64`.
    #[inline(always)]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether `square` is one of them.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bit() != 0
    }

    /// The first of its squares.
    ///
    /// ```
    /// use emilia_engine::board::{Board, Square};
    /// assert_eq!(Board::START.moves().first(), Some(Square::at(3, 2)));
    /// ```
    #[inline(always)]
    pub fn first(self) -> Option<Square> {
        self.iter().next()
    }

    /// The names of its squares.
    pub fn names(self) -> Vec<String> {
        self.iter().map(|square| square.to_string()).collect()
    }

    /// Its squares, from a1 to h8.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    ///
    /// let files: Vec<u8> = Board::START.moves().iter().map(|square| square.file()).collect();
    /// assert_eq!(files, [3, 2, 5, 4]);
    /// ```
    #[inline(always)]
    pub fn iter(self) -> Squares {
        Squares(self.0)
    }
}

/// The squares of a [`SquareSet`].
#[derive(Clone, Debug)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let square = (self.0 != 0).then(|| Square::lowest(self.0));
        self.0 &= self.0.wrapping_sub(1);
        square
    }
}

impl IntoIterator for SquareSet {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        self.iter()
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        Self(
            squares
                .into_iter()
                .fold(0, |bits, square| bits | square.bit()),
        )
    }
}

impl BitAnd for SquareSet {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for SquareSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for SquareSet {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl fmt::Display for SquareSet {
    /// `d3 c4`; with the alternate flag upper case, `D3 C4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, square) in self.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { " " })?;
            square.fmt(f)?;
        }
        Ok(())
    }
}
