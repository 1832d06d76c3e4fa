//! Stable discs of border lines, by a table over all fillings of one.

use crate::board::bitboard::FILE_A;

/// The player's stable discs on a line of eight, by ternary index: the sum over its squares of 3^i
/// for a disc of the player and 2·3^i for one of the opponent.
static STABLE: [u8; 6561] = stable_lines();

/// Ternary value of a byte of discs.
static TERNARY: [u16; 256] = ternary();

/// Discs of `player` on a border line that no further course of the game can turn along it.
///
/// Exact if either side might at any time place a disc on any empty square of the line.
#[inline(always)]
pub(super) fn stable_on_line(player: u8, opponent: u8) -> u8 {
    debug_assert!(player & opponent == 0);
    let index = TERNARY[player as usize] + 2 * TERNARY[opponent as usize];
    STABLE[index as usize]
}

/// Rounds of contact that find stable discs near the end: a third one finds 2 % more cuts for as much time.
pub(super) const ROUNDS: usize = 2;

/// Stable discs of `player` on each border line by itself: ranks 1 and 8, files a and h.
#[inline(always)]
fn stable_on_border_lines(player: u64, opponent: u64) -> [u8; 4] {
    [
        stable_on_line(player as u8, opponent as u8),
        stable_on_line((player >> 56) as u8, (opponent >> 56) as u8),
        stable_on_line(pack_file(player), pack_file(opponent)),
        stable_on_line(pack_file(player >> 7), pack_file(opponent >> 7)),
    ]
}

/// Discs of `player` on the border that no course of the game can turn: exact as far as the border
/// line decides. Corners are always stable.
#[inline]
pub fn stable_border(player: u64, opponent: u64) -> u64 {
    let [bottom, top, left, right] = stable_on_border_lines(player, opponent);
    u64::from(bottom) | u64::from(top) << 56 | unpack_file(left) | unpack_file(right) << 7
}

/// Discs of [`stable_border`], line by line: those in a corner count twice.
#[inline(always)]
pub fn stable_border_count(player: u64, opponent: u64) -> u32 {
    u32::from_le_bytes(stable_on_border_lines(player, opponent)).count_ones()
}

/// The a-file as a byte, a1 its lowest bit.
#[inline(always)]
fn pack_file(bits: u64) -> u8 {
    ((bits & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// A byte as the a-file.
#[inline(always)]
fn unpack_file(line: u8) -> u64 {
    // A copy in every rank, of which rank i keeps bit i; any bit left carries into the top bit.
    let marks = u64::from(line).wrapping_mul(FILE_A) & 0x8040_2010_0804_0201;
    (marks + 0x7F7F_7F7F_7F7F_7F7F) >> 7 & FILE_A
}

const fn ternary() -> [u16; 256] {
    let mut values = [0; 256];
    let mut byte = 1usize;
    while byte < 256 {
        let lowest = byte.trailing_zeros();
        values[byte] = values[byte & (byte - 1)] + 3u16.pow(lowest);
        byte += 1;
    }
    values
}

/// The opponent's discs turned on a line of eight by a disc of the player on the empty square `at`.
const fn line_flips(at: u32, player: u8, opponent: u8) -> u8 {
    let above = (!opponent as u32) >> (at + 1);
    let up_end = at + 1 + above.trailing_zeros();
    let mut flips = 0;
    if up_end < 8 && player >> up_end & 1 != 0 {
        flips |= ((1u32 << up_end) - (2 << at)) as u8;
    }
    let below = !opponent & ((1 << at) - 1) as u8;
    if below != 0 && player >> below.ilog2() & 1 != 0 {
        flips |= ((1u32 << at) - (2 << below.ilog2())) as u8;
    }
    flips
}

#[allow(long_running_const_eval, reason = "6561 lines, at most 16 moves each")]
const fn stable_lines() -> [u8; 6561] {
    let ternary = ternary();
    let mut stable = [0; 6561];
    // Fuller lines first: a line's future is the lines with one more disc. Complements count up.
    let mut empty_count = 0;
    while empty_count <= 8 {
        let mut empties = 0u32;
        while empties < 256 {
            if empties.count_ones() == empty_count {
                stable_with(empties as u8, &ternary, &mut stable);
            }
            empties += 1;
        }
        empty_count += 1;
    }
    stable
}

/// Fills the entries of all lines with just these empty squares.
const fn stable_with(empties: u8, ternary: &[u16; 256], stable: &mut [u8; 6561]) {
    let discs = !empties;
    let mut player = discs;
    loop {
        let opponent = discs & !player;
        let mut safe = player;
        let mut left = empties;
        while left != 0 {
            let square = left & left.wrapping_neg();
            let at = square.trailing_zeros();
            let won = line_flips(at, player, opponent);
            let next =
                ternary[(player | won | square) as usize] + 2 * ternary[(opponent & !won) as usize];
            safe &= stable[next as usize];
            let lost = line_flips(at, opponent, player);
            let next = ternary[(player & !lost) as usize]
                + 2 * ternary[(opponent | lost | square) as usize];
            safe &= stable[next as usize];
            left &= left - 1;
        }
        stable[(ternary[player as usize] + 2 * ternary[opponent as usize]) as usize] = safe;
        if player == 0 {
            return;
        }
        player = (player - 1) & discs;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::flip;

    #[test]
    fn line_flips_are_flips_on_the_first_rank() {
        for index in 0..1 << 16 {
            let player = index as u8;
            let opponent = (index >> 8) as u8;
            for at in
                (0..8).filter(|at| (player | opponent) >> at & 1 == 0 && player & opponent == 0)
            {
                let expected = flip::scalar::flip(at as u8, player.into(), opponent.into());
                assert_eq!(u64::from(line_flips(at, player, opponent)), expected);
            }
        }
    }

    #[test]
    fn known_lines() {
        let line = |text: &str| {
            let of = |mark| {
                text.bytes()
                    .enumerate()
                    .fold(0, |sum, (i, b)| sum | u8::from(b == mark) << i)
            };
            stable_on_line(of(b'X'), of(b'O'))
        };
        assert_eq!(line("--------"), 0);
        assert_eq!(line("X-------"), 1);
        assert_eq!(line("-X------"), 0);
        assert_eq!(line("XXX-----"), 7);
        assert_eq!(line("XXX-OOOO"), 7);
        assert_eq!(line("OXXX-OOO"), 0);
        assert_eq!(line("OXOXXOXO"), 0b0101_1010);
        assert_eq!(line("-XXXXXXX"), 0xFE);
        assert_eq!(line("-XXXXXX-"), 0);
    }
}
