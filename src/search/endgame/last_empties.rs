//! The last four empties: does the mover end with more than `target` discs?
//!
//! Each function answers yes or no for a full board but for the squares it is given, in any order.
//! A yes or no, rather than a score, lets a kernel compute whatever it likes without changing the tree
//! above it. `target` is in `0..64`; the other side's question is `63 - target`, because both counts
//! sum to 64 (the empties go to the winner, half each in a draw).

use crate::board::flip::flip;

/// Counts the positions with two or more empties that are looked at.
pub(super) type Nodes = u64;

/// One empty square.
#[inline(always)]
pub(super) fn solve_1(player: u64, opponent: u64, target: i32, square: u8) -> bool {
    let discs = player.count_ones() as i32;
    let flips = flip(square, player, opponent).count_ones() as i32;
    if flips != 0 {
        return discs + flips + 1 > target;
    }
    let flips = flip(square, opponent, player).count_ones() as i32;
    if flips != 0 {
        return discs - flips > target;
    }
    // Nobody can move: the last empty goes to the winner (63 discs cannot be halved).
    discs + i32::from(discs >= 32) > target
}

/// Two empty squares.
#[inline(always)]
pub(super) fn solve_2(player: u64, opponent: u64, target: i32, squares: [u8; 2], nodes: &mut Nodes) -> bool {
    *nodes += 1;
    let [a, b] = squares;
    let mut moved = false;
    for (first, second) in [(a, b), (b, a)] {
        let flips = flip(first, player, opponent);
        if flips != 0 {
            moved = true;
            let next = (opponent ^ flips, player ^ flips | 1 << first);
            if !solve_1(next.0, next.1, 63 - target, second) {
                return true;
            }
        }
    }
    if moved {
        return false;
    }
    let mut answered = false;
    for (first, second) in [(a, b), (b, a)] {
        let flips = flip(first, opponent, player);
        if flips != 0 {
            answered = true;
            let next = (player ^ flips, opponent ^ flips | 1 << first);
            if !solve_1(next.0, next.1, target, second) {
                return false;
            }
        }
    }
    answered || finished(player, opponent, target)
}

/// Three empty squares, the most promising first.
pub(super) fn solve_3(player: u64, opponent: u64, target: i32, squares: [u8; 3], nodes: &mut Nodes) -> bool {
    *nodes += 1;
    let [a, b, c] = squares;
    let orders = [(a, [b, c]), (b, [a, c]), (c, [a, b])];
    let mut moved = false;
    for (first, rest) in orders {
        let flips = flip(first, player, opponent);
        if flips != 0 {
            moved = true;
            if !solve_2(opponent ^ flips, player ^ flips | 1 << first, 63 - target, rest, nodes) {
                return true;
            }
        }
    }
    if moved {
        return false;
    }
    let mut answered = false;
    for (first, rest) in orders {
        let flips = flip(first, opponent, player);
        if flips != 0 {
            answered = true;
            if !solve_2(player ^ flips, opponent ^ flips | 1 << first, target, rest, nodes) {
                return false;
            }
        }
    }
    answered || finished(player, opponent, target)
}

/// Four empty squares, the most promising first.
pub(super) fn solve_4(player: u64, opponent: u64, target: i32, squares: [u8; 4], nodes: &mut Nodes) -> bool {
    *nodes += 1;
    let [a, b, c, d] = squares;
    let orders = [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])];
    let mut moved = false;
    for (first, rest) in orders {
        let flips = flip(first, player, opponent);
        if flips != 0 {
            moved = true;
            if !solve_3(opponent ^ flips, player ^ flips | 1 << first, 63 - target, rest, nodes) {
                return true;
            }
        }
    }
    if moved {
        return false;
    }
    let mut answered = false;
    for (first, rest) in orders {
        let flips = flip(first, opponent, player);
        if flips != 0 {
            answered = true;
            if !solve_3(player ^ flips, opponent ^ flips | 1 << first, target, rest, nodes) {
                return false;
            }
        }
    }
    answered || finished(player, opponent, target)
}

/// Neither side can move.
#[inline(always)]
fn finished(player: u64, opponent: u64, target: i32) -> bool {
    super::final_count(player, opponent) > target
}
