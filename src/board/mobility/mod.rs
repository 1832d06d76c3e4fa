//! Legal moves of a position: one file per instruction set, one selector.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vl"))]
pub mod avx512;
pub mod scalar;

/// The empty squares on which `player` turns at least one disc.
#[inline(always)]
pub fn moves(player: u64, opponent: u64) -> u64 {
    debug_assert!(player & opponent == 0);
    cfg_select! {
        all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vl") => {
            avx512::moves(player, opponent)
        }
        all(target_arch = "x86_64", target_feature = "avx2") => avx2::moves(player, opponent),
        _ => scalar::moves(player, opponent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::{million_boards, walk_moves};

    #[test]
    fn every_backend_matches_the_walk() {
        for board in million_boards(1) {
            let expected = walk_moves(board);
            let (player, opponent) = (board.player, board.opponent);
            assert_eq!(moves(player, opponent), expected, "\n{board}");
            assert_eq!(scalar::moves(player, opponent), expected, "\n{board}");
            #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
            assert_eq!(avx2::moves(player, opponent), expected, "\n{board}");
            #[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vl"))]
            assert_eq!(avx512::moves(player, opponent), expected, "\n{board}");
        }
    }
}
