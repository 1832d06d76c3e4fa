//! Discs turned by a move: one file per instruction set, one selector.

#[cfg(with = "avx2")]
#[allow(
    dead_code,
    reason = "a build with better kernels uses a part of these, and tests them all"
)]
pub mod avx2;
#[cfg(with = "avx512")]
pub mod avx512;
#[cfg(kernel = "neon")]
pub mod neon;
#[allow(
    dead_code,
    reason = "the definition: only portable builds and tests use all of it"
)]
pub mod scalar;
#[cfg(kernel = "simd128")]
pub mod simd128;

use super::level::{Level, at_level};

/// Opponent discs turned when `player` plays on `square`.
///
/// `square` must be empty; the result is a subset of `opponent`, and 0 when the
/// move is illegal.
#[inline(always)]
pub fn flip(square: u8, player: u64, opponent: u64) -> u64 {
    at_level!(level => flip_at(level, square, player, opponent))
}

/// [`flip`] at a level.
#[inline(always)]
pub fn flip_at<L: Level>(_: L, square: u8, player: u64, opponent: u64) -> u64 {
    debug_assert!(square < 64 && (player | opponent) >> square & 1 == 0);
    #[cfg(with = "avx512")]
    if L::AVX512 {
        return avx512::flip(square, player, opponent);
    }
    #[cfg(with = "avx2")]
    if L::AVX2 {
        return avx2::flip(square, player, opponent);
    }
    cfg_select! {
        kernel = "neon" => neon::flip(square, player, opponent),
        kernel = "simd128" => simd128::flip(square, player, opponent),
        _ => scalar::flip(square, player, opponent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::level::every_level;
    use crate::board::testing::{many_boards, nth, walk_flip};
    use crate::util::rng::Rng;

    #[test]
    fn every_backend_matches_the_walk() {
        let mut rng = Rng::new(2);
        for board in many_boards(2).filter(|board| board.empties() != 0) {
            let player = board.player;
            let opponent = board.opponent;
            let empties = board.empties();
            // One square at random and, so that most are legal, one of the moves.
            let moves = if !board.moves().is_empty() {
                board.moves().0
            } else {
                empties
            };
            for from in [empties, moves] {
                let square = nth(from, rng.below(from.count_ones()));
                let expected = walk_flip(board, square);
                let index = square.index() as u8;
                assert_eq!(flip(index, player, opponent), expected, "{square}\n{board}");
                assert_eq!(
                    scalar::flip(index, player, opponent),
                    expected,
                    "{square}\n{board}"
                );
                every_level!(level => {
                    assert_eq!(flip_at(level, index, player, opponent), expected, "{square}\n{board}");
                });
            }
        }
    }

    #[cfg(with = "avx512")]
    fn is_avx512<L: Level>(_: L) -> bool {
        L::AVX512
    }

    #[cfg(with = "avx512")]
    #[test]
    fn pairs_match_single_flips() {
        let mut rng = Rng::new(7);
        for board in many_boards(7).filter(|board| board.empties() != 0) {
            let player = board.player;
            let opponent = board.opponent;
            let empties = board.empties();
            let [a, b] =
                [(); 2].map(|()| nth(empties, rng.below(empties.count_ones())).index() as u8);
            let expected = (flip(a, player, opponent), flip(b, player, opponent));
            every_level!(level => {
                if is_avx512(level) {
                    assert_eq!(avx512::flip_pair(a, b, player, opponent), expected, "\n{board}");
                }
            });
        }
    }
}
