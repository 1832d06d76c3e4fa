//! Helpers without Othello: those of the engine, and further ones.

pub mod checksum;
pub mod commands;
pub mod cpu;
pub mod json;
#[cfg(all(any(unix, windows), target_arch = "x86_64"))]
pub mod launcher;
pub mod options;
pub mod os;
#[cfg(feature = "cli")]
pub mod packed;
#[cfg(feature = "cli")]
pub mod part_file;
pub mod printable;
#[cfg(feature = "cli")]
pub mod program;
pub mod refusal;
pub mod seconds;
pub mod shard;
pub mod text;

pub use emilia_engine::internal::util::*;
