//! The last empties with AVX2: flips of two squares at once, boards handed on in registers.
//!
//! Unlike with AVX-512, moves are looked at one after the other. Solving 10 to 13 empties was slower by
//! 5 to 7 % with all lines of play from three empties at once, and by 4 % with all three moves at once
//! and a loop over the legal ones.

use std::arch::x86_64::*;

use super::last_move::last_exceeds;
use super::scalar::{self, Nodes};
use super::tables::BITS;
use crate::board::flip::avx2::{gather, ray_flips};
use crate::board::mobility;

/// A board: as words, and each word in all lanes of a register, so that neither waits for the other.
#[derive(Clone, Copy)]
struct Sides {
    player: u64,
    opponent: u64,
    players: __m256i,
    opponents: __m256i,
}

/// Discs turned by a move: as a word, and the word in all lanes of a register.
#[derive(Clone, Copy)]
struct Turned {
    word: u64,
    lanes: __m256i,
}

impl Sides {
    #[inline(always)]
    fn new(player: u64, opponent: u64) -> Self {
        // SAFETY: this file runs only at a level with AVX2.
        let (players, opponents) = unsafe {
            (
                _mm256_set1_epi64x(player as i64),
                _mm256_set1_epi64x(opponent as i64),
            )
        };
        Self {
            player,
            opponent,
            players,
            opponents,
        }
    }

    /// The player's flips on two squares.
    #[inline(always)]
    fn flips(&self, a: u8, b: u8) -> [Turned; 2] {
        let a = ray_flips(a, self.players, self.opponents);
        let b = ray_flips(b, self.players, self.opponents);
        let both = gather(a, b);
        // SAFETY: this file runs only at a level with AVX2.
        unsafe {
            let words = _mm256_castsi256_si128(both);
            [
                Turned {
                    word: _mm_cvtsi128_si64(words) as u64,
                    lanes: _mm256_unpacklo_epi64(both, both),
                },
                Turned {
                    word: _mm_extract_epi64::<1>(words) as u64,
                    lanes: _mm256_unpackhi_epi64(both, both),
                },
            ]
        }
    }

    /// After the move on `square`, the other side to move.
    #[inline(always)]
    fn after(&self, square: u8, turned: Turned) -> Self {
        let bit = 1 << square;
        // SAFETY: this file runs only at a level with AVX2.
        let (players, opponents) = unsafe {
            let kept = _mm256_xor_si256(self.players, turned.lanes);
            let placed =
                _mm256_or_si256(kept, _mm256_set1_epi64x(BITS[square as usize & 63] as i64));
            (_mm256_xor_si256(self.opponents, turned.lanes), placed)
        };
        Self {
            player: self.opponent ^ turned.word,
            opponent: self.player ^ turned.word | bit,
            players,
            opponents,
        }
    }
}

/// Two empty squares.
#[inline(always)]
pub(super) fn solve_2(
    player: u64,
    opponent: u64,
    target: i32,
    squares: [u8; 2],
    nodes: &mut Nodes,
) -> bool {
    sides_2(&Sides::new(player, opponent), target, squares, nodes)
}

/// [`solve_2`] on a board in registers.
#[inline(always)]
fn sides_2(sides: &Sides, target: i32, [a, b]: [u8; 2], nodes: &mut Nodes) -> bool {
    *nodes += 1;
    // Both at once, because the second takes hardly longer and is often needed.
    let [Turned { word: first, .. }, Turned { word: second, .. }] = sides.flips(a, b);
    if first | second == 0 {
        // SAFETY: this file runs only at a level with AVX2.
        return unsafe { passed_2(sides.player, sides.opponent, target, [a, b], nodes) };
    }
    let wins = |turned: u64, last: u8| {
        turned != 0 && !last_exceeds(sides.opponent ^ turned, last, 63 - target)
    };
    wins(first, b) || wins(second, a)
}

/// Two empty squares, and the mover has no move.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn passed_2(player: u64, opponent: u64, target: i32, [a, b]: [u8; 2], nodes: &mut Nodes) -> bool {
    let [Turned { word: first, .. }, Turned { word: second, .. }] =
        Sides::new(opponent, player).flips(a, b);
    if first | second == 0 {
        return scalar::finished(player, opponent, target);
    }
    *nodes += 1;
    let loses = |turned: u64, last: u8| turned != 0 && !last_exceeds(player ^ turned, last, target);
    !(loses(first, b) || loses(second, a))
}

/// Three empty squares, the most promising first.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn solve_3(
    player: u64,
    opponent: u64,
    target: i32,
    squares: [u8; 3],
    nodes: &mut Nodes,
) -> bool {
    *nodes += 1;
    let sides = Sides::new(player, opponent);
    let [a, b, c] = squares;
    let mut wins = |turned: Turned, square: u8, rest: [u8; 2]| {
        turned.word != 0 && !sides_2(&sides.after(square, turned), 63 - target, rest, nodes)
    };
    let [first, second] = sides.flips(a, b);
    if wins(first, a, [b, c]) || wins(second, b, [a, c]) {
        return true;
    }
    let [third, _] = sides.flips(c, c);
    if third.word != 0 {
        return wins(third, c, [a, b]);
    }
    if first.word | second.word != 0 {
        return false;
    }
    if mobility::avx2::moves(opponent, player) == 0 {
        return scalar::finished(player, opponent, target);
    }
    !solve_3(opponent, player, 63 - target, squares, nodes)
}

/// Four empty squares, the most promising first.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn solve_4(
    player: u64,
    opponent: u64,
    target: i32,
    squares: [u8; 4],
    nodes: &mut Nodes,
) -> bool {
    *nodes += 1;
    let sides = Sides::new(player, opponent);
    let [a, b, c, d] = squares;
    let mut wins = |turned: u64, square: u8, rest: [u8; 3]| {
        turned != 0
            && !solve_3(
                opponent ^ turned,
                player ^ turned | 1 << square,
                63 - target,
                rest,
                nodes,
            )
    };
    let [Turned { word: first, .. }, Turned { word: second, .. }] = sides.flips(a, b);
    if wins(first, a, [b, c, d]) || wins(second, b, [a, c, d]) {
        return true;
    }
    let [Turned { word: third, .. }, Turned { word: fourth, .. }] = sides.flips(c, d);
    if wins(third, c, [a, b, d]) || wins(fourth, d, [a, b, c]) {
        return true;
    }
    if first | second | third | fourth != 0 {
        return false;
    }
    if mobility::avx2::moves(opponent, player) == 0 {
        return scalar::finished(player, opponent, target);
    }
    !solve_4(opponent, player, 63 - target, squares, nodes)
}
