//! The last move's discs from tables, indexed by bits that PEXT gathers.
//!
//! A line's discs turned depend on the player's discs of that line alone. Rank and file have a
//! table by position on the line; both diagonals of a square are gathered into one index.
//!
//! Source of the merged diagonals: neural-reversi.

use std::arch::x86_64::_pext_u64;

use crate::board::rays::RAYS;

/// Where the counts of a square are found.
#[derive(Clone, Copy)]
struct Lines {
    /// The squares of both diagonals that matter.
    diagonals: u64,
    /// The square's file.
    file: u64,
    /// Start of its counts in `DIAGONALS`.
    start: u32,
}

const LINES: [Lines; 64] = lines();
static LINE_TABLE: [Lines; 64] = LINES;

/// Turned discs by position on a line of eight and the player's discs there.
static LINE: [[u8; 256]; 8] = line_counts();

/// Turned discs on both diagonals, by the gathered discs of the player, square after square.
static DIAGONALS: [u8; diagonals_len()] = diagonal_counts();

/// See [`super::count`].
#[inline(always)]
pub fn count(square: u8, player: u64) -> u32 {
    debug_assert!(square < 64);
    let (file, rank) = (square as usize & 7, square as usize >> 3 & 7);
    let on_rank = (player >> (8 * rank) & 0xFF) as usize;
    // SAFETY: this file is compiled only for a target with BMI2; squares are below 64; a file has
    // eight squares; the counts of a square take as many places as its diagonals have subsets.
    unsafe {
        let lines = LINE_TABLE.get_unchecked(square as usize);
        let on_file = _pext_u64(player, lines.file) as usize;
        let on_diagonals = lines.start as usize + _pext_u64(player, lines.diagonals) as usize;
        debug_assert!(on_file < 256 && on_diagonals < DIAGONALS.len());
        u32::from(*LINE.get_unchecked(file).get_unchecked(on_rank))
            + u32::from(*LINE.get_unchecked(rank).get_unchecked(on_file))
            + u32::from(*DIAGONALS.get_unchecked(on_diagonals))
    }
}

/// A diagonal ray, or nothing if it is too short for a disc to be turned and another to close.
const fn long_ray(square: usize, direction: usize) -> u64 {
    let ray = RAYS[square].0[direction];
    if ray.count_ones() < 2 { 0 } else { ray }
}

const fn lines() -> [Lines; 64] {
    let mut lines = [Lines { diagonals: 0, file: 0, start: 0 }; 64];
    let (mut square, mut start) = (0, 0);
    while square < 64 {
        let diagonals = long_ray(square, 2) | long_ray(square, 3) | long_ray(square, 6) | long_ray(square, 7);
        let file = 0x0101_0101_0101_0101 << (square & 7);
        lines[square] = Lines { diagonals, file, start };
        start += 1 << diagonals.count_ones();
        square += 1;
    }
    lines
}

const fn diagonals_len() -> usize {
    LINES[63].start as usize + (1 << LINES[63].diagonals.count_ones())
}

const fn line_counts() -> [[u8; 256]; 8] {
    let mut counts = [[0; 256]; 8];
    let mut at = 0;
    while at < 8 {
        let mut own = 0usize;
        while own < 256 {
            let (above, below) = (own >> (at + 1), own & ((1 << at) - 1));
            let up = if above == 0 { 0 } else { above.trailing_zeros() };
            let down = if below == 0 { 0 } else { at as u32 - 1 - below.ilog2() };
            counts[at][own] = (up + down) as u8;
            own += 1;
        }
        at += 1;
    }
    counts
}

#[allow(long_running_const_eval, reason = "some 30,000 entries, each one sum")]
const fn diagonal_counts() -> [u8; diagonals_len()] {
    let mut counts = [0; diagonals_len()];
    let mut square = 0;
    while square < 64 {
        let all = LINES[square].diagonals;
        // PEXT keeps the order of squares, so the lower rays are the low part of the index.
        let low_bits = (all & ((1 << square) - 1)).count_ones();
        let low_len = 1 << low_bits;
        let mut low = [0u8; 128];
        let mut high = [0u8; 128];
        let mut index = 0;
        while index < 128 {
            low[index] = turned(index, square, all, 0, [long_ray(square, 6), long_ray(square, 7)]);
            high[index] = turned(index, square, all, low_bits, [long_ray(square, 2), long_ray(square, 3)]);
            index += 1;
        }
        let mut index = 0;
        while index < 1 << all.count_ones() {
            counts[LINES[square].start as usize + index] = low[index % low_len] + high[index / low_len];
            index += 1;
        }
        square += 1;
    }
    counts
}

/// Discs turned on two rays of one side of `square`, where bit `i` of `index` stands for the
/// player's disc on the `skip + i`-th square of `all`.
const fn turned(index: usize, square: usize, all: u64, skip: u32, rays: [u64; 2]) -> u8 {
    // Deposit the index bits on their squares.
    let (mut left, mut n, mut own) = (all, 0, 0);
    while left != 0 {
        if n >= skip && n - skip < 7 && index >> (n - skip) & 1 != 0 {
            own |= left & left.wrapping_neg();
        }
        left &= left - 1;
        n += 1;
    }
    let mut count = 0;
    let mut ray = 0;
    while ray < 2 {
        let hit = own & rays[ray];
        if hit != 0 {
            let nearest = if rays[ray] >> square != 0 { hit.trailing_zeros() } else { hit.ilog2() };
            let between = if rays[ray] >> square != 0 { (1 << nearest) - 1 } else { !1 << nearest };
            count += (rays[ray] & between).count_ones() as u8;
        }
        ray += 1;
    }
    count
}
