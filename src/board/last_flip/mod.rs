//! Number of discs turned by the last move of a game: one file per instruction set, one selector.
