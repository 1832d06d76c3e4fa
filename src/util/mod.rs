//! Helpers that know nothing of Othello.

pub mod rng;
