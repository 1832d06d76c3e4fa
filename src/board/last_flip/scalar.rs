//! The last move's discs by plain flips: the definition that the other kernels must equal.

use crate::board::flip;

/// See [`super::count`].
pub fn count(square: u8, player: u64) -> u32 {
    let empty = 1 << square;
    flip::scalar::flip(square, player & !empty, !player & !empty).count_ones()
}
