//! Legal moves with AVX2: one lane per pair of opposite directions.
//!
//! Source of the idea: the parallel prefix fill of Kogge and Stone, in four lanes as in Edax.

use std::arch::x86_64::*;

/// See [`super::moves`].
#[inline(always)]
pub fn moves(player: u64, opponent: u64) -> u64 {
    // SAFETY: this file runs only at a level with AVX2.
    unsafe {
        let step = _mm256_set_epi64x(9, 7, 8, 1);
        let double = _mm256_set_epi64x(18, 14, 16, 2);
        let no_wrap = _mm256_set_epi64x(
            0x7E7E_7E7E_7E7E_7E7E,
            0x7E7E_7E7E_7E7E_7E7E,
            -1,
            0x7E7E_7E7E_7E7E_7E7E,
        );
        let inner = _mm256_and_si256(no_wrap, _mm256_set1_epi64x(opponent as i64));
        let own = _mm256_set1_epi64x(player as i64);
        let up = _mm256_and_si256(inner, _mm256_sllv_epi64(own, step));
        let down = _mm256_and_si256(inner, _mm256_srlv_epi64(own, step));
        // Lengthen the lines by one disc, then twice by two.
        let up = _mm256_or_si256(up, _mm256_and_si256(inner, _mm256_sllv_epi64(up, step)));
        let down = _mm256_or_si256(down, _mm256_and_si256(inner, _mm256_srlv_epi64(down, step)));
        let pairs_up = _mm256_and_si256(inner, _mm256_sllv_epi64(inner, step));
        let pairs_down = _mm256_srlv_epi64(pairs_up, step);
        let up = _mm256_or_si256(
            up,
            _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, double)),
        );
        let down = _mm256_or_si256(
            down,
            _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, double)),
        );
        let up = _mm256_or_si256(
            up,
            _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, double)),
        );
        let down = _mm256_or_si256(
            down,
            _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, double)),
        );
        let ends = _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
        let ends = _mm_or_si128(
            _mm256_castsi256_si128(ends),
            _mm256_extracti128_si256::<1>(ends),
        );
        let ends = _mm_cvtsi128_si64(_mm_or_si128(ends, _mm_unpackhi_epi64(ends, ends))) as u64;
        ends & !(player | opponent)
    }
}
