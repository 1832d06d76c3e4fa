//! Differences between operating systems.

#[cfg(any(unix, windows))]
pub mod children;
#[cfg(all(feature = "cli", any(unix, windows)))]
pub mod console;
#[cfg(all(any(unix, windows), target_arch = "x86_64"))]
pub mod hand_over;
pub mod pipes;
pub mod terminal;
pub mod usage;

pub use emilia_engine::internal::util::os::*;
