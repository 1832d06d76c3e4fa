//! Discs turned by a move: one file per instruction set, one selector.

#[cfg(any(kernel = "avx2", kernel = "avx512"))]
#[allow(dead_code, reason = "a build with better kernels uses a part of these, and tests them all")]
pub(crate) mod avx2;
#[cfg(kernel = "avx512")]
pub mod avx512;
#[cfg(kernel = "neon")]
pub(crate) mod neon;
#[allow(dead_code, reason = "the definition: only portable builds and tests use all of it")]
pub mod scalar;
#[cfg(kernel = "simd128")]
pub(crate) mod simd128;

/// Opponent discs turned when `player` plays on `square`.
///
/// `square` must be empty; the result is a subset of `opponent`, and 0 when the
/// move is illegal.
#[inline(always)]
pub fn flip(square: u8, player: u64, opponent: u64) -> u64 {
    debug_assert!(square < 64 && (player | opponent) >> square & 1 == 0);
    cfg_select! {
        kernel = "avx512" => avx512::flip(square, player, opponent),
        kernel = "avx2" => avx2::flip(square, player, opponent),
        kernel = "neon" => neon::flip(square, player, opponent),
        kernel = "simd128" => simd128::flip(square, player, opponent),
        _ => scalar::flip(square, player, opponent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::{many_boards, nth, walk_flip};
    use crate::util::rng::Rng;

    #[test]
    fn every_backend_matches_the_walk() {
        let mut rng = Rng::new(2);
        for board in many_boards(2).filter(|board| board.empties() != 0) {
            let (player, opponent, empties) = (board.player, board.opponent, board.empties());
            // One square at random and, so that most are legal, one of the moves.
            let moves = if !board.moves().is_empty() { board.moves().0 } else { empties };
            for from in [empties, moves] {
                let square = nth(from, rng.below(from.count_ones()));
                let expected = walk_flip(board, square);
                let index = square.index() as u8;
                assert_eq!(flip(index, player, opponent), expected, "{square}\n{board}");
                assert_eq!(scalar::flip(index, player, opponent), expected, "{square}\n{board}");
                #[cfg(any(kernel = "avx2", kernel = "avx512"))]
                assert_eq!(avx2::flip(index, player, opponent), expected, "{square}\n{board}");
                #[cfg(kernel = "avx512")]
                assert_eq!(avx512::flip(index, player, opponent), expected, "{square}\n{board}");
            }
        }
    }

    #[cfg(kernel = "avx512")]
    #[test]
    fn pairs_match_single_flips() {
        let mut rng = Rng::new(7);
        for board in many_boards(7).filter(|board| board.empties() != 0) {
            let (player, opponent, empties) = (board.player, board.opponent, board.empties());
            let [a, b] = [(); 2].map(|()| nth(empties, rng.below(empties.count_ones())).index() as u8);
            let expected = (flip(a, player, opponent), flip(b, player, opponent));
            assert_eq!(avx512::flip_pair(a, b, player, opponent), expected, "\n{board}");
        }
    }
}
