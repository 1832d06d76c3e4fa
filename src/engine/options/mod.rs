//! What a user can set: each option with its range, its default and a typed error.

mod level;
mod strength;

pub use level::Level;
pub use strength::{Elo, Strength};

use std::path::PathBuf;
use std::sync::Arc;

use crate::eval::{EvalKind, Evaluator};
use crate::search::Tuning;
use crate::util::os::available::available_mib;

/// The settings of an engine.
#[derive(Clone, Debug)]
pub struct Options {
    /// Search threads, `1..=256`.
    pub threads: usize,
    /// Size of the transposition table in MiB, `1..=65536`.
    pub hash_mib: usize,
    /// The evaluation; without one, the best that there are weights for.
    pub evaluation: Option<EvalKind>,
    /// The weights of a learned evaluation; the built-in ones without.
    pub weights: Option<PathBuf>,
    /// An evaluation that is loaded already and may be shared by many engines; then neither
    /// `evaluation` nor `weights` is looked at.
    pub evaluator: Option<Arc<Evaluator>>,
    /// Other values for the numbers of the search.
    pub tuning: Tuning,
}

/// Why a value is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// Not a whole number within the range.
    #[error("{option} takes a whole number from {low} to {high}")]
    Range {
        /// The option.
        option: &'static str,
        /// Smallest value.
        low: u64,
        /// Largest value.
        high: u64,
    },
    /// The tables would take more memory than there is.
    #[error("tables of {asked} MiB do not fit into the {available} MiB that are available")]
    Memory {
        /// What was asked for, in MiB.
        asked: usize,
        /// What is available, in MiB.
        available: usize,
    },
}

impl Options {
    /// The largest number of threads.
    pub const MAX_THREADS: usize = 256;
    /// The largest table in MiB.
    pub const MAX_HASH_MIB: usize = 65_536;

    /// Reads a number of threads.
    pub fn parse_threads(text: &str) -> Result<usize, OptionError> {
        in_range("threads", text, Self::MAX_THREADS)
    }

    /// Reads a table size in MiB; one that the system has no memory for is an error.
    pub fn parse_hash_mib(text: &str) -> Result<usize, OptionError> {
        let mib = in_range("hash", text, Self::MAX_HASH_MIB)?;
        Self::check_memory(mib)?;
        Ok(mib)
    }

    /// Whether the system has memory for tables of this many MiB together: it hands out more than it has, and ends
    /// the process in mid-game when that is used.
    ///
    /// The default is never refused; a table takes no more than there is then.
    pub fn check_memory(mib: usize) -> Result<(), OptionError> {
        match available_mib() {
            Some(available) if mib > available.max(Self::default().hash_mib) => {
                Err(OptionError::Memory { asked: mib, available })
            }
            _ => Ok(()),
        }
    }
}

fn in_range(option: &'static str, text: &str, high: usize) -> Result<usize, OptionError> {
    match text.parse() {
        Ok(number) if (1..=high).contains(&number) => Ok(number),
        _ => Err(OptionError::Range { option, low: 1, high: high as u64 }),
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: 1,
            hash_mib: 64,
            evaluation: None,
            weights: None,
            evaluator: None,
            tuning: Tuning::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold() {
        assert_eq!(Options::parse_threads("256"), Ok(256));
        assert_eq!(Options::parse_hash_mib("1"), Ok(1));
        for text in ["0", "-1", "257", "two", "", "1.5"] {
            assert!(Options::parse_threads(text).is_err(), "{text:?}");
        }
        assert!(Options::parse_hash_mib("65537").is_err());
        assert_eq!(Options::check_memory(Options::default().hash_mib), Ok(()));
        assert!(Options::check_memory(usize::MAX).is_err() || cfg!(not(target_os = "linux")));
        let message = Options::parse_threads("0").unwrap_err().to_string();
        assert_eq!(message, "threads takes a whole number from 1 to 256");
    }
}
