//! The last move's discs with AVX-512: flips where every square that is not the player's is the
//! opponent's. No table but the rays; slower than BMI2 for one board.

use std::arch::x86_64::*;

use crate::board::rays::RAYS;

/// See [`super::count`].
#[inline(always)]
pub fn count(square: u8, player: u64) -> u32 {
    debug_assert!(square < 64);
    // SAFETY: this file is compiled only for a target with AVX-512F, CD and VL; squares are below
    // 64, and a row of the table is two aligned registers long.
    unsafe {
        let row = RAYS.as_ptr().add(square as usize).cast::<__m256i>();
        let player = _mm256_set1_epi64x(player as i64);
        let (up, down) = (_mm256_load_si256(row), _mm256_load_si256(row.add(1)));
        let zero = _mm256_setzero_si256();
        // Upward: all below the lowest own disc. Without one, nothing.
        let own = _mm256_and_si256(up, player);
        let below = _mm256_andnot_si256(own, _mm256_add_epi64(own, _mm256_set1_epi64x(-1)));
        let upward = _mm256_maskz_and_epi64(_mm256_test_epi64_mask(up, player), up, below);
        // Downward: all above the highest own disc. Without one, h8, above which there is nothing.
        let own = _mm256_and_si256(down, player);
        let highest = _mm256_rorv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(own));
        // down & above & !highest
        let downward = _mm256_ternarylogic_epi64::<0x40>(down, _mm256_sub_epi64(zero, highest), highest);
        let turned = _mm256_or_si256(upward, downward);
        let turned = _mm_or_si128(_mm256_castsi256_si128(turned), _mm256_extracti128_si256::<1>(turned));
        let turned = _mm_cvtsi128_si64(_mm_or_si128(turned, _mm_unpackhi_epi64(turned, turned)));
        (turned as u64).count_ones()
    }
}
