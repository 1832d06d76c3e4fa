//! Othello: the rules, an evaluation, a search, opening books, and an engine on another thread.
//!
//! ```text
//! row 4  engine                 a search on another thread, with its opening book
//! row 3  search       book      (do not know each other)
//! row 2  eval         text      (do not know each other)
//! row 1  board
//! row 0  util
//! ```
//!
//! A module imports only from lower rows or from inside its own folder. The two largest rooms:
//!
//! ```text
//! search   task (input and output) · memory (tables) · endgame (few empties)
//!          tree (pvs and its steps) · threads (split points) · root (plan, iterations, windows)
//! eval     patterns (the table, features) · network (integers, kernels) · classic
//!          file (weights on disk) · loading (in the background)
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
//! # A first search
//!
//! ```
//! use std::sync::Arc;
//!
//! use emilia_engine::prelude::*;
//! use emilia_engine::text::parse_board;
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
//! # Invariants
//!
//! - Search reads no text; the rules layer has no evaluation.
//! - Every kernel has a scalar and a vector version: the scalar one is the definition, and both give the same results.
//! - Evaluation arithmetic is integer: with one thread every build searches the same tree.

#![deny(missing_docs)]
#![allow(
    clippy::extra_unused_type_parameters,
    reason = "a build for one level uses no level"
)]

#[allow(missing_docs, reason = "the room exports the items for users")]
pub(crate) mod util;

pub mod board;
pub mod book;
pub mod engine;
pub mod eval;
pub mod search;
pub mod text;

#[doc(hidden)]
pub mod internal;

/// The types of a first program. `engine::Options` is apart: an engine has more options than a search.
pub mod prelude {
    pub use crate::board::{
        Board, Color, Game, Move, Position, Score, Square, SquareSet, Symmetry,
    };
    pub use crate::eval::Evaluator;
    pub use crate::search::{Info, Limits, Line, Options, Search, SearchResult, Stop, Task};
}
