//! The order of the last empties by parallel bit extraction and a shuffle of bytes.

use std::arch::x86_64::*;

/// For four squares in rising order: where each of them goes, by two sets of them, four bits each: those
/// that come first, and in the upper half those that come before the rest.
static SHUFFLES: [[u8; 4]; 256] = {
    let mut table = [[0; 4]; 256];
    let mut sets = 0;
    while sets < 256 {
        let first = sets & 15;
        let second = sets >> 4 & !sets;
        let mut len = 0;
        let groups = [first, second, !(first | second)];
        let mut group = 0;
        while group < 3 {
            let mut square = 0;
            while square < 4 {
                if groups[group] >> square & 1 != 0 {
                    table[sets][len] = square;
                    len += 1;
                }
                square += 1;
            }
            group += 1;
        }
        sets += 1;
    }
    table
};

/// See [`super::in_order`].
#[inline(always)]
pub(super) fn in_order(empties: u64, singles: u64, safe: u64) -> [u8; 4] {
    let mut left = empties;
    let mut rising = 0;
    for at in 0..4 {
        rising |= left.trailing_zeros() << (8 * at);
        left &= left.wrapping_sub(1);
    }
    // SAFETY: this file runs only at a level with AVX2 and BMI2.
    unsafe {
        let sets = _pext_u64(singles, empties) | _pext_u64(safe, empties) << 4;
        let shuffle = i32::from_le_bytes(SHUFFLES[(sets & 255) as usize]);
        let ordered =
            _mm_shuffle_epi8(_mm_cvtsi32_si128(rising as i32), _mm_cvtsi32_si128(shuffle));
        _mm_cvtsi128_si32(ordered).to_le_bytes()
    }
}
