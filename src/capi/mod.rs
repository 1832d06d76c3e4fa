//! The C interface: rules, searches, the evaluation and books for programs in other languages. Feature `capi`.
//!
//! ```text
//! cargo rustc -p emilia --release --lib --features capi --crate-type cdylib       libemilia.so, .dylib, emilia.dll
//! cargo rustc -p emilia --release --lib --features capi --crate-type staticlib    libemilia.a
//! ```
//!
//! `.ci/capi` makes `emilia.h`, which declares it; `examples/c` has a program in C, one in Python, and the installation with
//! the file for pkg-config.
//!
//! A board is passed by value, seen from the side to move. Squares are numbers, a1 = 0, b1 = 1 to h8 = 63, in the order
//! of the bits of a bitboard. Scores are in discs for the side to move. A function that can fail returns `false`, 0, -1 or
//! null and stores a message for `emilia_error`.
//!
//! # Safety
//!
//! The caller's promise, on which every function relies: a pointer is null or valid. A text is UTF-8 and ends in a zero
//! byte. The caller owns an object until it frees it, and uses it on one thread at a time, except for
//! `emilia_stop_request`. An array has room for its `capacity`. An observer does not unwind.

// The rule above holds for all functions.
#![allow(clippy::missing_safety_doc)]

pub mod book;
pub mod boundary;
pub mod engine;
pub mod people;
pub mod rules;

#[cfg(test)]
mod tests;
