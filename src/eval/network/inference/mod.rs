//! The network's forward pass: one file per instruction set, one selector.
//!
//! `scalar.rs` is the definition; the others must equal it to the bit.

#[cfg(any(kernel = "avx2", kernel = "avx512"))]
#[cfg_attr(kernel = "avx512", allow(dead_code, reason = "tests compare with it"))]
pub(super) mod avx2;
#[cfg(kernel = "avx512")]
mod avx512;
#[cfg(any(kernel = "avx2", kernel = "avx512"))]
mod convolution;
#[cfg(not(kernel = "scalar"))]
mod lines;
#[cfg(kernel = "neon")]
pub(super) mod neon;
#[cfg_attr(not(kernel = "scalar"), allow(dead_code, reason = "tests compare with it"))]
pub(super) mod scalar;

use std::sync::atomic::AtomicU64;

use super::shape::BLOCKS;
use crate::eval::patterns::ROWS;

cfg_select! {
    kernel = "avx512" => {
        pub(super) use avx512::{Arranged, forward};
        pub use avx512::kernel_name;
    }
    kernel = "avx2" => {
        pub(super) use avx2::{Arranged, forward};
        pub use avx2::kernel_name;
    }
    kernel = "neon" => {
        pub(super) use neon::{Arranged, forward};
        pub use neon::kernel_name;
    }
    _ => {
        pub(super) use scalar::{Arranged, forward};
        pub use scalar::kernel_name;
    }
}

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
