//! The forward pass with NEON, a block of a row or of the sums in each register.
//!
//! Moving blocks by a symmetry is a choice of registers, which the compiler makes. The convolution is the plain one:
//! x and x² of a block are sixteen bytes, and a dot product of sixteen bytes is one instruction where the processor
//! has `sdot` (all but the oldest), three elsewhere.

use std::arch::aarch64::*;

use crate::board::Symmetry;
use crate::eval::network::inputs::Dense;
use crate::eval::network::shape::{BLOCKS, CHANNELS, HIDDEN, LANES, MOBILITY_CAP, REGION_CAP};
use crate::eval::network::weights::{HIDDEN_SHIFT, HeadWeights, Inputs, Rows, Z_SHIFT};
use crate::eval::patterns::features::ClassRows;

use super::lines::{HIDDEN_QUADS, HiddenQuads, Line, WORD_OFFSETS, Words, groups, hidden_quads};

const _: () = assert!(BLOCKS == 8 && LANES == 8 && CHANNELS == 4 && HIDDEN == 32);

/// Subtracted from the inputs of the hidden layer, `0..=254`, to make them signed bytes.
const INPUT_MIDDLE: i32 = 128;

/// The weights of a head in the order in which the kernel reads them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::eval::network) struct Arranged {
    /// For all blocks.
    bias: [i16; LANES],
    /// `[channel]`: for each block the weights of x and of x².
    convolution: Box<[[Line<i8, 64>; BLOCKS / 4]; CHANNELS]>,
    hidden: Box<HiddenQuads>,
    /// Includes the part that [`INPUT_MIDDLE`] takes from the products.
    hidden_bias: [Line<i32, 16>; HIDDEN / 16],
}

impl Arranged {
    /// Arranges the weights of a head.
    pub(in crate::eval::network) fn new(weights: &HeadWeights) -> Self {
        let convolution = |channel: usize, line: usize| {
            Line::of(|i| {
                let block = 4 * line + i / 16;
                let lane = i % 16;
                let w = if lane < LANES {
                    &weights.w1
                } else {
                    &weights.w2
                };
                w[channel][block][lane % LANES]
            })
        };
        let hidden_bias = |neuron: usize| {
            let sum: i32 = weights.hidden[neuron]
                .iter()
                .map(|&weight| i32::from(weight))
                .sum();
            weights.hidden_bias[neuron] + INPUT_MIDDLE * sum
        };
        Self {
            bias: weights.bias,
            convolution: Box::new(std::array::from_fn(|channel| {
                std::array::from_fn(|line| convolution(channel, line))
            })),
            hidden: Box::new(hidden_quads(weights)),
            hidden_bias: std::array::from_fn(|line| Line::of(|i| hidden_bias(16 * line + i))),
        }
    }
}

/// Whether the processor has the dot product.
#[inline(always)]
pub(super) fn has_dot() -> bool {
    std::arch::is_aarch64_feature_detected!("dotprod")
}

/// The network's output in 1/128 disc, not clamped.
#[inline(always)]
pub(in crate::eval::network) fn forward(inputs: &Inputs<'_>, arranged: &Arranged) -> i32 {
    if has_dot() {
        // SAFETY: the processor has the dot product, and this file is compiled only for a target with NEON.
        unsafe { with_dot(inputs, arranged) }
    } else {
        without_dot(inputs, arranged)
    }
}

#[target_feature(enable = "neon,dotprod")]
fn with_dot(inputs: &Inputs<'_>, arranged: &Arranged) -> i32 {
    kernel::<true>(inputs, arranged)
}

/// [`forward`] on a processor without the dot product.
pub(in crate::eval::network) fn without_dot(inputs: &Inputs<'_>, arranged: &Arranged) -> i32 {
    kernel::<false>(inputs, arranged)
}

#[inline(always)]
fn kernel<const DOT: bool>(inputs: &Inputs<'_>, arranged: &Arranged) -> i32 {
    let Inputs { weights, dense, .. } = *inputs;
    let sums = accumulate(inputs.rows, inputs.class_rows);
    let channels = convolve::<DOT>(weights, arranged, activations(arranged, sums));
    // SAFETY: this file is compiled only for a target with NEON.
    let skip = unsafe {
        let pairs: [_; BLOCKS / 2] =
            std::array::from_fn(|i| vaddq_s16(sums[2 * i], sums[2 * i + 1]));
        vgetq_lane_s16::<0>(vaddq_s16(
            vaddq_s16(pairs[0], pairs[1]),
            vaddq_s16(pairs[2], pairs[3]),
        ))
    };
    let result =
        i32::from(skip) * weights.skip + hidden_layer::<DOT>(weights, arranged, channels, dense);
    weights.finish(result, dense)
}

/// Adds to each number of `sum` the four products of bytes at its place.
#[inline(always)]
fn dot<const DOT: bool>(mut sum: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
    // SAFETY: this file is compiled only for a target with NEON, and only `with_dot` asks for the dot product.
    unsafe {
        if DOT {
            std::arch::asm!(
                // A build without optimization compiles a closure around this as a separate function, for a target that
                // lacks the instruction.
                ".arch_extension dotprod",
                "sdot {sum:v}.4s, {a:v}.16b, {b:v}.16b",
                sum = inout(vreg) sum, a = in(vreg) a, b = in(vreg) b,
                options(pure, nomem, nostack, preserves_flags),
            );
            sum
        } else {
            let low = vmull_s8(vget_low_s8(a), vget_low_s8(b));
            vpadalq_s16(sum, vpaddq_s16(low, vmull_high_s8(a, b)))
        }
    }
}

/// Adds the sixteen products of bytes to the numbers of `sum`, no matter which to which.
#[inline(always)]
fn add_products<const DOT: bool>(sum: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
    if DOT {
        return dot::<DOT>(sum, a, b);
    }
    // SAFETY: this file is compiled only for a target with NEON.
    unsafe {
        let low = vmull_s8(vget_low_s8(a), vget_low_s8(b));
        vpadalq_s16(sum, vmlal_high_s8(low, a, b))
    }
}

/// The first word of each row shown, counted from the table's start.
#[inline(always)]
fn words(class_rows: &ClassRows) -> Words {
    std::array::from_fn(|line| {
        Line::of(|i| {
            WORD_OFFSETS[line].0[i] + u32::from(class_rows.0[16 * line + i]) * BLOCKS as u32
        })
    })
}

/// Sums of rows, a block in each.
type Sums = [int16x8_t; BLOCKS];

/// The sums of the rows shown.
#[inline(always)]
fn accumulate(rows: Rows<'_>, class_rows: &ClassRows) -> Sums {
    let words = words(class_rows);
    // SAFETY: this file is compiled only for a target with NEON.
    let mut sums = [unsafe { vdupq_n_s16(0) }; BLOCKS];
    macro_rules! add_groups {
        ($($index:literal)*) => {$( sums = add_group::<$index>(sums, rows, &words); )*};
    }
    add_groups!(0 1 2 3 4 5 6 7);
    sums
}

/// Adds the rows of a group, each block where it belongs.
#[inline(always)]
fn add_group<const INDEX: usize>(mut sums: Sums, rows: Rows<'_>, words: &Words) -> Sums {
    let (start, end) = const { (groups()[INDEX].start, groups()[INDEX].end) };
    let sources = const { groups()[INDEX].sources.0 };
    let row = |lane: usize| row(rows, words[lane / 16].0[lane % 16]);
    // Written out, so that every block has its register.
    macro_rules! add_pairs {
        ($($pair:literal)*) => {$(
            let lane = start + 2 * $pair;
            if lane < end {
                let mut bytes = row(lane);
                if lane + 1 < end {
                    // The numbers of a row are at most ±63: two can be added in bytes.
                    let second = row(lane + 1);
                    // SAFETY: this file is compiled only for a target with NEON.
                    bytes = std::array::from_fn(|i| unsafe { vaddq_s8(bytes[i], second[i]) });
                }
                for (sum, source) in sums.iter_mut().zip(sources) {
                    let two = bytes[source as usize / 2];
                    // SAFETY: as above.
                    *sum = unsafe {
                        if source % 2 == 0 { vaddw_s8(*sum, vget_low_s8(two)) } else { vaddw_high_s8(*sum, two) }
                    };
                }
            }
        )*};
    }
    const { assert!(groups()[INDEX].end - groups()[INDEX].start <= 12) };
    add_pairs!(0 1 2 3 4 5);
    sums
}

/// The row that begins at `word`: the first row of a class, plus any 16-bit number of rows. Two blocks in each register.
#[inline(always)]
fn row(rows: Rows<'_>, word: u32) -> [int8x16_t; BLOCKS / 2] {
    debug_assert!(word as usize + BLOCKS <= rows.0.len());
    // SAFETY: `Rows` is long enough for every class's first row plus 2^16 rows; no thread writes to the words once the
    // network is made.
    unsafe {
        let row = rows.0.as_ptr().add(word as usize).cast::<i8>();
        std::array::from_fn(|i| vld1q_s8(row.add(16 * i)))
    }
}

/// The inputs of the convolution, x and x² of a block in each.
#[inline(always)]
fn activations(arranged: &Arranged, sums: Sums) -> [int8x16_t; BLOCKS] {
    // SAFETY: this file is compiled only for a target with NEON, and the biases are a register long.
    unsafe {
        let bias = vld1q_s16(arranged.bias.as_ptr());
        sums.map(|sum| {
            // Narrowing keeps numbers within a byte, of which the least is not wanted.
            let x = vmax_s8(vqmovn_s16(vaddq_s16(sum, bias)), vdup_n_s8(-127));
            vcombine_s8(x, vrshrn_n_s16::<7>(vmull_s8(x, x)))
        })
    }
}

/// For each block of z and each of the weights, the block of x.
const FACTORS: [[usize; BLOCKS]; BLOCKS] = {
    let mut factors = [[0; BLOCKS]; BLOCKS];
    let mut at = 0;
    while at < BLOCKS * BLOCKS {
        let g = at / BLOCKS;
        let h = at % BLOCKS;
        let (Some(first), Some(second)) = (Symmetry::new(g as u8), Symmetry::new(h as u8)) else {
            panic!("a block is a symmetry")
        };
        factors[g][h] = first.compose(second).index();
        at += 1;
    }
    factors
};

/// The four channels, `0..=254` each.
#[inline(always)]
fn convolve<const DOT: bool>(
    weights: &HeadWeights,
    arranged: &Arranged,
    x: [int8x16_t; BLOCKS],
) -> uint16x4_t {
    let [a, b, c, d] = [
        channel::<DOT>(weights, arranged, x, 0),
        channel::<DOT>(weights, arranged, x, 1),
        channel::<DOT>(weights, arranged, x, 2),
        channel::<DOT>(weights, arranged, x, 3),
    ];
    // SAFETY: this file is compiled only for a target with NEON.
    unsafe {
        let sums = vpaddq_u16(vpaddq_u16(a, b), vpaddq_u16(c, d));
        vget_low_u16(vrshrq_n_u16::<2>(vpaddq_u16(sums, sums)))
    }
}

/// The clipped z of all blocks.
#[inline(always)]
fn channel<const DOT: bool>(
    weights: &HeadWeights,
    arranged: &Arranged,
    x: [int8x16_t; BLOCKS],
    channel: usize,
) -> uint16x8_t {
    // SAFETY: this file is compiled only for a target with NEON; a line holds four registers.
    unsafe {
        let bias = vsetq_lane_s32::<0>(weights.b1[channel], vdupq_n_s32(0));
        let mut z = [bias; BLOCKS];
        macro_rules! add_blocks {
            ($($h:literal)*) => {$(
                let w = vld1q_s8(arranged.convolution[channel][$h / 4].0.as_ptr().add(16 * ($h % 4)));
                for (g, z) in z.iter_mut().enumerate() {
                    *z = add_products::<DOT>(*z, x[FACTORS[g][$h]], w);
                }
            )*};
        }
        add_blocks!(0 1 2 3 4 5 6 7);
        let halves = [0, 4].map(|at| {
            vpaddq_s32(
                vpaddq_s32(z[at], z[at + 1]),
                vpaddq_s32(z[at + 2], z[at + 3]),
            )
        });
        clip::<Z_SHIFT>(halves)
    }
}

/// `clamp(z >> SHIFT, 0, 127)`
#[inline(always)]
fn clip<const SHIFT: i32>([low, high]: [int32x4_t; 2]) -> uint16x8_t {
    // SAFETY: this file is compiled only for a target with NEON.
    unsafe {
        let clipped = vqshrun_high_n_s32::<SHIFT>(vqshrun_n_s32::<SHIFT>(low), high);
        vminq_u16(clipped, vdupq_n_u16(127))
    }
}

/// The weighted hidden layer, without the output's bias.
#[inline(always)]
fn hidden_layer<const DOT: bool>(
    weights: &HeadWeights,
    arranged: &Arranged,
    channels: uint16x4_t,
    dense: &Dense,
) -> i32 {
    let mobility = dense.own.min(MOBILITY_CAP) | dense.opponent.min(MOBILITY_CAP) << 8;
    let regions = dense.odd.min(REGION_CAP) | dense.even.min(REGION_CAP) << 8;
    let rest = mobility << 3 | regions << 20;
    // SAFETY: this file is compiled only for a target with NEON; a line holds four registers.
    unsafe {
        let middle = vdupq_n_u8(INPUT_MIDDLE as u8);
        let signed = |four| vreinterpretq_s8_u8(vsubq_u8(vreinterpretq_u8_u32(four), middle));
        let channels = vreinterpret_u32_u8(vmovn_u16(vcombine_u16(channels, channels)));
        let inputs: [int8x16_t; HIDDEN_QUADS] = [
            signed(vdupq_lane_u32::<0>(channels)),
            signed(vdupq_n_u32(rest)),
        ];
        let neurons = |at: usize| {
            let mut sum = vld1q_s32(arranged.hidden_bias[at / 16].0.as_ptr().add(at % 16));
            for (quad, &input) in inputs.iter().enumerate().rev() {
                let w = vld1q_s8(arranged.hidden[quad][at / 16].0.as_ptr().add(4 * (at % 16)));
                sum = dot::<DOT>(sum, w, input);
            }
            sum
        };
        let mut total = [vdupq_n_s32(0); 2];
        for at in [0, 8, 16, 24] {
            let clipped =
                vreinterpretq_s16_u16(clip::<HIDDEN_SHIFT>([neurons(at), neurons(at + 4)]));
            let output = vld1q_s16(weights.output.as_ptr().add(at));
            total[0] = vmlal_s16(total[0], vget_low_s16(clipped), vget_low_s16(output));
            total[1] = vmlal_high_s16(total[1], clipped, output);
        }
        vaddvq_s32(vaddq_s32(total[0], total[1]))
    }
}
