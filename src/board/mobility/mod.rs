//! Legal moves of a position: one file per instruction set, one selector.

pub mod scalar;

/// The empty squares on which `player` turns at least one disc.
#[inline(always)]
pub fn moves(player: u64, opponent: u64) -> u64 {
    debug_assert!(player & opponent == 0);
    scalar::moves(player, opponent)
}
