//! Flips with AVX2: four rays towards higher squares and four towards lower ones, in two registers.
//!
//! Source of the idea: T. Okuhara, Edax-AVX.

use std::arch::x86_64::*;

use crate::board::rays::RAYS;

/// See [`super::flip`].
#[inline(always)]
pub fn flip(square: u8, player: u64, opponent: u64) -> u64 {
    debug_assert!(square < 64);
    // SAFETY: this file is compiled only for a target with AVX2; squares are below 64, and a row
    // of the table is two aligned registers long.
    unsafe {
        let row = RAYS.as_ptr().add(square as usize).cast::<__m256i>();
        let (up, down) = (_mm256_load_si256(row), _mm256_load_si256(row.add(1)));
        let player = _mm256_set1_epi64x(player as i64);
        let opponent = _mm256_set1_epi64x(opponent as i64);
        let zero = _mm256_setzero_si256();
        let ones = _mm256_set1_epi64x(-1);
        // Upward: the nearest square without an opponent is the lowest bit; what lies below it on
        // the ray is turned if it holds a disc of the player.
        let stops = _mm256_andnot_si256(opponent, up);
        let nearest = _mm256_and_si256(stops, _mm256_sub_epi64(zero, stops));
        let open = _mm256_cmpeq_epi64(_mm256_and_si256(nearest, player), zero);
        let upward = _mm256_andnot_si256(open, _mm256_and_si256(up, _mm256_add_epi64(nearest, ones)));
        // Downward: shade the ray below the highest stop, step by step; the lit rest starts there.
        let stops = _mm256_andnot_si256(opponent, down);
        let step = _mm256_set_epi64x(9, 7, 8, 1);
        let shade = _mm256_or_si256(stops, _mm256_srlv_epi64(stops, step));
        let step = _mm256_set_epi64x(18, 14, 16, 2);
        let shade = _mm256_or_si256(shade, _mm256_srlv_epi64(shade, step));
        let step = _mm256_set_epi64x(36, 28, 32, 4);
        let shade = _mm256_or_si256(shade, _mm256_srlv_epi64(shade, step));
        // Shifted rays stay on their line, except for bits that left it below: the ray masks them.
        let lit = _mm256_andnot_si256(shade, down);
        // As the lit squares are the upper part of the ray, the player's disc that closes them is
        // the highest of his on the ray, and the first shaded square.
        let step = _mm256_set_epi64x(9, 7, 8, 1);
        let own = _mm256_and_si256(player, down);
        let closing = _mm256_andnot_si256(_mm256_srlv_epi64(shade, step), _mm256_and_si256(own, shade));
        let open = _mm256_cmpeq_epi64(closing, zero);
        let downward = _mm256_andnot_si256(open, lit);
        let flips = _mm256_or_si256(upward, downward);
        let flips = _mm_or_si128(_mm256_castsi256_si128(flips), _mm256_extracti128_si256::<1>(flips));
        _mm_cvtsi128_si64(_mm_or_si128(flips, _mm_unpackhi_epi64(flips, flips))) as u64
    }
}
