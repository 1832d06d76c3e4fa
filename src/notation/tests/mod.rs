//! Tests of all notations together.

mod corpus;
mod roundtrip;
mod twin;
