//! The hash by carry-less multiplication: two products, one fold.

use std::arch::x86_64::{
    _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_unpackhi_epi64, _mm_xor_si128,
};

use super::scalar::{OPPONENT_A1, PLAYER_A1};

/// See [`super::Board::hash`].
///
/// Bit `i` of a board contributes the constant shifted left by `i` in 128 bits; XOR of the two
/// halves makes that a rotation in 64.
#[inline(always)]
pub fn hash(player: u64, opponent: u64) -> u64 {
    // SAFETY: this file runs only at a level with PCLMULQDQ, the highest feature used.
    unsafe {
        let boards = _mm_set_epi64x(opponent as i64, player as i64);
        let keys = _mm_set_epi64x(OPPONENT_A1 as i64, PLAYER_A1 as i64);
        let product = _mm_xor_si128(
            _mm_clmulepi64_si128::<0x00>(boards, keys),
            _mm_clmulepi64_si128::<0x11>(boards, keys),
        );
        _mm_cvtsi128_si64(_mm_xor_si128(product, _mm_unpackhi_epi64(product, product))) as u64
    }
}
