//! All kernels of x86-64 in one build: each head has its weights in the order of this processor's kernel.

use super::{avx2, avx512, scalar};
use crate::board::level::{Choice, choice};
use crate::eval::network::weights::{HeadWeights, Inputs};

/// The weights of a head in the order of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::eval::network) enum Arranged {
    Avx512(avx512::Arranged),
    Avx2(avx2::Arranged),
    Scalar(scalar::Arranged),
}

impl Arranged {
    /// Arranges the weights of a head for this processor.
    pub(in crate::eval::network) fn new(weights: &HeadWeights) -> Self {
        Self::of(choice(), weights)
    }

    /// Arranges the weights of a head for a level, which this processor must have.
    pub(in crate::eval::network) fn of(choice: Choice, weights: &HeadWeights) -> Self {
        match choice {
            Choice::Avx512(_) => Self::Avx512(avx512::Arranged::new(weights)),
            Choice::Avx2(_) => Self::Avx2(avx2::Arranged::new(weights)),
            Choice::Scalar(_) => Self::Scalar(scalar::Arranged::new(weights)),
        }
    }
}

/// The network's output in 1/128 disc, not clamped.
#[inline(always)]
pub(in crate::eval::network) fn forward(inputs: &Inputs<'_>, arranged: &Arranged) -> i32 {
    match arranged {
        Arranged::Avx512(arranged) => avx512::forward(inputs, arranged),
        Arranged::Avx2(arranged) => avx2::forward(inputs, arranged),
        Arranged::Scalar(arranged) => scalar::forward(inputs, arranged),
    }
}

/// The name of the kernel on this processor.
pub(super) fn kernel_name() -> &'static str {
    match choice() {
        Choice::Avx512(_) => "avx512-vnni",
        choice => choice.name(),
    }
}
