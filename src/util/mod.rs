//! Helpers that know nothing of Othello.

pub mod cpu;
pub mod memory;
pub mod rng;
