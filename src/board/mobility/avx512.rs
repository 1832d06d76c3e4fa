//! Legal moves with AVX-512: one lane per direction, all eight at once by rotation.

use std::arch::x86_64::*;

use crate::board::Lanes;
use crate::board::lanes::{lines, load, store};
use crate::board::rays::INNER;

/// The opponent's discs that can be turned along each direction, and the step of each. Rotations
/// wrap round the board's borders, and the discs there drop out: no line passes them.
#[inline(always)]
fn inner_and_step(opponent: u64) -> (__m512i, __m512i) {
    let [rank, file, down, up] = INNER.map(|mask| mask as i64);
    // SAFETY: this file is compiled only for a target with AVX-512F.
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
    // SAFETY: this file is compiled only for a target with AVX-512F.
    unsafe {
        let double = _mm512_set_epi64(64 - 18, 64 - 14, 64 - 16, 64 - 2, 18, 14, 16, 2);
        // 0xF8 is a | b & c: lengthen the lines by one disc, then twice by two.
        let lines = _mm512_and_si512(inner, _mm512_rolv_epi64(_mm512_set1_epi64(player as i64), step));
        let lines = _mm512_ternarylogic_epi64::<0xF8>(lines, inner, _mm512_rolv_epi64(lines, step));
        let pairs = _mm512_and_si512(inner, _mm512_rolv_epi64(inner, step));
        let lines = _mm512_ternarylogic_epi64::<0xF8>(lines, pairs, _mm512_rolv_epi64(lines, double));
        let lines = _mm512_ternarylogic_epi64::<0xF8>(lines, pairs, _mm512_rolv_epi64(lines, double));
        _mm512_rolv_epi64(lines, step)
    }
}

/// See [`super::moves`].
#[inline(always)]
pub fn moves(player: u64, opponent: u64) -> u64 {
    let (inner, step) = inner_and_step(opponent);
    let ends = ends(player, inner, step);
    // SAFETY: this file is compiled only for a target with AVX-512F.
    unsafe {
        let ends = _mm256_or_si256(_mm512_castsi512_si256(ends), _mm512_extracti64x4_epi64::<1>(ends));
        let ends = _mm_or_si128(_mm256_castsi256_si128(ends), _mm256_extracti128_si256::<1>(ends));
        let ends = _mm_cvtsi128_si64(_mm_or_si128(ends, _mm_unpackhi_epi64(ends, ends))) as u64;
        ends & !(player | opponent)
    }
}

/// Adds to `ends` the ends of the lines along one pair of opposite directions.
#[inline(always)]
fn add_ends<const STEP: u32, const DOUBLE: u32>(ends: __m512i, player: __m512i, inner: __m512i) -> __m512i {
    let (up, down) = lines::<STEP, DOUBLE>(player, inner);
    // SAFETY: this file is compiled only for a target with AVX-512F. 0xFE is a | b | c.
    unsafe {
        let (up, down) = (_mm512_slli_epi64::<STEP>(up), _mm512_srli_epi64::<STEP>(down));
        _mm512_ternarylogic_epi64::<0xFE>(ends, up, down)
    }
}

/// See [`super::moves_lanes`].
#[inline(always)]
pub fn moves_lanes(player: &Lanes, opponent: &Lanes) -> Lanes {
    let (player, opponent) = (load(player), load(opponent));
    // SAFETY: this file is compiled only for a target with AVX-512F.
    unsafe {
        let inner = INNER.map(|mask| _mm512_and_si512(opponent, _mm512_set1_epi64(mask as i64)));
        // Along the rank a carry runs up each line that begins beside the player. Lines without
        // such a beginning stay as they are, and go with the discs.
        let begins = _mm512_and_si512(_mm512_slli_epi64::<1>(player), inner[0]);
        let ends = _mm512_add_epi64(begins, inner[0]);
        let down = _mm512_srli_epi64::<1>(lines::<1, 2>(player, inner[0]).1);
        let ends = _mm512_or_si512(ends, down);
        let ends = add_ends::<8, 16>(ends, player, inner[1]);
        let ends = add_ends::<7, 14>(ends, player, inner[2]);
        let ends = add_ends::<9, 18>(ends, player, inner[3]);
        // ends & !(player | opponent)
        store(_mm512_ternarylogic_epi64::<0x10>(ends, player, opponent))
    }
}
