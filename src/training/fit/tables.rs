//! The network's tables of rows in floating point, split so that threads update them side by side.
//!
//! Optimizer: row-wise Adagrad (one sum of squares per row of 64 lanes; Duchi, Hazan, Singer 2011).
//! The sum starts at a prior instead of 0, so that a row seen a few times moves little.

use super::parameters::ROW_LIMIT;
use crate::eval::network::shape::{BLOCKS, LANES};
use crate::eval::patterns::{PLACEMENT_COUNT, ROWS};
use crate::util::memory;

use super::head::{Accumulator, WIDTH};
use super::orbits::{Orbits, TiedRow};

/// Share of the gathered squared gradients that stays when the stages part. Of 3.0 million positions
/// with 20 to 54 empties, the held-out error was 4.14 discs without a shared pass, 4.00 with one and
/// all squares kept, 3.97 with a fifth of them.
const KEPT_SQUARES: f32 = 0.2;

/// The rows of one stage of the game, every `count`-th row in one shard.
#[derive(Clone)]
pub struct Table {
    /// To be updated by one thread each.
    pub shards: Vec<Shard>,
}

/// The rows `r` with `r % count == index`, at `r / count`.
#[derive(Clone)]
pub struct Shard {
    index: u32,
    count: u32,
    /// One after the other: numbers and not arrays of them, whose zeros the system would have to write.
    rows: Vec<f32>,
    /// Per row: the prior plus the mean squared gradient of each of its updates.
    squares: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
pub struct RowRate {
    /// Step of a lane whose row has gathered one unit of squared gradient.
    pub rate: f32,
    /// Squared gradient that every row starts with.
    pub prior: f32,
}

/// A position's update of its rows.
pub struct RowUpdate {
    pub tied: [TiedRow; PLACEMENT_COUNT],
    /// Derivative of the loss with respect to the accumulator.
    pub gradient: Accumulator,
}

impl Table {
    /// All rows 0, in `count` shards.
    pub fn new(count: usize) -> Self {
        let shard = |index: usize| {
            let rows = (ROWS - index).div_ceil(count);
            Shard {
                index: index as u32,
                count: count as u32,
                rows: memory::zeros(rows * WIDTH),
                squares: vec![0.0; rows],
            }
        };
        Self { shards: (0..count).map(shard).collect() }
    }

    /// The blocks of an orbit's representative.
    #[inline(always)]
    pub fn row(&self, row: u32) -> &Accumulator {
        let count = self.shards.len() as u32;
        &self.shards[(row % count) as usize].rows.as_chunks().0[(row / count) as usize]
    }

    /// Sets the blocks of an orbit's representative.
    pub fn set_row(&mut self, row: u32, blocks: &Accumulator) {
        let count = self.shards.len() as u32;
        self.shards[(row % count) as usize].rows.as_chunks_mut().0[(row / count) as usize] = *blocks;
    }

    /// Forgets most of the rows' past gradients, so that they move again.
    pub fn loosen(&mut self) {
        let squares = self.shards.iter_mut().flat_map(|shard| &mut shard.squares);
        squares.for_each(|square| *square *= KEPT_SQUARES);
    }

    /// The sum of a position's rows.
    #[inline]
    pub fn accumulate(
        &self,
        product: &[[usize; BLOCKS]; BLOCKS],
        tied: &[TiedRow; PLACEMENT_COUNT],
    ) -> Accumulator {
        let mut accumulator = [0.0; WIDTH];
        for TiedRow { row, symmetry } in tied {
            let blocks = self.row(*row).as_chunks::<LANES>().0;
            for (block, &to) in blocks.iter().zip(&product[symmetry.index()]) {
                for lane in 0..LANES {
                    accumulator[LANES * to + lane] += block[lane];
                }
            }
        }
        accumulator
    }

    /// The blocks of any row, from its orbit's representative.
    pub fn expanded_row(
        &self,
        product: &[[usize; BLOCKS]; BLOCKS],
        orbits: &Orbits,
        row: u32,
    ) -> Accumulator {
        let (least, moved_by) = orbits.least(row);
        let blocks = self.row(least);
        let mut expanded = [0.0; WIDTH];
        for (k, &to) in product[moved_by.index()].iter().enumerate() {
            // block(least, k) == block(row, s∘k). Blocks that a symmetry of the row ties have drifted
            // apart by rounding at most: one of them speaks for all, so that they are equal to the bit.
            let to = to * LANES;
            let fixing = (0..BLOCKS).filter(|s| orbits.fixed_by(least) >> s & 1 == 1);
            let from = fixing.map(|s| product[s][k]).min().expect("the identity fixes every row") * LANES;
            expanded[to..to + LANES].copy_from_slice(&blocks[from..][..LANES]);
        }
        expanded
    }
}

impl Shard {
    /// Applies a position's gradient to its rows in this shard.
    #[inline]
    pub fn update(
        &mut self,
        product: &[[usize; BLOCKS]; BLOCKS],
        orbits: &Orbits,
        rate: RowRate,
        update: &RowUpdate,
    ) {
        let square = update.gradient.iter().map(|d| d * d).sum::<f32>() / WIDTH as f32;
        for TiedRow { row, symmetry } in &update.tied {
            if row % self.count != self.index {
                continue;
            }
            let at = (row / self.count) as usize;
            let numbers = &mut self.rows.as_chunks_mut::<WIDTH>().0[at];
            self.squares[at] += square;
            let fixed_by = orbits.fixed_by(*row);
            let step = rate.rate / (rate.prior + self.squares[at]).sqrt() / fixed_by.count_ones() as f32;
            // A row that symmetries leave in place moves alike in all the blocks they tie.
            for s in (0..BLOCKS).filter(|s| fixed_by >> s & 1 == 1) {
                let from = &product[product[symmetry.index()][s]];
                for (block, &from) in numbers.as_chunks_mut::<LANES>().0.iter_mut().zip(from) {
                    let gradients = &update.gradient[LANES * from..][..LANES];
                    for (number, gradient) in block.iter_mut().zip(gradients) {
                        *number = (*number - step * gradient).clamp(-ROW_LIMIT, ROW_LIMIT);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::head::product_table;
    use super::*;
    use crate::board::Symmetry;
    use crate::board::testing::random_game;
    use crate::eval::patterns::{self, PLACEMENTS};
    use crate::util::rng::Rng;

    /// Updates with random gradients along a game must leave symmetric positions symmetric: turning
    /// the board only permutes the accumulator's blocks, and all rows obey their orbit's tie.
    #[test]
    fn updates_keep_the_rows_equivariant() {
        let (mut rng, product, orbits) = (Rng::new(5), product_table(), Orbits::default());
        let mut table = Table::new(3);
        let rate = RowRate { rate: 0.1, prior: 1.0 };
        let game = random_game(&mut rng);
        for &board in &game {
            let gradient = std::array::from_fn(|_| rng.unit() as f32 - 0.5);
            let update = RowUpdate { tied: orbits.tied(board), gradient };
            table.shards.iter_mut().for_each(|shard| shard.update(&product, &orbits, rate, &update));
        }
        for &board in &game {
            let plain = table.accumulate(&product, &orbits.tied(board));
            assert!(plain.iter().any(|lane| *lane != 0.0));
            for g in Symmetry::all() {
                let turned = table.accumulate(&product, &orbits.tied(g.apply(board)));
                for (h, block) in plain.chunks(LANES).enumerate() {
                    let moved = &turned[product[g.index()][h] * LANES..][..LANES];
                    assert!(block.iter().zip(moved).all(|(a, b)| (a - b).abs() < 1e-4), "{board:?} {g:?}");
                }
            }
            for row in PLACEMENTS.map(|placement| placement.row(board)) {
                let expanded = table.expanded_row(&product, &orbits, row);
                for (moved, s) in patterns::orbit(row) {
                    let other = table.expanded_row(&product, &orbits, moved);
                    for (h, block) in other.chunks(LANES).enumerate() {
                        assert_eq!(*block, expanded[product[s.index()][h] * LANES..][..LANES]);
                    }
                }
            }
        }
    }
}
