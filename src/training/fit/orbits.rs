//! Which pattern rows are one and the same weight, so that training keeps each once.
//!
//! A class that symmetries map onto itself shows the same discs in several rows. Training reads and
//! writes only the least row of such an orbit, under a symmetry that makes up for the difference.

use crate::board::Symmetry;
use crate::eval::patterns::{self, PLACEMENT_COUNT, PLACEMENTS, ROWS};

/// A placement's row as training sees it: the row that stands for its orbit, and the symmetry that
/// carries the row's block `h` to the accumulator's block `symmetry.compose(h)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiedRow {
    /// Row number, the least of its orbit.
    pub row: u32,
    /// Where its blocks go.
    pub symmetry: Symmetry,
}

/// The orbits of all rows.
pub struct Orbits {
    /// Per row: the least row of the orbit, and the symmetry `s` with `block(least, h) = block(row, s∘h)`.
    least: Vec<(u32, Symmetry)>,
    /// Per row: the symmetries that leave its discs in place, as a bit set; always the identity.
    fixed_by: Vec<u8>,
}

impl Orbits {
    /// Looks at every row once.
    pub fn new() -> Self {
        let mut least = Vec::with_capacity(ROWS);
        let mut fixed_by = Vec::with_capacity(ROWS);
        for row in 0..ROWS as u32 {
            least.push(patterns::orbit(row).min_by_key(|(moved, _)| *moved).expect("holds the row itself"));
            let fixing = patterns::orbit(row).filter(|(moved, _)| *moved == row);
            fixed_by.push(fixing.fold(0, |set, (_, symmetry)| set | 1 << symmetry.index()));
        }
        Self { least, fixed_by }
    }

    /// The row that stands for `row`'s orbit, and the symmetry `s` with
    /// `block(least, h) == block(row, s.compose(h))`.
    pub fn least(&self, row: u32) -> (u32, Symmetry) {
        self.least[row as usize]
    }

    /// Translates the rows of all placements.
    #[inline]
    pub fn tie(&self, rows: &[u32; PLACEMENT_COUNT], tied: &mut [TiedRow; PLACEMENT_COUNT]) {
        for (index, row) in rows.iter().enumerate() {
            let (least, moved_by) = self.least[*row as usize];
            // The accumulator's block g∘h takes block(row, h); with h = s∘k that is block(least, k)
            // going to block g∘s∘k.
            tied[index] = TiedRow { row: least, symmetry: PLACEMENTS[index].symmetry.compose(moved_by) };
        }
    }

    /// The symmetries under which the discs of `row` stay in place, as a bit set by symmetry number.
    ///
    /// The blocks of such a row must satisfy `block(row, h) == block(row, s.compose(h))` for each.
    #[inline(always)]
    pub fn fixed_by(&self, row: u32) -> u8 {
        self.fixed_by[row as usize]
    }
}

impl Default for Orbits {
    fn default() -> Self {
        Self::new()
    }
}
