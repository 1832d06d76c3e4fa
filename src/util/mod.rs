//! Helpers that know nothing of Othello.

pub mod available;
pub mod cpu;
pub mod cpu_time;
pub mod file;
#[cfg(test)]
pub mod folder;
#[cfg(all(feature = "launcher", unix, target_arch = "x86_64"))]
pub mod launcher;
pub mod memory;
#[cfg(test)]
pub mod patience;
pub mod rans;
pub mod rng;
pub mod seconds;
pub mod threads;
