//! The network's forward pass: one file per instruction set, one selector.
//!
//! `scalar.rs` is the definition; the others must equal it to the bit.

pub(super) mod scalar;

use std::sync::atomic::AtomicU64;

use super::features::Features;
use super::network::{Head, HeadWeights};
use super::parameters::{BLOCKS, Dense};
use super::pattern::ROWS;

/// The rows of one table, one word per block; long enough for any class's offset plus any 16-bit row.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a>(&'a [AtomicU64]);

impl<'a> Rows<'a> {
    /// The rows from the start of a table on.
    ///
    /// # Panics
    /// If fewer than `ROWS + 2^16` rows follow.
    #[inline(always)]
    pub(super) fn new(words: &'a [AtomicU64]) -> Self {
        assert!(words.len() >= (ROWS + (1 << 16)) * BLOCKS);
        Self(words)
    }
}

/// The weights of a head as the selected kernel reads them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arranged;

impl Arranged {
    /// Arranges the weights of a head.
    pub(super) fn new(_weights: &HeadWeights) -> Self {
        Self
    }
}

/// The network's output in 1/128 disc, not clamped.
#[inline(always)]
pub(super) fn forward(rows: Rows<'_>, head: &Head, features: &Features, dense: &Dense) -> i32 {
    scalar::forward(rows, head, features, dense)
}
