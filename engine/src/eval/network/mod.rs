//! The network in integers, as the search evaluates it.
//!
//! `training/fit/parameters.rs` defines the function; here every number of it is an integer times a scale:
//!
//! | number | type | 1.0 is | remark |
//! |---|---|---|---|
//! | row, lane bias, accumulator | i8, i16, i16 | 127 | a row holds at most ±63: two can be added in bytes |
//! | x | i8 | 127 | |
//! | x² | 0..=126 | 126.008 | `(x * x + 64) >> 7` |
//! | w1, w2 | i8 | 64, 64.504 | so that their products with x and x² have one scale |
//! | z, b1 | i32 | 127 · 64 | shifted right by 6 and clipped to 0..=127 |
//! | p, mobility and region inputs | u8 | 254 | the sum of eight channels, `(sum + 2) >> 2` |
//! | hidden weight, bias | i8, i32 | 64, 127 · 128 | the sum is shifted right by 7, clipped to 0..=127 |
//! | output and skip weight | i16, i32 | 258.02 per disc | times 0..=127 and the accumulator |
//! | output bias, mobility and parity weight | i32 | 2^15 per disc | |
//! | result | i32 | 2^15 per disc | shifted right by 8: 1/128 disc |
//!
//! A shift rounds down; the halves that make it round to nearest are added to the biases when the
//! floats are quantized. Limits checked where a network is made keep all sums inside their types.

mod inference;
pub mod inputs;
pub mod shape;
pub mod weights;

pub use inference::kernel_name;

use std::sync::atomic::Ordering;

use crate::board::{Board, Score, Symmetry};
use crate::util::memory::ZeroedWords;

use super::patterns::features::ClassRows;
use super::patterns::{self, ROWS};
use inputs::Dense;
use shape::{BLOCKS, INPUTS, LANES, STAGES, TABLES, stage};
use weights::{HeadWeights, Inputs, PADDED_INPUTS, ROW_MAX, Rows};

/// Rows of padding: features may have any 16-bit number, and every row number must be inside the memory.
const PADDING_ROWS: usize = 1 << 16;

/// The network: immutable, shared by all threads.
pub struct Network {
    /// See [`shape::table`].
    pub bounds: [u32; TABLES - 1],
    /// First row of the table for each number of empties.
    table_starts: [u32; 65],
    /// One word per block, eight lanes of i8 in it, the first lowest; table after table.
    rows: ZeroedWords,
    heads: Vec<Head>,
}

/// The head of one stage, and its weights arranged for the kernel.
#[derive(Clone, Debug, PartialEq)]
struct Head {
    weights: HeadWeights,
    arranged: inference::Arranged,
    /// Whether the hidden layer looks at the regions at all.
    uses_regions: bool,
}

impl Head {
    fn new(weights: HeadWeights) -> Self {
        let regions = |weights: &[i8; PADDED_INPUTS]| weights[INPUTS - 2..INPUTS] != [0, 0];
        Self {
            arranged: inference::Arranged::new(&weights),
            uses_regions: weights.hidden.iter().any(regions),
            weights,
        }
    }
}

impl Network {
    /// A network whose rows are all 0; `None` if a weight is outside its limits, a head is missing or
    /// memory is short.
    pub fn new(bounds: [u32; TABLES - 1], heads: Vec<HeadWeights>) -> Option<Self> {
        if heads.len() != STAGES || !heads.iter().all(HeadWeights::is_valid) {
            return None;
        }
        let rows = ZeroedWords::new((TABLES * ROWS + PADDING_ROWS) * BLOCKS)?;
        let table_starts =
            std::array::from_fn(|empties| (shape::table(&bounds, empties as u32) * ROWS) as u32);
        Some(Self {
            bounds,
            table_starts,
            rows,
            heads: heads.into_iter().map(Head::new).collect(),
        })
    }

    pub fn row(&self, table: usize, row: u32) -> [[i8; LANES]; BLOCKS] {
        let words = &self.rows[(table * ROWS + row as usize) * BLOCKS..][..BLOCKS];
        std::array::from_fn(|block| {
            words[block]
                .load(Ordering::Relaxed)
                .to_le_bytes()
                .map(|b| b as i8)
        })
    }

    /// Gives a table the rows of the one before it; the first keeps its zeros.
    pub fn copy_table_before(&mut self, table: usize) {
        let words = ROWS * BLOCKS;
        for at in table.max(1) * words..(table + 1) * words {
            self.rows[at].store(
                self.rows[at - words].load(Ordering::Relaxed),
                Ordering::Relaxed,
            );
        }
    }

    /// Whether `row` may have these blocks: a symmetry that keeps the row must keep them too.
    pub fn is_symmetric(row: u32, blocks: &[[i8; LANES]; BLOCKS]) -> bool {
        patterns::orbit(row)
            .filter(|&(moved, _)| moved == row)
            .all(|(_, s)| {
                Symmetry::all().all(|h| blocks[s.compose(h).index()] == blocks[h.index()])
            })
    }

    /// Gives `row` these blocks, and the other rows of its orbit the same ones turned.
    pub fn set_orbit(&mut self, table: usize, row: u32, blocks: [[i8; LANES]; BLOCKS]) {
        debug_assert!(
            blocks
                .as_flattened()
                .iter()
                .all(|number| (-ROW_MAX..=ROW_MAX).contains(number))
        );
        debug_assert!(Self::is_symmetric(row, &blocks));
        for (moved, symmetry) in patterns::orbit(row) {
            let words = &self.rows[(table * ROWS + moved as usize) * BLOCKS..][..BLOCKS];
            for h in Symmetry::all() {
                let block = blocks[symmetry.compose(h).index()].map(|number| number as u8);
                words[h.index()].store(u64::from_le_bytes(block), Ordering::Relaxed);
            }
        }
    }

    pub fn heads(&self) -> impl Iterator<Item = &HeadWeights> {
        self.heads.iter().map(|head| &head.weights)
    }

    /// The rows for a position with this number of empties, up to the last that features can reach.
    #[inline(always)]
    fn rows_at(&self, empties: u32) -> Rows<'_> {
        let start = self.table_starts[empties.min(64) as usize] as usize * BLOCKS;
        Rows::new(&self.rows[start..])
    }

    /// The score of `board` for the side to move; `rows` must be its rows.
    #[inline(always)]
    pub fn evaluate(&self, board: Board, rows: &ClassRows) -> Score {
        self.evaluate_with(board, rows, |inputs, head| {
            inference::forward(inputs, &head.arranged)
        })
    }

    #[inline(always)]
    fn evaluate_with(
        &self,
        board: Board,
        class_rows: &ClassRows,
        forward: impl Fn(&Inputs<'_>, &Head) -> i32,
    ) -> Score {
        let empties = board.empty_count();
        let head = &self.heads[stage(empties)];
        let dense = Dense::of(board, head.uses_regions);
        let inputs = Inputs {
            rows: self.rows_at(empties),
            weights: &head.weights,
            class_rows,
            dense: &dense,
        };
        let units = forward(&inputs, head);
        Score::from_units(units).clamp(Score::MIN, Score::MAX)
    }
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        let words = |network: &Self| {
            network
                .rows
                .iter()
                .map(|w| w.load(Ordering::Relaxed))
                .collect::<Vec<_>>()
        };
        self.bounds == other.bounds && self.heads == other.heads && words(self) == words(other)
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Network {{ {TABLES} tables of {ROWS} rows, {} heads }}",
            self.heads.len()
        )
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::board::testing::{random_positions, samples};
    use crate::eval::patterns::features::Features;
    use crate::util::rng::Rng;

    /// Weights of all heads, drawn from `-range(limit)..=range(limit)`.
    fn random_heads(rng: &mut Rng, range: impl Fn(i32) -> i32) -> Vec<HeadWeights> {
        let mut number = |limit: i32| {
            let range = range(limit);
            rng.below(2 * range as u32 + 1) as i32 - range
        };
        (0..STAGES)
            .map(|_| HeadWeights {
                bias: std::array::from_fn(|_| number(HeadWeights::BIAS_LIMIT) as i16),
                w1: std::array::from_fn(|_| {
                    [(); BLOCKS].map(|()| [(); LANES].map(|()| number(127) as i8))
                }),
                w2: std::array::from_fn(|_| {
                    [(); BLOCKS].map(|()| [(); LANES].map(|()| number(127) as i8))
                }),
                b1: std::array::from_fn(|_| number(HeadWeights::SUM_LIMIT)),
                hidden: std::array::from_fn(|_| {
                    std::array::from_fn(|input| if input < INPUTS { number(127) as i8 } else { 0 })
                }),
                hidden_bias: std::array::from_fn(|_| number(HeadWeights::SUM_LIMIT)),
                output: std::array::from_fn(|_| number(HeadWeights::OUTPUT_LIMIT) as i16),
                output_bias: number(HeadWeights::SUM_LIMIT),
                skip: number(HeadWeights::SKIP_LIMIT),
                mobility: [(); 2].map(|()| number(HeadWeights::MOBILITY_LIMIT)),
                parity: number(HeadWeights::PARITY_LIMIT),
            })
            .collect()
    }

    /// Blocks of numbers up to `size` that are as symmetric as `row` asks.
    fn random_blocks(rng: &mut Rng, row: u32, size: i8) -> [[i8; LANES]; BLOCKS] {
        let mut block = || [(); LANES].map(|()| rng.below(2 * size as u32 + 1) as i8 - size);
        let free: [[i8; LANES]; BLOCKS] = std::array::from_fn(|_| block());
        let fixing: Vec<Symmetry> = patterns::orbit(row)
            .filter(|&(moved, _)| moved == row)
            .map(|(_, symmetry)| symmetry)
            .collect();
        std::array::from_fn(|index| {
            let h = Symmetry::all().nth(index).expect("one per block");
            let least = fixing.iter().map(|s| s.compose(h).index()).min();
            free[least.expect("the identity fixes every row")]
        })
    }

    /// Rows that are not zeros in the tests here: all of them, but where filling them would take Miri hours.
    const FILLED: u32 = if cfg!(miri) { 2000 } else { ROWS as u32 };

    /// A network of random integers. Rows hold numbers up to `size`, from row `used` on zeros.
    pub fn random_network(seed: u64, range: impl Fn(i32) -> i32, size: i8, used: u32) -> Network {
        let mut rng = Rng::new(seed);
        let heads = random_heads(&mut rng, range);
        let mut network = Network::new([46, 36, 28, 20], heads).expect("within the limits");
        for table in 0..TABLES {
            for row in patterns::representatives()
                .into_iter()
                .take_while(|&row| row < used)
            {
                let blocks = random_blocks(&mut rng, row, size);
                network.set_orbit(table, row, blocks);
            }
        }
        network
    }

    /// Every kernel that this build has gives the definition's score.
    pub fn check_kernels(network: &Network, board: Board) {
        let rows = Features::of(board).class_rows();
        let scalar = network.evaluate_with(board, &rows, |inputs, _| {
            inference::scalar::forward(inputs, &inference::scalar::Arranged)
        });
        assert_eq!(
            network.evaluate(board, &rows),
            scalar,
            "{}: {board:?}",
            kernel_name()
        );
        #[cfg(kernel = "dispatch")]
        for choice in crate::board::level::available() {
            let score = network.evaluate_with(board, &rows, |inputs, head| {
                inference::forward(
                    inputs,
                    &inference::dispatch::Arranged::of(choice, &head.weights),
                )
            });
            assert_eq!(score, scalar, "{choice:?}: {board:?}");
        }
        #[cfg(any(kernel = "avx2", kernel = "avx512"))]
        {
            let head = &network.heads[stage(board.empty_count())];
            let arranged = inference::avx2::Arranged::new(&head.weights);
            let avx2 = network.evaluate_with(board, &rows, |inputs, _| {
                inference::avx2::forward(inputs, &arranged)
            });
            assert_eq!(avx2, scalar, "avx2: {board:?}");
        }
        #[cfg(kernel = "neon")]
        {
            let plain = network.evaluate_with(board, &rows, |inputs, head| {
                inference::neon::without_dot(inputs, &head.arranged)
            });
            assert_eq!(plain, scalar, "neon without the dot product: {board:?}");
        }
    }

    #[test]
    fn kernels_agree_and_symmetric_positions_have_one_score() {
        let network = random_network(11, |limit| limit.min(2000), 12, FILLED);
        for board in random_positions(12, samples(100) as usize) {
            check_kernels(&network, board);
            let score = network.evaluate(board, &Features::of(board).class_rows());
            for image in Symmetry::all().map(|symmetry| symmetry.apply(board)) {
                assert_eq!(
                    network.evaluate(image, &Features::of(image).class_rows()),
                    score,
                    "{board:?}"
                );
            }
        }
    }

    #[test]
    fn kernels_agree_where_weights_reach_their_limits() {
        let network = random_network(13, |limit| limit, ROW_MAX, FILLED);
        let blocks = network.row(0, 1);
        assert!(
            blocks
                .as_flattened()
                .iter()
                .any(|number| number.abs() > ROW_MAX - 8),
            "{blocks:?}"
        );
        random_positions(14, samples(100) as usize)
            .into_iter()
            .for_each(|board| check_kernels(&network, board));
    }

    #[test]
    fn weights_outside_their_limits_are_refused() {
        let weights = || random_heads(&mut Rng::new(15), |limit| limit);
        assert!(Network::new([46, 36, 28, 20], weights()).is_some());
        assert!(Network::new([46, 36, 28, 20], weights()[1..].to_vec()).is_none());
        let mut large = weights();
        large[3].skip = 1 << 15;
        assert!(Network::new([46, 36, 28, 20], large).is_none());
        let mut padded = weights();
        padded[3].hidden[5][INPUTS] = 1;
        assert!(Network::new([46, 36, 28, 20], padded).is_none());
    }
}
