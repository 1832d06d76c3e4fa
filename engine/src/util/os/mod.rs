//! Differences between operating systems.

pub mod available;
pub mod files;
pub mod folders;
pub mod threads;
