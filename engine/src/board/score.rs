//! Scores.

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// A score for the side to move, in 1/128 disc.
///
/// Range: `MIN..=MAX` (-64 to +64 discs); `INF` is outside it and only bounds
/// search windows. Exact endgame results are whole discs.
///
/// ```
/// use emilia_engine::board::Score;
///
/// let score = Score::from_discs(2) + Score::from_units(64);
/// assert_eq!(score.to_string(), "+2.50");
/// assert_eq!(-score, Score::nearest(-2.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(i32);

impl Score {
    /// Units in one disc.
    pub const DISC: i32 = 128;
    /// A win by 64 discs.
    pub const MAX: Self = Self(64 * Self::DISC);
    /// A loss by 64 discs.
    pub const MIN: Self = Self(-64 * Self::DISC);
    /// Greater than every score.
    pub const INF: Self = Self(128 * Self::DISC);
    /// A draw.
    pub const ZERO: Self = Self(0);

    /// The score of `units` 1/128 discs.
    #[inline(always)]
    pub const fn from_units(units: i32) -> Self {
        Self(units)
    }

    /// The score of a whole number of discs.
    #[inline(always)]
    pub const fn from_discs(discs: i32) -> Self {
        Self(discs * Self::DISC)
    }

    /// The score nearest to a number of discs.
    ///
    /// ```
    /// use emilia_engine::board::Score;
    /// assert_eq!(Score::nearest(0.005).units(), 1);
    /// ```
    pub fn nearest(discs: f64) -> Self {
        Self((discs * f64::from(Self::DISC)).round() as i32)
    }

    /// In 1/128 disc.
    #[inline(always)]
    pub const fn units(self) -> i32 {
        self.0
    }

    /// In discs, as a decimal number.
    pub fn discs(self) -> f64 {
        f64::from(self.0) / f64::from(Self::DISC)
    }

    /// In whole discs, rounded to nearest.
    ///
    /// ```
    /// use emilia_engine::board::Score;
    ///
    /// assert_eq!(Score::nearest(3.4).round_discs(), 3);
    /// assert_eq!(Score::nearest(-3.6).round_discs(), -4);
    /// ```
    pub const fn round_discs(self) -> i32 {
        (self.0 + Self::DISC / 2).div_euclid(Self::DISC)
    }
}

impl Neg for Score {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Add for Score {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Score {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl fmt::Display for Score {
    /// Discs with sign and two decimals: `+1.50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.2}", self.discs())
    }
}
