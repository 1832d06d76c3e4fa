//! Tests of all notations together.

mod mixed;
mod roundtrip;
mod spellings;
mod twin;
