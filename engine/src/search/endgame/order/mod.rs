//! The fixed order of trial: the isolated empties, then those away from corners, then the rest.

#[cfg(with = "avx2")]
mod bmi2;

use crate::board::Square;
use crate::board::bitboard::{C_SQUARES, X_SQUARES, neighbors};
use crate::board::level::Level;

/// The squares next to corners, which tend to give them away.
pub(super) const CORNER_NEIGHBORS: u64 = X_SQUARES | C_SQUARES;

/// The isolated empties: the side that plays there has the last word in the region.
///
/// Tried on captured positions of 13 empties instead of these single squares (nodes): odd quarters
/// of the board +7 %, connected regions of odd size +6 %, single squares before odd regions +0.3 %.
#[inline(always)]
pub(super) fn singles(empties: u64) -> u64 {
    empties & !neighbors(empties)
}

/// Walks through empties in the order of trial.
pub(super) struct Order {
    singles: u64,
    safe: u64,
    left: u64,
}

impl Order {
    /// Those `among` the empties.
    #[inline(always)]
    pub(super) fn new(empties: u64, among: u64) -> Self {
        Self {
            singles: singles(empties) & among,
            safe: among & !CORNER_NEIGHBORS,
            left: among,
        }
    }
}

impl Iterator for Order {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.left == 0 {
            return None;
        }
        let others = if self.safe != 0 { self.safe } else { self.left };
        let from = if self.singles != 0 {
            self.singles
        } else {
            others
        };
        let square = Square::lowest(from);
        let bit = square.bit();
        self.singles &= !bit;
        self.safe &= !bit;
        self.left &= !bit;
        Some(square)
    }
}

/// Up to four empties in the order of trial; the rest of the array is undefined.
#[inline(always)]
pub(super) fn in_order<L: Level>(_: L, empties: u64) -> [u8; 4] {
    debug_assert!(empties.count_ones() <= 4);
    #[cfg(with = "avx2")]
    if L::AVX2 {
        return bmi2::in_order(empties, singles(empties), empties & !CORNER_NEIGHBORS);
    }
    walked(empties)
}

/// The definition of [`in_order`].
#[allow(dead_code, reason = "used by portable builds and by tests")]
#[inline(always)]
fn walked(empties: u64) -> [u8; 4] {
    let mut order = Order::new(empties, empties);
    std::array::from_fn(|_| order.next().map_or(0, |square| square.index() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::level::every_level;
    use crate::util::rng::Rng;

    #[test]
    fn singles_have_no_empty_neighbor() {
        // h1 and a2 follow each other in the word but not on the board.
        assert_eq!(singles(1 << 7 | 1 << 8), 1 << 7 | 1 << 8);
        for step in [1, 7, 8, 9] {
            assert_eq!(singles(1 << 27 | 1 << (27 + step) | 1 << 48), 1 << 48);
        }
    }

    #[test]
    fn the_quick_order_is_the_walk() {
        let mut rng = Rng::new(31);
        for _ in 0..100_000 {
            let count = rng.below(5) as usize;
            let mut empties = 0u64;
            while (empties.count_ones() as usize) < count {
                empties |= 1 << rng.below(64);
            }
            every_level!(level => {
                assert_eq!(in_order(level, empties)[..count], walked(empties)[..count], "{empties:x}");
            });
        }
    }
}
