//! The forward pass in 512-bit vectors (AVX-512 BW, VNNI).
//!
//! A row is one vector. Two rows are added in bytes (their numbers are at most ±63), then the even and
//! the odd lanes are widened into two vectors of 16-bit sums, in which a block is one 64-bit element:
//! moving blocks by a symmetry is one `vpermq` per group of placements that share it. The group
//! convolution takes place between two Walsh–Hadamard transforms, see `convolution.rs`: 32 dot
//! products of 16-bit numbers, whose weights fill 2 KiB.

use std::arch::x86_64::*;

use crate::eval::network::inputs::Dense;
use crate::eval::network::shape::{BLOCKS, CHANNELS, MOBILITY_CAP, REGION_CAP};
use crate::eval::network::weights::{HIDDEN_SHIFT, HeadWeights, Inputs, Rows, Z_SHIFT};
use crate::eval::patterns::features::ClassRows;

use super::convolution::{INPUT_LINES, Lines, SCALE_SHIFT};
use super::lines::{Group, HiddenQuads, Line, WORD_OFFSETS, Words, groups, hidden_quads};

static GROUPS: [Group; 8] = groups();

/// The weights of a head in the order in which the kernel reads them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::eval::network) struct Arranged {
    lines: Box<Lines>,
    hidden: HiddenQuads,
}

impl Arranged {
    /// Arranges the weights of a head.
    pub(in crate::eval::network) fn new(weights: &HeadWeights) -> Self {
        Self {
            lines: Box::new(Lines::new(weights)),
            hidden: hidden_quads(weights),
        }
    }
}

/// The network's output in 1/128 disc, not clamped.
#[inline(always)]
pub(in crate::eval::network) fn forward(inputs: &Inputs<'_>, arranged: &Arranged) -> i32 {
    debug_assert!(is_x86_feature_detected!("avx512vnni"));
    // SAFETY: the build or `board/level.rs` selects this kernel only for processors with these instructions.
    unsafe { kernel(inputs, arranged) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn kernel(inputs: &Inputs<'_>, arranged: &Arranged) -> i32 {
    let sums = accumulate(inputs.rows, inputs.class_rows);
    let pooled = convolve(&arranged.lines, sums);
    let skip = _mm512_madd_epi16(sums[0], load(&arranged.lines.skip));
    let result = _mm512_reduce_add_epi32(_mm512_add_epi32(
        skip,
        hidden_layer(arranged, pooled, inputs.dense),
    ));
    inputs.weights.finish(result, inputs.dense)
}

/// The vector at a line.
#[inline]
#[target_feature(enable = "avx512f")]
fn load<T, const N: usize>(line: &Line<T, N>) -> __m512i {
    debug_assert!(size_of::<Line<T, N>>() == 64);
    // SAFETY: every line is 64 bytes of plain numbers, aligned to 64.
    unsafe { _mm512_load_si512(std::ptr::from_ref(line).cast()) }
}

/// The first word of each row shown, counted from the table's start.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn words(class_rows: &ClassRows) -> Words {
    let mut lines: Words = [Line([0; 16]); WORD_OFFSETS.len()];
    for index in 0..lines.len() {
        let lanes = &class_rows.0.as_chunks::<16>().0[index];
        // SAFETY: sixteen words of 16 bits are 32 bytes; the load needs no alignment.
        let rows = unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) };
        let words = _mm512_slli_epi32::<{ BLOCKS.ilog2() }>(_mm512_cvtepu16_epi32(rows));
        let words = _mm512_add_epi32(words, load(&WORD_OFFSETS[index]));
        // SAFETY: the line is 64 bytes, aligned to 64.
        unsafe { _mm512_store_si512(std::ptr::from_mut(&mut lines[index]).cast(), words) };
    }
    lines
}

/// Sums of rows by 16-bit lanes: even lanes and odd lanes, blocks at their places.
type Sums = [__m512i; 2];

/// Adds a vector of bytes, widened.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_bytes(sums: Sums, bytes: __m512i) -> Sums {
    let take_even = _mm512_set1_epi16(1);
    let take_odd = _mm512_set1_epi16(1 << 8);
    [
        _mm512_add_epi16(sums[0], _mm512_maddubs_epi16(take_even, bytes)),
        _mm512_add_epi16(sums[1], _mm512_maddubs_epi16(take_odd, bytes)),
    ]
}

/// The sums of the rows shown.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn accumulate(rows: Rows<'_>, class_rows: &ClassRows) -> Sums {
    // Through memory: taking indices out of registers would keep the vector units busy.
    let words = words(class_rows);
    let words = std::hint::black_box(&words);
    let mut sums = [_mm512_setzero_si512(); 2];
    // Groups of an odd number leave a row over: two of these are added in bytes too.
    let mut left = None;
    macro_rules! add_group {
        ($($index:literal)*) => {$(
            let (group, last) = sum_group::<$index>(rows, words);
            let sources = load(&GROUPS[$index].sources);
            if let Some(group) = group {
                sums[0] = _mm512_add_epi16(sums[0], _mm512_permutexvar_epi64(sources, group[0]));
                sums[1] = _mm512_add_epi16(sums[1], _mm512_permutexvar_epi64(sources, group[1]));
            }
            if let Some(last) = last {
                let last = _mm512_permutexvar_epi64(sources, last);
                match left.take() {
                    Some(other) => sums = add_bytes(sums, _mm512_add_epi8(other, last)),
                    None => left = Some(last),
                }
            }
        )*};
    }
    add_group!(0 1 2 3 4 5 6 7);
    if let Some(last) = left {
        sums = add_bytes(sums, last);
    }
    sums
}

/// The sums of the pairs of rows of a group, blocks as in the table, and the row left over.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn sum_group<const INDEX: usize>(rows: Rows<'_>, words: &Words) -> (Option<Sums>, Option<__m512i>) {
    let (start, end) = const { (groups()[INDEX].start, groups()[INDEX].end) };
    let row = |lane: usize| row(rows, words[lane / 16].0[lane % 16]);
    let mut sums = None;
    let mut lane = start;
    while lane + 1 < end {
        let pair = _mm512_add_epi8(row(lane), row(lane + 1));
        sums = Some(add_bytes(sums.unwrap_or([_mm512_setzero_si512(); 2]), pair));
        lane += 2;
    }
    (sums, (lane < end).then(|| row(lane)))
}

/// The row that begins at `word`: the first row of a class, plus any 16-bit number of rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn row(rows: Rows<'_>, word: u32) -> __m512i {
    debug_assert!(word as usize + BLOCKS <= rows.0.len());
    // SAFETY: `Rows` is long enough for every class's first row plus 2^16 rows; no thread writes to the
    // words once the network is made.
    unsafe { _mm512_loadu_si512(rows.0.as_ptr().add(word as usize).cast()) }
}

/// The inputs of the convolution: even and odd lanes of x, then of x².
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn activations(lines: &Lines, sums: Sums) -> [__m512i; INPUT_LINES] {
    let low = _mm512_set1_epi16(-127);
    let high = _mm512_set1_epi16(127);
    let clip = |odd: usize| {
        let biased = _mm512_add_epi16(sums[odd], load(&lines.bias[odd]));
        _mm512_min_epi16(_mm512_max_epi16(biased, low), high)
    };
    let square = |x: __m512i| {
        _mm512_srli_epi16::<7>(_mm512_add_epi16(
            _mm512_mullo_epi16(x, x),
            _mm512_set1_epi16(64),
        ))
    };
    let even = clip(0);
    let odd = clip(1);
    [even, odd, square(even), square(odd)]
}

/// The Walsh–Hadamard transform of each half of eight blocks of four 16-bit lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn transform_blocks(x: __m512i) -> __m512i {
    let other = _mm512_shuffle_epi32::<0x4E>(x);
    let x = _mm512_mask_sub_epi16(_mm512_add_epi16(x, other), 0xF0F0_F0F0, other, x);
    let other = _mm512_permutex_epi64::<0x4E>(x);
    _mm512_mask_sub_epi16(_mm512_add_epi16(x, other), 0xFF00_FF00, other, x)
}

/// The same for 32-bit numbers of two channels: two blocks of the one, two of the other, and so on.
#[inline]
#[target_feature(enable = "avx512f")]
fn transform_channels(z: __m512i) -> __m512i {
    let other = _mm512_shuffle_epi32::<0xB1>(z);
    let z = _mm512_mask_sub_epi32(_mm512_add_epi32(z, other), 0xAAAA, other, z);
    let other = _mm512_permutex_epi64::<0x4E>(z);
    _mm512_mask_sub_epi32(_mm512_add_epi32(z, other), 0xF0F0, other, z)
}

/// Sums of neighbors: in each group of four, two of `a` and two of `b`.
#[inline]
#[target_feature(enable = "avx512f")]
fn add_neighbors(a: __m512i, b: __m512i) -> __m512i {
    let a = _mm512_castsi512_ps(a);
    let b = _mm512_castsi512_ps(b);
    let even = _mm512_shuffle_ps::<0x88>(a, b);
    let odd = _mm512_shuffle_ps::<0xDD>(a, b);
    _mm512_add_epi32(_mm512_castps_si512(even), _mm512_castps_si512(odd))
}

/// The four channels, `0..=254` each, as the bytes of every 32-bit number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn convolve(lines: &Lines, sums: Sums) -> __m512i {
    // Two chains of dot products per channel hide their latency.
    let mut direct = [_mm512_setzero_si512(); CHANNELS];
    for (direct, bias) in direct.iter_mut().zip(&lines.z_bias) {
        *direct = load(bias);
    }
    let mut crossed = [_mm512_setzero_si512(); CHANNELS];
    for (x, weights) in activations(lines, sums).into_iter().zip(&lines.convolution) {
        let x = transform_blocks(x);
        let other = _mm512_shuffle_i64x2::<0x4E>(x, x);
        for channel in 0..CHANNELS {
            direct[channel] = _mm512_dpwssd_epi32(direct[channel], x, load(&weights[0][channel]));
            crossed[channel] =
                _mm512_dpwssd_epi32(crossed[channel], other, load(&weights[1][channel]));
        }
    }
    for (direct, crossed) in direct.iter_mut().zip(crossed) {
        *direct = _mm512_add_epi32(*direct, crossed);
    }
    const SHIFT: u32 = (Z_SHIFT + SCALE_SHIFT) as u32;
    let [a, b, c, d] = direct;
    let channels = [
        shift_and_clip::<SHIFT>(transform_channels(add_neighbors(a, b))),
        shift_and_clip::<SHIFT>(transform_channels(add_neighbors(c, d))),
    ];
    // Four channels in each quarter, two of eight blocks summed: all quarters together.
    let sum = add_neighbors(channels[0], channels[1]);
    let sum = _mm512_add_epi32(sum, _mm512_shuffle_i64x2::<0x4E>(sum, sum));
    let sum = _mm512_add_epi32(sum, _mm512_shuffle_i64x2::<0xB1>(sum, sum));
    let mean = _mm512_srli_epi32::<2>(_mm512_add_epi32(sum, _mm512_set1_epi32(2)));
    _mm512_shuffle_epi8(mean, _mm512_set1_epi32(0x0C08_0400))
}

/// `clamp(z >> SHIFT, 0, 127)`
#[inline]
#[target_feature(enable = "avx512f")]
fn shift_and_clip<const SHIFT: u32>(z: __m512i) -> __m512i {
    let shifted = _mm512_srai_epi32::<SHIFT>(z);
    _mm512_min_epi32(
        _mm512_max_epi32(shifted, _mm512_setzero_si512()),
        _mm512_set1_epi32(127),
    )
}

/// The weighted hidden layer in sixteen parts, without the output's bias.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn hidden_layer(arranged: &Arranged, channels: __m512i, dense: &Dense) -> __m512i {
    let mobility = dense.own.min(MOBILITY_CAP) | dense.opponent.min(MOBILITY_CAP) << 8;
    let regions = dense.odd.min(REGION_CAP) | dense.even.min(REGION_CAP) << 8;
    let rest = _mm512_set1_epi32((mobility << 3 | regions << 20) as i32);
    let neurons = |vector: usize| {
        // First the part that does not depend on the convolution.
        let early = _mm512_dpbusd_epi32(
            load(&arranged.lines.hidden_bias[vector]),
            rest,
            load(&arranged.hidden[1][vector]),
        );
        let all = _mm512_dpbusd_epi32(early, channels, load(&arranged.hidden[0][vector]));
        _mm512_madd_epi16(
            shift_and_clip::<{ HIDDEN_SHIFT as u32 }>(all),
            load(&arranged.lines.output[vector]),
        )
    };
    _mm512_add_epi32(neurons(0), neurons(1))
}
