//! The last empties on 64-bit ARM and in WebAssembly: tried as in the definition, the last move from a table.

use super::last_move::last_exceeds;
use super::scalar::{Nodes, splits_3, splits_4, try_each};

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
        |player, _, target, rest, _| last_exceeds(player, rest, target),
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
