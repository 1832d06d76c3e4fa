//! Perft: the number of move sequences of a given length, the test of move generation.
//!
//! The last ply is counted without being played. No position is hashed, no symmetry used.

use super::{Board, SquareSet};

/// How a forced pass counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// As a ply: of the published tables, the one with 3,005,288 at depth 9.
    Counted,
    /// Not at all: the table with 3,005,320 at depth 9.
    Free,
}

/// Number of sequences of `depth` plies from `board`; a game that ends earlier counts once.
///
/// ```
/// use emilia_engine::board::{Board, perft::{Passes, perft}};
/// assert_eq!(perft(Board::START, 5, Passes::Counted), 1396);
/// ```
pub fn perft(board: Board, depth: u32, passes: Passes) -> u64 {
    match (depth, board.moves().0, passes) {
        (0, ..) => 1,
        (_, 0, _) if board.opponent_moves().is_empty() => 1,
        (_, 0, Passes::Counted) => perft(board.pass(), depth - 1, passes),
        (_, 0, Passes::Free) => perft(board.pass(), depth, passes),
        (1, moves, _) => moves.count_ones().into(),
        (_, moves, _) => SquareSet(moves)
            .iter()
            .map(|square| perft(board.after(square, board.flip(square)), depth - 1, passes))
            .sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the start, depth 0 on; both conventions agree up to depth 8.
    const COUNTED: [u64; 10] = [1, 4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288];
    const FREE_AT_9: u64 = 3_005_320;

    #[test]
    fn the_start_gives_both_published_tables() {
        for (depth, counted) in (0..).zip(COUNTED) {
            let free = if depth == 9 { FREE_AT_9 } else { counted };
            let found =
                [Passes::Counted, Passes::Free].map(|passes| perft(Board::START, depth, passes));
            assert_eq!(found, [counted, free], "depth {depth}");
        }
    }
}
