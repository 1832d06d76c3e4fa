//! Tables for counting the discs that the last move turns, built by the compiler.

use crate::board::rays::RAYS;

/// The squares of a line through `square`, itself included: row, column, then the diagonals of step 7 and 9.
pub(super) const fn line(square: usize, at: usize) -> u64 {
    let rays = &RAYS[square].0;
    rays[at] | rays[at + 4] | 1 << square
}

/// The four lines through a square: row, column and both diagonals.
#[derive(Clone, Copy)]
pub(super) struct SquareLines {
    /// Squares of each line, the crossing included; 0 for diagonals too short to turn a disc.
    pub(super) masks: [u64; 4],
    /// The start of each line's counts in [`COUNTS`].
    pub(super) starts: [u16; 4],
    /// The factor that moves a line's squares to the upper end of a word, and the shift down from there.
    #[cfg(any(kernel = "neon", kernel = "simd128"))]
    pub(super) factors: [u64; 4],
    #[cfg(any(kernel = "neon", kernel = "simd128"))]
    pub(super) shifts: [u8; 4],
}

impl SquareLines {
    const NONE: Self = Self {
        masks: [0; 4],
        starts: [0; 4],
        #[cfg(any(kernel = "neon", kernel = "simd128"))]
        factors: [0; 4],
        #[cfg(any(kernel = "neon", kernel = "simd128"))]
        shifts: [0; 4],
    };
}

/// Whether a line's bits are counted from its highest square: no factor orders long diagonals of step 7 otherwise.
const fn is_reversed(line: usize) -> bool {
    cfg!(any(kernel = "neon", kernel = "simd128")) && line == 2
}

/// The product of `mask` and this number has the squares of `mask` as its highest bits.
#[cfg(any(kernel = "neon", kernel = "simd128"))]
const fn factor(mask: u64, is_reversed: bool) -> u64 {
    let mut left = mask;
    let mut factor = 0;
    while left != 0 {
        let place = if is_reversed {
            left.count_ones() - 1
        } else {
            mask.count_ones() - left.count_ones()
        };
        factor |= 1 << (64 - mask.count_ones() + place - left.trailing_zeros());
        left &= left - 1;
    }
    factor
}

pub(super) static LINES: [SquareLines; 64] = lines();

const fn lines() -> [SquareLines; 64] {
    let mut table = [SquareLines::NONE; 64];
    let mut square = 0;
    while square < 64 {
        let mut at = 0;
        while at < 4 {
            let mask = line(square, at);
            if mask.count_ones() >= 3 {
                let length = mask.count_ones() as usize;
                let lower = (mask & ((1 << square) - 1)).count_ones() as usize;
                let place = if is_reversed(at) {
                    length - 1 - lower
                } else {
                    lower
                };
                table[square].masks[at] = mask;
                table[square].starts[at] = counts_start(length, place) as u16;
                #[cfg(any(kernel = "neon", kernel = "simd128"))]
                {
                    table[square].factors[at] = factor(mask, is_reversed(at));
                    table[square].shifts[at] = 64 - length as u8;
                }
            }
            at += 1;
        }
        square += 1;
    }
    table
}

/// 2^length counts for each place on a line, after one 0 for the lines too short.
const COUNTS_LEN: usize = 1 + 3 * 8 + 4 * 16 + 5 * 32 + 6 * 64 + 7 * 128 + 8 * 256;

const fn counts_start(length: usize, place: usize) -> usize {
    let mut start = 1;
    let mut shorter = 3;
    while shorter < length {
        start += shorter << shorter;
        shorter += 1;
    }
    start + (place << length)
}

/// Discs turned along a line by the last move of a game, for every owner of the other squares: 256
/// for each that the owner of the set bits turns, less 1 for each that the other side would turn.
///
/// Both at once, because a side that turns nothing leaves the move to the other (idea: Edax-AVX).
pub(super) static COUNTS: [i16; COUNTS_LEN] = counts();

const fn counts() -> [i16; COUNTS_LEN] {
    let mut table = [0; COUNTS_LEN];
    let mut length = 3;
    while length <= 8 {
        let mut place = 0;
        while place < length {
            let mut bits = 0;
            while bits < 1 << length {
                let both = 256 * line_flips(place, bits, length) - line_flips(place, !bits, length);
                table[counts_start(length, place) + bits] = both;
                bits += 1;
            }
            place += 1;
        }
        length += 1;
    }
    table
}

/// Discs between `place` and the nearest set bit on either side, on a line of `length` squares.
const fn line_flips(place: usize, bits: usize, length: usize) -> i16 {
    let mut count = 0;
    let mut at = place + 1;
    while at < length {
        if bits >> at & 1 != 0 {
            count += at - place - 1;
            break;
        }
        at += 1;
    }
    at = place;
    while at > 0 {
        at -= 1;
        if bits >> at & 1 != 0 {
            count += place - at - 1;
            break;
        }
    }
    count as i16
}

/// The most that the last move may turn, counted as in [`COUNTS`], if the mover is to end with no more
/// discs than a target: for targets below 32 and from there on, by the target plus 64 less its discs.
pub(super) static BARS: [[i16; 128]; 2] = [bars(false), bars(true)];

const fn bars(high_target: bool) -> [i16; 128] {
    let mut table = [0; 128];
    let mut at = 0;
    while at < 128 {
        let wanting = at as i16 - 64;
        table[at] = if wanting > 0 {
            // Its disc and its flips must not close the gap to the target.
            256 * (wanting - 1)
        } else if wanting == 0 && high_target {
            // Without flips the empty square goes to the winner: 63 discs cannot be halved.
            -1
        } else {
            // It must turn nothing, and lose its surplus over the target.
            wanting
        };
        at += 1;
    }
    table
}

/// The bitboard of each square, for a broadcast straight from memory.
#[cfg(with = "avx2")]
pub(super) static BITS: [u64; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = 1 << square;
        square += 1;
    }
    table
};
