//! Helpers without Othello.

pub mod append_file;
pub mod builders;
pub mod bytes;
#[cfg(feature = "cli")]
pub mod checksum;
pub mod clock;
#[cfg(feature = "cli")]
pub mod commands;
pub mod cpu;
pub mod file;
pub mod input_file;
#[cfg(all(feature = "launcher", any(unix, windows), target_arch = "x86_64"))]
pub mod launcher;
pub mod memory;
#[cfg(feature = "analysis")]
pub mod options;
pub mod os;
#[cfg(feature = "cli")]
pub mod packed;
#[cfg(feature = "cli")]
pub mod part_file;
#[cfg(test)]
pub mod patience;
pub mod printable;
#[cfg(feature = "cli")]
pub mod program;
pub mod rans;
pub mod records;
pub mod rng;
pub mod seconds;
#[cfg(feature = "analysis")]
pub mod shard;
pub mod target;
#[cfg(test)]
pub mod testing;
pub mod text;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks the mutex; a thread that panicked while it held the lock does not matter.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
