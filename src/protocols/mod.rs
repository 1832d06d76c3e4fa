//! The wire protocols on stdin/stdout. They do not know each other.

pub mod console;
pub mod driver;
pub mod gtp;
#[cfg(test)]
mod harness;
pub mod json;
pub mod library;
pub mod nboard;
