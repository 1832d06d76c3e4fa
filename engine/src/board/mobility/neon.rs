//! Legal moves with NEON: a board and its mirror image in the two lanes of a register, so that four steps upwards
//! are all eight directions.
//!
//! Source of the idea: the parallel prefix fill of Kogge and Stone. Our own is that the fill keeps the player's discs,
//! which saves an instruction a step.

use std::arch::aarch64::*;

use crate::board::flip::neon::{joined, mirrored};

/// See [`super::moves`].
#[inline(always)]
pub fn moves(player: u64, opponent: u64) -> u64 {
    let own = mirrored(player);
    let other = mirrored(opponent);
    // SAFETY: this file is compiled only for a target with NEON.
    let ends = unsafe {
        let inner = vandq_u64(other, vdupq_n_u64(0x7E7E_7E7E_7E7E_7E7E));
        // Along ranks an addition carries through the line to the square behind it.
        let first = vandq_u64(inner, vshlq_n_u64::<1>(own));
        let ends = vbicq_u64(vaddq_u64(inner, first), inner);
        let ends = vorrq_u64(ends, ends_of_lines::<8, 16, 32>(own, other));
        let ends = vorrq_u64(ends, ends_of_lines::<7, 14, 28>(own, inner));
        vorrq_u64(ends, ends_of_lines::<9, 18, 36>(own, inner))
    };
    joined(ends) & !(player | opponent)
}

/// The squares behind lines of `inner` that begin next to `own`, in steps of `STEP`; some hold discs.
#[inline(always)]
fn ends_of_lines<const STEP: i32, const DOUBLE: i32, const QUADRUPLE: i32>(
    own: uint64x2_t,
    inner: uint64x2_t,
) -> uint64x2_t {
    // SAFETY: this file is compiled only for a target with NEON.
    unsafe {
        // Extend each lit line by as many steps as it has, as far as the line goes.
        let lit = vbslq_u64(inner, vshlq_n_u64::<STEP>(own), own);
        let pairs = vandq_u64(inner, vshlq_n_u64::<STEP>(inner));
        let lit = vbslq_u64(pairs, vshlq_n_u64::<DOUBLE>(lit), lit);
        let fours = vandq_u64(pairs, vshlq_n_u64::<DOUBLE>(pairs));
        let lit = vbslq_u64(fours, vshlq_n_u64::<QUADRUPLE>(lit), lit);
        vshlq_n_u64::<STEP>(veorq_u64(lit, own))
    }
}
