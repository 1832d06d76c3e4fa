//! The last empties in plain text: the definition that the vector kernels must equal, in their answers
//! and in the nodes they count.

use crate::board::Board;
use crate::board::flip::flip;
use crate::board::mobility::moves;

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
    // Neither side can move: the last empty square goes to the winner (63 discs cannot be halved).
    discs + i32::from(discs >= 32) > target
}

/// Two empty squares, the more promising first.
pub(super) fn solve_2(
    player: u64,
    opponent: u64,
    target: i32,
    [a, b]: [u8; 2],
    nodes: &mut Nodes,
) -> bool {
    try_each(
        player,
        opponent,
        target,
        [(a, b), (b, a)],
        nodes,
        |player, opponent, target, rest, _| solve_1(player, opponent, target, rest),
    )
}

/// Three empty squares, the most promising first.
pub(super) fn solve_3(
    player: u64,
    opponent: u64,
    target: i32,
    squares: [u8; 3],
    nodes: &mut Nodes,
) -> bool {
    try_each(player, opponent, target, splits_3(squares), nodes, solve_2)
}

/// Four empty squares, the most promising first.
pub(super) fn solve_4(
    player: u64,
    opponent: u64,
    target: i32,
    squares: [u8; 4],
    nodes: &mut Nodes,
) -> bool {
    try_each(player, opponent, target, splits_4(squares), nodes, solve_3)
}

/// Tries each square in turn; `solve` answers for the remaining squares.
#[inline]
pub(super) fn try_each<Rest: Copy, const COUNT: usize>(
    player: u64,
    opponent: u64,
    target: i32,
    splits: [(u8, Rest); COUNT],
    nodes: &mut Nodes,
    solve: impl Fn(u64, u64, i32, Rest, &mut Nodes) -> bool + Copy,
) -> bool {
    *nodes += 1;
    let mut moved = false;
    for (first, rest) in splits {
        let flips = flip(first, player, opponent);
        if flips == 0 {
            continue;
        }
        moved = true;
        let next_player = opponent ^ flips;
        let next_opponent = player ^ flips | 1 << first;
        if !solve(next_player, next_opponent, 63 - target, rest, nodes) {
            return true;
        }
    }
    if moved {
        return false;
    }
    if moves(opponent, player) == 0 {
        return finished(player, opponent, target);
    }
    !try_each(opponent, player, 63 - target, splits, nodes, solve)
}

/// Each of three squares, and the others.
#[inline(always)]
pub(super) fn splits_3([a, b, c]: [u8; 3]) -> [(u8, [u8; 2]); 3] {
    [(a, [b, c]), (b, [a, c]), (c, [a, b])]
}

/// Each of four squares, and the others.
#[inline(always)]
pub(super) fn splits_4([a, b, c, d]: [u8; 4]) -> [(u8, [u8; 3]); 4] {
    [
        (a, [b, c, d]),
        (b, [a, c, d]),
        (c, [a, b, d]),
        (d, [a, b, c]),
    ]
}

/// Discs of the mover when neither side can move.
#[inline(always)]
pub(in crate::search::endgame) fn final_count(board: Board) -> i32 {
    32 + board.final_score() / 2
}

/// Neither side can move.
#[inline(always)]
pub(super) fn finished(player: u64, opponent: u64, target: i32) -> bool {
    final_count(Board { player, opponent }) > target
}
