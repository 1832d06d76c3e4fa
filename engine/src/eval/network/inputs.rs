//! The further inputs of the network's head: mobility, parity, and regions of empty squares.
//!
//! The side with the last move in a region usually gains there: a region with an odd number of empty squares
//! favors the side that moves first in it. Source of the idea: parity theory of Othello strategy.

use super::shape::REGION_EMPTIES;
use crate::board::Board;
use crate::board::bitboard::regions;

/// The inputs of the head other than the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    /// Legal moves of the side to move.
    pub own: u32,
    /// Squares on which the other side could move.
    pub opponent: u32,
    /// 1 where the empties are odd, so that the side to move plays last unless somebody passes; -1 where they are even.
    pub parity: i32,
    /// Regions of empties with an odd number of squares; 0 above `REGION_EMPTIES` empties.
    pub odd: u32,
    /// Regions with an even number of squares; 0 above `REGION_EMPTIES` empties.
    pub even: u32,
}

impl Dense {
    /// The inputs for `board`, regions included only if asked for.
    #[inline(always)]
    pub fn of(board: Board, with_regions: bool) -> Self {
        let own = board.moves().len();
        let opponent = board.opponent_moves().len();
        let empties = board.empty_count();
        let parity = if empties.is_multiple_of(2) { -1 } else { 1 };
        let mut odd = 0;
        let mut even = 0;
        if with_regions && empties <= REGION_EMPTIES {
            for region in regions(board.empties()) {
                odd += region.count_ones() & 1;
                even += !region.count_ones() & 1;
            }
        }
        Self {
            own,
            opponent,
            parity,
            odd,
            even,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_counted_by_parity_near_the_end() {
        let near_end = (1 << REGION_EMPTIES) - 1;
        for (empties, with_regions, expected) in [
            (0, true, (0, 0)),
            (0x8000_0000_0000_0001, true, (2, 0)),
            (0x0100_0000_0000_0003, true, (1, 1)),
            (0x0100_0000_0000_0003, false, (0, 0)),
            (near_end, true, (0, 1)),
            (near_end << 1 | 1, true, (0, 0)),
        ] {
            let dense = Dense::of(
                Board {
                    player: !empties,
                    opponent: 0,
                },
                with_regions,
            );
            assert_eq!(
                (dense.odd, dense.even),
                expected,
                "{empties:#018x}, {with_regions}"
            );
        }
    }
}
