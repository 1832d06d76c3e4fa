//! Rounds the float network to the integers of the engine, and converts them back for further training.
//!
//! The scales are those of the table in the head of `eval/network/mod.rs`. A shift rounds down there; the
//! halves that make it round to nearest are added to the biases here.

use crate::board::Symmetry;
use crate::eval::network::Network;
use crate::eval::network::shape::{BLOCKS, CHANNELS, LANES, ROW_LEN, STAGES, TABLES};
use crate::eval::network::weights::{HIDDEN_SHIFT, HeadWeights, RESULT_SHIFT, ROW_MAX, Z_SHIFT};
use crate::eval::patterns::{self, ROWS};

use super::head::Head;
use super::parameters::NetworkParameters;

/// 1.0 of a row, a bias of its lanes, and x.
const ROW_SCALE: f32 = 127.0;
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

/// Rounds to nearest and clips to `-limit..=limit`.
fn rounded(number: f32, scale: f32, limit: i32) -> i32 {
    ((number * scale).round() as i32).clamp(-limit, limit)
}

impl NetworkParameters {
    /// The network in integers; rows are tied first.
    pub fn quantize(&self) -> Network {
        assert_eq!((self.tables.len(), self.heads.len()), (TABLES, STAGES));
        let heads = self.heads.iter().map(quantize_head).collect();
        let mut network =
            Network::new(self.bounds, heads).expect("a quantized head is within its limits");
        let representatives = patterns::representatives();
        for (index, table) in self.tables.iter().enumerate() {
            assert_eq!(table.len(), ROWS * ROW_LEN);
            for &row in &representatives {
                network.set_orbit(index, row, quantize_row(table, row));
            }
        }
        network
    }

    /// The floats that [`Self::quantize`] rounds to this network.
    pub fn of(network: &Network) -> Self {
        Self {
            bounds: network.bounds,
            tables: (0..TABLES).map(|table| table_of(network, table)).collect(),
            heads: network.heads().map(head_of).collect(),
        }
    }
}

/// The floats of all rows of a table.
fn table_of(network: &Network, table: usize) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(ROWS * ROW_LEN);
    for row in 0..ROWS as u32 {
        let blocks = network.row(table, row);
        numbers.extend(
            blocks
                .as_flattened()
                .iter()
                .map(|&number| f32::from(number) / ROW_SCALE),
        );
    }
    numbers
}

fn head_of(head: &HeadWeights) -> Head {
    let sum =
        |bias: i32, scale: f32, half: i32| ((f64::from(bias - half)) / f64::from(scale)) as f32;
    let mut floats = Head {
        bias: head.bias.map(|bias| f32::from(bias) / ROW_SCALE),
        channel_bias: head.b1.map(|bias| sum(bias, Z_SCALE, 1 << (Z_SHIFT - 1))),
        hidden: std::array::from_fn(|i| {
            head.hidden
                .map(|weights| f32::from(weights[i]) / HIDDEN_SCALE)
        }),
        hidden_bias: head
            .hidden_bias
            .map(|bias| sum(bias, HIDDEN_BIAS_SCALE, 1 << (HIDDEN_SHIFT - 1))),
        output: head.output.map(|weight| f32::from(weight) / OUTPUT_SCALE),
        output_bias: sum(head.output_bias, RESULT_SCALE, 1 << (RESULT_SHIFT - 1)),
        skip: head.skip as f32 / OUTPUT_SCALE,
        mobility: head.mobility.map(|weight| sum(weight, RESULT_SCALE, 0)),
        parity: sum(head.parity, RESULT_SCALE, 0),
        ..Head::zero()
    };
    for (j, blocks) in floats.channel.iter_mut().enumerate() {
        for (h, block) in blocks.iter_mut().enumerate() {
            for l in 0..LANES {
                block[l] = f32::from(head.w1[j][h][l]) / W1_SCALE;
                block[LANES + l] = f32::from(head.w2[j][h][l]) / W2_SCALE;
            }
        }
    }
    floats
}

fn quantize_head(head: &Head) -> HeadWeights {
    let byte = |weight: f32, scale: f32| rounded(weight, scale, 127) as i8;
    let convolution = |from: usize, scale: f32| -> [[[i8; LANES]; BLOCKS]; CHANNELS] {
        std::array::from_fn(|j| {
            head.channel[j].map(|block| std::array::from_fn(|l| byte(block[from + l], scale)))
        })
    };
    let sum = |bias: f32, scale: f32, half: i32| {
        rounded(bias, scale, HeadWeights::SUM_LIMIT - half) + half
    };
    HeadWeights {
        bias: head
            .bias
            .map(|bias| rounded(bias, ROW_SCALE, HeadWeights::BIAS_LIMIT) as i16),
        w1: convolution(0, W1_SCALE),
        w2: convolution(LANES, W2_SCALE),
        b1: head
            .channel_bias
            .map(|bias| sum(bias, Z_SCALE, 1 << (Z_SHIFT - 1))),
        hidden: std::array::from_fn(|o| {
            std::array::from_fn(|i| {
                head.hidden
                    .get(i)
                    .map_or(0, |weights| byte(weights[o], HIDDEN_SCALE))
            })
        }),
        hidden_bias: head
            .hidden_bias
            .map(|bias| sum(bias, HIDDEN_BIAS_SCALE, 1 << (HIDDEN_SHIFT - 1))),
        output: head
            .output
            .map(|weight| rounded(weight, OUTPUT_SCALE, HeadWeights::OUTPUT_LIMIT) as i16),
        output_bias: sum(head.output_bias, RESULT_SCALE, 1 << (RESULT_SHIFT - 1)),
        skip: rounded(head.skip, OUTPUT_SCALE, HeadWeights::SKIP_LIMIT),
        mobility: head
            .mobility
            .map(|weight| rounded(weight, RESULT_SCALE, HeadWeights::MOBILITY_LIMIT)),
        parity: rounded(head.parity, RESULT_SCALE, HeadWeights::PARITY_LIMIT),
    }
}

/// The mean of the orbit of `row`, rounded: exactly as symmetric as the row's own orbit asks.
fn quantize_row(table: &[f32], row: u32) -> [[i8; LANES]; BLOCKS] {
    // Sums of integers do not depend on their order: equal blocks come out equal.
    const FINE: f32 = 4096.0;
    let mut sums = [[0i32; LANES]; BLOCKS];
    let count = patterns::orbit(row).len() as f32;
    for (moved, symmetry) in patterns::orbit(row) {
        for h in Symmetry::all() {
            let from = moved as usize * ROW_LEN + h.index() * LANES;
            for (sum, &number) in sums[symmetry.compose(h).index()]
                .iter_mut()
                .zip(&table[from..])
            {
                *sum += (number * (ROW_SCALE * FINE)).round() as i32;
            }
        }
    }
    sums.map(|block| {
        block.map(|sum| rounded(sum as f32, 1.0 / (FINE * count), i32::from(ROW_MAX)) as i8)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::super::parameters::FIRST_BOUNDS;
    use super::*;
    use crate::board::testing::{random_positions, samples};
    use crate::eval::Features;
    use crate::util::rng::Rng;

    /// A network of random weights, of a size that keeps the layers between their clips; and its floats.
    static NETWORK: LazyLock<(NetworkParameters, Network)> = LazyLock::new(|| {
        let mut rng = Rng::new(11);
        let mut numbers = |count: usize, range: f32| -> Vec<f32> {
            std::iter::repeat_with(|| (rng.unit() as f32 * 2.0 - 1.0) * range)
                .take(count)
                .collect()
        };
        // Drawing the numbers of one table takes long enough: the others hold them in other places.
        let mut tables = vec![numbers(ROWS * ROW_LEN, 0.12)];
        for table in 1..TABLES {
            let (begin, end) = tables[0].split_at(1_000_003 * table);
            tables.push([end, begin].concat());
        }
        let mut head = |_| {
            let ranges = [0.3, 0.15, 0.5, 1.0, 0.5, 10.0, 2.0, 2.0, 0.5, 2.0];
            let mut head = Head::zero();
            for (part, range) in head.parts_mut().into_iter().zip(ranges) {
                part.copy_from_slice(&numbers(part.len(), range));
            }
            head
        };
        let heads = (0..STAGES).map(&mut head).collect();
        let network = NetworkParameters {
            bounds: FIRST_BOUNDS,
            tables,
            heads,
        }
        .quantize();
        (NetworkParameters::of(&network), network)
    });

    #[test]
    fn network_integers_follow_the_floats() {
        let (parameters, network) = &*NETWORK;
        // The random head turns a small error of a row into a large one of the score: so compare with
        // how far the scores themselves spread.
        let mut errors = 0.0;
        let mut squares = 0.0;
        let mut spread = 0.0;
        let count = f64::from(samples(200));
        for board in random_positions(12, count as usize) {
            let rows = Features::of(board).class_rows();
            let score = network.evaluate(board, &rows);
            for image in Symmetry::all().map(|symmetry| symmetry.apply(board)) {
                assert_eq!(
                    network.evaluate(image, &Features::of(image).class_rows()),
                    score,
                    "{board:?}"
                );
            }
            let float = parameters.evaluate_float(board).clamp(-64.0, 64.0);
            let error = score.discs() - f64::from(float);
            errors += error / count;
            squares += error * error / count;
            spread += f64::from(float * float) / count;
        }
        let rms = squares.sqrt();
        let spread = spread.sqrt();
        assert!(
            spread > 5.0 && rms < 0.04 * spread,
            "error {rms}, mean {errors}, of {spread} discs"
        );
        assert!(
            errors.abs() < 0.2 * rms,
            "mean error {errors}, root of mean square {rms}"
        );
    }

    #[test]
    fn learning_goes_on_from_the_very_weights() {
        let network = &NETWORK.1;
        for head in network.heads() {
            assert!(quantize_head(&head_of(head)) == *head);
        }
        let last = table_of(network, TABLES - 1);
        for row in patterns::representatives().into_iter().step_by(4) {
            assert_eq!(
                quantize_row(&last, row),
                network.row(TABLES - 1, row),
                "row {row}"
            );
        }
    }

    /// That kernels agree at the limits is the test of `eval/network/mod.rs`.
    #[test]
    fn what_is_too_large_is_clipped() {
        let (parameters, network) = &*NETWORK;
        let mut heads = parameters.heads.clone();
        for head in &mut heads {
            head.parts_mut()
                .into_iter()
                .take(6)
                .flatten()
                .for_each(|weight| *weight *= 1e4);
        }
        let clipped = heads.iter().map(quantize_head).collect();
        assert!(
            Network::new(network.bounds, clipped).is_some(),
            "all weights are within their limits"
        );
        // The rows of the first class, which has whole orbits.
        let rows = patterns::FIRST_ROWS[1];
        let large: Vec<f32> = parameters.tables[0][..rows as usize * ROW_LEN]
            .iter()
            .map(|number| number * 20.0)
            .collect();
        let blocks: Vec<_> = (0..rows)
            .flat_map(|row| quantize_row(&large, row))
            .collect();
        let sizes = || blocks.as_flattened().iter().map(|number| number.abs());
        assert_eq!(sizes().max(), Some(ROW_MAX));
        assert!(
            sizes().filter(|&size| size == ROW_MAX).count() > sizes().count() / 4,
            "most are too large"
        );
    }
}
