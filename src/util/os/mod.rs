//! Differences between operating systems.

pub mod available;
#[cfg(all(any(feature = "cli", feature = "launcher"), any(unix, windows)))]
pub mod children;
#[cfg(all(feature = "cli", any(unix, windows)))]
pub mod console;
pub mod files;
pub mod folders;
#[cfg(all(feature = "launcher", any(unix, windows), target_arch = "x86_64"))]
pub mod hand_over;
pub mod pipes;
pub mod terminal;
pub mod threads;
pub mod usage;
