#![doc = include_str!("README.md")]

pub mod cassio;
pub mod clock;
pub mod console;
pub mod driver;
pub mod edax;
pub mod gtp;
#[cfg(test)]
pub mod harness;
pub mod json;
pub mod library;
pub mod nboard;
pub mod session;
pub mod squares;
