//! Tests of all notations together.

mod mixed;
mod robustness;
mod roundtrip;
mod spellings;
