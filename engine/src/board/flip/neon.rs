//! Flips with NEON: a board and its mirror image in the two lanes of a register, where all eight rays lead upwards.

use std::arch::aarch64::*;

use crate::board::rays::RAYS;

/// Four rays towards higher squares, each followed by its opposite in the mirror image.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Pairs([u64; 8]);

static PAIRS: [Pairs; 64] = {
    let mut pairs = [Pairs([0; 8]); 64];
    let mut at = 0;
    while at < 64 * 4 {
        let square = at / 4;
        let direction = at % 4;
        let rays = RAYS[square].0;
        pairs[square].0[2 * direction] = rays[direction];
        pairs[square].0[2 * direction + 1] = rays[direction + 4].reverse_bits();
        at += 1;
    }
    pairs
};

/// A set of squares, and turned by 180 degrees.
#[inline(always)]
pub(crate) fn mirrored(set: u64) -> uint64x2_t {
    // SAFETY: this file is compiled only for a target with NEON.
    unsafe { vcombine_u64(vcreate_u64(set), vcreate_u64(set.reverse_bits())) }
}

/// The set that has a square where either lane of [`mirrored`] ones has it.
#[inline(always)]
pub(crate) fn joined(sets: uint64x2_t) -> u64 {
    // SAFETY: this file is compiled only for a target with NEON.
    unsafe { vgetq_lane_u64::<0>(sets) | vgetq_lane_u64::<1>(sets).reverse_bits() }
}

/// See [`super::flip`].
#[inline(always)]
pub fn flip(square: u8, player: u64, opponent: u64) -> u64 {
    debug_assert!(square < 64);
    let player = mirrored(player);
    let opponent = mirrored(opponent);
    // SAFETY: this file is compiled only for a target with NEON; squares are below 64, and a row of the
    // table is four registers long.
    let flips = unsafe {
        let row = PAIRS.as_ptr().add(square as usize).cast::<u64>();
        let mut flips = vdupq_n_u64(0);
        for direction in 0..4 {
            let ray = vld1q_u64(row.add(2 * direction));
            // The nearest square without an opponent is the lowest bit. If it has a disc of the player, the
            // squares below it on the ray are turned; else 0 stays 0.
            let stops = vbicq_u64(ray, opponent);
            let nearest = vbicq_u64(stops, vsubq_u64(stops, vdupq_n_u64(1)));
            let below = vqsubq_u64(vandq_u64(nearest, player), vdupq_n_u64(1));
            flips = vbslq_u64(ray, below, flips);
        }
        flips
    };
    joined(flips)
}
