//! Which pattern rows are one and the same weight, so that training keeps each once.
//!
//! A class that symmetries map onto itself shows the same discs in several rows. Training reads and
//! writes only the least row of such an orbit, under a symmetry that makes up for the difference.

use crate::board::{Board, Symmetry};
use crate::eval::patterns::{self, PLACEMENT_COUNT, PLACEMENTS, ROWS};

/// A placement's row in training: the representative of its orbit, and the symmetry that
/// carries the row's block `h` to the accumulator's block `symmetry.compose(h)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiedRow {
    /// Row number, the least of its orbit.
    pub row: u32,
    /// The destination of its blocks.
    pub symmetry: Symmetry,
}

pub struct Orbits {
    /// Per row: the least row of the orbit, and the symmetry `s` with `block(least, h) = block(row, s∘h)`.
    least: Vec<(u32, Symmetry)>,
    /// Per row: the symmetries that leave its discs in place, as a bit set; always the identity.
    fixed_by: Vec<u8>,
}

impl Default for Orbits {
    fn default() -> Self {
        let mut least = Vec::with_capacity(ROWS);
        let mut fixed_by = Vec::with_capacity(ROWS);
        for row in 0..ROWS as u32 {
            least.push(
                patterns::orbit(row)
                    .min_by_key(|(moved, _)| *moved)
                    .expect("holds the row itself"),
            );
            let fixing = patterns::orbit(row).filter(|(moved, _)| *moved == row);
            fixed_by.push(fixing.fold(0, |set, (_, symmetry)| set | 1 << symmetry.index()));
        }
        Self { least, fixed_by }
    }
}

impl Orbits {
    /// The representative of `row`'s orbit, and the symmetry `s` with
    /// `block(least, h) == block(row, s.compose(h))`.
    pub fn least(&self, row: u32) -> (u32, Symmetry) {
        self.least[row as usize]
    }

    /// The rows that the placements show on `board`.
    #[inline]
    pub fn tied(&self, board: Board) -> [TiedRow; PLACEMENT_COUNT] {
        std::array::from_fn(|index| {
            let placement = &PLACEMENTS[index];
            let (row, moved_by) = self.least(placement.row(board));
            // The accumulator's block g∘h receives block(row, h); with h = s∘k that is block(least, k)
            // going to block g∘s∘k.
            TiedRow {
                row,
                symmetry: placement.symmetry.compose(moved_by),
            }
        })
    }

    /// The symmetries under which the discs of `row` stay in place, as a bit set by symmetry number.
    ///
    /// The blocks of such a row must satisfy `block(row, h) == block(row, s.compose(h))` for each.
    #[inline(always)]
    pub fn fixed_by(&self, row: u32) -> u8 {
        self.fixed_by[row as usize]
    }
}
