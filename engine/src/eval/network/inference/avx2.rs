//! The forward pass in 256-bit vectors (AVX2).
//!
//! The same steps as in `avx512.rs`, with two vectors per line: the blocks of the four symmetries
//! without a transposition, and the other four. Every group of placements moves blocks within the
//! halves or exchanges the halves, and the transforms of the convolution stay within a half.

use std::arch::x86_64::*;

use crate::eval::network::inputs::Dense;
use crate::eval::network::shape::{BLOCKS, HIDDEN, INPUTS, MOBILITY_CAP, REGION_CAP};
use crate::eval::network::weights::{HIDDEN_SHIFT, HeadWeights, Inputs, Rows, Z_SHIFT};
use crate::eval::patterns::features::{self, ClassRows};

use super::convolution::{INPUT_LINES, Lines, SCALE_SHIFT};
use super::lines::{Line, WORD_OFFSETS, groups};

/// Inputs of the hidden layer, two and two.
const PAIRS: usize = INPUTS / 2;

const _: () = assert!(PAIRS == 4);

/// The weights of a head in the order in which the kernel reads them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::eval::network) struct Arranged {
    lines: Box<Lines>,
    /// `[pair][line]`: for each of 16 neurons the weights of two inputs.
    hidden: Box<[[Line<i16, 32>; HIDDEN / 16]; PAIRS]>,
}

impl Arranged {
    /// Arranges the weights of a head.
    pub(in crate::eval::network) fn new(weights: &HeadWeights) -> Self {
        let hidden = |pair: usize, line: usize| {
            Line::of(|i| i16::from(weights.hidden[16 * line + i / 2][2 * pair + i % 2]))
        };
        Self {
            lines: Box::new(Lines::new(weights)),
            hidden: Box::new(std::array::from_fn(|pair| {
                std::array::from_fn(|line| hidden(pair, line))
            })),
        }
    }
}

/// The network's output in 1/128 disc, not clamped.
#[inline(always)]
pub(in crate::eval::network) fn forward(inputs: &Inputs<'_>, arranged: &Arranged) -> i32 {
    debug_assert!(is_x86_feature_detected!("avx2"));
    // SAFETY: the build or `board/level.rs` selects this kernel only for processors with these instructions.
    unsafe { kernel(inputs, arranged) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn kernel(inputs: &Inputs<'_>, arranged: &Arranged) -> i32 {
    let lines = &*arranged.lines;
    let sums = accumulate(inputs.rows, inputs.class_rows);
    let channels = convolve(lines, sums);
    let skip = |half: usize| _mm256_madd_epi16(sums[half][0], load(&lines.skip, half));
    let skip = _mm256_add_epi32(skip(0), skip(1));
    let result = add_all(_mm256_add_epi32(
        skip,
        hidden_layer(arranged, channels, inputs.dense),
    ));
    inputs.weights.finish(result, inputs.dense)
}

/// The first or second half of a line.
#[inline]
#[target_feature(enable = "avx2")]
fn load<T, const N: usize>(line: &Line<T, N>, half: usize) -> __m256i {
    debug_assert!(size_of::<Line<T, N>>() == 64 && half < 2);
    // SAFETY: every line is 64 bytes of plain numbers, aligned to 64; a half is one vector.
    unsafe { _mm256_load_si256(std::ptr::from_ref(line).cast::<__m256i>().add(half)) }
}

/// The sum of the eight numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn add_all(numbers: __m256i) -> i32 {
    let sum = _mm_add_epi32(
        _mm256_castsi256_si128(numbers),
        _mm256_extracti128_si256::<1>(numbers),
    );
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0x4E>(sum));
    _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32::<0xB1>(sum)))
}

/// The first word of each row shown, counted from the table's start, in the order of the features.
#[repr(C, align(64))]
struct Words([u32; features::LANES]);

#[inline]
#[target_feature(enable = "avx2")]
fn words(class_rows: &ClassRows) -> Words {
    const { assert!(BLOCKS == 8) };
    let mut words = Words([0; features::LANES]);
    for vector in 0..features::LANES / 8 {
        let offsets = load(&WORD_OFFSETS[vector / 2], vector % 2);
        // SAFETY: eight numbers follow from `8 * vector` on in both arrays, aligned to 64 bytes from their start.
        unsafe {
            let rows = _mm_load_si128(class_rows.0.as_ptr().add(8 * vector).cast());
            let first =
                _mm256_add_epi32(offsets, _mm256_slli_epi32::<3>(_mm256_cvtepu16_epi32(rows)));
            _mm256_store_si256(words.0.as_mut_ptr().add(8 * vector).cast(), first);
        }
    }
    words
}

/// Sums of rows by 16-bit lanes, `[half][even, odd]`, blocks at their places.
type Sums = [[__m256i; 2]; 2];

/// Adds the bytes of half a row, or of two, widened.
#[inline]
#[target_feature(enable = "avx2")]
fn add_bytes(sums: [__m256i; 2], bytes: __m256i) -> [__m256i; 2] {
    let take_even = _mm256_set1_epi16(1);
    let take_odd = _mm256_set1_epi16(1 << 8);
    [
        _mm256_add_epi16(sums[0], _mm256_maddubs_epi16(take_even, bytes)),
        _mm256_add_epi16(sums[1], _mm256_maddubs_epi16(take_odd, bytes)),
    ]
}

/// For a group and a half of the sum: the half of the rows that goes there, and the order of its
/// blocks as `vpermq` takes it.
const SOURCES: [[(usize, i32); 2]; 8] = {
    let mut sources = [[(0, 0); 2]; 8];
    let mut index = 0;
    while index < 16 {
        let group = index / 2;
        let half = index % 2;
        let blocks = groups()[group].sources.0;
        let from = blocks[4 * half] / 4;
        let mut order = 0;
        let mut block = 0;
        while block < 4 {
            assert!(
                blocks[4 * half + block] / 4 == from,
                "a half stays together"
            );
            order |= (blocks[4 * half + block] % 4) << (2 * block);
            block += 1;
        }
        sources[group][half] = (from as usize, order as i32);
        index += 1;
    }
    sources
};

/// The first of the groups that have one placement only; those before have many, and the first of all turns nothing.
const SINGLES: usize = 4;

const _: () = {
    assert!(SOURCES[0][0].0 == 0 && SOURCES[0][0].1 == 0b11_10_01_00);
    assert!(SOURCES[0][1].0 == 1 && SOURCES[0][1].1 == 0b11_10_01_00);
    let mut index = SINGLES;
    while index < 8 {
        assert!(groups()[index].end == groups()[index].start + 1);
        index += 1;
    }
};

/// The sums of the rows shown.
#[inline]
#[target_feature(enable = "avx2")]
fn accumulate(rows: Rows<'_>, class_rows: &ClassRows) -> Sums {
    let words = words(class_rows);
    // Through memory: taking indices out of registers would keep the vector units busy.
    let words = std::hint::black_box(&words);
    let mut sums = sum_group::<0>(rows, words);
    macro_rules! add_group {
        ($($index:literal)*) => {$(
            let group = sum_group::<$index>(rows, words);
            for parity in 0..2 {
                const SOURCE: [(usize, i32); 2] = SOURCES[$index];
                let low = _mm256_permute4x64_epi64::<{ SOURCE[0].1 }>(group[SOURCE[0].0][parity]);
                let high = _mm256_permute4x64_epi64::<{ SOURCE[1].1 }>(group[SOURCE[1].0][parity]);
                sums[0][parity] = _mm256_add_epi16(sums[0][parity], low);
                sums[1][parity] = _mm256_add_epi16(sums[1][parity], high);
            }
        )*};
    }
    add_group!(1 2 3);
    // A single row is turned while its numbers are bytes.
    macro_rules! turned {
        ($index:literal) => {{
            const SOURCE: [(usize, i32); 2] = SOURCES[$index];
            let bytes = row(rows, words.0[const { groups()[$index].start }]);
            [
                _mm256_permute4x64_epi64::<{ SOURCE[0].1 }>(bytes[SOURCE[0].0]),
                _mm256_permute4x64_epi64::<{ SOURCE[1].1 }>(bytes[SOURCE[1].0]),
            ]
        }};
    }
    for [first, second] in [[turned!(4), turned!(5)], [turned!(6), turned!(7)]] {
        sums[0] = add_bytes(sums[0], _mm256_add_epi8(first[0], second[0]));
        sums[1] = add_bytes(sums[1], _mm256_add_epi8(first[1], second[1]));
    }
    sums
}

/// The sums of the rows of a group, blocks as in the table.
#[inline]
#[target_feature(enable = "avx2")]
fn sum_group<const INDEX: usize>(rows: Rows<'_>, words: &Words) -> Sums {
    let (start, end) = const { (groups()[INDEX].start, groups()[INDEX].end) };
    let row = |lane: usize| row(rows, words.0[lane]);
    let mut sums = [[_mm256_setzero_si256(); 2]; 2];
    // Written out, since the compiler leaves a loop rolled up whose every turn then reckons where its rows are.
    macro_rules! add_pairs {
        ($($pair:literal)*) => {$(
            let lane = start + 2 * $pair;
            if lane < end {
                let mut bytes = row(lane);
                if lane + 1 < end {
                    // The numbers of a row are at most ±63: two can be added in bytes.
                    let second = row(lane + 1);
                    bytes = [_mm256_add_epi8(bytes[0], second[0]), _mm256_add_epi8(bytes[1], second[1])];
                }
                sums = [add_bytes(sums[0], bytes[0]), add_bytes(sums[1], bytes[1])];
            }
        )*};
    }
    const { assert!(groups()[INDEX].end - groups()[INDEX].start <= 12) };
    add_pairs!(0 1 2 3 4 5);
    sums
}

/// The row that begins at `word`: the first row of a class, plus any 16-bit number of rows.
#[inline]
#[target_feature(enable = "avx2")]
fn row(rows: Rows<'_>, word: u32) -> [__m256i; 2] {
    debug_assert!(word as usize + BLOCKS <= rows.0.len());
    // SAFETY: `Rows` is long enough for every class's first row plus 2^16 rows, and a row is a cache line; no thread
    // writes to the words once the network is made.
    unsafe {
        let row = rows.0.as_ptr().add(word as usize).cast::<__m256i>();
        // Builds for old processors split a load that may not be aligned.
        [_mm256_load_si256(row), _mm256_load_si256(row.add(1))]
    }
}

/// Half of the inputs of the convolution, transformed: even and odd lanes of x, then of x².
#[inline]
#[target_feature(enable = "avx2")]
fn inputs(lines: &Lines, sums: [__m256i; 2], half: usize) -> [__m256i; INPUT_LINES] {
    let even = clip(lines, sums, half, 0);
    let odd = clip(lines, sums, half, 1);
    [
        transform_blocks(even),
        transform_blocks(odd),
        transform_blocks(square(even)),
        transform_blocks(square(odd)),
    ]
}

/// The even or the odd lanes of x.
#[inline]
#[target_feature(enable = "avx2")]
fn clip(lines: &Lines, sums: [__m256i; 2], half: usize, odd: usize) -> __m256i {
    let biased = _mm256_add_epi16(sums[odd], load(&lines.bias[odd], half));
    _mm256_min_epi16(
        _mm256_max_epi16(biased, _mm256_set1_epi16(-127)),
        _mm256_set1_epi16(127),
    )
}

/// x², scaled.
#[inline]
#[target_feature(enable = "avx2")]
fn square(x: __m256i) -> __m256i {
    _mm256_srli_epi16::<7>(_mm256_add_epi16(
        _mm256_mullo_epi16(x, x),
        _mm256_set1_epi16(64),
    ))
}

/// The Walsh–Hadamard transform of four blocks of four 16-bit lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn transform_blocks(x: __m256i) -> __m256i {
    let signed = _mm256_sign_epi16(x, _mm256_setr_epi64x(PLUS, MINUS, PLUS, MINUS));
    let x = _mm256_add_epi16(_mm256_shuffle_epi32::<0x4E>(x), signed);
    let signed = _mm256_sign_epi16(x, _mm256_setr_epi64x(PLUS, PLUS, MINUS, MINUS));
    _mm256_add_epi16(_mm256_permute2x128_si256::<1>(x, x), signed)
}

/// Four times 1 and four times -1 in 16 bits.
const PLUS: i64 = 0x0001_0001_0001_0001;
const MINUS: i64 = -1;

/// The same for 32-bit numbers of two channels: two blocks of the one, two of the other, and so on.
#[inline]
#[target_feature(enable = "avx2")]
fn transform_channels(z: __m256i) -> __m256i {
    let signed = _mm256_sign_epi32(z, _mm256_setr_epi32(1, -1, 1, -1, 1, -1, 1, -1));
    let z = _mm256_add_epi32(_mm256_shuffle_epi32::<0xB1>(z), signed);
    let signed = _mm256_sign_epi32(z, _mm256_setr_epi32(1, 1, 1, 1, -1, -1, -1, -1));
    _mm256_add_epi32(_mm256_permute2x128_si256::<1>(z, z), signed)
}

/// Sums of neighbors: in each group of four, two of `a` and two of `b`.
#[inline]
#[target_feature(enable = "avx2")]
fn add_neighbors(a: __m256i, b: __m256i) -> __m256i {
    let a = _mm256_castsi256_ps(a);
    let b = _mm256_castsi256_ps(b);
    let even = _mm256_shuffle_ps::<0x88>(a, b);
    let odd = _mm256_shuffle_ps::<0xDD>(a, b);
    _mm256_add_epi32(_mm256_castps_si256(even), _mm256_castps_si256(odd))
}

/// The four channels, `0..=254` each.
#[inline]
#[target_feature(enable = "avx2")]
fn convolve(lines: &Lines, sums: Sums) -> __m128i {
    let first = inputs(lines, sums[0], 0);
    let second = inputs(lines, sums[1], 1);
    let z_first = half_of_z(lines, first, second, 0);
    let z_second = half_of_z(lines, second, first, 1);
    let pairs = [
        _mm256_add_epi32(z_first[0], z_second[0]),
        _mm256_add_epi32(z_first[1], z_second[1]),
    ];
    let sum = add_neighbors(pairs[0], pairs[1]);
    let sum = _mm_add_epi32(
        _mm256_castsi256_si128(sum),
        _mm256_extracti128_si256::<1>(sum),
    );
    _mm_srli_epi32::<2>(_mm_add_epi32(sum, _mm_set1_epi32(2)))
}

/// The clipped z of half the blocks, whose own inputs come first: two channels, then the other two.
///
/// No closures here: those that are not inlined pass vectors through memory.
#[inline]
#[target_feature(enable = "avx2")]
fn half_of_z(
    lines: &Lines,
    own: [__m256i; INPUT_LINES],
    other: [__m256i; INPUT_LINES],
    half: usize,
) -> [__m256i; 2] {
    let z = [
        sum_products(lines, own, other, half, 0),
        sum_products(lines, own, other, half, 1),
        sum_products(lines, own, other, half, 2),
        sum_products(lines, own, other, half, 3),
    ];
    let first = add_neighbors(z[0], z[1]);
    let second = add_neighbors(z[2], z[3]);
    [
        shift_and_clip::<{ Z_SHIFT + SCALE_SHIFT }>(transform_channels(first)),
        shift_and_clip::<{ Z_SHIFT + SCALE_SHIFT }>(transform_channels(second)),
    ]
}

/// One channel of z, transformed and not yet added up in pairs.
#[inline]
#[target_feature(enable = "avx2")]
fn sum_products(
    lines: &Lines,
    own: [__m256i; INPUT_LINES],
    other: [__m256i; INPUT_LINES],
    half: usize,
    channel: usize,
) -> __m256i {
    let mut sum = load(&lines.z_bias[channel], half);
    for (input, [direct, crossed]) in lines.convolution.iter().enumerate() {
        let direct = _mm256_madd_epi16(own[input], load(&direct[channel], half));
        let crossed = _mm256_madd_epi16(other[input], load(&crossed[channel], half));
        sum = _mm256_add_epi32(sum, _mm256_add_epi32(direct, crossed));
    }
    sum
}

/// `clamp(z >> SHIFT, 0, 127)`
#[inline]
#[target_feature(enable = "avx2")]
fn shift_and_clip<const SHIFT: i32>(z: __m256i) -> __m256i {
    let shifted = _mm256_srai_epi32::<SHIFT>(z);
    _mm256_min_epi32(
        _mm256_max_epi32(shifted, _mm256_setzero_si256()),
        _mm256_set1_epi32(127),
    )
}

/// The weighted hidden layer in eight parts, without the output's bias.
#[inline]
#[target_feature(enable = "avx2")]
fn hidden_layer(arranged: &Arranged, channels: __m128i, dense: &Dense) -> __m256i {
    let mobility = dense.own.min(MOBILITY_CAP) | dense.opponent.min(MOBILITY_CAP) << 16;
    let regions = dense.odd.min(REGION_CAP) | dense.even.min(REGION_CAP) << 16;
    let words = _mm_packus_epi32(channels, channels);
    let inputs = [
        _mm256_broadcastd_epi32(words),
        _mm256_broadcastd_epi32(_mm_srli_epi64::<32>(words)),
        _mm256_set1_epi32((mobility << 3) as i32),
        _mm256_set1_epi32((regions << 4) as i32),
    ];
    let mut total = _mm256_setzero_si256();
    for vector in 0..HIDDEN / 8 {
        let line = vector / 2;
        let half = vector % 2;
        let mut sum = load(&arranged.lines.hidden_bias[line], half);
        for (pair, &input) in inputs.iter().enumerate() {
            let products = _mm256_madd_epi16(input, load(&arranged.hidden[pair][line], half));
            sum = _mm256_add_epi32(sum, products);
        }
        let neurons = shift_and_clip::<HIDDEN_SHIFT>(sum);
        let weighted = _mm256_madd_epi16(neurons, load(&arranged.lines.output[line], half));
        total = _mm256_add_epi32(total, weighted);
    }
    total
}
