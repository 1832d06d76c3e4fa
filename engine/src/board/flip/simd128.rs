//! Flips in WebAssembly's vectors of 128 bits: a board and the same with its ranks reversed in the two lanes, where all rays
//! but one lead upwards. The ray towards the a-file is a word of its own.

use std::arch::wasm32::*;

use crate::board::rays::RAYS;

/// For each direction towards higher squares the ray, and the opposite ray with its ranks reversed; 0 for the a-file.
static PAIRS: [[[u64; 2]; 4]; 64] = {
    let mut pairs = [[[0; 2]; 4]; 64];
    let mut at = 0;
    while at < 64 * 4 {
        let square = at / 4;
        let direction = at % 4;
        let rays = RAYS[square].0;
        let opposite = if direction == 0 {
            0
        } else {
            rays[direction + 4].swap_bytes()
        };
        pairs[square][direction] = [rays[direction], opposite];
        at += 1;
    }
    pairs
};

/// A set of squares, and the same with its ranks reversed.
#[inline(always)]
pub(crate) fn mirrored(set: u64) -> v128 {
    let set = u64x2_splat(set);
    i8x16_shuffle::<0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1, 0>(set, set)
}

/// The squares of both lanes, the ranks of the second reversed.
#[inline(always)]
pub(crate) fn joined(sets: v128) -> u64 {
    let other = i8x16_shuffle::<15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0>(sets, sets);
    u64x2_extract_lane::<0>(v128_or(sets, other))
}

/// See [`super::flip`].
#[inline(always)]
pub fn flip(square: u8, player: u64, opponent: u64) -> u64 {
    debug_assert!(square < 64);
    let own = mirrored(player);
    let other = mirrored(opponent);
    let mut flips = u64x2_splat(0);
    for ray in &PAIRS[square as usize & 63] {
        let ray = u64x2(ray[0], ray[1]);
        // The nearest square without an opponent is the lowest bit. If it has a disc of the player, the squares below
        // it on the ray are turned.
        let stops = v128_andnot(ray, other);
        let nearest = v128_andnot(stops, u64x2_sub(stops, u64x2_splat(1)));
        let closing = v128_and(nearest, own);
        let below = v128_and(ray, u64x2_sub(closing, u64x2_splat(1)));
        flips = v128_or(flips, v128_andnot(below, u64x2_eq(closing, u64x2_splat(0))));
    }
    joined(flips) | flip_left(square, player, opponent)
}

/// Discs turned towards the a-file.
#[inline(always)]
fn flip_left(square: u8, player: u64, opponent: u64) -> u64 {
    let ray = RAYS[square as usize & 63].0[4];
    let stops = ray & !opponent;
    // The nearest stop is the highest bit; a ray without one gives h8, above which there is nothing.
    let nearest = (1 << 63) >> (stops.leading_zeros() & 63);
    let closing = nearest & player;
    ray & closing.wrapping_neg() & !closing
}
