//! The network's small head in floating point, with its gradients.
//!
//! The definition is the one of `parameters.rs`; the symbols are the same. A head sees the
//! accumulator of a position (8 blocks of 8 lanes) and a few dense inputs, and answers in discs.

#![expect(
    clippy::needless_range_loop,
    reason = "the indices are those of the definition's sums"
)]

use crate::board::Symmetry;
use crate::eval::network::inputs::Dense;
use crate::eval::network::shape::{
    BLOCKS, CHANNELS, HIDDEN, INPUTS, LANES, MOBILITY_CAP, REGION_CAP,
};

/// The largest size of a weight `w1`, `w2` or `hidden_w`.
const WEIGHT_LIMIT: f32 = 127.0 / 65.0;
/// The input per move of mobility.
const MOBILITY_INPUT: f32 = 8.0 / 254.0;
const REGION_INPUT: f32 = 16.0 / 254.0;

/// Lanes of all blocks.
pub const WIDTH: usize = BLOCKS * LANES;

pub type Accumulator = [f32; WIDTH];

/// A block's eight clipped lanes and their eight squares.
type BlockInputs = [f32; 2 * LANES];

/// Weights of a head, or a gradient with respect to them, or a moment of such gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// Added to every block's lane.
    pub bias: [f32; LANES],
    /// Per channel and block `h`, the weights of the lanes and of their squares.
    pub channel: Box<[[BlockInputs; BLOCKS]; CHANNELS]>,
    pub channel_bias: [f32; CHANNELS],
    /// Per input of the second layer, the weight in each hidden unit.
    pub hidden: [[f32; HIDDEN]; INPUTS],
    pub hidden_bias: [f32; HIDDEN],
    /// Discs per unit of a hidden activation.
    pub output: [f32; HIDDEN],
    /// Discs.
    pub output_bias: f32,
    /// Discs per unit of the summed first lane.
    pub skip: f32,
    /// Discs per legal move of the side to move, and of the other.
    pub mobility: [f32; 2],
    /// Discs where the empties are odd, and fewer where they are even.
    pub parity: f32,
}

/// The values of a forward pass that the backward pass needs.
#[derive(Default)]
pub struct Trace {
    /// Clipped lanes and squares of each block.
    blocks: [BlockInputs; BLOCKS],
    /// Channel activations before clipping, per symmetry.
    channels: [[f32; CHANNELS]; BLOCKS],
    second: [f32; INPUTS],
    /// Hidden activations before clipping.
    hidden: [f32; HIDDEN],
    moves: [f32; 2],
    /// 1 where the empties are odd, else -1.
    parity: f32,
}

/// The inputs of the hidden layer after the channels.
fn dense_inputs(dense: &Dense) -> [f32; INPUTS - CHANNELS] {
    let mobility = |moves: u32| moves.min(MOBILITY_CAP) as f32 * MOBILITY_INPUT;
    let region = |count: u32| count.min(REGION_CAP) as f32 * REGION_INPUT;
    [
        mobility(dense.own),
        mobility(dense.opponent),
        region(dense.odd),
        region(dense.even),
    ]
}

/// `PRODUCT[g][h]` is the number of `g.compose(h)`.
pub fn product_table() -> [[usize; BLOCKS]; BLOCKS] {
    let at = |index: usize| Symmetry::new(index as u8).expect("below 8");
    std::array::from_fn(|g| std::array::from_fn(|h| at(g).compose(at(h)).index()))
}

impl Head {
    pub fn zero() -> Self {
        Self {
            bias: [0.0; LANES],
            channel: Box::new([[[0.0; 2 * LANES]; BLOCKS]; CHANNELS]),
            channel_bias: [0.0; CHANNELS],
            hidden: [[0.0; HIDDEN]; INPUTS],
            hidden_bias: [0.0; HIDDEN],
            output: [0.0; HIDDEN],
            output_bias: 0.0,
            skip: 0.0,
            mobility: [0.0; 2],
            parity: 0.0,
        }
    }

    /// Small random weights, biases that start the activations in the middle of their range.
    pub fn random(rng: &mut crate::util::rng::Rng) -> Self {
        let mut uniform = |scale: f32| (2.0 * rng.unit() as f32 - 1.0) * scale;
        let mut head = Self::zero();
        head.channel
            .as_flattened_mut()
            .as_flattened_mut()
            .iter_mut()
            .for_each(|w| *w = uniform(0.15));
        head.hidden
            .as_flattened_mut()
            .iter_mut()
            .for_each(|w| *w = uniform(0.6));
        head.output.iter_mut().for_each(|w| *w = uniform(8.0));
        head.channel_bias = [0.5; CHANNELS];
        head.hidden_bias
            .iter_mut()
            .for_each(|w| *w = 0.4 + uniform(0.3));
        head.skip = 0.5;
        head
    }

    /// Clips the weights to the range of the integer network.
    pub fn clamp(&mut self) {
        let limit = |w: &mut f32| *w = w.clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT);
        self.channel
            .as_flattened_mut()
            .as_flattened_mut()
            .iter_mut()
            .for_each(limit);
        self.hidden.as_flattened_mut().iter_mut().for_each(limit);
    }

    /// The weights as slices, always in the same order: for the optimizer and for sums.
    pub fn parts_mut(&mut self) -> [&mut [f32]; 10] {
        [
            &mut self.bias,
            self.channel.as_flattened_mut().as_flattened_mut(),
            &mut self.channel_bias,
            self.hidden.as_flattened_mut(),
            &mut self.hidden_bias,
            &mut self.output,
            std::slice::from_mut(&mut self.output_bias),
            std::slice::from_mut(&mut self.skip),
            &mut self.mobility,
            std::slice::from_mut(&mut self.parity),
        ]
    }

    /// The value of a position in discs; stores the values for the backward pass in `trace`.
    pub fn forward(
        &self,
        product: &[[usize; BLOCKS]; BLOCKS],
        accumulator: &Accumulator,
        dense: &Dense,
        trace: &mut Trace,
    ) -> f32 {
        // Step 1. Clip the lanes and square them, block by block.
        let mut linear = 0.0;
        for (block, lanes) in trace
            .blocks
            .iter_mut()
            .zip(accumulator.as_chunks::<LANES>().0)
        {
            linear += lanes[0];
            for lane in 0..LANES {
                let x = (lanes[lane] + self.bias[lane]).clamp(-1.0, 1.0);
                block[lane] = x;
                block[LANES + lane] = x * x;
            }
        }
        // Step 2. The channels at every symmetry, and their means.
        let mut pooled = [0.0; CHANNELS];
        for (j, weights) in self.channel.iter().enumerate() {
            for (g, product) in product.iter().enumerate() {
                let mut sums = [0.0f32; 2 * LANES];
                for (h, weights) in weights.iter().enumerate() {
                    let inputs = &trace.blocks[product[h]];
                    for i in 0..2 * LANES {
                        sums[i] += inputs[i] * weights[i];
                    }
                }
                let z = self.channel_bias[j] + sums.iter().sum::<f32>();
                trace.channels[g][j] = z;
                pooled[j] += z.clamp(0.0, 1.0) / BLOCKS as f32;
            }
        }
        // Step 3. The hidden layer and the answer.
        trace.second[..CHANNELS].copy_from_slice(&pooled);
        trace.second[CHANNELS..].copy_from_slice(&dense_inputs(dense));
        trace.moves = [dense.own as f32, dense.opponent as f32];
        trace.parity = dense.parity as f32;
        let mut hidden = self.hidden_bias;
        for (x, weights) in trace.second.iter().zip(&self.hidden) {
            for k in 0..HIDDEN {
                hidden[k] += x * weights[k];
            }
        }
        trace.hidden = hidden;
        let nonlinear: f32 = (0..HIDDEN)
            .map(|k| hidden[k].clamp(0.0, 1.0) * self.output[k])
            .sum();
        let moves = self.mobility[0] * trace.moves[0] + self.mobility[1] * trace.moves[1];
        self.output_bias + self.skip * linear + moves + self.parity * trace.parity + nonlinear
    }

    /// Adds to `gradient` the derivative of the loss with respect to this head, given its derivative
    /// `error` with respect to the answer; returns the one with respect to the accumulator.
    ///
    /// A clipped unit passes a derivative only if it leads back inside, and of that the share `leak`: with 0 a unit
    /// that is clipped at all positions of a stage never changes again.
    pub fn backward(
        &self,
        product: &[[usize; BLOCKS]; BLOCKS],
        accumulator: &Accumulator,
        trace: &Trace,
        error: f32,
        leak: f32,
        gradient: &mut Head,
    ) -> Accumulator {
        let through = |z: f32, low: f32, d: f32| match () {
            () if z > low && z < 1.0 => d,
            () if (z <= low) == (d < 0.0) => leak * d,
            () => 0.0,
        };
        let linear: f32 = accumulator
            .as_chunks::<LANES>()
            .0
            .iter()
            .map(|lanes| lanes[0])
            .sum();
        gradient.output_bias += error;
        gradient.skip += error * linear;
        for i in 0..2 {
            gradient.mobility[i] += error * trace.moves[i];
        }
        gradient.parity += error * trace.parity;
        // Step 1. Through the hidden layer.
        let mut d_hidden = [0.0; HIDDEN];
        for k in 0..HIDDEN {
            gradient.output[k] += error * trace.hidden[k].clamp(0.0, 1.0);
            d_hidden[k] = through(trace.hidden[k], 0.0, error * self.output[k]);
            gradient.hidden_bias[k] += d_hidden[k];
        }
        let mut d_second = [0.0; INPUTS];
        for i in 0..INPUTS {
            for k in 0..HIDDEN {
                gradient.hidden[i][k] += trace.second[i] * d_hidden[k];
            }
            d_second[i] = (0..HIDDEN).map(|k| self.hidden[i][k] * d_hidden[k]).sum();
        }
        // Step 2. Through the channels.
        let mut d_channels = [[0.0; CHANNELS]; BLOCKS];
        for g in 0..BLOCKS {
            for j in 0..CHANNELS {
                d_channels[g][j] = through(trace.channels[g][j], 0.0, d_second[j] / BLOCKS as f32);
                gradient.channel_bias[j] += d_channels[g][j];
            }
        }
        // Step 3. Through the clipped lanes, and round them by the linear skip.
        let d_blocks = self.channel_backward(product, trace, &d_channels, gradient);
        let mut d_accumulator = [0.0; WIDTH];
        for (b, d_lanes) in d_accumulator
            .as_chunks_mut::<LANES>()
            .0
            .iter_mut()
            .enumerate()
        {
            for lane in 0..LANES {
                let x = trace.blocks[b][lane];
                let d = d_blocks[b][lane] + 2.0 * x * d_blocks[b][LANES + lane];
                d_lanes[lane] = through(x, -1.0, d);
                gradient.bias[lane] += d_lanes[lane];
            }
            d_lanes[0] += error * self.skip;
        }
        d_accumulator
    }

    /// The part of the backward pass between the channels and the clipped lanes.
    fn channel_backward(
        &self,
        product: &[[usize; BLOCKS]; BLOCKS],
        trace: &Trace,
        d_channels: &[[f32; CHANNELS]; BLOCKS],
        gradient: &mut Head,
    ) -> [BlockInputs; BLOCKS] {
        let mut d_blocks = [[0.0f32; 2 * LANES]; BLOCKS];
        for j in 0..CHANNELS {
            for g in 0..BLOCKS {
                let d = d_channels[g][j];
                if d == 0.0 {
                    continue;
                }
                for h in 0..BLOCKS {
                    let b = product[g][h];
                    let inputs = &trace.blocks[b];
                    let d_inputs = &mut d_blocks[b];
                    let weights = &self.channel[j][h];
                    let d_weights = &mut gradient.channel[j][h];
                    for i in 0..2 * LANES {
                        d_weights[i] += inputs[i] * d;
                        d_inputs[i] += weights[i] * d;
                    }
                }
            }
        }
        d_blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::Rng;

    const DENSE_EXAMPLE: Dense = Dense {
        own: 7,
        opponent: 11,
        parity: 1,
        odd: 3,
        even: 2,
    };

    fn random_accumulator(rng: &mut Rng) -> Accumulator {
        std::array::from_fn(|_| 2.4 * rng.unit() as f32 - 1.2)
    }

    #[test]
    fn gradients_equal_difference_quotients() {
        let mut rng = Rng::new(11);
        let product = product_table();
        let mut head = Head::random(&mut rng);
        let accumulator = random_accumulator(&mut rng);
        let dense = DENSE_EXAMPLE;
        let mut trace = Trace::default();
        let value = |head: &Head, accumulator: &Accumulator| {
            f64::from(head.forward(&product, accumulator, &dense, &mut Trace::default()))
        };
        head.forward(&product, &accumulator, &dense, &mut trace);
        let mut gradient = Head::zero();
        let d_accumulator = head.backward(&product, &accumulator, &trace, 1.0, 0.0, &mut gradient);

        let step = 1e-3;
        for i in 0..WIDTH {
            let moved = |by: f32| {
                let mut accumulator = accumulator;
                accumulator[i] += by;
                value(&head, &accumulator)
            };
            let quotient = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
            assert!(
                (quotient - f64::from(d_accumulator[i])).abs() < 0.05,
                "accumulator {i}"
            );
        }
        for part in 0..10 {
            for i in 0..head.parts_mut()[part].len() {
                let mut moved = |by: f32| {
                    head.parts_mut()[part][i] += by;
                    let value = value(&head, &accumulator);
                    head.parts_mut()[part][i] -= by;
                    value
                };
                let quotient = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
                let derivative = f64::from(gradient.parts_mut()[part][i]);
                assert!(
                    (quotient - derivative).abs() < 0.05,
                    "part {part} weight {i}: {quotient} {derivative}"
                );
            }
        }
    }

    /// All units are clipped below: without a leak nothing before the output can learn, with one the units come back.
    #[test]
    fn a_clipped_unit_learns_by_the_leak_only() {
        let product = product_table();
        let mut head = Head::random(&mut Rng::new(3));
        head.hidden_bias = [-9.0; HIDDEN];
        head.output = [1.0; HIDDEN];
        let mut trace = Trace::default();
        head.forward(&product, &[0.0; WIDTH], &DENSE_EXAMPLE, &mut trace);
        let bias_moves = |error: f32, leak: f32| {
            let mut gradient = Head::zero();
            head.backward(&product, &[0.0; WIDTH], &trace, error, leak, &mut gradient);
            gradient.hidden_bias[0]
        };
        assert_eq!(
            [
                bias_moves(-1.0, 0.0),
                bias_moves(-1.0, 0.5),
                bias_moves(1.0, 0.5)
            ],
            [0.0, -0.5, 0.0]
        );
    }

    #[test]
    fn a_turned_accumulator_has_the_same_value() {
        let mut rng = Rng::new(4);
        let product = product_table();
        let head = Head::random(&mut rng);
        let accumulator = random_accumulator(&mut rng);
        let value = |accumulator: &Accumulator| {
            head.forward(&product, accumulator, &DENSE_EXAMPLE, &mut Trace::default())
        };
        for g in 0..BLOCKS {
            let mut turned = [0.0; WIDTH];
            for h in 0..BLOCKS {
                let to = product[g][h] * LANES;
                turned[to..to + LANES].copy_from_slice(&accumulator[h * LANES..][..LANES]);
            }
            assert!((value(&turned) - value(&accumulator)).abs() < 1e-4);
        }
    }
}
