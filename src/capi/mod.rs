//! The C interface: rules, searches, the evaluation and books for programs in other languages. Feature `capi`.
//!
//! ```text
//! cargo rustc --release --lib --features capi --crate-type cdylib       libemilia.so, .dylib, emilia.dll
//! cargo rustc --release --lib --features capi --crate-type staticlib    libemilia.a
//! ```
//!
//! `emilia.h` beside this file declares it, made by `.ci/capi`; `examples/c` has a program in C and one in Python.
//!
//! A board is passed by value, seen from the side to move; squares are numbers, a1 = 0, b1 = 1 to h8 = 63, in the order of
//! the bits of a bitboard; scores are in discs for the side to move. Texts are UTF-8 and end in a zero byte. A function
//! that can fail answers `false`, 0 or null and leaves a message for `emilia_error`. Objects belong to whoever made
//! them until they are freed; one of them may be used by one thread at a time, but for `emilia_engine_stop`.

pub mod book;
pub mod boundary;
pub mod engine;
pub mod rules;

#[cfg(test)]
mod tests;
