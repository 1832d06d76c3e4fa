//! Legal moves with AVX-512: one lane per direction, all eight at once by rotation.

use std::arch::x86_64::*;

/// Discs that a line of each step (1, 8, 7, 9) can pass: a line across a border disc leaves the board.
const INNER: [i64; 4] = [
    0x7E7E_7E7E_7E7E_7E7E,
    0x00FF_FFFF_FFFF_FF00,
    0x007E_7E7E_7E7E_7E00,
    0x007E_7E7E_7E7E_7E00,
];

/// The opponent's discs that can be turned along each direction, and the step of each. Rotations
/// wrap round the board's borders, and the discs there drop out: no line passes them.
#[inline(always)]
fn inner_and_step(opponent: u64) -> (__m512i, __m512i) {
    let [rank, file, down, up] = INNER;
    // SAFETY: this file runs only at a level with AVX-512F.
    unsafe {
        let inner = _mm512_set_epi64(up, down, file, rank, up, down, file, rank);
        (
            _mm512_and_si512(inner, _mm512_set1_epi64(opponent as i64)),
            _mm512_set_epi64(64 - 9, 64 - 7, 64 - 8, 64 - 1, 9, 7, 8, 1),
        )
    }
}

/// The squares that end a line, per direction; some hold discs.
#[inline(always)]
fn ends(player: u64, inner: __m512i, step: __m512i) -> __m512i {
    // SAFETY: this file runs only at a level with AVX-512F.
    unsafe {
        let double = _mm512_set_epi64(64 - 18, 64 - 14, 64 - 16, 64 - 2, 18, 14, 16, 2);
        // 0xF8 is a | b & c: lengthen the lines by one disc, then twice by two.
        let lines = _mm512_and_si512(
            inner,
            _mm512_rolv_epi64(_mm512_set1_epi64(player as i64), step),
        );
        let lines = _mm512_ternarylogic_epi64::<0xF8>(lines, inner, _mm512_rolv_epi64(lines, step));
        let pairs = _mm512_and_si512(inner, _mm512_rolv_epi64(inner, step));
        let lines =
            _mm512_ternarylogic_epi64::<0xF8>(lines, pairs, _mm512_rolv_epi64(lines, double));
        let lines =
            _mm512_ternarylogic_epi64::<0xF8>(lines, pairs, _mm512_rolv_epi64(lines, double));
        _mm512_rolv_epi64(lines, step)
    }
}

/// See [`super::moves`].
#[inline(always)]
pub fn moves(player: u64, opponent: u64) -> u64 {
    let (inner, step) = inner_and_step(opponent);
    let ends = ends(player, inner, step);
    // SAFETY: this file runs only at a level with AVX-512F.
    unsafe {
        let ends = _mm256_or_si256(
            _mm512_castsi512_si256(ends),
            _mm512_extracti64x4_epi64::<1>(ends),
        );
        let ends = _mm_or_si128(
            _mm256_castsi256_si128(ends),
            _mm256_extracti128_si256::<1>(ends),
        );
        let ends = _mm_cvtsi128_si64(_mm_or_si128(ends, _mm_unpackhi_epi64(ends, ends))) as u64;
        ends & !(player | opponent)
    }
}
