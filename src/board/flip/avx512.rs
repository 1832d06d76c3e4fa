//! Flips with AVX-512: four rays towards higher squares and four towards lower ones, in two
//! registers. Leading zeros per lane (AVX-512CD) find the end of the downward rays.
//!
//! Source of the idea: T. Okuhara, Edax-AVX.

use std::arch::x86_64::*;

use crate::board::rays::RAYS;

/// Both halves of a square's rays.
#[inline(always)]
fn rays(square: u8) -> (__m256i, __m256i) {
    debug_assert!(square < 64);
    // SAFETY: squares are below 64, and a row is two aligned registers long.
    unsafe {
        let row = RAYS.as_ptr().add(square as usize).cast::<__m256i>();
        (_mm256_load_si256(row), _mm256_load_si256(row.add(1)))
    }
}

/// Turned discs per ray, upward rays and downward rays ORed lane by lane.
#[inline(always)]
fn flip_lanes(up: __m256i, down: __m256i, player: __m256i, opponent: __m256i) -> __m256i {
    // SAFETY: this file is compiled only for a target with AVX-512F, CD and VL.
    unsafe {
        let zero = _mm256_setzero_si256();
        // Upward: the nearest square without an opponent is the lowest bit; what lies below it on
        // the ray is turned if it holds a disc of the player.
        let stops = _mm256_andnot_si256(opponent, up);
        let nearest = _mm256_and_si256(stops, _mm256_sub_epi64(zero, stops));
        let closed = _mm256_test_epi64_mask(nearest, player);
        let upward = _mm256_maskz_and_epi64(closed, up, _mm256_add_epi64(nearest, _mm256_set1_epi64x(-1)));
        // Downward: the highest bit. A ray without a stop gives h8, above which there is nothing.
        let stops = _mm256_andnot_si256(opponent, down);
        let nearest = _mm256_rorv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(stops));
        let closing = _mm256_and_si256(nearest, player);
        let above = _mm256_sub_epi64(zero, closing);
        // down & above & !closing, where a missing end leaves `above` empty.
        let downward = _mm256_ternarylogic_epi64::<0x40>(down, above, closing);
        _mm256_or_si256(upward, downward)
    }
}

/// See [`super::flip`].
#[inline(always)]
pub fn flip(square: u8, player: u64, opponent: u64) -> u64 {
    let (up, down) = rays(square);
    // SAFETY: this file is compiled only for a target with AVX-512F, CD and VL.
    unsafe {
        let flips =
            flip_lanes(up, down, _mm256_set1_epi64x(player as i64), _mm256_set1_epi64x(opponent as i64));
        let flips = _mm_or_si128(_mm256_castsi256_si128(flips), _mm256_extracti128_si256::<1>(flips));
        _mm_cvtsi128_si64(_mm_or_si128(flips, _mm_unpackhi_epi64(flips, flips))) as u64
    }
}
