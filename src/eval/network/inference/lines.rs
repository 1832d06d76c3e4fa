//! What the vector kernels read: the weights of a head in their order, and the groups of placements.

use crate::board::Symmetry;
use crate::eval::network::shape::{BLOCKS, CHANNELS, HIDDEN, LANES};
use crate::eval::network::weights::HeadWeights;
use crate::eval::patterns::features::{self, OFFSETS};
use crate::eval::patterns::{PLACEMENT_COUNT, PLACEMENTS};

use super::convolution::{self, Products, SCALE_SHIFT};

/// Inputs of the convolution, one line each: even and odd lanes of x, then of x².
pub(super) const INPUT_LINES: usize = 4;

const _: () = assert!(BLOCKS == 8 && LANES == 8 && CHANNELS == 4 && HIDDEN == 32);

/// A cache line of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Line<T, const N: usize>(pub(super) [T; N]);

impl<T, const N: usize> Line<T, N> {
    /// The line whose numbers are `number(0)`, `number(1)`, ….
    pub(super) fn of(number: impl FnMut(usize) -> T) -> Self {
        const { assert!(size_of::<Self>() == 64) };
        Self(std::array::from_fn(number))
    }
}

/// The weights of a head, without those of the hidden layer's inputs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lines {
    /// Biases of the even and of the odd lanes, for all blocks.
    pub(super) bias: [Line<i16, 32>; 2],
    /// `[input][direct, crossed][channel]`: four lanes for each of eight elements.
    pub(super) convolution: [[[Line<i16, 32>; CHANNELS]; 2]; INPUT_LINES],
    /// b1 where the second transform spreads it over all blocks.
    pub(super) z_bias: [Line<i32, 16>; CHANNELS],
    /// For each block the skip weight at lane 0, and zeros at the other even lanes.
    pub(super) skip: Line<i16, 32>,
    pub(super) hidden_bias: [Line<i32, 16>; 2],
    /// The low half of each number is a weight; the high half, its sign, meets a zero.
    pub(super) output: [Line<i32, 16>; 2],
}

impl Lines {
    pub(super) fn new(weights: &HeadWeights) -> Self {
        let bias = |odd: usize| Line::of(|i| weights.bias[2 * (i % 4) + odd]);
        let z_bias = |channel: usize| {
            // Two sums belong to each of eight elements; the first element of a half is spread.
            Line::of(|i| if i.is_multiple_of(8) { weights.b1[channel] << SCALE_SHIFT } else { 0 })
        };
        Self {
            bias: [bias(0), bias(1)],
            convolution: std::array::from_fn(|input| convolution_lines(weights, input)),
            z_bias: std::array::from_fn(z_bias),
            skip: Line::of(|i| if i.is_multiple_of(4) { weights.skip as i16 } else { 0 }),
            hidden_bias: std::array::from_fn(|half| Line::of(|i| weights.hidden_bias[16 * half + i])),
            output: std::array::from_fn(|half| Line::of(|i| i32::from(weights.output[16 * half + i]))),
        }
    }
}

/// The weights that all channels give to one line of inputs, direct and crossed.
fn convolution_lines(weights: &HeadWeights, input: usize) -> [[Line<i16, 32>; CHANNELS]; 2] {
    let lane = |i: usize| LANES * (input / 2) + 2 * (i % 4) + input % 2;
    let line = |channel: usize, part: fn(&Products) -> &[i16; BLOCKS]| {
        Line::of(|i| part(&convolution::weights(weights, channel, lane(i)))[i / 4])
    };
    [
        std::array::from_fn(|channel| line(channel, |products| &products.direct)),
        std::array::from_fn(|channel| line(channel, |products| &products.crossed)),
    ]
}

/// The placements that share a symmetry: lanes `start..end` of the features.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) start: usize,
    pub(super) end: usize,
    /// For each block of the sum, the block of the rows that goes there.
    pub(super) sources: Line<i64, 8>,
}

/// The placements, which are ordered by symmetry, split.
pub(super) const fn groups() -> [Group; 8] {
    let mut groups = [Group { start: 0, end: 0, sources: Line([0; 8]) }; 8];
    let mut lane = 0;
    let mut index = 0;
    while index < 8 {
        let symmetry = PLACEMENTS[lane].symmetry;
        groups[index].start = lane;
        while lane < PLACEMENT_COUNT && PLACEMENTS[lane].symmetry.index() == symmetry.index() {
            lane += 1;
        }
        groups[index].end = lane;
        let mut block = 0;
        while block < 8 {
            let Some(image) = Symmetry::new(block as u8) else { panic!("a block is a symmetry") };
            groups[index].sources.0[block] = symmetry.inverse().compose(image).index() as i64;
            block += 1;
        }
        index += 1;
    }
    assert!(lane == PLACEMENT_COUNT, "every symmetry occurs, its placements together");
    groups
}

/// The first word of each row shown, counted from the start of a table.
pub(super) type Words = [Line<u32, 16>; features::LANES / 16];

/// First word of each placement's class.
pub(super) static WORD_OFFSETS: Words = {
    let mut offsets = [Line([0; 16]); features::LANES / 16];
    let mut lane = 0;
    while lane < PLACEMENT_COUNT {
        offsets[lane / 16].0[lane % 16] = OFFSETS[lane] * BLOCKS as u32;
        lane += 1;
    }
    offsets
};
