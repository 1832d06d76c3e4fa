//! Discs turned by a move: one file per instruction set, one selector.

pub mod scalar;

/// Opponent discs turned when `player` plays on `square`.
///
/// `square` must be empty; the result is a subset of `opponent`, and 0 when the
/// move is illegal.
#[inline(always)]
pub fn flip(square: u8, player: u64, opponent: u64) -> u64 {
    debug_assert!(square < 64 && (player | opponent) >> square & 1 == 0);
    scalar::flip(square, player, opponent)
}
