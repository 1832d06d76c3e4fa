//! Lines of discs on eight boards at once with AVX-512: what batched flips and moves share.

use std::arch::x86_64::*;

/// The discs of `inner` in unbroken lines up and down from the squares `from`, at most six long:
/// `rays::lines` for eight boards. `DOUBLE` is twice `STEP`.
#[inline(always)]
pub(super) fn lines<const STEP: u32, const DOUBLE: u32>(from: __m512i, inner: __m512i) -> (__m512i, __m512i) {
    const { assert!(DOUBLE == 2 * STEP) };
    // SAFETY: this file is compiled only for a target with AVX-512F.
    unsafe {
        let up = _mm512_and_si512(_mm512_slli_epi64::<STEP>(from), inner);
        let down = _mm512_and_si512(_mm512_srli_epi64::<STEP>(from), inner);
        // 0xF8 is a | b & c.
        let up = _mm512_ternarylogic_epi64::<0xF8>(up, _mm512_slli_epi64::<STEP>(up), inner);
        let down = _mm512_ternarylogic_epi64::<0xF8>(down, _mm512_srli_epi64::<STEP>(down), inner);
        let pairs_up = _mm512_and_si512(inner, _mm512_slli_epi64::<STEP>(inner));
        let pairs_down = _mm512_srli_epi64::<STEP>(pairs_up);
        let up = _mm512_ternarylogic_epi64::<0xF8>(up, _mm512_slli_epi64::<DOUBLE>(up), pairs_up);
        let down = _mm512_ternarylogic_epi64::<0xF8>(down, _mm512_srli_epi64::<DOUBLE>(down), pairs_down);
        (
            _mm512_ternarylogic_epi64::<0xF8>(up, _mm512_slli_epi64::<DOUBLE>(up), pairs_up),
            _mm512_ternarylogic_epi64::<0xF8>(down, _mm512_srli_epi64::<DOUBLE>(down), pairs_down),
        )
    }
}

/// Eight bitboards from memory.
#[inline(always)]
pub(super) fn load(lanes: &super::Lanes) -> __m512i {
    // SAFETY: eight words are one register; the load needs no alignment, the target has AVX-512F.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}

/// Eight bitboards to memory.
#[inline(always)]
pub(super) fn store(lanes: __m512i) -> super::Lanes {
    let mut words = [0; super::LANES];
    // SAFETY: eight words are one register; the store needs no alignment, the target has AVX-512F.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), lanes) };
    words
}
