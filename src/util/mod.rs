//! Helpers that know nothing of Othello.

pub mod cpu;
pub mod cpu_time;
pub mod file;
pub mod memory;
pub mod rng;
