//! Tests of all notations together.

mod mixed;
#[cfg(feature = "cli")]
mod robustness;
mod roundtrip;
mod spellings;
