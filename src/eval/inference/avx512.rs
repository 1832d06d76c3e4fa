//! The forward pass in 512-bit vectors with byte dot products (AVX-512 BW, VNNI).
//!
//! A row is one vector. Two rows are added in bytes (their numbers are at most ±63), then the even and
//! the odd lanes are widened into two vectors of 16-bit sums, in which a block is one 64-bit element:
//! moving blocks by a symmetry is one `vpermq` per group of placements that share it. The group
//! convolution is a plain matrix of 128 bytes by 64 sums, arranged so that four input bytes are
//! broadcast to all sums; sixteen chains of dot products hide their latency.

use std::arch::x86_64::*;

use crate::board::Symmetry;
use crate::eval::features::{Features, OFFSETS};
use crate::eval::network::{HIDDEN_SHIFT, Head, HeadWeights, RESULT_SHIFT, Z_SHIFT};
use crate::eval::parameters::{BLOCKS, CHANNELS, Dense, HIDDEN, LANES, MOBILITY_CAP, REGION_CAP, ROW_LEN};
use crate::eval::pattern::{PLACEMENT_COUNT, PLACEMENTS};

use super::Rows;

/// Sums of the convolution: one per block and channel.
const SUMS: usize = BLOCKS * CHANNELS;
/// Vectors of sums, 16 in each.
const SUM_VECTORS: usize = SUMS / 16;
/// Groups of four input bytes: x, then x².
const QUADS: usize = 2 * ROW_LEN / 4;
/// Sums of the convolution are taken in so many parts, to hide the latency of dot products.
const CHAINS: usize = 8;
/// Inputs of the hidden layer in groups of four: the channels, and the rest.
const HIDDEN_QUADS: usize = 2;

const _: () = assert!(BLOCKS == 8 && LANES == 8 && CHANNELS == 4 && HIDDEN == 32);

/// One vector in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
struct Line<T, const N: usize>([T; N]);

/// The weights of a head in the order in which the kernel reads them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::eval) struct Arranged {
    /// Biases of the even and of the odd lanes, for all blocks.
    bias: [Line<i16, 32>; 2],
    /// `[quad][vector]`: for each of 16 sums (block g, channel j) the weights of four input bytes.
    convolution: Box<[[Line<i8, 64>; SUM_VECTORS]; QUADS]>,
    /// b1, less what adding 128 to every x adds to a sum.
    z_bias: [Line<i32, 16>; SUM_VECTORS],
    /// `[quad][vector]`: for each of 16 neurons the weights of four inputs.
    hidden: [[Line<i8, 64>; 2]; HIDDEN_QUADS],
    hidden_bias: [Line<i32, 16>; 2],
    output: [Line<i32, 16>; 2],
}

impl Arranged {
    /// Arranges the weights of a head.
    pub(in crate::eval) fn new(weights: &HeadWeights) -> Self {
        let bias = |odd: usize| Line(std::array::from_fn(|i| weights.bias[2 * (i % 4) + odd]));
        let z_bias = |sum: usize| {
            let channel = sum % CHANNELS;
            let total: i32 = weights.w1[channel].as_flattened().iter().map(|&w| i32::from(w)).sum();
            weights.b1[channel] - 128 * total
        };
        let hidden = |quad: usize, vector: usize| {
            Line(std::array::from_fn(|i| weights.hidden[16 * vector + i / 4][4 * quad + i % 4]))
        };
        Self {
            bias: [bias(0), bias(1)],
            convolution: Box::new(std::array::from_fn(|quad| {
                std::array::from_fn(|vector| convolution_line(weights, quad, vector))
            })),
            z_bias: std::array::from_fn(|v| Line(std::array::from_fn(|i| z_bias(16 * v + i)))),
            hidden: std::array::from_fn(|quad| [hidden(quad, 0), hidden(quad, 1)]),
            hidden_bias: std::array::from_fn(|v| {
                Line(std::array::from_fn(|i| weights.hidden_bias[16 * v + i]))
            }),
            output: std::array::from_fn(|v| {
                // The low half of each word is the weight, the high half meets a zero.
                Line(std::array::from_fn(|i| i32::from(weights.output[16 * v + i])))
            }),
        }
    }
}

/// The weights that 16 sums give to four input bytes.
fn convolution_line(weights: &HeadWeights, quad: usize, vector: usize) -> Line<i8, 64> {
    Line(std::array::from_fn(|i| {
        let (sum, input) = (16 * vector + i / 4, 4 * quad + i % 4);
        let (block, lane) = (input % ROW_LEN / LANES, input % LANES);
        let (g, channel) = (sum / CHANNELS, sum % CHANNELS);
        let symmetry = |index: usize| Symmetry::new(index as u8).expect("a block is a symmetry");
        // Block b meets the weights of the h with g∘h = b.
        let h = symmetry(g).inverse().compose(symmetry(block)).index();
        let w = if input < ROW_LEN { &weights.w1 } else { &weights.w2 };
        w[channel][h][lane]
    }))
}

/// The placements that share a symmetry: lanes `start..end` of the features.
#[derive(Clone, Copy)]
struct Group {
    start: usize,
    end: usize,
    /// For each block of the sum, the block of the rows that goes there.
    sources: Line<i64, 8>,
}

const GROUPS: [Group; 8] = groups();

/// Splits the placements, which are ordered by symmetry.
const fn groups() -> [Group; 8] {
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

/// The network's output in 1/128 disc, not clamped.
#[inline(always)]
pub(in crate::eval) fn forward(rows: Rows<'_>, head: &Head, features: &Features, dense: &Dense) -> i32 {
    debug_assert!(is_x86_feature_detected!("avx512vnni"));
    // SAFETY: the selector compiles this file only for processors with these instructions, and the
    // program refuses to start on others.
    unsafe { kernel(rows, head, features, dense) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn kernel(rows: Rows<'_>, head: &Head, features: &Features, dense: &Dense) -> i32 {
    let sums = accumulate(rows, features);
    let skip = linear_lane(sums[0]);
    let pooled = convolve(&head.arranged, sums);
    let result = hidden_layer(&head.arranged, pooled, dense) + head.weights.output_bias;
    let [own, opponent] = head.weights.mobility;
    (result + head.weights.skip * skip + own * dense.own as i32 + opponent * dense.opponent as i32)
        >> RESULT_SHIFT
}

/// The vector at a line.
#[inline]
#[target_feature(enable = "avx512f")]
fn load<T, const N: usize>(line: &Line<T, N>) -> __m512i {
    debug_assert!(size_of::<Line<T, N>>() == 64);
    // SAFETY: every line is 64 bytes of plain numbers, aligned to 64.
    unsafe { _mm512_load_si512(std::ptr::from_ref(line).cast()) }
}

/// The sums of the rows shown: even lanes and odd lanes, blocks at their places.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn accumulate(rows: Rows<'_>, features: &Features) -> [__m512i; 2] {
    let class_rows = features.class_rows();
    let words: [u32; PLACEMENT_COUNT] =
        std::array::from_fn(|lane| (OFFSETS[lane] + u32::from(class_rows[lane])) * BLOCKS as u32);
    let mut sums = [_mm512_setzero_si512(); 2];
    for group in &GROUPS {
        let [even, odd] = sum_rows(rows, &words[group.start..group.end]);
        let sources = load(&group.sources);
        sums[0] = _mm512_add_epi16(sums[0], _mm512_permutexvar_epi64(sources, even));
        sums[1] = _mm512_add_epi16(sums[1], _mm512_permutexvar_epi64(sources, odd));
    }
    sums
}

/// The sums of the even and odd lanes of the rows that begin at these words.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn sum_rows(rows: Rows<'_>, words: &[u32]) -> [__m512i; 2] {
    let (take_even, take_odd) = (_mm512_set1_epi16(1), _mm512_set1_epi16(1 << 8));
    let mut sums = [_mm512_setzero_si512(); 2];
    let mut widen = |bytes: __m512i| {
        sums[0] = _mm512_add_epi16(sums[0], _mm512_maddubs_epi16(take_even, bytes));
        sums[1] = _mm512_add_epi16(sums[1], _mm512_maddubs_epi16(take_odd, bytes));
    };
    let (pairs, rest) = words.as_chunks::<2>();
    for &[first, second] in pairs {
        widen(_mm512_add_epi8(row(rows, first), row(rows, second)));
    }
    if let &[last] = rest {
        widen(row(rows, last));
    }
    sums
}

/// The row that begins at `word`: the first row of a class, plus any 16-bit number of rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn row(rows: Rows<'_>, word: u32) -> __m512i {
    debug_assert!(word as usize + BLOCKS <= rows.0.len());
    // SAFETY: `Rows` is long enough for every class's first row plus 2^16 rows; nobody writes to the
    // words once the network is made.
    unsafe { _mm512_loadu_si512(rows.0.as_ptr().add(word as usize).cast()) }
}

/// The sum of lane 0 over the blocks.
#[inline]
#[target_feature(enable = "avx512f")]
fn linear_lane(even: __m512i) -> i32 {
    _mm512_reduce_add_epi64(_mm512_srai_epi64::<48>(_mm512_slli_epi64::<48>(even))) as i32
}

/// The inputs of the convolution, four bytes in each number: x + 128, then x².
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn activations(head: &Arranged, sums: [__m512i; 2]) -> [Line<i32, 16>; 2] {
    let (low, high) = (_mm512_set1_epi16(-127), _mm512_set1_epi16(127));
    let clip = |odd: usize| {
        let biased = _mm512_add_epi16(sums[odd], load(&head.bias[odd]));
        _mm512_min_epi16(_mm512_max_epi16(biased, low), high)
    };
    let square = |x: __m512i| {
        _mm512_srli_epi16::<7>(_mm512_add_epi16(_mm512_mullo_epi16(x, x), _mm512_set1_epi16(64)))
    };
    // Bytes in the order of the lanes again.
    let bytes = |even: __m512i, odd: __m512i| {
        _mm512_or_si512(_mm512_and_si512(even, _mm512_set1_epi16(0xFF)), _mm512_slli_epi16::<8>(odd))
    };
    let (even, odd) = (clip(0), clip(1));
    let x = _mm512_xor_si512(bytes(even, odd), _mm512_set1_epi8(-128));
    [store(x), store(bytes(square(even), square(odd)))]
}

/// The line that holds a vector.
#[inline]
#[target_feature(enable = "avx512f")]
fn store(vector: __m512i) -> Line<i32, 16> {
    let mut line = Line([0; 16]);
    // SAFETY: the line is 64 bytes, aligned to 64.
    unsafe { _mm512_store_si512(std::ptr::from_mut(&mut line).cast(), vector) };
    line
}

/// The four channels, `0..=254` each, in the low bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn convolve(head: &Arranged, sums: [__m512i; 2]) -> __m128i {
    let inputs = activations(head, sums);
    let mut z = [[_mm512_setzero_si512(); SUM_VECTORS]; CHAINS];
    z[0] = std::array::from_fn(|vector| load(&head.z_bias[vector]));
    for (half, inputs) in inputs.iter().enumerate() {
        for step in 0..16 / CHAINS {
            for (chain, z) in z.iter_mut().enumerate() {
                let input = _mm512_set1_epi32(inputs.0[CHAINS * step + chain]);
                let weights = &head.convolution[16 * half + CHAINS * step + chain];
                for (z, weights) in z.iter_mut().zip(weights) {
                    *z = _mm512_dpbusd_epi32(*z, input, load(weights));
                }
            }
        }
    }
    let mut total = _mm512_setzero_si512();
    for vector in 0..SUM_VECTORS {
        let sum = |a: usize, b: usize| _mm512_add_epi32(z[a][vector], z[b][vector]);
        let first = _mm512_add_epi32(sum(0, 1), sum(2, 3));
        let z = _mm512_add_epi32(first, _mm512_add_epi32(sum(4, 5), sum(6, 7)));
        total = _mm512_add_epi32(total, shift_and_clip::<{ Z_SHIFT as u32 }>(z));
    }
    // A vector holds four blocks of four channels.
    let halves = _mm256_add_epi32(_mm512_castsi512_si256(total), _mm512_extracti64x4_epi64::<1>(total));
    let sum = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
    _mm_cvtepi32_epi8(_mm_srli_epi32::<2>(_mm_add_epi32(sum, _mm_set1_epi32(2))))
}

/// `clamp(z >> SHIFT, 0, 127)`
#[inline]
#[target_feature(enable = "avx512f")]
fn shift_and_clip<const SHIFT: u32>(z: __m512i) -> __m512i {
    let shifted = _mm512_srai_epi32::<SHIFT>(z);
    _mm512_min_epi32(_mm512_max_epi32(shifted, _mm512_setzero_si512()), _mm512_set1_epi32(127))
}

/// The weighted hidden layer, without the output's bias.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn hidden_layer(head: &Arranged, pooled: __m128i, dense: &Dense) -> i32 {
    let mobility = dense.own.min(MOBILITY_CAP) | dense.opponent.min(MOBILITY_CAP) << 8;
    let regions = dense.odd.min(REGION_CAP) | dense.even.min(REGION_CAP) << 8;
    let rest = _mm512_set1_epi32((mobility << 3 | regions << 20) as i32);
    let channels = _mm512_broadcastd_epi32(pooled);
    let neurons = |vector: usize| {
        // What does not wait for the convolution comes first.
        let early = _mm512_dpbusd_epi32(load(&head.hidden_bias[vector]), rest, load(&head.hidden[1][vector]));
        let all = _mm512_dpbusd_epi32(early, channels, load(&head.hidden[0][vector]));
        _mm512_madd_epi16(shift_and_clip::<{ HIDDEN_SHIFT as u32 }>(all), load(&head.output[vector]))
    };
    _mm512_reduce_add_epi32(_mm512_add_epi32(neurons(0), neurons(1)))
}
