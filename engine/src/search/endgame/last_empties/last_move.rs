//! The last move of a game: one lookup per line, for both sides at once.
//!
//! Source of the idea: T. Okuhara, Edax-AVX ("simultaneous last flip").

use super::tables::{BARS, COUNTS, LINES, SquareLines};

/// Discs turned on `square`, the only empty one: 256 for each that the owner of `player` turns there,
/// less 1 for each that the other side would turn.
#[inline(always)]
pub(super) fn last_turned(player: u64, square: u8) -> i16 {
    debug_assert!(square < 64 && player >> square & 1 == 0);
    let line = &LINES[square as usize & 63];
    (count(player, line, 0) + count(player, line, 1))
        + (count(player, line, 2) + count(player, line, 3))
}

/// [`last_turned`] on one line.
#[inline(always)]
fn count(player: u64, line: &SquareLines, at: usize) -> i16 {
    let index = usize::from(line.starts[at]) + packed(player, line, at);
    debug_assert!(index < COUNTS.len());
    // SAFETY: a line's counts follow its start, one for each state of the bits in its mask.
    unsafe { *COUNTS.get_unchecked(index) }
}

/// The discs of `player` on a line, as the lowest bits of a number.
#[inline(always)]
fn packed(player: u64, line: &SquareLines, at: usize) -> usize {
    cfg_select! {
        // No instruction gathers bits: a multiplication brings them to the upper end.
        any(kernel = "neon", kernel = "simd128") => {
            ((player & line.masks[at]).wrapping_mul(line.factors[at]) >> line.shifts[at]) as usize
        }
        _ => {
            // SAFETY: elsewhere this file runs only at a level with BMI2.
            unsafe { std::arch::x86_64::_pext_u64(player, line.masks[at]) as usize }
        }
    }
}

/// The largest [`last_turned`] with which a mover of `discs` discs ends with at most `target`.
#[inline(always)]
pub(super) fn last_bar(discs: u32, target: i32) -> i16 {
    debug_assert!(discs <= 64 && (0..64).contains(&target));
    let row = &BARS[usize::from(target >= 32)];
    // SAFETY: a row has a bar for every target below 64 and all of up to 64 discs.
    unsafe { *row.get_unchecked((target + 64 - discs as i32) as usize) }
}

/// Whether the owner of `player`, to move, ends with more than `target` discs when only `square` is empty.
#[inline(always)]
pub(super) fn last_exceeds(player: u64, square: u8, target: i32) -> bool {
    last_turned(player, square) > last_bar(player.count_ones(), target)
}
