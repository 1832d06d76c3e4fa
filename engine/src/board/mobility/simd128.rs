//! Legal moves in WebAssembly's vectors of 128 bits: a board and the same with its ranks reversed in the two lanes, so that
//! steps upwards are all directions but those along ranks.
//!
//! Source of the idea: the parallel prefix fill of Kogge and Stone.

use std::arch::wasm32::*;

use crate::board::flip::simd128::{joined, mirrored};

/// See [`super::moves`].
#[inline(always)]
pub fn moves(player: u64, opponent: u64) -> u64 {
    const INNER: u64 = 0x7E7E_7E7E_7E7E_7E7E;
    let own = mirrored(player);
    let other = mirrored(opponent);
    let inner = v128_and(other, u64x2_splat(INNER));
    let diagonals = v128_or(
        ends_of_lines::<7>(own, inner),
        ends_of_lines::<9>(own, inner),
    );
    let ends = joined(v128_or(ends_of_lines::<8>(own, other), diagonals));
    let inner = opponent & INNER;
    // Towards the h-file an addition carries through the line to the square behind it.
    let right = inner.wrapping_add(inner & player << 1) & !inner;
    let pairs = inner & inner >> 1;
    let lit = inner & player >> 1;
    let lit = lit | inner & lit >> 1;
    let lit = lit | pairs & lit >> 2;
    let lit = lit | pairs & lit >> 2;
    (ends | right | lit >> 1) & !(player | opponent)
}

/// The squares behind the lines of `inner` that begin beside a disc of `own`.
#[inline(always)]
fn ends_of_lines<const STEP: u32>(own: v128, inner: v128) -> v128 {
    let lit = v128_and(inner, u64x2_shl(own, STEP));
    let lit = v128_or(lit, v128_and(inner, u64x2_shl(lit, STEP)));
    let pairs = v128_and(inner, u64x2_shl(inner, STEP));
    let lit = v128_or(lit, v128_and(pairs, u64x2_shl(lit, 2 * STEP)));
    let lit = v128_or(lit, v128_and(pairs, u64x2_shl(lit, 2 * STEP)));
    u64x2_shl(lit, STEP)
}
