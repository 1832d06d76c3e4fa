//! The integer weights of a head and the scales that its sums are held in.

use std::sync::atomic::AtomicU64;

use super::inputs::Dense;
use super::shape::{BLOCKS, CHANNELS, HIDDEN, INPUTS, LANES};
use crate::eval::patterns::ROWS;
use crate::eval::patterns::features::ClassRows;

/// Shift from z to a channel.
pub const Z_SHIFT: i32 = 6;
/// Shift from the hidden layer's sum to its output.
pub const HIDDEN_SHIFT: i32 = 7;
/// Shift from the last sum to 1/128 disc.
pub const RESULT_SHIFT: i32 = 8;
pub const ROW_MAX: i8 = 63;
/// Inputs of the hidden layer, filled up to whole vectors.
pub const PADDED_INPUTS: usize = 16;

/// The integer weights of a head; `training/fit/parameters.rs` has the meaning of each.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadWeights {
    pub bias: [i16; LANES],
    /// `[channel][block][lane]`
    pub w1: [[[i8; LANES]; BLOCKS]; CHANNELS],
    pub w2: [[[i8; LANES]; BLOCKS]; CHANNELS],
    pub b1: [i32; CHANNELS],
    /// `[neuron][input]`, 0 behind the last input.
    pub hidden: [[i8; PADDED_INPUTS]; HIDDEN],
    pub hidden_bias: [i32; HIDDEN],
    pub output: [i16; HIDDEN],
    pub output_bias: i32,
    pub skip: i32,
    /// Weights for the side to move and for the other side.
    pub mobility: [i32; 2],
    pub parity: i32,
}

impl HeadWeights {
    /// Limits of biases and weights that are not bytes: with them no sum leaves 32 bits.
    pub const BIAS_LIMIT: i32 = 1 << 13;
    pub const SUM_LIMIT: i32 = 1 << 24;
    pub const OUTPUT_LIMIT: i32 = i16::MAX as i32;
    pub const SKIP_LIMIT: i32 = 1 << 14;
    pub const MOBILITY_LIMIT: i32 = 1 << 19;
    pub const PARITY_LIMIT: i32 = 1 << 20;

    /// The output in 1/128 disc, not clamped, from the sum of all lanes and neurons.
    #[cfg(not(kernel = "scalar"))]
    #[inline(always)]
    pub(super) fn finish(&self, sum: i32, dense: &Dense) -> i32 {
        (sum + self.output_bias + self.plain(dense)) >> RESULT_SHIFT
    }

    /// The part of the inputs that skip the hidden layer.
    #[inline(always)]
    pub(super) fn plain(&self, dense: &Dense) -> i32 {
        let [own, opponent] = self.mobility;
        own * dense.own as i32 + opponent * dense.opponent as i32 + self.parity * dense.parity
    }

    /// Whether all numbers are within the limits that keep sums inside their types.
    pub fn is_valid(&self) -> bool {
        let within = |number: i32, limit: i32| (-limit..=limit).contains(&number);
        self.bias
            .iter()
            .all(|&bias| within(i32::from(bias), Self::BIAS_LIMIT))
            && [&self.w1, &self.w2]
                .iter()
                .all(|w| w.as_flattened().as_flattened().iter().all(|&w| w > -128))
            && self
                .b1
                .iter()
                .chain(&self.hidden_bias)
                .all(|&bias| within(bias, Self::SUM_LIMIT))
            && self
                .hidden
                .as_flattened()
                .iter()
                .all(|&weight| weight > -128)
            && self
                .hidden
                .iter()
                .all(|weights| weights[INPUTS..].iter().all(|&weight| weight == 0))
            && self
                .output
                .iter()
                .all(|&weight| within(i32::from(weight), Self::OUTPUT_LIMIT))
            && within(self.output_bias, Self::SUM_LIMIT)
            && within(self.skip, Self::SKIP_LIMIT)
            && self
                .mobility
                .iter()
                .all(|&weight| within(weight, Self::MOBILITY_LIMIT))
            && within(self.parity, Self::PARITY_LIMIT)
    }
}

/// The inputs of a forward pass in every kernel.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) weights: &'a HeadWeights,
    pub(super) class_rows: &'a ClassRows,
    pub(super) dense: &'a Dense,
}

/// The rows of one table, one word per block, each row a cache line; long enough for any class's offset plus any 16-bit
/// row.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a>(pub(super) &'a [AtomicU64]);

impl<'a> Rows<'a> {
    /// The rows from the start of a table on.
    ///
    /// # Panics
    /// If fewer than `ROWS + 2^16` rows follow.
    #[inline(always)]
    pub(super) fn new(words: &'a [AtomicU64]) -> Self {
        assert!(words.len() >= (ROWS + (1 << 16)) * BLOCKS);
        debug_assert!(words.as_ptr().addr().is_multiple_of(64));
        Self(words)
    }
}
