//! The definition of the network, in floating point.
//!
//! The trainer differentiates this function; the integer network approximates it.
//!
//! # Blocks and symmetries
//!
//! A row has one block of `LANES` numbers per symmetry `h` of the board. The placement whose
//! symmetry is `g` adds block `h` of its row to block `g∘h` of the accumulator, where
//! `g∘h = g.compose(h)` applies `h` first. When a symmetry `s` moves the board, every contribution
//! moves from block `k` to block `s∘k`: the accumulator is only permuted. For that, rows of one orbit
//! must be tied: `block(moved, h) == block(row, s∘h)` for every `(moved, s)` of
//! [`orbit`](crate::eval::patterns::orbit)`(row)`.
//!
//! # The head
//!
//! With `acc[b][l]` the sum of the rows and the head of the position's stage:
//!
//! ```text
//! x[b][l]  = clamp(acc[b][l] + bias[l], -1, 1)
//! z[g][j]  = b1[j] + sum over h, l of w1[j][h][l] * x[g∘h][l] + w2[j][h][l] * x[g∘h][l]²
//! p[j]     = mean over g of clamp(z[g][j], 0, 1)
//! input    = p[0], …, p[CHANNELS-1], own/31.75, opponent/31.75, odd/15.875, even/15.875
//! u[o]     = clamp(hidden_b[o] + sum over i of hidden_w[o][i] * input[i], 0, 1)
//! discs    = output_b + sum over o of output_w[o] * u[o] + skip * sum over b of acc[b][0]
//!            + own_mobility * own + opponent_mobility * opponent + parity * (1 if empties are odd, else -1)
//! ```
//!
//! `own` and `opponent` are numbers of legal moves, capped at 31 in `input`; `odd` and `even` count
//! the regions of empty squares, capped at 15, and are 0 above `REGION_EMPTIES` empties. `p` does
//! not change when the blocks of `x` are permuted by a symmetry, so symmetric positions are equal.

use super::head::Head;
use crate::eval::network::shape::TABLES;

/// The largest size of a number in a row; beyond it rounding to integers clips.
pub const ROW_LIMIT: f32 = 63.0 / 127.0;
/// The bounds of the tables of a new network, in empties.
pub const FIRST_BOUNDS: [u32; TABLES - 1] = [46, 36, 28, 20];

/// The network as the trainer knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkParameters {
    /// Table 0 serves positions with at least `bounds[0]` empties, table 1 those below with at least
    /// `bounds[1]`, and so on; the last one serves the rest.
    pub bounds: [u32; TABLES - 1],
    /// `TABLES` tables of `ROWS * ROW_LEN` numbers: `[row][block][lane]`.
    pub tables: Vec<Vec<f32>>,
    /// One head per stage, see [`stage`](crate::eval::network::shape::stage).
    pub heads: Vec<Head>,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::head::{Trace, WIDTH, product_table};
    use super::*;
    use crate::board::{Board, Symmetry};
    use crate::eval::network::inputs::Dense;
    use crate::eval::network::shape::{LANES, stage, table};
    use crate::eval::patterns::PLACEMENTS;

    impl NetworkParameters {
        /// The score of `board` in discs for the side to move, not clamped.
        pub fn evaluate_float(&self, board: Board) -> f32 {
            let table = &self.tables[table(&self.bounds, board.empty_count())];
            let mut sums = [0.0; WIDTH];
            for placement in &PLACEMENTS {
                let row = &table[placement.row(board) as usize * WIDTH..][..WIDTH];
                for (h, block) in Symmetry::all().zip(row.chunks(LANES)) {
                    let to = &mut sums[placement.symmetry.compose(h).index() * LANES..];
                    to.iter_mut()
                        .zip(block)
                        .for_each(|(sum, number)| *sum += number);
                }
            }
            let head = &self.heads[stage(board.empty_count())];
            head.forward(
                &product_table(),
                &sums,
                &Dense::of(board, true),
                &mut Trace::default(),
            )
        }
    }
}
