//! Emilia plays, solves and analyses Othello, and speaks NBoard and GTP on stdin/stdout.
//!
//! # The house
//!
//! ```text
//! row 6  main.rs → cli
//! row 5  protocols    tournament    training               (do not know each other)
//! row 4  engine
//! row 3  search       book                                  (do not know each other)
//! row 2  eval         notation                             (do not know each other)
//! row 1  board
//! row 0  util
//! ```
//!
//! A module imports only from strictly lower rows or from inside its own folder; the unit test in
//! `layering.rs` holds that, the list of files that may contain `unsafe`, and the rule that nothing
//! below row 5 prints.
//!
//! # The way of a command
//!
//! `stdin line → protocols/<p>/parse (pure) → Command → session → Engine (never blocks) → worker
//! thread → search → Info/Result → Event → protocols/<p>/print (pure) → stdout line`.
//!
//! # Invariants
//!
//! - stdout carries protocol lines or a subcommand's result, nothing else; logging goes to stderr.
//! - Search knows no text; the rules layer knows no evaluation.
//! - Every kernel is written twice: the scalar text is the definition, the vector text must equal it.
//! - Evaluation arithmetic is integer: with one thread every build searches the same tree.

pub mod util;

pub mod board;

pub mod eval;
pub mod notation;

pub mod book;
pub mod search;

pub mod engine;

pub mod protocols;
#[cfg(feature = "cli")]
pub mod tournament;
#[cfg(feature = "cli")]
pub mod training;

#[cfg(feature = "cli")]
pub mod cli;

#[cfg(test)]
mod layering;
