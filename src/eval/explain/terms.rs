//! What a player looks at, counted for both sides, and the regions of empty squares.

use crate::board::bitboard::{C_SQUARES, CORNERS, X_SQUARES, flood, neighbours};
use crate::board::{Board, squares};

/// Number of terms.
pub const TERMS: usize = 11;

/// Names of the terms, in the order in which they are counted.
pub const NAMES: [&str; TERMS] = [
    // Legal moves.
    "mobility",
    // Empty squares beside discs of the other side.
    "potential mobility",
    // Discs beside an empty square.
    "frontier",
    // Discs that can never be turned, as far as is seen at a glance, but for the corners.
    "stable discs",
    // Corners held.
    "corners",
    // Empty corners that can be taken at once.
    "open corners",
    // Discs diagonally beside an empty corner.
    "X squares",
    // Discs on the border beside an empty corner.
    "C squares",
    // All discs.
    "discs",
    // 1 for the side that has the last move if nobody passes.
    "last move",
    // Regions of connected empty squares: those of odd size for the side to move, the even ones for the other.
    "odd regions",
];

/// All terms counted for the side to move and for the other side.
pub fn counts(board: Board) -> [[i32; TERMS]; 2] {
    let empties = board.empties();
    let [mut player, mut opponent] = [board, board.pass()].map(|side| of_side(side, empties));
    let odd = (empties.count_ones() & 1) as i32;
    (player[9], opponent[9]) = (odd, 1 - odd);
    for region in regions(empties) {
        let owner = if region.count_ones() % 2 == 1 { &mut player } else { &mut opponent };
        owner[10] += 1;
    }
    [player, opponent]
}

/// The terms that need only be seen from one side: the side to move of `board`.
fn of_side(board: Board, empties: u64) -> [i32; TERMS] {
    let own = board.player;
    let moves = board.moves();
    // X and C squares matter only while the corner beside them is empty.
    let open = neighbours(empties & CORNERS);
    let count = |set: u64| set.count_ones() as i32;
    [
        count(moves),
        count(neighbours(board.opponent) & empties),
        count(own & neighbours(empties)),
        count(board.stable_discs() & !CORNERS),
        count(own & CORNERS),
        count(moves & CORNERS),
        count(own & X_SQUARES & open),
        count(own & C_SQUARES & open),
        count(own),
        0,
        0,
    ]
}

/// The regions of `empties`: squares that touch, by a side or a corner, belong together. Lowest square first.
pub fn regions(empties: u64) -> Vec<u64> {
    let mut left = empties;
    let mut all = Vec::new();
    while let Some(first) = squares(left).next() {
        let region = flood(first.bit(), empties);
        left &= !region;
        all.push(region);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;
    use crate::board::testing::game_boards;
    use crate::eval::classic;

    /// The region of `start`, square by square along the neighbours' coordinates.
    fn walk(empties: u64, start: Square, region: &mut u64) {
        *region |= start.bit();
        for next in Square::all() {
            let (files, ranks) = (start.file().abs_diff(next.file()), start.rank().abs_diff(next.rank()));
            if files.max(ranks) == 1 && empties & next.bit() != 0 && *region & next.bit() == 0 {
                walk(empties, next, region);
            }
        }
    }

    #[test]
    fn regions_are_what_a_walk_reaches() {
        for board in game_boards(4, 11) {
            let regions = regions(board.empties());
            assert_eq!(regions.iter().fold(0, |all, region| all | region), board.empties());
            for &region in &regions {
                let mut walked = 0;
                walk(board.empties(), squares(region).next().expect("no region is empty"), &mut walked);
                assert_eq!(walked, region, "{board}");
            }
        }
    }

    #[test]
    fn terms_agree_with_those_of_the_hand_made_evaluation() {
        for board in game_boards(4, 12) {
            let (ours, theirs) = (counts(board), classic::counts(board));
            for (mine, known) in ours.into_iter().zip(theirs) {
                assert_eq!((mine[0], mine[2], mine[4]), (known[1], known[4], known[6]), "{board}");
                assert_eq!(mine[3] + mine[4], known[5], "{board}");
                assert_eq!((mine[6], mine[7], mine[8], mine[9]), (known[7], known[8], known[0], known[10]));
            }
            let regions = regions(board.empties());
            assert_eq!(ours[0][10] + ours[1][10], regions.len() as i32);
        }
    }

    #[test]
    fn open_corners_can_be_taken() {
        for board in game_boards(6, 13) {
            let [player, opponent] = counts(board);
            let takes = |board: Board| {
                let corners = ["a1", "h1", "a8", "h8"].map(|name| name.parse::<Square>().unwrap());
                corners.iter().filter(|&&corner| board.play(corner).is_some()).count() as i32
            };
            assert_eq!((player[5], opponent[5]), (takes(board), takes(board.pass())), "{board}");
        }
    }
}
