//! Flips with AVX-512: four rays towards higher squares and four towards lower ones, in two
//! registers. Leading zeros per lane (AVX-512CD) find the end of the downward rays.
//!
//! Source of the idea: T. Okuhara, Edax-AVX.

use std::arch::x86_64::*;

use crate::board::Lanes;
use crate::board::lanes::{lines, load, store};
use crate::board::rays::{INNER, RAYS};

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
            ray_flips(up, down, _mm256_set1_epi64x(player as i64), _mm256_set1_epi64x(opponent as i64));
        let flips = _mm_or_si128(_mm256_castsi256_si128(flips), _mm256_extracti128_si256::<1>(flips));
        _mm_cvtsi128_si64(_mm_or_si128(flips, _mm_unpackhi_epi64(flips, flips))) as u64
    }
}

/// Turned discs per ray of two squares of one board: the first in the lower four lanes.
#[inline(always)]
fn ray_flips2(squares: [u8; 2], player: __m512i, opponent: __m512i) -> __m512i {
    let ((up_a, down_a), (up_b, down_b)) = (rays(squares[0]), rays(squares[1]));
    // SAFETY: this file is compiled only for a target with AVX-512F and CD.
    unsafe {
        let up = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(up_a), up_b);
        let down = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(down_a), down_b);
        let zero = _mm512_setzero_si512();
        // As in `ray_flips`.
        let stops = _mm512_andnot_si512(opponent, up);
        let nearest = _mm512_and_si512(stops, _mm512_sub_epi64(zero, stops));
        let closed = _mm512_test_epi64_mask(nearest, player);
        let upward = _mm512_maskz_and_epi64(closed, up, _mm512_add_epi64(nearest, _mm512_set1_epi64(-1)));
        let stops = _mm512_andnot_si512(opponent, down);
        let nearest = _mm512_rorv_epi64(_mm512_set1_epi64(i64::MIN), _mm512_lzcnt_epi64(stops));
        let closing = _mm512_and_si512(nearest, player);
        let above = _mm512_sub_epi64(zero, closing);
        let downward = _mm512_ternarylogic_epi64::<0x40>(down, above, closing);
        _mm512_or_si512(upward, downward)
    }
}

/// See [`super::flip2`].
#[inline(always)]
pub fn flip2(squares: [u8; 2], player: u64, opponent: u64) -> [u64; 2] {
    // SAFETY: this file is compiled only for a target with AVX-512F.
    unsafe {
        let flips = ray_flips2(squares, _mm512_set1_epi64(player as i64), _mm512_set1_epi64(opponent as i64));
        let (a, b) = (_mm512_castsi512_si256(flips), _mm512_extracti64x4_epi64::<1>(flips));
        let both = _mm256_or_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let both = _mm_or_si128(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
        [_mm_cvtsi128_si64(both) as u64, _mm_extract_epi64::<1>(both) as u64]
    }
}

/// See [`super::flip4`].
#[inline(always)]
pub fn flip4(squares: [u8; 4], player: u64, opponent: u64) -> [u64; 4] {
    let [a, b, c, d] = squares;
    // SAFETY: this file is compiled only for a target with AVX-512F; the array is one register long.
    unsafe {
        let (player, opponent) = (_mm512_set1_epi64(player as i64), _mm512_set1_epi64(opponent as i64));
        // Lanes aaaacccc and bbbbdddd, so that two rounds of pairing leave a, b, c, d in order.
        let (first, second) = (ray_flips2([a, c], player, opponent), ray_flips2([b, d], player, opponent));
        let pairs =
            _mm512_or_si512(_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second));
        // Now abababab's two halves: ab ab cd cd in 128-bit lanes.
        let folded = _mm512_or_si512(pairs, _mm512_shuffle_i64x2::<0b10_11_00_01>(pairs, pairs));
        let all = _mm512_castsi512_si256(_mm512_shuffle_i64x2::<0b00_00_10_00>(folded, folded));
        let mut flips = [0; 4];
        _mm256_storeu_si256(flips.as_mut_ptr().cast(), all);
        flips
    }
}

/// Adds to `flips` what the move `square` turns along one pair of opposite directions.
#[inline(always)]
fn add_flips<const STEP: u32, const DOUBLE: u32>(
    flips: __m512i,
    square: __m512i,
    player: __m512i,
    inner: __m512i,
) -> __m512i {
    let (up, down) = lines::<STEP, DOUBLE>(square, inner);
    // SAFETY: this file is compiled only for a target with AVX-512F.
    unsafe {
        let closed = _mm512_test_epi64_mask(_mm512_slli_epi64::<STEP>(up), player);
        let flips = _mm512_mask_or_epi64(flips, closed, flips, up);
        let closed = _mm512_test_epi64_mask(_mm512_srli_epi64::<STEP>(down), player);
        _mm512_mask_or_epi64(flips, closed, flips, down)
    }
}

/// See [`super::flip_lanes`].
#[inline(always)]
pub fn flip_lanes(square: &Lanes, player: &Lanes, opponent: &Lanes) -> Lanes {
    let (square, player, opponent) = (load(square), load(player), load(opponent));
    // SAFETY: this file is compiled only for a target with AVX-512F.
    unsafe {
        let inner = INNER.map(|mask| _mm512_and_si512(opponent, _mm512_set1_epi64(mask as i64)));
        // Along the rank a carry runs through the line above the square and stops behind it: at a
        // disc of the player, if it is one, and the difference are the discs between.
        let next = _mm512_slli_epi64::<1>(square);
        let stop = _mm512_and_si512(_mm512_add_epi64(inner[0], next), player);
        let closed = _mm512_test_epi64_mask(stop, stop);
        let flips = _mm512_maskz_sub_epi64(closed, stop, next);
        let down = lines::<1, 2>(square, inner[0]).1;
        let closed = _mm512_test_epi64_mask(_mm512_srli_epi64::<1>(down), player);
        let flips = _mm512_mask_or_epi64(flips, closed, flips, down);
        let flips = add_flips::<8, 16>(flips, square, player, inner[1]);
        let flips = add_flips::<7, 14>(flips, square, player, inner[2]);
        store(add_flips::<9, 18>(flips, square, player, inner[3]))
    }
}
