//! Emilia plays, solves and analyzes Othello, and speaks NBoard and GTP on stdin/stdout.
//!
//! # The house
//!
//! The workspace has three packages, each of which uses only those below it:
//!
//! ```text
//! emilia-lab     lab/     labels, fits, tuning, suites; for developers, not published
//! emilia         src/     the program, and all notations
//! emilia-engine  engine/  rules, evaluation, search, books: the library
//! ```
//!
//! The rooms of the program:
//!
//! ```text
//! row 7  fuzz                                              (tests and fuzzing only)
//! row 6  main.rs → cli
//! row 5  play                                              (a session on a driver of protocols)
//!        web*                                              (the module for browsers)
//! row 4  protocols  conform  tournament  report            (do not know each other)
//! row 3  analysis     capi*                                 (do not know each other)
//! row 2  proof        peers        sentences                (do not know each other)
//! row 1  notation   certificate  picture      book_formats (do not know each other)
//! row 0  util
//! ```
//!
//! The features `capi` and `web` add the rooms marked *; without the feature `cli` there is no command line.
//!
//! A module imports only from lower rows or from inside its own folder. `protocol-tests/layering.rs` checks that, the list
//! of files that may contain `unsafe`, and that all output passes through a writer.
//!
//! # The library
//!
//! Rust programs use the crate `emilia-engine`; [`notation`] adds the notations of other programs. Other languages: the C
//! interface is the feature `capi`, and `emilia analyze` speaks JSON over pipes.
//!
//! # The path of a command
//!
//! `stdin line → protocols/<p>/parse (pure) → Command → session → Engine (never blocks) → worker
//! thread → search → Info/Result → Event → protocols/<p>/print (pure) → stdout line`. A line of GTP becomes a row of the
//! table in `protocols/gtp/commands.rs`, whose handler reads the rest of it.
//!
//! stdout carries protocol lines or a subcommand's result, nothing else; logging goes to stderr.
//!
#![doc = include_str!("GLOSSARY.md")]
// The modules for browsers and for C use parts of the rooms that the command line uses whole.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

pub(crate) use emilia_engine::internal::{board, book, engine, eval, search};

pub(crate) mod util;

#[warn(missing_docs)]
pub mod notation;

pub(crate) mod analysis;
pub(crate) mod book_formats;
pub(crate) mod certificate;
pub(crate) mod picture;
pub(crate) mod proof;
pub(crate) mod report;
pub(crate) mod sentences;

#[cfg(feature = "cli")]
pub(crate) mod conform;
#[cfg(feature = "cli")]
pub(crate) mod peers;
#[cfg(feature = "cli")]
pub(crate) mod play;
#[cfg(feature = "cli")]
pub(crate) mod protocols;
#[cfg(feature = "cli")]
pub(crate) mod tournament;

#[cfg(any(feature = "web", all(test, feature = "cli")))]
mod web;

#[cfg(feature = "cli")]
pub mod cli;

#[cfg(any(feature = "capi", all(test, feature = "cli")))]
#[warn(missing_docs)]
pub mod capi;

/// The first steps of the program; no part of the library.
#[doc(hidden)]
pub mod start {
    pub use crate::util::cpu;
    #[cfg(all(any(unix, windows), target_arch = "x86_64"))]
    pub use crate::util::launcher;
}

/// The parts of the program that its laboratory and its protocol tests share; no part of the library.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod internal;

/// The entry points of fuzzing; no part of the library.
#[cfg(all(feature = "cli", any(test, fuzzing)))]
#[doc(hidden)]
pub mod fuzz;
