//! The forward pass step by step: the definition of the integer network.

use std::sync::atomic::Ordering;

use crate::board::Symmetry;
use crate::eval::network::inputs::Dense;
use crate::eval::network::shape::{BLOCKS, CHANNELS, LANES, MOBILITY_CAP, REGION_CAP};
use crate::eval::network::weights::{
    HIDDEN_SHIFT, HeadWeights, Inputs, PADDED_INPUTS, RESULT_SHIFT, Rows, Z_SHIFT,
};
use crate::eval::patterns::features::{ClassRows, OFFSETS};
use crate::eval::patterns::{PLACEMENT_COUNT, PLACEMENTS};

/// The scalar kernel needs no other order of weights.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::eval::network) struct Arranged;

impl Arranged {
    pub(in crate::eval::network) fn new(_weights: &HeadWeights) -> Self {
        Self
    }
}

/// One number per block and lane.
type Blocks<T> = [[T; LANES]; BLOCKS];

/// The network's output in 1/128 disc, not clamped.
pub(in crate::eval::network) fn forward(inputs: &Inputs<'_>, _arranged: &Arranged) -> i32 {
    let Inputs {
        rows,
        weights,
        class_rows,
        dense,
    } = *inputs;
    let sums = accumulate(rows, class_rows);
    let x = sums.map(|block| {
        std::array::from_fn(|l| i32::from(block[l] + weights.bias[l]).clamp(-127, 127))
    });
    let pooled = std::array::from_fn(|channel| {
        let channels =
            Symmetry::all().map(|g| (convolve(weights, channel, g, &x) >> Z_SHIFT).clamp(0, 127));
        (channels.sum::<i32>() + 2) >> 2
    });
    let skip: i32 = sums.iter().map(|block| i32::from(block[0])).sum();
    let result = hidden_layer(weights, &layer_inputs(&pooled, dense))
        + weights.skip * skip
        + weights.plain(dense);
    result >> RESULT_SHIFT
}

/// The sum of the rows shown, the blocks moved by the placements' symmetries.
fn accumulate(rows: Rows<'_>, class_rows: &ClassRows) -> Blocks<i16> {
    let mut sums = [[0; LANES]; BLOCKS];
    for lane in 0..PLACEMENT_COUNT {
        let row = OFFSETS[lane] as usize + class_rows.0[lane] as usize;
        for h in Symmetry::all() {
            let block = rows.0[row * BLOCKS + h.index()]
                .load(Ordering::Relaxed)
                .to_le_bytes();
            let to = &mut sums[PLACEMENTS[lane].symmetry.compose(h).index()];
            to.iter_mut()
                .zip(block)
                .for_each(|(sum, number)| *sum += i16::from(number as i8));
        }
    }
    sums
}

/// `z[g][channel]`.
fn convolve(weights: &HeadWeights, channel: usize, g: Symmetry, x: &Blocks<i32>) -> i32 {
    let mut z = weights.b1[channel];
    for h in Symmetry::all() {
        for (l, &x) in x[g.compose(h).index()].iter().enumerate() {
            z += i32::from(weights.w1[channel][h.index()][l]) * x;
            z += i32::from(weights.w2[channel][h.index()][l]) * ((x * x + 64) >> 7);
        }
    }
    z
}

/// The inputs of the hidden layer, `0..=254` each.
fn layer_inputs(pooled: &[i32; CHANNELS], dense: &Dense) -> [i32; PADDED_INPUTS] {
    let mut inputs = [0; PADDED_INPUTS];
    inputs[..CHANNELS].copy_from_slice(pooled);
    inputs[CHANNELS] = dense.own.min(MOBILITY_CAP) as i32 * 8;
    inputs[CHANNELS + 1] = dense.opponent.min(MOBILITY_CAP) as i32 * 8;
    inputs[CHANNELS + 2] = dense.odd.min(REGION_CAP) as i32 * 16;
    inputs[CHANNELS + 3] = dense.even.min(REGION_CAP) as i32 * 16;
    inputs
}

/// The output's bias and the weighted hidden layer.
fn hidden_layer(weights: &HeadWeights, inputs: &[i32; PADDED_INPUTS]) -> i32 {
    let mut result = weights.output_bias;
    for (neuron, neuron_weights) in weights.hidden.iter().enumerate() {
        let products = neuron_weights
            .iter()
            .zip(inputs)
            .map(|(&weight, input)| i32::from(weight) * input);
        let sum = weights.hidden_bias[neuron] + products.sum::<i32>();
        result += i32::from(weights.output[neuron]) * (sum >> HIDDEN_SHIFT).clamp(0, 127);
    }
    result
}
