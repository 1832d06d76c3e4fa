//! What the network's head sees besides the rows: mobility, parity, and regions of empty squares.
//!
//! Who plays last in a region usually gains there: a region with an odd number of empty squares
//! favours the side that moves first in it. Source of the idea: parity theory of Othello strategy.

use super::shape::REGION_EMPTIES;
use crate::board::Board;
use crate::board::bitboard::flood;

/// What the head sees besides the rows.
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
        let (own, opponent) = (board.moves().count_ones(), board.opponent_moves().count_ones());
        let empties = board.empty_count();
        let parity = if empties.is_multiple_of(2) { -1 } else { 1 };
        let counted = with_regions && empties <= REGION_EMPTIES;
        let (odd, even) = if counted { count_regions(board.empties()) } else { (0, 0) };
        Self { own, opponent, parity, odd, even }
    }
}

/// Numbers of regions with an odd and with an even count of squares.
///
/// A region is a set of empty squares connected by king's moves.
#[inline]
fn count_regions(empties: u64) -> (u32, u32) {
    let (mut odd, mut even) = (0, 0);
    let mut rest = empties;
    while rest != 0 {
        let region = flood(rest & rest.wrapping_neg(), rest);
        rest ^= region;
        let is_odd = region.count_ones() & 1;
        odd += is_odd;
        even += 1 - is_odd;
    }
    (odd, even)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::samples;
    use crate::board::{Square, squares};
    use crate::util::rng::Rng;

    /// The regions by a walk from square to square.
    fn walked(empties: u64) -> (u32, u32) {
        let mut seen = 0;
        let mut counts = (0, 0);
        for start in squares(empties) {
            let (mut stack, mut size) = (vec![start], 0u32);
            while let Some(square) = stack.pop() {
                if seen & square.bit() != 0 {
                    continue;
                }
                seen |= square.bit();
                size += 1;
                let near = |other: &Square| {
                    square.file().abs_diff(other.file()) <= 1 && square.rank().abs_diff(other.rank()) <= 1
                };
                stack.extend(squares(empties).filter(near));
            }
            match size {
                0 => {}
                _ if size % 2 == 1 => counts.0 += 1,
                _ => counts.1 += 1,
            }
        }
        counts
    }

    #[test]
    fn floods_find_what_a_walk_finds() {
        let mut rng = Rng::new(4);
        for _ in 0..samples(8_000) {
            let thin = rng.next() & rng.next();
            for empties in [thin, thin & rng.next(), rng.next()] {
                assert_eq!(count_regions(empties), walked(empties), "{empties:#018x}");
            }
        }
        assert_eq!(
            (count_regions(0), count_regions(!0), count_regions(0x8000_0000_0000_0001)),
            ((0, 0), (0, 1), (2, 0))
        );
    }
}
