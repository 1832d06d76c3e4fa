//! Tests of all notations together.

mod page;
mod roundtrip;
mod twin;
