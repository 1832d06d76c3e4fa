//! Flips with AVX2: four rays towards higher squares and four towards lower ones, in two registers.
//!
//! Source of the idea: T. Okuhara, Edax-AVX. Our own is how a downward ray is found to be closed: by
//! comparing numbers.

use std::arch::x86_64::*;

use crate::board::rays::RAYS;

/// Discs turned along the rays of `square`, an upward and a downward one in each lane.
#[inline(always)]
fn ray_flips(square: u8, player: __m256i, opponent: __m256i) -> __m256i {
    debug_assert!(square < 64);
    // SAFETY: this file is compiled only for a target with AVX2; squares are below 64, and a row
    // of the table is two aligned registers long.
    unsafe {
        let row = RAYS.as_ptr().add(square as usize).cast::<__m256i>();
        let (up, down) = (_mm256_load_si256(row), _mm256_load_si256(row.add(1)));
        // Upward: the nearest square without an opponent is the lowest bit; what lies below it on
        // the ray is turned if it holds a disc of the player. Negation spoils the stops above it.
        let zero = _mm256_setzero_si256();
        let stops = _mm256_andnot_si256(opponent, up);
        let closing = _mm256_and_si256(_mm256_sub_epi64(zero, stops), _mm256_and_si256(player, up));
        let open = _mm256_cmpeq_epi64(closing, zero);
        let below = _mm256_and_si256(up, _mm256_add_epi64(closing, _mm256_set1_epi64x(-1)));
        let upward = _mm256_andnot_si256(open, below);
        // Downward: the nearest stop is the highest bit. It is a disc of the player's if his discs, as
        // a number, exceed the empty squares of the ray; no ray downward has the bit for the sign.
        let stops = _mm256_andnot_si256(opponent, down);
        let own = _mm256_and_si256(player, down);
        let closed = _mm256_cmpgt_epi64(own, _mm256_xor_si256(stops, own));
        // Shade the ray below the nearest stop; the lit rest is turned. Shifted rays stay on their
        // line, except for bits that left it below: the ray masks them.
        let shifted = |bits, steps: i64| {
            _mm256_srlv_epi64(bits, _mm256_set_epi64x(9 * steps, 7 * steps, 8 * steps, steps))
        };
        let shade = _mm256_or_si256(stops, shifted(stops, 1));
        let shade = _mm256_or_si256(shade, shifted(shade, 2));
        let shade = _mm256_or_si256(shade, shifted(shade, 4));
        let downward = _mm256_andnot_si256(shade, _mm256_and_si256(closed, down));
        _mm256_or_si256(upward, downward)
    }
}

/// See [`super::flip`].
#[inline(always)]
pub fn flip(square: u8, player: u64, opponent: u64) -> u64 {
    // SAFETY: this file is compiled only for a target with AVX2.
    unsafe {
        let flips =
            ray_flips(square, _mm256_set1_epi64x(player as i64), _mm256_set1_epi64x(opponent as i64));
        let flips = _mm_or_si128(_mm256_castsi256_si128(flips), _mm256_extracti128_si256::<1>(flips));
        _mm_cvtsi128_si64(_mm_or_si128(flips, _mm_unpackhi_epi64(flips, flips))) as u64
    }
}
