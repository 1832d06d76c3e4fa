//! What operating systems do differently.

pub mod available;
pub mod cpu_time;
pub mod files;
pub mod threads;
