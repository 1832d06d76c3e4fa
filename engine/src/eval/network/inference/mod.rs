//! The network's forward pass: one file per instruction set, one selector.
//!
//! `scalar.rs` is the definition; the others must equal it to the bit.

#[cfg(with = "avx2")]
#[cfg_attr(kernel = "avx512", allow(dead_code, reason = "tests compare with it"))]
pub(super) mod avx2;
#[cfg(with = "avx512")]
mod avx512;
#[cfg(any(with = "avx2", kernel = "simd128"))]
mod convolution;
#[cfg(kernel = "dispatch")]
pub(super) mod dispatch;
#[cfg(not(kernel = "scalar"))]
#[allow(dead_code, reason = "each kernel uses a part of it")]
mod lines;
#[cfg(kernel = "neon")]
pub(super) mod neon;
#[cfg_attr(
    not(any(kernel = "dispatch", kernel = "scalar")),
    allow(dead_code, reason = "tests compare with it")
)]
pub(super) mod scalar;
#[cfg(kernel = "simd128")]
mod simd128;

cfg_select! {
    kernel = "avx512" => {
        pub(super) use avx512::{Arranged, forward};
    }
    kernel = "avx2" => {
        pub(super) use avx2::{Arranged, forward};
    }
    kernel = "dispatch" => {
        pub(super) use dispatch::{Arranged, forward};
    }
    kernel = "neon" => {
        pub(super) use neon::{Arranged, forward};
    }
    kernel = "simd128" => {
        pub(super) use simd128::{Arranged, forward};
    }
    _ => {
        pub(super) use scalar::{Arranged, forward};
    }
}

/// The name of the kernel on this processor.
pub fn kernel_name() -> &'static str {
    cfg_select! {
        kernel = "avx512" => "avx512-vnni",
        kernel = "avx2" => "avx2",
        kernel = "dispatch" => dispatch::kernel_name(),
        kernel = "neon" => if neon::has_dot() { "neon-dotprod" } else { "neon" },
        kernel = "simd128" => "simd128",
        _ => "scalar",
    }
}
