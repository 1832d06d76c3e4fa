//! Helpers that know nothing of Othello.

pub mod append_file;
pub mod bytes;
pub mod cpu;
pub mod file;
#[cfg(all(feature = "launcher", any(unix, windows), target_arch = "x86_64"))]
pub mod launcher;
pub mod memory;
pub mod os;
#[cfg(test)]
pub mod patience;
pub mod rans;
pub mod rng;
pub mod seconds;
#[cfg(test)]
pub mod testing;
