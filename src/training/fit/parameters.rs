//! The network in floating point: what it computes.
//!
//! This is what the trainer differentiates and the integer network approximates; `definition.rs` has it as
//! plain code, for the tests of both.
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
/// The tables of a network that begins to learn change below so many empties.
pub const FIRST_BOUNDS: [u32; TABLES - 1] = [46, 36, 28, 20];

/// The network as the trainer knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkParameters {
    /// Table 0 serves positions with at least `bounds[0]` empties, table 1 those below with at least
    /// `bounds[1]`, and so on; the last one serves the rest.
    pub bounds: [u32; TABLES - 1],
    /// `TABLES` tables of `ROWS * ROW_LEN` numbers: `[row][block][lane]`.
    pub tables: Vec<Vec<f32>>,
    /// One head per stage, see [`stage`](crate::eval::stage::stage).
    pub heads: Vec<Head>,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::board::testing::random_positions;
    use crate::board::{Board, Symmetry};
    use crate::eval::network::shape::ROW_LEN;
    use crate::eval::patterns::ROWS;
    use crate::eval::stage::STAGES;
    use crate::util::rng::Rng;

    /// A network of random weights, with so many tables, of a size that keeps the layers between their clips, not tied.
    pub(crate) fn random_network(seed: u64, count: usize) -> NetworkParameters {
        let mut rng = Rng::new(seed);
        let mut numbers = |count: usize, range: f32| -> Vec<f32> {
            std::iter::repeat_with(|| (rng.unit() as f32 * 2.0 - 1.0) * range).take(count).collect()
        };
        // Drawing the numbers of one table takes long enough: the others hold them in other places.
        let mut tables = vec![numbers(ROWS * ROW_LEN, 0.12)];
        for table in 1..count {
            let (begin, end) = tables[0].split_at(1_000_003 * table);
            tables.push([end, begin].concat());
        }
        let mut head = || {
            let ranges = [0.3, 0.15, 0.5, 1.0, 0.5, 10.0, 2.0, 2.0, 0.5, 2.0];
            let mut head = Head::zero();
            for (part, range) in head.parts_mut().into_iter().zip(ranges) {
                part.copy_from_slice(&numbers(part.len(), range));
            }
            head
        };
        NetworkParameters { bounds: FIRST_BOUNDS, tables, heads: (0..STAGES).map(|_| head()).collect() }
    }

    #[test]
    fn tied_rows_make_images_equal() {
        // One table for all stages: each is tied for itself.
        let mut network = NetworkParameters { bounds: [0; TABLES - 1], ..random_network(1, 1) };
        let boards = random_positions(2, 300);
        let spread = |network: &NetworkParameters, board: Board| {
            let scores = Symmetry::all().map(|s| network.evaluate_float(s.apply(board)));
            scores.map(|score| (score - network.evaluate_float(board)).abs()).fold(0.0, f32::max)
        };
        assert!(boards[40..60].iter().any(|&board| spread(&network, board) > 0.1), "untied rows differ");
        network.tie();
        for board in boards {
            assert!(spread(&network, board) < 0.01, "{board:?}");
        }
    }
}
