//! The data of all vector kernels: lines of numbers, and the groups of placements.

use crate::board::Symmetry;
use crate::eval::network::shape::{BLOCKS, CHANNELS, HIDDEN, INPUTS, LANES};
#[cfg(any(with = "avx512", kernel = "neon"))]
use crate::eval::network::weights::HeadWeights;
use crate::eval::patterns::features::{self, OFFSETS};
use crate::eval::patterns::{PLACEMENT_COUNT, PLACEMENTS};

const _: () = assert!(BLOCKS == 8 && LANES == 8 && CHANNELS == 4 && HIDDEN == 32 && INPUTS == 8);

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

/// Inputs of the hidden layer in groups of four: the channels, and the rest.
#[cfg(any(with = "avx512", kernel = "neon"))]
pub(super) const HIDDEN_QUADS: usize = INPUTS / 4;

/// `[quad][line]`: for each of 16 neurons the weights of four inputs.
#[cfg(any(with = "avx512", kernel = "neon"))]
pub(super) type HiddenQuads = [[Line<i8, 64>; HIDDEN / 16]; HIDDEN_QUADS];

/// The weights that the hidden layer gives to its inputs.
#[cfg(any(with = "avx512", kernel = "neon"))]
pub(super) fn hidden_quads(weights: &HeadWeights) -> HiddenQuads {
    let number =
        |quad: usize, line: usize, i: usize| weights.hidden[16 * line + i / 4][4 * quad + i % 4];
    std::array::from_fn(|quad| std::array::from_fn(|line| Line::of(|i| number(quad, line, i))))
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
    let mut groups = [Group {
        start: 0,
        end: 0,
        sources: Line([0; 8]),
    }; 8];
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
            let Some(image) = Symmetry::new(block as u8) else {
                panic!("a block is a symmetry")
            };
            groups[index].sources.0[block] = symmetry.inverse().compose(image).index() as i64;
            block += 1;
        }
        index += 1;
    }
    assert!(
        lane == PLACEMENT_COUNT,
        "every symmetry occurs, its placements together"
    );
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
