//! Stable discs with AVX2: one lane per direction of lines.

use std::arch::x86_64::*;

use super::edge::{ROUNDS, stable_border};
use crate::board::SquareSet;
use crate::board::bitboard::BORDER;
use crate::board::rays::RAYS;

/// See [`super::stable_discs_at_end`].
#[inline(always)]
pub fn stable_discs_at_end(player: u64, opponent: u64) -> u64 {
    let border = stable_border(player, opponent);
    // SAFETY: squares are below 64, a row of rays is two aligned registers long, and this file runs
    // only at a level with AVX2.
    unsafe {
        // The lines of each direction that an empty square keeps open.
        let mut open = _mm256_setzero_si256();
        for square in SquareSet(!(player | opponent)) {
            let rays = RAYS.as_ptr().add(square.index()).cast::<__m256i>();
            let line = _mm256_or_si256(_mm256_load_si256(rays), _mm256_load_si256(rays.add(1)));
            open = _mm256_or_si256(open, line);
        }
        let full = _mm256_xor_si256(open, _mm256_set1_epi64x(-1));
        let steps = _mm256_setr_epi64x(1, 8, 7, 9);
        let inner = _mm256_set1_epi64x((player & !BORDER) as i64);
        let mut stable = _mm256_set1_epi64x(border as i64);
        for _ in 0..ROUNDS {
            let up = _mm256_sllv_epi64(stable, steps);
            let safe = _mm256_or_si256(_mm256_or_si256(up, _mm256_srlv_epi64(stable, steps)), full);
            let safe = _mm256_and_si256(safe, _mm256_permute4x64_epi64::<0x4E>(safe));
            let safe = _mm256_and_si256(safe, _mm256_shuffle_epi32::<0x4E>(safe));
            stable = _mm256_or_si256(stable, _mm256_and_si256(inner, safe));
        }
        _mm_cvtsi128_si64(_mm256_castsi256_si128(stable)) as u64
    }
}
