//! The network in integers: what the search evaluates with.
//!
//! `parameters.rs` defines the function; here every number of it is an integer times a scale:
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
//! | output bias, mobility weight | i32 | 2^15 per disc | |
//! | result | i32 | 2^15 per disc | shifted right by 8: 1/128 disc |
//!
//! A shift rounds down; the halves that make it round to nearest are added to the biases when the
//! floats are quantized. Limits checked where a network is made keep all sums inside their types.

use std::sync::atomic::Ordering;

use crate::board::{Board, Score, Symmetry};
use crate::util::memory::ZeroedWords;

use super::features::ClassRows;
use super::inference;
use super::linear::{STAGES, stage};
use super::parameters::{
    self, BLOCKS, CHANNELS, Dense, HIDDEN, HeadParameters, INPUTS, LANES, NetworkParameters, ROW_LEN, TABLES,
};
use super::pattern::{self, ROWS};

/// 1.0 of a row, a bias of its lanes, and x.
const ROW_SCALE: f32 = 127.0;
/// 1.0 of w1.
const W1_SCALE: f32 = 64.0;
/// 1.0 of w2: x² is held 127²/128 times.
const W2_SCALE: f32 = ROW_SCALE * W1_SCALE * 128.0 / (127.0 * 127.0);
/// 1.0 of z and of b1.
const Z_SCALE: f32 = ROW_SCALE * W1_SCALE;
/// 1.0 of a weight of the hidden layer.
const HIDDEN_SCALE: f32 = 64.0;
/// 1.0 of a bias of the hidden layer: an input's 254 times the weight's 64.
const HIDDEN_BIAS_SCALE: f32 = 254.0 * HIDDEN_SCALE;
/// One disc in the last sum.
const RESULT_SCALE: f32 = 32768.0;
/// One disc per 1.0 of the hidden layer or of the accumulator.
const OUTPUT_SCALE: f32 = RESULT_SCALE / 127.0;

/// Shift from z to a channel.
pub(super) const Z_SHIFT: i32 = 6;
/// Shift from the hidden layer's sum to its output.
pub(super) const HIDDEN_SHIFT: i32 = 7;
/// Shift from the last sum to 1/128 disc.
pub(super) const RESULT_SHIFT: i32 = 8;
/// Largest number of a row.
pub(super) const ROW_MAX: i8 = 63;
/// Inputs of the hidden layer, filled up to whole vectors.
pub(super) const PADDED_INPUTS: usize = 16;
/// Features may in principle hold any 16-bit number: so many rows behind the last class's first row
/// make every row number lie inside the memory.
const PADDING_ROWS: usize = 1 << 16;

/// The network: immutable, shared by all threads.
pub struct Network {
    /// See [`NetworkParameters::bounds`].
    pub(super) bounds: [u32; TABLES - 1],
    /// First row of the table for each number of empties.
    table_starts: [u32; 65],
    /// One word per block, eight lanes of i8 in it, the first lowest; table after table.
    rows: ZeroedWords,
    heads: Vec<Head>,
}

/// The head of one stage, and its weights arranged for the kernel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Head {
    pub(super) weights: HeadWeights,
    pub(super) arranged: inference::Arranged,
    /// Whether the hidden layer looks at the regions at all.
    pub(super) uses_regions: bool,
}

/// The integer weights of a head; see [`HeadParameters`] for the meaning of each.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HeadWeights {
    pub(super) bias: [i16; LANES],
    /// `[channel][block][lane]`
    pub(super) w1: [[[i8; LANES]; BLOCKS]; CHANNELS],
    pub(super) w2: [[[i8; LANES]; BLOCKS]; CHANNELS],
    pub(super) b1: [i32; CHANNELS],
    /// `[neuron][input]`, 0 behind the last input.
    pub(super) hidden: [[i8; PADDED_INPUTS]; HIDDEN],
    pub(super) hidden_bias: [i32; HIDDEN],
    pub(super) output: [i16; HIDDEN],
    pub(super) output_bias: i32,
    pub(super) skip: i32,
    /// Of the side to move and of the other side.
    pub(super) mobility: [i32; 2],
}

/// Rounds to nearest and clips to `-limit..=limit`.
fn rounded(number: f32, scale: f32, limit: i32) -> i32 {
    ((number * scale).round() as i32).clamp(-limit, limit)
}

impl HeadWeights {
    /// Limits of biases and weights that are not bytes: with them no sum leaves 32 bits.
    const BIAS_LIMIT: i32 = 1 << 13;
    const SUM_LIMIT: i32 = 1 << 24;
    const OUTPUT_LIMIT: i32 = i16::MAX as i32;
    const SKIP_LIMIT: i32 = 1 << 14;
    const MOBILITY_LIMIT: i32 = 1 << 19;

    /// The output in 1/128 disc, not clamped, from the sum of all lanes and neurons.
    #[cfg(not(kernel = "scalar"))]
    #[inline(always)]
    pub(super) fn finish(&self, sum: i32, dense: &Dense) -> i32 {
        let [own, opponent] = self.mobility;
        (sum + self.output_bias + own * dense.own as i32 + opponent * dense.opponent as i32) >> RESULT_SHIFT
    }

    fn quantize(head: &HeadParameters) -> Self {
        let byte = |weight: f32, scale: f32| rounded(weight, scale, 127) as i8;
        let convolution = |weights: &[f32], scale: f32| -> [[[i8; LANES]; BLOCKS]; CHANNELS] {
            std::array::from_fn(|j| {
                std::array::from_fn(|h| {
                    std::array::from_fn(|l| byte(weights[(j * BLOCKS + h) * LANES + l], scale))
                })
            })
        };
        let sum = |bias: f32, scale: f32, half: i32| rounded(bias, scale, Self::SUM_LIMIT - half) + half;
        Self {
            bias: std::array::from_fn(|l| rounded(head.bias[l], ROW_SCALE, Self::BIAS_LIMIT) as i16),
            w1: convolution(&head.w1, W1_SCALE),
            w2: convolution(&head.w2, W2_SCALE),
            b1: std::array::from_fn(|j| sum(head.b1[j], Z_SCALE, 1 << (Z_SHIFT - 1))),
            hidden: std::array::from_fn(|o| {
                let weights = &head.hidden_w[o * INPUTS..][..INPUTS];
                std::array::from_fn(|i| weights.get(i).map_or(0, |&weight| byte(weight, HIDDEN_SCALE)))
            }),
            hidden_bias: std::array::from_fn(|o| {
                sum(head.hidden_b[o], HIDDEN_BIAS_SCALE, 1 << (HIDDEN_SHIFT - 1))
            }),
            output: std::array::from_fn(|o| {
                rounded(head.output_w[o], OUTPUT_SCALE, Self::OUTPUT_LIMIT) as i16
            }),
            output_bias: sum(head.output_b, RESULT_SCALE, 1 << (RESULT_SHIFT - 1)),
            skip: rounded(head.skip, OUTPUT_SCALE, Self::SKIP_LIMIT),
            mobility: [head.own_mobility, head.opponent_mobility]
                .map(|weight| rounded(weight, RESULT_SCALE, Self::MOBILITY_LIMIT)),
        }
    }

    /// Whether all numbers are within the limits that keep sums inside their types.
    pub(super) fn is_valid(&self) -> bool {
        let within = |number: i32, limit: i32| (-limit..=limit).contains(&number);
        self.bias.iter().all(|&bias| within(i32::from(bias), Self::BIAS_LIMIT))
            && [&self.w1, &self.w2].iter().all(|w| w.as_flattened().as_flattened().iter().all(|&w| w > -128))
            && self.b1.iter().chain(&self.hidden_bias).all(|&bias| within(bias, Self::SUM_LIMIT))
            && self.hidden.as_flattened().iter().all(|&weight| weight > -128)
            && self.hidden.iter().all(|weights| weights[INPUTS..].iter().all(|&weight| weight == 0))
            && self.output.iter().all(|&weight| within(i32::from(weight), Self::OUTPUT_LIMIT))
            && within(self.output_bias, Self::SUM_LIMIT)
            && within(self.skip, Self::SKIP_LIMIT)
            && self.mobility.iter().all(|&weight| within(weight, Self::MOBILITY_LIMIT))
    }
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

impl NetworkParameters {
    /// The network in integers; rows are tied first.
    ///
    /// # Panics
    /// If a vector has not the length its description gives, or memory is short.
    pub fn quantize(&self) -> Network {
        assert_eq!((self.tables.len(), self.heads.len()), (TABLES, STAGES));
        let heads = self.heads.iter().map(HeadWeights::quantize).collect();
        let mut network = Network::new(self.bounds, heads).expect("a quantized head is within its limits");
        let representatives = pattern::representatives();
        for (index, table) in self.tables.iter().enumerate() {
            assert_eq!(table.len(), ROWS * ROW_LEN);
            for &row in &representatives {
                network.set_orbit(index, row, quantize_row(table, row));
            }
        }
        network
    }
}

/// The mean of the orbit of `row`, rounded: exactly as symmetric as the row's own orbit asks.
fn quantize_row(table: &[f32], row: u32) -> [[i8; LANES]; BLOCKS] {
    // Sums of integers do not depend on their order: equal blocks come out equal.
    const FINE: f32 = 4096.0;
    let mut sums = [[0i32; LANES]; BLOCKS];
    let count = pattern::orbit(row).len() as f32;
    for (moved, symmetry) in pattern::orbit(row) {
        for h in Symmetry::all() {
            let from = moved as usize * ROW_LEN + h.index() * LANES;
            for (sum, &number) in sums[symmetry.compose(h).index()].iter_mut().zip(&table[from..]) {
                *sum += (number * (ROW_SCALE * FINE)).round() as i32;
            }
        }
    }
    sums.map(|block| block.map(|sum| rounded(sum as f32, 1.0 / (FINE * count), i32::from(ROW_MAX)) as i8))
}

impl Network {
    /// A network whose rows are all 0; `None` if a weight is outside its limits, a head is missing or
    /// memory is short.
    pub(super) fn new(bounds: [u32; TABLES - 1], heads: Vec<HeadWeights>) -> Option<Self> {
        if heads.len() != STAGES || !heads.iter().all(HeadWeights::is_valid) {
            return None;
        }
        let rows = ZeroedWords::new((TABLES * ROWS + PADDING_ROWS) * BLOCKS)?;
        let table_starts =
            std::array::from_fn(|empties| (parameters::table(&bounds, empties as u32) * ROWS) as u32);
        Some(Self { bounds, table_starts, rows, heads: heads.into_iter().map(Head::new).collect() })
    }

    /// The blocks of a row.
    pub(super) fn row(&self, table: usize, row: u32) -> [[i8; LANES]; BLOCKS] {
        let words = &self.rows[(table * ROWS + row as usize) * BLOCKS..][..BLOCKS];
        std::array::from_fn(|block| words[block].load(Ordering::Relaxed).to_le_bytes().map(|b| b as i8))
    }

    /// Whether `row` may have these blocks: a symmetry that leaves it as it is must leave them too.
    pub(super) fn is_tied(row: u32, blocks: &[[i8; LANES]; BLOCKS]) -> bool {
        pattern::orbit(row)
            .filter(|&(moved, _)| moved == row)
            .all(|(_, s)| Symmetry::all().all(|h| blocks[s.compose(h).index()] == blocks[h.index()]))
    }

    /// Gives `row` these blocks, and the other rows of its orbit the same ones turned.
    pub(super) fn set_orbit(&mut self, table: usize, row: u32, blocks: [[i8; LANES]; BLOCKS]) {
        debug_assert!(blocks.as_flattened().iter().all(|number| (-ROW_MAX..=ROW_MAX).contains(number)));
        debug_assert!(Self::is_tied(row, &blocks));
        for (moved, symmetry) in pattern::orbit(row) {
            let words = &self.rows[(table * ROWS + moved as usize) * BLOCKS..][..BLOCKS];
            for h in Symmetry::all() {
                let block = blocks[symmetry.compose(h).index()].map(|number| number as u8);
                words[h.index()].store(u64::from_le_bytes(block), Ordering::Relaxed);
            }
        }
    }

    /// The heads by stage.
    pub(super) fn heads(&self) -> impl Iterator<Item = &HeadWeights> {
        self.heads.iter().map(|head| &head.weights)
    }

    /// The rows for a position with so many empties, as long as any features can reach.
    #[inline(always)]
    fn rows_at(&self, empties: u32) -> inference::Rows<'_> {
        let start = self.table_starts[empties.min(64) as usize] as usize * BLOCKS;
        inference::Rows::new(&self.rows[start..])
    }

    /// The score of `board` for the side to move; `rows` must be its rows.
    #[inline(always)]
    pub fn evaluate(&self, board: Board, rows: &ClassRows) -> Score {
        self.evaluate_with(board, rows, |table, head, rows, dense| {
            inference::forward(table, &head.weights, &head.arranged, rows, dense)
        })
    }

    #[inline(always)]
    fn evaluate_with(
        &self,
        board: Board,
        rows: &ClassRows,
        forward: impl Fn(inference::Rows<'_>, &Head, &ClassRows, &Dense) -> i32,
    ) -> Score {
        let empties = board.empty_count();
        let head = &self.heads[stage(empties)];
        let dense = Dense::of(board, head.uses_regions);
        let units = forward(self.rows_at(empties), head, rows, &dense);
        Score::from_units(units).clamp(Score::MIN, Score::MAX)
    }
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        let words =
            |network: &Self| network.rows.iter().map(|w| w.load(Ordering::Relaxed)).collect::<Vec<_>>();
        self.bounds == other.bounds && self.heads == other.heads && words(self) == words(other)
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Network {{ {TABLES} tables of {ROWS} rows, {} heads }}", self.heads.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_positions;
    use crate::eval::features::Features;
    use crate::eval::parameters::tests::random_network;

    /// Every kernel that this build has gives the definition's score.
    fn check_kernels(network: &Network, board: Board) {
        let rows = Features::of(board).class_rows();
        let scalar = network.evaluate_with(board, &rows, |table, head, rows, dense| {
            inference::scalar::forward(table, &head.weights, &inference::scalar::Arranged, rows, dense)
        });
        assert_eq!(network.evaluate(board, &rows), scalar, "{}: {board:?}", inference::KERNEL);
        #[cfg(not(kernel = "scalar"))]
        {
            let head = &network.heads[stage(board.empty_count())];
            let arranged = inference::avx2::Arranged::new(&head.weights);
            let avx2 = network.evaluate_with(board, &rows, |table, head, rows, dense| {
                inference::avx2::forward(table, &head.weights, &arranged, rows, dense)
            });
            assert_eq!(avx2, scalar, "avx2: {board:?}");
        }
    }

    #[test]
    fn integers_follow_the_floats_and_kernels_each_other() {
        let mut parameters = random_network(11);
        let network = parameters.quantize();
        parameters.tie();
        // The random head turns a small error of a row into a large one of the score: so compare with
        // how far the scores themselves spread.
        let (mut errors, mut squares, mut spread) = (0.0, 0.0, 0.0);
        for board in random_positions(12, 3_000) {
            let rows = Features::of(board).class_rows();
            let score = network.evaluate(board, &rows);
            check_kernels(&network, board);
            for image in Symmetry::all().map(|symmetry| symmetry.apply(board)) {
                assert_eq!(network.evaluate(image, &Features::of(image).class_rows()), score, "{board:?}");
            }
            let float = parameters.evaluate_float(board).clamp(-64.0, 64.0);
            let error = score.discs() - f64::from(float);
            errors += error / 3000.0;
            squares += error * error / 3000.0;
            spread += f64::from(float * float) / 3000.0;
        }
        let (rms, spread) = (squares.sqrt(), spread.sqrt());
        assert!(spread > 5.0 && rms < 0.04 * spread, "error {rms}, mean {errors}, of {spread} discs");
        assert!(errors.abs() < 0.2 * rms, "mean error {errors}, root of mean square {rms}");
    }

    #[test]
    fn kernels_agree_where_all_weights_are_at_their_limits() {
        let mut parameters = random_network(13);
        for head in &mut parameters.heads {
            let vectors = [&mut head.bias, &mut head.w1, &mut head.w2, &mut head.b1];
            let more = [&mut head.hidden_w, &mut head.hidden_b, &mut head.output_w];
            vectors.into_iter().chain(more).flatten().for_each(|weight| *weight *= 1e4);
        }
        parameters.tables.iter_mut().flatten().for_each(|number| *number *= 20.0);
        let network = parameters.quantize();
        let blocks = network.row(0, 1);
        assert!(blocks.as_flattened().iter().any(|number| number.abs() == ROW_MAX), "{blocks:?}");
        random_positions(14, 1_000).into_iter().for_each(|board| check_kernels(&network, board));
    }

    #[test]
    fn weights_outside_their_limits_are_refused() {
        let weights = || vec![HeadWeights::quantize(&HeadParameters::zero()); STAGES];
        assert!(Network::new([36, 20], weights()).is_some());
        assert!(Network::new([36, 20], weights()[1..].to_vec()).is_none());
        let mut large = weights();
        large[3].skip = 1 << 15;
        assert!(Network::new([36, 20], large).is_none());
        let mut padded = weights();
        padded[3].hidden[5][INPUTS] = 1;
        assert!(Network::new([36, 20], padded).is_none());
    }
}
