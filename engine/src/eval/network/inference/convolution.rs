//! The group convolution with a quarter of its products, and the weights of a head, for the AVX kernels and WebAssembly.
//!
//! The four symmetries without a transposition form a commutative group, and multiplying two of them
//! is `^` on their numbers. So a convolution over them becomes a plain product after a Walsh–Hadamard
//! transform: with `X[4t+k]` the sum over `v` in `0..4` of `x[4t+v]`, its sign turned where `k & v` has
//! an odd number of bits, and `Z` the same of `z`,
//!
//! ```text
//! Z[4t+k] = direct[4t+k] * X[4t+k] + crossed[4t+k] * X[4(1-t)+k]
//! ```
//!
//! for each channel and lane, instead of eight products per element of `z`. Transforming `Z` again
//! gives `4 * z`. All numbers stay integers, so the result is the definition's to the bit; sums of four
//! bytes need 16 bits.

use crate::board::Symmetry;
#[cfg(not(kernel = "simd128"))]
use crate::eval::network::shape::CHANNELS;
use crate::eval::network::shape::{BLOCKS, LANES};
use crate::eval::network::weights::HeadWeights;

#[cfg(not(kernel = "simd128"))]
use super::lines::Line;

/// How often the result of the two transforms holds z, as a shift.
pub(super) const SCALE_SHIFT: i32 = 2;

/// Inputs of the convolution, one line each: even and odd lanes of x, then of x².
#[cfg(not(kernel = "simd128"))]
pub(super) const INPUT_LINES: usize = 4;

/// The weights of a head, without those of the hidden layer's inputs.
#[cfg(not(kernel = "simd128"))]
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

#[cfg(not(kernel = "simd128"))]
impl Lines {
    pub(super) fn new(weights: &HeadWeights) -> Self {
        let bias = |odd: usize| Line::of(|i| weights.bias[2 * (i % 4) + odd]);
        let z_bias = |channel: usize| {
            // Two sums belong to each of eight elements; the first element of a half is spread.
            Line::of(|i| {
                if i.is_multiple_of(8) {
                    weights.b1[channel] << SCALE_SHIFT
                } else {
                    0
                }
            })
        };
        Self {
            bias: [bias(0), bias(1)],
            convolution: std::array::from_fn(|input| convolution_lines(weights, input)),
            z_bias: std::array::from_fn(z_bias),
            skip: Line::of(|i| {
                if i.is_multiple_of(4) {
                    weights.skip as i16
                } else {
                    0
                }
            }),
            hidden_bias: std::array::from_fn(|half| {
                Line::of(|i| weights.hidden_bias[16 * half + i])
            }),
            output: std::array::from_fn(|half| {
                Line::of(|i| i32::from(weights.output[16 * half + i]))
            }),
        }
    }
}

#[cfg(not(kernel = "simd128"))]
/// The weights that all channels give to one line of inputs, direct and crossed.
fn convolution_lines(weights: &HeadWeights, input: usize) -> [[Line<i16, 32>; CHANNELS]; 2] {
    let lane = |i: usize| LANES * (input / 2) + 2 * (i % 4) + input % 2;
    let line = |channel: usize, part: fn(&Products) -> &[i16; BLOCKS]| {
        Line::of(|i| part(&weights_at(weights, channel, lane(i)))[i / 4])
    };
    [
        std::array::from_fn(|channel| line(channel, |products| &products.direct)),
        std::array::from_fn(|channel| line(channel, |products| &products.crossed)),
    ]
}

/// Weights of the transformed convolution by channel and lane: lanes of x, then those of x².
pub(super) fn weights_at(head: &HeadWeights, channel: usize, lane: usize) -> Products {
    let w = if lane < LANES {
        &head.w1[channel]
    } else {
        &head.w2[channel]
    };
    Products::new(|h| i16::from(w[h.index()][lane % LANES]))
}

/// The weights of one channel and lane.
pub(super) struct Products {
    /// For the element at the same place.
    pub(super) direct: [i16; BLOCKS],
    /// For the element in the other half.
    pub(super) crossed: [i16; BLOCKS],
}

impl Products {
    /// `weight(h)` is the weight of x at block g∘h in z at block g.
    fn new(weight: impl Fn(Symmetry) -> i16) -> Self {
        let symmetry = |index: usize| Symmetry::new(index as u8).expect("a block is a symmetry");
        // The weights of the first z of a half for one half of x, transformed.
        let transformed = |to: usize, from: usize, k: usize| {
            let row = |v: usize| weight(symmetry(4 * to).inverse().compose(symmetry(4 * from + v)));
            (0..4)
                .map(|v| {
                    if (k & v).count_ones() % 2 == 1 {
                        -row(v)
                    } else {
                        row(v)
                    }
                })
                .sum()
        };
        Self {
            direct: std::array::from_fn(|e| transformed(e / 4, e / 4, e % 4)),
            crossed: std::array::from_fn(|e| transformed(e / 4, 1 - e / 4, e % 4)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::Rng;

    /// Walsh–Hadamard transform of both halves.
    fn transform(x: [i32; BLOCKS]) -> [i32; BLOCKS] {
        std::array::from_fn(|e| {
            let sign = |v: usize| 1 - 2 * ((e & 3 & v).count_ones() as i32 % 2);
            (0..4).map(|v| sign(v) * x[e / 4 * 4 + v]).sum()
        })
    }

    #[test]
    fn two_transforms_make_the_convolution_fourfold() {
        let mut rng = Rng::new(5);
        for _ in 0..1_000 {
            let mut bytes =
                || -> [i32; BLOCKS] { std::array::from_fn(|_| rng.below(255) as i32 - 127) };
            let x = bytes();
            let w = bytes();
            let products = Products::new(|h| w[h.index()] as i16);
            let spectrum = transform(x);
            let z = transform(std::array::from_fn(|e| {
                let other = spectrum[(e + 4) % BLOCKS];
                i32::from(products.direct[e]) * spectrum[e] + i32::from(products.crossed[e]) * other
            }));
            for g in Symmetry::all() {
                let expected: i32 = Symmetry::all()
                    .map(|h| w[h.index()] * x[g.compose(h).index()])
                    .sum();
                assert_eq!(z[g.index()], expected << SCALE_SHIFT);
            }
        }
    }
}
