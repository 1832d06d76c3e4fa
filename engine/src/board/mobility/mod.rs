//! Legal moves of a position: one file per instruction set, one selector.

#[cfg(with = "avx2")]
#[allow(
    dead_code,
    reason = "a build with better kernels uses a part of these, and tests them all"
)]
pub(crate) mod avx2;
#[cfg(with = "avx512")]
pub(crate) mod avx512;
#[cfg(kernel = "neon")]
mod neon;
#[allow(
    dead_code,
    reason = "the definition: only portable builds and tests use all of it"
)]
mod scalar;
#[cfg(kernel = "simd128")]
mod simd128;

use super::bitboard::CORNERS;
use super::level::{Level, at_level};

/// The empty squares on which `player` turns at least one disc.
#[inline(always)]
pub fn moves(player: u64, opponent: u64) -> u64 {
    at_level!(level => moves_at(level, player, opponent))
}

/// [`moves`] at a level.
#[inline(always)]
pub fn moves_at<L: Level>(_: L, player: u64, opponent: u64) -> u64 {
    debug_assert!(player & opponent == 0);
    #[cfg(with = "avx512")]
    if L::AVX512 {
        return avx512::moves(player, opponent);
    }
    #[cfg(with = "avx2")]
    if L::AVX2 {
        return avx2::moves(player, opponent);
    }
    cfg_select! {
        kernel = "neon" => neon::moves(player, opponent),
        kernel = "simd128" => simd128::moves(player, opponent),
        _ => scalar::moves(player, opponent),
    }
}

/// Number of moves, corners counted twice: for ordering moves by the opponent's mobility.
#[inline(always)]
pub fn corner_weighted(moves: u64) -> u32 {
    moves.count_ones() + (moves & CORNERS).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::level::every_level;
    use crate::board::testing::{many_boards, walk_moves};

    #[test]
    fn every_backend_matches_the_walk() {
        for board in many_boards(1) {
            let expected = walk_moves(board);
            let player = board.player;
            let opponent = board.opponent;
            assert_eq!(moves(player, opponent), expected, "\n{board}");
            assert_eq!(scalar::moves(player, opponent), expected, "\n{board}");
            every_level!(level => assert_eq!(moves_at(level, player, opponent), expected, "\n{board}"));
        }
    }

    #[test]
    fn corners_count_twice() {
        assert_eq!(corner_weighted(0), 0);
        assert_eq!(corner_weighted(0x8000_0000_0000_0003), 5);
    }
}
