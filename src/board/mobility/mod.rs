//! Legal moves of a position: one file per instruction set, one selector.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vl"))]
pub mod avx512;
pub mod scalar;

use super::Lanes;

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

/// [`moves`] of eight boards: half the price each where the registers are wide.
#[inline(always)]
pub fn moves_lanes(player: &Lanes, opponent: &Lanes) -> Lanes {
    cfg_select! {
        all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vl") => {
            avx512::moves_lanes(player, opponent)
        }
        _ => scalar::moves_lanes(player, opponent),
    }
}

/// The empty squares next to a disc of `opponent` that could be turned from there: a superset of
/// the legal moves, and a measure of the moves to come.
///
/// A disc on a border counts only along that border, since no move from beyond turns it.
#[inline(always)]
pub fn potential_moves(player: u64, opponent: u64) -> u64 {
    debug_assert!(player & opponent == 0);
    scalar::potential_moves(player, opponent)
}

/// [`moves`] and [`potential_moves`] for little more than the price of the first.
#[inline(always)]
pub fn moves_and_potential(player: u64, opponent: u64) -> (u64, u64) {
    debug_assert!(player & opponent == 0);
    cfg_select! {
        all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vl") => {
            avx512::moves_and_potential(player, opponent)
        }
        _ => (moves(player, opponent), potential_moves(player, opponent)),
    }
}

/// Number of moves, corners counted twice: for ordering moves by what they leave the other side.
#[inline(always)]
pub fn corner_weighted(moves: u64) -> u32 {
    moves.count_ones() + (moves & 0x8100_0000_0000_0081).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::rays::{RAYS, STEPS};
    use crate::board::squares;
    use crate::board::testing::{arbitrary_boards, game_boards, million_boards, walk_moves};

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

    #[test]
    fn potential_moves_are_the_empties_beside_discs_a_line_can_pass() {
        for board in game_boards(6, 500).chain(arbitrary_boards(6, 20_000)) {
            let (player, opponent) = (board.player, board.opponent);
            // By the rules: some player's disc somewhere beyond could make the move turn the disc.
            let expected = squares(board.empties())
                .filter(|&square| {
                    RAYS[square.index()].0.iter().enumerate().any(|(direction, &ray)| {
                        let step = STEPS[direction % 4];
                        let nearest = if direction < 4 { square.bit() << step } else { square.bit() >> step };
                        ray.count_ones() > 1 && opponent & nearest != 0
                    })
                })
                .fold(0, |all, square| all | square.bit());
            let (moves, potential) = moves_and_potential(player, opponent);
            assert_eq!(potential_moves(player, opponent), expected, "\n{board}");
            assert_eq!((moves, potential), (board.moves(), expected), "\n{board}");
            assert_eq!(moves & !potential, 0, "\n{board}");
        }
    }

    #[test]
    fn lanes_match_single_boards() {
        let boards: Vec<_> = million_boards(16).collect();
        for eight in boards.as_chunks::<{ crate::board::LANES }>().0 {
            let (player, opponent) = (eight.map(|b| b.player), eight.map(|b| b.opponent));
            let expected = eight.map(|board| board.moves());
            assert_eq!(moves_lanes(&player, &opponent), expected);
            assert_eq!(scalar::moves_lanes(&player, &opponent), expected);
        }
    }

    #[test]
    fn corners_count_twice() {
        assert_eq!(corner_weighted(0), 0);
        assert_eq!(corner_weighted(0x8000_0000_0000_0003), 5);
    }
}
