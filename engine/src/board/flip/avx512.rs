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
fn ray_flips(up: __m256i, down: __m256i, player: __m256i, opponent: __m256i) -> __m256i {
    // SAFETY: this file runs only at a level with AVX-512F, CD and VL.
    unsafe {
        let zero = _mm256_setzero_si256();
        // Upward: the nearest square without an opponent is the lowest bit; the squares below it on
        // the ray are turned if it has a disc of the player.
        let stops = _mm256_andnot_si256(opponent, up);
        let nearest = _mm256_and_si256(stops, _mm256_sub_epi64(zero, stops));
        let closed = _mm256_test_epi64_mask(nearest, player);
        let upward = _mm256_maskz_and_epi64(
            closed,
            up,
            _mm256_add_epi64(nearest, _mm256_set1_epi64x(-1)),
        );
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
    // SAFETY: this file runs only at a level with AVX-512F, CD and VL.
    unsafe {
        let flips = ray_flips(
            up,
            down,
            _mm256_set1_epi64x(player as i64),
            _mm256_set1_epi64x(opponent as i64),
        );
        let flips = _mm_or_si128(
            _mm256_castsi256_si128(flips),
            _mm256_extracti128_si256::<1>(flips),
        );
        _mm_cvtsi128_si64(_mm_or_si128(flips, _mm_unpackhi_epi64(flips, flips))) as u64
    }
}

/// Rays of two squares of one board: upward ones of the first in lanes 0-3, of the second in lanes 4-7; then downward.
#[derive(Clone, Copy)]
pub(crate) struct PairRays(__m512i, __m512i);

#[inline(always)]
pub(crate) fn pair_rays(first: u8, second: u8) -> PairRays {
    debug_assert!(first < 64 && second < 64);
    let (up_a, down_a) = rays(first);
    let (up_b, down_b) = rays(second);
    // SAFETY: this file runs only at a level with AVX-512F.
    unsafe {
        PairRays(
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(up_a), up_b),
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(down_a), down_b),
        )
    }
}

/// Discs turned by `player` on two squares, spread over the four lanes of each.
#[inline(always)]
pub(crate) fn pair_flips(rays: PairRays, player: __m512i, opponent: __m512i) -> __m512i {
    // SAFETY: this file runs only at a level with AVX-512F, CD and DQ.
    unsafe {
        let zero = _mm512_setzero_si512();
        // As in `ray_flips`.
        let stops = _mm512_andnot_si512(opponent, rays.0);
        let nearest = _mm512_and_si512(stops, _mm512_sub_epi64(zero, stops));
        let closed = _mm512_test_epi64_mask(nearest, player);
        let below = _mm512_add_epi64(nearest, _mm512_set1_epi64(-1));
        let upward = _mm512_maskz_and_epi64(closed, rays.0, below);
        let stops = _mm512_andnot_si512(opponent, rays.1);
        let nearest = _mm512_rorv_epi64(_mm512_set1_epi64(i64::MIN), _mm512_lzcnt_epi64(stops));
        let closing = _mm512_and_si512(nearest, player);
        let above = _mm512_sub_epi64(zero, closing);
        let downward = _mm512_ternarylogic_epi64::<0x40>(rays.1, above, closing);
        _mm512_or_si512(upward, downward)
    }
}

/// Two results of [`pair_flips`] gathered: lane 0 holds the first square of `x`, 1 that of `y`, 4 the
/// second square of `x`, 5 that of `y`.
#[inline(always)]
pub(crate) fn gather(x: __m512i, y: __m512i) -> __m512i {
    // SAFETY: this file runs only at a level with AVX-512F.
    unsafe {
        let halves = _mm512_or_si512(_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y));
        _mm512_or_si512(halves, _mm512_permutex_epi64::<0x4E>(halves))
    }
}

/// [`super::flip`] on two squares of one board.
#[inline(always)]
pub(crate) fn flip_pair(first: u8, second: u8, player: u64, opponent: u64) -> (u64, u64) {
    // SAFETY: this file runs only at a level with AVX-512F.
    unsafe {
        let player = _mm512_set1_epi64(player as i64);
        let opponent = _mm512_set1_epi64(opponent as i64);
        let lanes = pair_flips(pair_rays(first, second), player, opponent);
        let lanes = gather(lanes, lanes);
        let low = _mm_cvtsi128_si64(_mm512_castsi512_si128(lanes));
        let high = _mm_cvtsi128_si64(_mm512_extracti64x2_epi64::<2>(lanes));
        (low as u64, high as u64)
    }
}
