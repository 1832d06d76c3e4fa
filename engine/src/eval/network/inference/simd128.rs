//! The forward pass in WebAssembly's vectors of 128 bits, a block of the sums in each.
//!
//! Moving blocks by a symmetry is a choice of registers, as in `neon.rs`, and so are the transforms of the convolution: see
//! `convolution.rs`. A vector of z has the four channels of a block.

use std::arch::wasm32::*;
use std::array::from_fn;

use crate::eval::network::inputs::Dense;
use crate::eval::network::shape::{
    BLOCKS, CHANNELS, HIDDEN, INPUTS, LANES, MOBILITY_CAP, REGION_CAP,
};
use crate::eval::network::weights::{HIDDEN_SHIFT, HeadWeights, Inputs, Rows, Z_SHIFT};
use crate::eval::patterns::features::{ClassRows, OFFSETS};

use super::convolution::{SCALE_SHIFT, weights_at};
use super::lines::groups;

const _: () = assert!(BLOCKS == 8 && LANES == 8 && CHANNELS == 4 && HIDDEN == 32 && INPUTS == 8);

/// The weights of a head in the order in which the kernel reads them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::eval::network) struct Arranged {
    /// For all blocks.
    bias: [i16; LANES],
    /// `[block][channel]`: the lanes of x direct and crossed, then of x².
    convolution: Box<[[[[i16; LANES]; 4]; CHANNELS]; BLOCKS]>,
    /// b1 of each channel, where the second transform spreads it over all blocks.
    z_bias: [i32; CHANNELS],
    /// `[four neurons][pair]`: for each neuron the weights of two inputs.
    hidden: Box<[[[i16; 8]; INPUTS / 2]; HIDDEN / 4]>,
}

impl Arranged {
    /// Arranges the weights of a head.
    pub(in crate::eval::network) fn new(weights: &HeadWeights) -> Self {
        let products = |block: usize, channel: usize, part: usize| {
            from_fn(|lane| {
                let products = weights_at(weights, channel, lane + part / 2 * LANES);
                if part.is_multiple_of(2) {
                    products.direct[block]
                } else {
                    products.crossed[block]
                }
            })
        };
        let hidden = |neuron: usize, pair: usize| {
            from_fn(|i| i16::from(weights.hidden[4 * neuron + i / 2][2 * pair + i % 2]))
        };
        Self {
            bias: weights.bias,
            convolution: Box::new(from_fn(|block| {
                from_fn(|channel| from_fn(|part| products(block, channel, part)))
            })),
            z_bias: weights.b1.map(|bias| bias << SCALE_SHIFT),
            hidden: Box::new(from_fn(|neuron| from_fn(|pair| hidden(neuron, pair)))),
        }
    }
}

/// Sixteen bytes of numbers.
#[inline(always)]
fn load<T, const N: usize>(numbers: &[T; N]) -> v128 {
    const { assert!(size_of::<[T; N]>() == 16) };
    // SAFETY: the array is a vector long, and any bytes are one.
    unsafe { v128_load(numbers.as_ptr().cast()) }
}

/// The network's output in 1/128 disc, not clamped.
#[inline]
pub(in crate::eval::network) fn forward(inputs: &Inputs<'_>, arranged: &Arranged) -> i32 {
    let Inputs { weights, dense, .. } = *inputs;
    let sums = accumulate(inputs.rows, inputs.class_rows);
    let skip = i16x8_extract_lane::<0>(
        sums.into_iter()
            .reduce(|a, b| i16x8_add(a, b))
            .expect("eight blocks"),
    );
    let result = i32::from(skip) * weights.skip
        + hidden_layer(weights, arranged, convolve(arranged, sums), dense);
    weights.finish(result, dense)
}

/// Sums of rows: the block at each place.
type Sums = [v128; BLOCKS];

/// The sums of the rows shown.
#[inline(always)]
fn accumulate(rows: Rows<'_>, class_rows: &ClassRows) -> Sums {
    let mut sums = [i16x8_splat(0); BLOCKS];
    macro_rules! add_groups {
        ($($index:literal)*) => {$( sums = add_group::<$index>(sums, rows, class_rows); )*};
    }
    add_groups!(0 1 2 3 4 5 6 7);
    sums
}

/// Adds the rows of a group, each block where it belongs.
#[inline(always)]
fn add_group<const INDEX: usize>(mut sums: Sums, rows: Rows<'_>, class_rows: &ClassRows) -> Sums {
    let (start, end) = const { (groups()[INDEX].start, groups()[INDEX].end) };
    let sources = const { groups()[INDEX].sources.0 };
    // Written out, so that every block has its register.
    macro_rules! add_pairs {
        ($($pair:literal)*) => {$(
            let lane = start + 2 * $pair;
            if lane < end {
                let mut bytes = row(rows, class_rows, lane);
                if lane + 1 < end {
                    // The numbers of a row are at most ±63: two can be added in bytes.
                    let second = row(rows, class_rows, lane + 1);
                    bytes = from_fn(|i| i8x16_add(bytes[i], second[i]));
                }
                sums = from_fn(|to| {
                    let two = bytes[sources[to] as usize / 2];
                    let is_low = sources[to] % 2 == 0;
                    i16x8_add(sums[to], if is_low { i16x8_extend_low_i8x16(two) } else { i16x8_extend_high_i8x16(two) })
                });
            }
        )*};
    }
    const { assert!(groups()[INDEX].end - groups()[INDEX].start <= 12) };
    add_pairs!(0 1 2 3 4 5);
    sums
}

/// The row that a placement shows, two blocks in each vector.
#[inline(always)]
fn row(rows: Rows<'_>, class_rows: &ClassRows, lane: usize) -> [v128; BLOCKS / 2] {
    let word = (OFFSETS[lane] as usize + usize::from(class_rows.0[lane])) * BLOCKS;
    debug_assert!(word + BLOCKS <= rows.0.len());
    // SAFETY: `Rows` is long enough for every class's first row plus 2^16 rows; no thread writes to the words once the
    // network is made.
    unsafe {
        let row = rows.0.as_ptr().add(word).cast::<v128>();
        from_fn(|i| v128_load(row.add(i)))
    }
}

/// The Walsh–Hadamard transform of four vectors.
#[inline(always)]
fn transform(
    [a, b, c, d]: [v128; 4],
    add: impl Fn(v128, v128) -> v128 + Copy,
    sub: impl Fn(v128, v128) -> v128 + Copy,
) -> [v128; 4] {
    let e = add(a, b);
    let f = sub(a, b);
    let g = add(c, d);
    let h = sub(c, d);
    [add(e, g), add(f, h), sub(e, g), sub(f, h)]
}

/// The halves of eight blocks, transformed.
#[inline(always)]
fn transform_halves(
    [a, b, c, d, e, f, g, h]: [v128; BLOCKS],
    add: impl Fn(v128, v128) -> v128 + Copy,
    sub: impl Fn(v128, v128) -> v128 + Copy,
) -> [v128; BLOCKS] {
    let [a, b, c, d] = transform([a, b, c, d], add, sub);
    let [e, f, g, h] = transform([e, f, g, h], add, sub);
    [a, b, c, d, e, f, g, h]
}

/// The four channels, `0..=254` each.
#[inline(always)]
fn convolve(arranged: &Arranged, sums: Sums) -> v128 {
    let bias = load(&arranged.bias);
    let x = sums.map(|sum| {
        i16x8_min(
            i16x8_max(i16x8_add(sum, bias), i16x8_splat(-127)),
            i16x8_splat(127),
        )
    });
    let squared = x.map(|x| u16x8_shr(i16x8_add(i16x8_mul(x, x), i16x8_splat(64)), 7));
    let [x, squared] =
        [x, squared].map(|x| transform_halves(x, |a, b| i16x8_add(a, b), |a, b| i16x8_sub(a, b)));
    let mut z: Sums = from_fn(|block| {
        let inputs = [
            x[block],
            x[(block + 4) % 8],
            squared[block],
            squared[(block + 4) % 8],
        ];
        add_quads(from_fn(|channel| {
            let products = |part: usize| {
                i32x4_dot_i16x8(
                    inputs[part],
                    load(&arranged.convolution[block][channel][part]),
                )
            };
            i32x4_add(
                i32x4_add(products(0), products(1)),
                i32x4_add(products(2), products(3)),
            )
        }))
    });
    let bias = load(&arranged.z_bias);
    z[0] = i32x4_add(z[0], bias);
    z[4] = i32x4_add(z[4], bias);
    let z = transform_halves(z, |a, b| i32x4_add(a, b), |a, b| i32x4_sub(a, b))
        .map(|z| i32x4_shr(z, (Z_SHIFT + SCALE_SHIFT) as u32));
    let two = |block: usize| clip(z[block], z[block + 1]);
    let sum = i16x8_add(i16x8_add(two(0), two(2)), i16x8_add(two(4), two(6)));
    let sum = i16x8_add(sum, i64x2_shuffle::<1, 0>(sum, sum));
    u16x8_shr(i16x8_add(sum, i16x8_splat(2)), 2)
}

/// The sums of the four numbers of each vector.
#[inline(always)]
fn add_quads([a, b, c, d]: [v128; 4]) -> v128 {
    let neighbors = |a, b| {
        i32x4_add(
            i32x4_shuffle::<0, 2, 4, 6>(a, b),
            i32x4_shuffle::<1, 3, 5, 7>(a, b),
        )
    };
    neighbors(neighbors(a, b), neighbors(c, d))
}

/// The eight numbers, within 0..=127.
#[inline(always)]
fn clip(a: v128, b: v128) -> v128 {
    i16x8_min(
        i16x8_max(i16x8_narrow_i32x4(a, b), i16x8_splat(0)),
        i16x8_splat(127),
    )
}

/// The weighted hidden layer, without the output's bias.
#[inline(always)]
fn hidden_layer(weights: &HeadWeights, arranged: &Arranged, channels: v128, dense: &Dense) -> i32 {
    let mobility = dense.own.min(MOBILITY_CAP) << 3 | dense.opponent.min(MOBILITY_CAP) << 19;
    let regions = dense.odd.min(REGION_CAP) << 4 | dense.even.min(REGION_CAP) << 20;
    let inputs = [
        i32x4_shuffle::<0, 0, 0, 0>(channels, channels),
        i32x4_shuffle::<1, 1, 1, 1>(channels, channels),
        u32x4_splat(mobility),
        u32x4_splat(regions),
    ];
    let neurons = |at: usize| {
        let dot = |pair: usize| i32x4_dot_i16x8(inputs[pair], load(&arranged.hidden[at][pair]));
        let (bias, _) = weights.hidden_bias[4 * at..]
            .split_first_chunk::<4>()
            .expect("four neurons");
        let sum = i32x4_add(i32x4_add(dot(0), dot(1)), i32x4_add(dot(2), dot(3)));
        i32x4_shr(i32x4_add(sum, load(bias)), HIDDEN_SHIFT as u32)
    };
    let outputs = |at: usize| {
        let (output, _) = weights.output[8 * at..]
            .split_first_chunk::<8>()
            .expect("eight neurons");
        i32x4_dot_i16x8(clip(neurons(2 * at), neurons(2 * at + 1)), load(output))
    };
    let sum = i32x4_add(
        i32x4_add(outputs(0), outputs(1)),
        i32x4_add(outputs(2), outputs(3)),
    );
    let sum = i32x4_add(sum, i64x2_shuffle::<1, 0>(sum, sum));
    i32x4_extract_lane::<0>(sum) + i32x4_extract_lane::<1>(sum)
}
