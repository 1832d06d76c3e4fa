//! The two sides.

use std::fmt;

/// A side. Black moves first from the usual start.
///
/// ```
/// use emilia_engine::board::Color;
///
/// assert_eq!(Color::Black.other(), Color::White);
/// assert_eq!(Color::White.to_string(), "white");
/// assert_eq!(Color::White.title(), "White");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// The first player, drawn `X` or `*`.
    Black,
    /// The second player, drawn `O`.
    White,
}

impl Color {
    /// The other side.
    pub fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// `Black` or `White`, for the beginning of a line and in place of a name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Black => "Black",
            Self::White => "White",
        }
    }
}

impl fmt::Display for Color {
    /// `black` or `white`, as GTP and sentences have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Black => "black",
            Self::White => "white",
        })
    }
}
