//! Flips with AVX2: four rays towards higher squares and four towards lower ones, in two registers.
//!
//! Source of the idea: T. Okuhara, Edax-AVX. Our own is how a downward ray is found to be closed: by
//! comparing numbers.

use std::arch::x86_64::*;

use crate::board::rays::RAYS;

/// Discs turned along the rays of `square`, an upward and a downward one in each lane.
#[inline(always)]
pub(crate) fn ray_flips(square: u8, player: __m256i, opponent: __m256i) -> __m256i {
    debug_assert!(square < 64);
    // SAFETY: this file runs only at a level with AVX2; squares are below 64, and a row
    // of the table is two aligned registers long.
    unsafe {
        let row = RAYS.as_ptr().add(square as usize).cast::<__m256i>();
        let up = _mm256_load_si256(row);
        let down = _mm256_load_si256(row.add(1));
        // Upward: the nearest square without an opponent is the lowest bit, and negation spoils the
        // stops above it. If it has a disc of the player, the squares below it on the ray are
        // turned; else `closing` is 0.
        let zero = _mm256_setzero_si256();
        let stops = _mm256_andnot_si256(opponent, up);
        let closing = _mm256_and_si256(_mm256_sub_epi64(zero, stops), _mm256_and_si256(player, up));
        let above = _mm256_sub_epi64(zero, closing);
        let below = _mm256_andnot_si256(above, up);
        let upward = if_negative(above, below, closing);
        // Downward: the nearest stop is the highest bit. Shade the ray below it, step by step; the lit rest
        // is turned if the ray is closed. Shifted rays stay on their line, except for bits that left it
        // below: the ray masks them.
        let shifted = |bits, steps: i64| {
            _mm256_srlv_epi64(
                bits,
                _mm256_set_epi64x(9 * steps, 7 * steps, 8 * steps, steps),
            )
        };
        let stops = _mm256_andnot_si256(opponent, down);
        let below = shifted(stops, 1);
        // As numbers, the player's discs exceed the shifted stops if the highest stop is one of them. If
        // not, that stop moved to the next square; a disc of the player there is a stop that moved one square
        // further, so the shifted stops are greater at the first difference, if any.
        // No ray downward has the bit of the sign.
        let closed = _mm256_cmpgt_epi64(_mm256_and_si256(player, down), below);
        let shade = _mm256_or_si256(stops, below);
        let shade = _mm256_or_si256(shade, shifted(shade, 2));
        let shade = _mm256_or_si256(shade, shifted(shade, 4));
        let downward = _mm256_andnot_si256(shade, _mm256_and_si256(closed, down));
        _mm256_or_si256(upward, downward)
    }
}

/// Per lane, `then` where `sign` is negative, else `other`.
#[inline(always)]
fn if_negative(sign: __m256i, then: __m256i, other: __m256i) -> __m256i {
    // SAFETY: this file runs only at a level with AVX2.
    unsafe {
        let sign = _mm256_castsi256_pd(sign);
        let then = _mm256_castsi256_pd(then);
        _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(other), then, sign))
    }
}

/// See [`super::flip`].
#[inline(always)]
pub fn flip(square: u8, player: u64, opponent: u64) -> u64 {
    // SAFETY: this file runs only at a level with AVX2.
    unsafe {
        let flips = ray_flips(
            square,
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

/// Two results of [`ray_flips`] gathered: lanes 0 and 2 hold the discs of `x`, 1 and 3 those of `y`.
#[inline(always)]
pub(crate) fn gather(x: __m256i, y: __m256i) -> __m256i {
    // SAFETY: this file runs only at a level with AVX2.
    unsafe {
        let halves = _mm256_or_si256(_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y));
        _mm256_or_si256(halves, _mm256_permute4x64_epi64::<0x4E>(halves))
    }
}
