//! The hash by polynomial multiplication: as in `clmul.rs`, with ARM's instruction.

use std::arch::aarch64::vmull_p64;

use super::scalar::{OPPONENT_A1, PLAYER_A1};

/// See [`super::Board::hash`].
#[inline(always)]
pub fn hash(player: u64, opponent: u64) -> u64 {
    // SAFETY: this file is compiled only for a target with AES, which brings the instruction.
    let product = unsafe { vmull_p64(player, PLAYER_A1) ^ vmull_p64(opponent, OPPONENT_A1) };
    product as u64 ^ (product >> 64) as u64
}
