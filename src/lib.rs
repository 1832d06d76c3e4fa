//! Emilia plays, solves and analyzes Othello, and speaks NBoard and GTP on stdin/stdout.
//!
//! # The house
//!
//! ```text
//! row 9  fuzz                                              (tests and fuzzing only)
//! row 8  main.rs → cli
//! row 7  play                                              (a session on a driver of protocols)
//!        web*                                              (the module for browsers)
//! row 6  protocols  conform  tournament  training* report  (do not know each other)
//! row 5  analysis     capi                                  (do not know each other)
//! row 4  engine       proof                                 (do not know each other)
//! row 3  search       book         peers        sentences   (do not know each other)
//! row 2  eval         notation     certificate  picture     (do not know each other)
//! row 1  board
//! row 0  util
//! ```
//!
//! The features `lab` (with `tournament/tune`) and `web` add the rooms marked *.
//!
//! A module imports only from lower rows or from inside its own folder, and no folder has a circle inside, its own file
//! included. The unit test in `tests/layering.rs` checks that, the list of files that may contain `unsafe`, and that all output
//! passes through a writer. The two largest rooms:
//!
//! ```text
//! search   task (input and output) · memory (tables) · endgame (few empties)
//!          tree (pvs and its steps) · threads (split points) · root (plan, iterations, windows)
//! eval     patterns (the table, features) · network (integers, kernels) · classic
//!          file (weights on disk) · loading (in the background)
//! ```
//!
//! # The library
//!
//! `board`, `notation`, `eval`, `book`, `search` and `engine` are public: the rules, the notations, the evaluation, opening
//! books, a search, and a search on another thread. Each begins with an example. The other rooms are private, so that
//! the compiler reports unused code.
//!
//! A build without default features has only the rooms of a search: `board`, `eval`, `search`, and boards and lists of
//! moves of `notation`. The features `book`, `engine` (with `book`) and `formats` (all of `notation`) add the rest.
//!
//! ```toml
//! [dependencies]
//! emilia = { git = "…", default-features = false }
//! ```
//!
//! A plain build for x86-64 chooses its vector kernels at run time. Its midgame searches take about a quarter longer than those of
//! a build for one processor, its solves as long. To gain that quarter put this into `.cargo/config.toml` of your project
//! (`native` is this machine, `x86-64-v3` a processor with AVX2):
//!
//! ```toml
//! [build]
//! rustflags = ["-C", "target-cpu=native"]
//! ```
//!
//! Until 1.0 the middle number of the version changes with each breaking change; `.ci/semver` lists them. New kinds of
//! events and errors and new fields of results do not break: these types are `#[non_exhaustive]`.
//!
//! Other languages: the C interface is the feature `capi`, and `emilia analyze` speaks JSON over pipes.
//!
//! # A first search
//!
//! ```
//! use std::sync::Arc;
//!
//! use emilia::notation::diagram::parse_board;
//! use emilia::prelude::*;
//!
//! // After 1. f5: White to move.
//! let position = parse_board("---------------------------OX------XXX-------------------------- O")?;
//! let mut search = Search::new(&Options::default(), Arc::new(Evaluator::default()));
//! let result = search.run(&Task::new(position.board, Limits::depth(8)));
//! let best = &result.info.lines[0];
//! println!("{} is worth {:+.2} discs, {} nodes", best.pv[0], best.discs().expect("no bound"), result.info.nodes);
//! # assert_eq!(best.depth, 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The path of a command
//!
//! `stdin line → protocols/<p>/parse (pure) → Command → session → Engine (never blocks) → worker
//! thread → search → Info/Result → Event → protocols/<p>/print (pure) → stdout line`. A line of GTP becomes a row of the
//! table in `protocols/gtp/commands.rs`, whose handler reads the rest of it.
//!
//! # Invariants
//!
//! - stdout carries protocol lines or a subcommand's result, nothing else; logging goes to stderr.
//! - Search reads no text; the rules layer has no evaluation.
//! - Every kernel has a scalar and a vector version: the scalar one is the definition, and both give the same results.
//! - Evaluation arithmetic is integer: with one thread every build searches the same tree.
//!
#![doc = include_str!("GLOSSARY.md")]
// Some rooms have functions that only the command line calls.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

pub(crate) mod util;

pub mod board;
pub mod eval;
pub mod notation;

#[cfg(feature = "book")]
pub mod book;
pub mod search;

#[cfg(feature = "engine")]
pub mod engine;

#[cfg(feature = "analysis")]
pub(crate) mod analysis;
#[cfg(feature = "cli")]
pub(crate) mod certificate;
#[cfg(feature = "cli")]
pub(crate) mod conform;
#[cfg(feature = "cli")]
pub(crate) mod peers;
#[cfg(feature = "analysis")]
pub(crate) mod picture;
#[cfg(feature = "cli")]
pub(crate) mod play;
#[cfg(feature = "cli")]
pub(crate) mod proof;
#[cfg(feature = "cli")]
pub(crate) mod protocols;
#[cfg(feature = "analysis")]
pub(crate) mod report;
#[cfg(feature = "analysis")]
pub(crate) mod sentences;
#[cfg(feature = "cli")]
pub(crate) mod tournament;
#[cfg(feature = "lab")]
pub(crate) mod training;

#[cfg(any(feature = "web", all(test, feature = "cli")))]
mod web;

#[cfg(feature = "cli")]
pub mod cli;

#[cfg(any(feature = "capi", all(test, feature = "cli")))]
pub mod capi;

/// The types of a first program. `engine::Options` is apart: an engine has more options than a search.
pub mod prelude {
    pub use crate::board::{
        Board, Color, Game, Move, Position, Score, Square, SquareSet, Symmetry,
    };
    pub use crate::eval::Evaluator;
    pub use crate::search::{Info, Limits, Line, Options, Search, SearchResult, Stop, Task};
}

/// The first steps of the program; no part of the library.
#[doc(hidden)]
pub mod start {
    pub use crate::util::cpu;
    #[cfg(all(feature = "launcher", any(unix, windows), target_arch = "x86_64"))]
    pub use crate::util::launcher;
}

/// Transcripts for the protocol tests; no part of the library.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod transcripts {
    pub use crate::conform::{Failure, Pattern, Script, Session, Step};
}

/// The entry points of fuzzing; no part of the library.
#[cfg(all(feature = "cli", any(test, fuzzing)))]
#[doc(hidden)]
pub mod fuzz;

#[cfg(test)]
mod tests;
