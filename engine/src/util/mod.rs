//! Helpers without Othello.

pub mod append_file;
pub mod builders;
pub mod bytes;
pub mod clock;
pub mod file;
pub mod input_file;
pub mod memory;
pub mod os;
pub mod patience;
pub mod rans;
pub mod records;
pub mod rng;
pub mod target;
pub mod testing;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks the mutex; a thread that panicked while it held the lock does not matter.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
