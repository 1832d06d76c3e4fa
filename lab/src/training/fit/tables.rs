//! The network's tables of rows in floating point, split so that threads update them side by side.
//!
//! In a fit from scratch a row is the sum of own numbers and those of its parts (see `parts.rs`).
//!
//! Optimizer: row-wise Adagrad (one sum of squares per row of 64 lanes; Duchi, Hazan, Singer 2011).
//! The sum starts at a prior instead of 0, so that a row seen a few times moves little.

use super::parameters::ROW_LIMIT;
use crate::eval::network::shape::{BLOCKS, LANES};
use crate::eval::patterns::{PLACEMENT_COUNT, ROWS};
use crate::util::memory;

use super::head::{Accumulator, WIDTH, product_table};
use super::orbits::{Orbits, TiedRow};
use super::parts::Parts;

/// Share of the gathered squared gradients that stays when the stages part. Of 3.0 million positions
/// with 20 to 54 empties, the held-out error was 4.14 discs without a shared pass, 4.00 with one and
/// all squares kept, 3.97 with a fifth of them.
const KEPT_SQUARES: f32 = 0.2;

/// The rows of one stage of the game and their parts, every `count`-th of each in one shard.
#[derive(Clone)]
pub struct Table {
    /// To be updated by one thread each.
    pub rows: Vec<Shard>,
    /// As many; without a row if rows have no parts.
    pub parts: Vec<Shard>,
}

/// The rows, or parts, `r` with `r % count == index`, at `r / count`.
#[derive(Clone)]
pub struct Shard {
    index: u32,
    count: u32,
    /// One after the other: numbers and not arrays of them, whose zeros the system would have to write.
    numbers: Vec<f32>,
    /// Per row: the sum of the mean squared gradients of its updates.
    squares: Vec<f32>,
    /// Per row: its updates since the pass began.
    met: Vec<u32>,
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

/// The numbering of rows and parts, the same for all tables.
pub struct Layout {
    /// `product[g][h]` is the number of `g∘h`.
    pub product: [[usize; BLOCKS]; BLOCKS],
    pub orbits: Orbits,
    pub parts: Parts,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            product: product_table(),
            orbits: Orbits::default(),
            parts: Parts::default(),
        }
    }
}

impl Table {
    /// All rows and `parts` parts 0, in `count` shards.
    pub fn new(count: usize, parts: usize) -> Self {
        let shards = |len: usize| {
            (0..count)
                .map(|index| Shard::new(index, count, len))
                .collect()
        };
        Self {
            rows: shards(ROWS),
            parts: shards(parts),
        }
    }

    /// The own numbers of an orbit's representative.
    #[inline(always)]
    fn own(&self, row: u32) -> &Accumulator {
        shard_of(&self.rows, row).get(row)
    }

    /// Sets the own numbers of an orbit's representative.
    pub fn set_own(&mut self, row: u32, blocks: &Accumulator) {
        let count = self.rows.len();
        *self.rows[row as usize % count].get_mut(row) = *blocks;
    }

    /// The blocks of an orbit's representative.
    #[inline]
    pub fn row(&self, layout: &Layout, row: u32) -> Accumulator {
        let own = self.own(row);
        let shared = sum_of_parts(&self.parts, layout, row);
        std::array::from_fn(|i| (own[i] + shared[i]).clamp(-ROW_LIMIT, ROW_LIMIT))
    }

    /// How often an orbit's representative was met since the pass began.
    pub fn met(&self, row: u32) -> u32 {
        let shard = shard_of(&self.rows, row);
        shard.met[shard.place(row)]
    }

    /// Begins to count afresh how often rows are met.
    pub fn begin_pass(&mut self) {
        self.rows.iter_mut().for_each(|shard| shard.met.fill(0));
    }

    /// Forgets most of the rows' past gradients, so that they move again.
    pub fn loosen(&mut self) {
        let squares = self
            .rows
            .iter_mut()
            .chain(&mut self.parts)
            .flat_map(|shard| &mut shard.squares);
        squares.for_each(|square| *square *= KEPT_SQUARES);
    }

    /// The sum of a position's rows.
    #[inline]
    pub fn accumulate(&self, layout: &Layout, tied: &[TiedRow; PLACEMENT_COUNT]) -> Accumulator {
        let mut accumulator = [0.0; WIDTH];
        for TiedRow { row, symmetry } in tied {
            let blocks = self.row(layout, *row);
            for (block, &to) in blocks
                .as_chunks::<LANES>()
                .0
                .iter()
                .zip(&layout.product[symmetry.index()])
            {
                for lane in 0..LANES {
                    accumulator[LANES * to + lane] += block[lane];
                }
            }
        }
        accumulator
    }

    /// The blocks of any row, from its orbit's representative.
    pub fn expanded_row(&self, layout: &Layout, row: u32) -> Accumulator {
        let Layout {
            product, orbits, ..
        } = layout;
        let (least, moved_by) = orbits.least(row);
        let blocks = self.row(layout, least);
        let mut expanded = [0.0; WIDTH];
        for (k, &to) in product[moved_by.index()].iter().enumerate() {
            // block(least, k) == block(row, s∘k). Blocks that a symmetry of the row ties have drifted
            // apart by rounding at most: one of them speaks for all, so that they are equal to the bit.
            let to = to * LANES;
            let fixing = (0..BLOCKS).filter(|s| orbits.fixed_by(least) >> s & 1 == 1);
            let from = fixing
                .map(|s| product[s][k])
                .min()
                .expect("the identity fixes every row")
                * LANES;
            expanded[to..to + LANES].copy_from_slice(&blocks[from..][..LANES]);
        }
        expanded
    }
}

/// The shard that holds a row or part.
#[inline(always)]
fn shard_of(shards: &[Shard], row: u32) -> &Shard {
    &shards[row as usize % shards.len()]
}

/// The sum of the parts of an orbit's representative; 0 without parts.
#[inline]
fn sum_of_parts(shards: &[Shard], layout: &Layout, row: u32) -> Accumulator {
    let mut sum = [0.0; WIDTH];
    if shards[0].numbers.is_empty() {
        return sum;
    }
    for part in layout.parts.of(row) {
        let numbers = shard_of(shards, part.number)
            .get(part.number)
            .as_chunks::<LANES>()
            .0;
        let blocks = sum.as_chunks_mut::<LANES>().0;
        for (block, &from) in blocks
            .iter_mut()
            .zip(&layout.product[part.symmetry.index()])
        {
            for lane in 0..LANES {
                block[lane] += numbers[from][lane];
            }
        }
    }
    sum
}

impl Shard {
    fn new(index: usize, count: usize, len: usize) -> Self {
        let rows = len.saturating_sub(index).div_ceil(count);
        Self {
            index: index as u32,
            count: count as u32,
            // The small fits of tests touch a few rows only.
            numbers: if cfg!(test) {
                vec![0.0; rows * WIDTH]
            } else {
                memory::zeros(rows * WIDTH)
            },
            squares: vec![0.0; rows],
            met: vec![0; rows],
        }
    }

    #[inline(always)]
    fn place(&self, row: u32) -> usize {
        (row / self.count) as usize
    }

    #[inline(always)]
    fn get(&self, row: u32) -> &Accumulator {
        &self.numbers.as_chunks().0[self.place(row)]
    }

    #[inline(always)]
    fn get_mut(&mut self, row: u32) -> &mut Accumulator {
        let at = self.place(row);
        &mut self.numbers.as_chunks_mut().0[at]
    }

    fn holds(&self, row: u32) -> bool {
        row % self.count == self.index
    }

    /// Counts an update of a row; the step that its numbers take.
    #[inline(always)]
    fn step(&mut self, row: u32, rate: RowRate, square: f32) -> f32 {
        let at = self.place(row);
        self.squares[at] += square;
        self.met[at] = self.met[at].saturating_add(1);
        rate.rate / (rate.prior + self.squares[at]).sqrt()
    }

    /// Applies a position's gradient to the own numbers of its rows in this shard; `parts` are the table's.
    #[inline]
    pub fn update_rows(
        &mut self,
        parts: &[Self],
        layout: &Layout,
        rate: RowRate,
        update: &RowUpdate,
    ) {
        let square = update.square();
        let gradients = update.gradient.as_chunks::<LANES>().0;
        for TiedRow { row, symmetry } in &update.tied {
            if !self.holds(*row) {
                continue;
            }
            // A row that symmetries leave in place moves alike in all the blocks they tie.
            let fixed_by = layout.orbits.fixed_by(*row);
            let mut moves = [[0.0; LANES]; BLOCKS];
            for s in (0..BLOCKS).filter(|s| fixed_by >> s & 1 == 1) {
                let from = &layout.product[layout.product[symmetry.index()][s]];
                for (block, &from) in moves.iter_mut().zip(from) {
                    for lane in 0..LANES {
                        block[lane] += gradients[from][lane];
                    }
                }
            }
            let step = self.step(*row, rate, square) / fixed_by.count_ones() as f32;
            let shared = sum_of_parts(parts, layout, *row);
            let own = self.get_mut(*row);
            for (i, gradient) in moves.as_flattened().iter().enumerate() {
                own[i] =
                    (own[i] + shared[i] - step * gradient).clamp(-ROW_LIMIT, ROW_LIMIT) - shared[i];
            }
        }
    }

    /// Applies a position's gradient to the parts of its rows in this shard.
    #[inline]
    pub fn update_parts(&mut self, layout: &Layout, rate: RowRate, update: &RowUpdate) {
        let square = update.square();
        let gradients = update.gradient.as_chunks::<LANES>().0;
        for TiedRow { row, symmetry } in &update.tied {
            for part in layout.parts.of(*row) {
                if !self.holds(part.number) {
                    continue;
                }
                let step = self.step(part.number, rate, square);
                let numbers = self.get_mut(part.number).as_chunks_mut::<LANES>().0;
                let blocks = layout.product[part.symmetry.index()]
                    .iter()
                    .zip(&layout.product[symmetry.index()]);
                for (&to, &from) in blocks {
                    for lane in 0..LANES {
                        numbers[to][lane] -= step * gradients[from][lane];
                    }
                }
            }
        }
    }
}

impl RowUpdate {
    /// The mean square of the gradient.
    fn square(&self) -> f32 {
        self.gradient.iter().map(|d| d * d).sum::<f32>() / WIDTH as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_game;
    use crate::board::{Board, Symmetry};
    use crate::eval::patterns::{self, PLACEMENTS};
    use crate::util::rng::Rng;

    /// Updates with random gradients along a game must leave symmetric positions symmetric: turning
    /// the board only permutes the accumulator's blocks, and all rows obey their orbit's tie.
    #[test]
    fn updates_keep_the_rows_equivariant() {
        let mut rng = Rng::new(5);
        let layout = Layout::default();
        let product = &layout.product;
        let orbits = &layout.orbits;
        let mut table = Table::new(3, layout.parts.count);
        let rate = RowRate {
            rate: 0.1,
            prior: 1.0,
        };
        let game = random_game(&mut rng);
        for &board in &game {
            let gradient = std::array::from_fn(|_| rng.unit() as f32 - 0.5);
            let update = RowUpdate {
                tied: orbits.tied(board),
                gradient,
            };
            let Table { rows, parts } = &mut table;
            rows.iter_mut()
                .for_each(|shard| shard.update_rows(parts, &layout, rate, &update));
            parts
                .iter_mut()
                .for_each(|shard| shard.update_parts(&layout, rate, &update));
        }
        for &board in &game {
            let plain = table.accumulate(&layout, &orbits.tied(board));
            assert!(plain.iter().any(|lane| *lane != 0.0));
            for g in Symmetry::all() {
                let turned = table.accumulate(&layout, &orbits.tied(g.apply(board)));
                for (h, block) in plain.chunks(LANES).enumerate() {
                    let moved = &turned[product[g.index()][h] * LANES..][..LANES];
                    assert!(
                        block.iter().zip(moved).all(|(a, b)| (a - b).abs() < 1e-4),
                        "{board:?} {g:?}"
                    );
                }
            }
            for row in PLACEMENTS.map(|placement| placement.row(board)) {
                let expanded = table.expanded_row(&layout, row);
                for (moved, s) in patterns::orbit(row) {
                    let other = table.expanded_row(&layout, moved);
                    for (h, block) in other.chunks(LANES).enumerate() {
                        assert_eq!(*block, expanded[product[s.index()][h] * LANES..][..LANES]);
                    }
                }
            }
        }
    }

    #[test]
    fn a_row_learns_from_rows_that_share_its_part() {
        let layout = Layout::default();
        let mut table = Table::new(1, layout.parts.count);
        let rate = RowRate {
            rate: 0.1,
            prior: 1.0,
        };
        let update = RowUpdate {
            tied: layout.orbits.tied(Board::START),
            gradient: [-1.0; WIDTH],
        };
        table.parts[0].update_parts(&layout, rate, &update);
        // Rows of the upper edge: the first one is empty but for g2, which is in one of its two parts.
        let [near, far] = [1, 3u32.pow(9) + 1].map(|row| table.row(&layout, row)[0]);
        assert!(near > 0.0 && far == 0.0, "{near} {far}");
    }
}
