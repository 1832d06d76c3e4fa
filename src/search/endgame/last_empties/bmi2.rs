//! The last move of a game by parallel bit extraction: one lookup per line, for both sides at once.
//!
//! Source of the idea: T. Okuhara, Edax-AVX ("simultaneous last flip").

use std::arch::x86_64::_pext_u64;

use super::tables::{COUNTS, LINES};

/// Discs turned on `square`, the only empty one: in the low byte by the owner of `player` if it moves
/// there, in the high byte by the other side.
#[inline(always)]
pub(super) fn last_turned(player: u64, square: u8) -> u16 {
    debug_assert!(square < 64 && player >> square & 1 == 0);
    let line = &LINES[square as usize & 63];
    let mut turned = 0;
    for at in 0..4 {
        // SAFETY: this file is compiled only for a target with BMI2.
        let index = usize::from(line.starts[at]) + unsafe { _pext_u64(player, line.masks[at]) } as usize;
        debug_assert!(index < COUNTS.len());
        // SAFETY: a line's counts follow its start, one for each state of the bits in its mask.
        turned += unsafe { *COUNTS.get_unchecked(index) };
    }
    turned
}

/// Final count of discs of the mover who owns `player` when only `square` is empty, without a branch.
#[inline(always)]
pub(super) fn last_count(player: u64, square: u8) -> i32 {
    let turned = last_turned(player, square);
    let discs = player.count_ones() as i32;
    let (mine, theirs) = (i32::from(turned & 0xFF), i32::from(turned >> 8));
    // Nobody can turn: the empty goes to the winner (63 discs cannot be halved).
    let unanswered = if theirs != 0 { -theirs } else { i32::from(discs >= 32) };
    discs + if mine != 0 { mine + 1 } else { unanswered }
}
