//! Options of a search, shared by all subcommands that search: one set of ranges and defaults.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow};

use crate::eval::{EvalKind, Evaluator, Weights, WeightsError};
use crate::search::{Options, Search, Selectivity};
pub use crate::util::seconds::parse_seconds;

/// Threads, table and evaluation; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct SearchArgs {
    /// Threads of a search.
    #[arg(short = 'n', long, value_name = "N", default_value = "1", value_parser = Options::parse_threads)]
    pub threads: usize,
    /// Size of the hash table of a search, in MiB.
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = Options::parse_hash_mib)]
    pub hash: usize,
    /// The evaluation.
    #[command(flatten)]
    pub eval: EvalArgs,
}

/// Which evaluation; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EvalArgs {
    /// Evaluation: network or classic [default: network].
    #[arg(long, value_name = "NAME")]
    pub eval: Option<EvalKind>,
    /// Weights file of the network [default: built in].
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

impl SearchArgs {
    /// Threads and table size.
    pub fn options(&self) -> Options {
        Options { threads: self.threads, hash_mib: self.hash }
    }

    /// A searcher as asked for, with an empty table.
    ///
    /// # Errors
    /// When the evaluation cannot be loaded.
    pub fn search(&self) -> Result<Search> {
        Ok(Search::new(&self.options(), Arc::new(self.eval.evaluator()?)))
    }
}

impl EvalArgs {
    /// The evaluation asked for.
    ///
    /// # Errors
    /// When the weights cannot be read, or have no part for the evaluation asked for.
    pub fn evaluator(&self) -> Result<Evaluator> {
        Evaluator::load(self.eval, self.weights.as_deref()).map_err(|error| match (&self.weights, &error) {
            (None, _) | (_, WeightsError::Io(..)) => error.into(),
            (Some(path), _) => anyhow!("weights {}: {error}", path.display()),
        })
    }

    /// The name of `evaluator`, which these arguments chose, and a checksum of its weights: `network 1a2b3c4d`.
    ///
    /// # Errors
    /// When the weights cannot be read.
    pub fn name(&self, evaluator: &Evaluator) -> Result<String> {
        let kind = evaluator.kind();
        if kind == EvalKind::Classic {
            return Ok(kind.to_string());
        }
        let checksum = match &self.weights {
            Some(path) => Weights::file_checksum(path)?,
            None => Weights::embedded_checksum(),
        };
        Ok(format!("{kind} {checksum:08x}"))
    }

    /// Whether it is known of the evaluation what its scores stand for: it is of the embedded network.
    pub fn is_calibrated(&self, evaluator: &Evaluator) -> bool {
        evaluator.kind() == EvalKind::Network && self.weights.is_none()
    }
}

/// Reads a selectivity by its name in percent.
///
/// # Errors
/// What was expected.
pub fn parse_selectivity(text: &str) -> Result<Selectivity, String> {
    let found = text.parse().ok().and_then(Selectivity::from_percent);
    found.ok_or_else(|| format!("expected 52, 73, 87, 95, 98, 99 or 100, found {text:?}"))
}

/// Reads numbers of empties: `LO-HI` or a single one.
///
/// # Errors
/// What was expected.
pub fn parse_range(text: &str) -> Result<(u32, u32), String> {
    let expected = || format!("expected a range LO-HI with LO <= HI <= 60, found {text:?}");
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let number = |word: &str| word.trim().parse::<u32>().map_err(|_| expected());
    let (low, high) = (number(low)?, number(high)?);
    if low <= high && high <= 60 { Ok((low, high)) } else { Err(expected()) }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;

    fn parsed(line: &str) -> Result<SearchArgs, clap::Error> {
        let command = SearchArgs::augment_args(Command::new("x").no_binary_name(true));
        SearchArgs::from_arg_matches(&command.try_get_matches_from(line.split_whitespace())?)
    }

    #[test]
    fn ranges_and_defaults_hold() {
        let args = parsed("").unwrap();
        assert_eq!((args.threads, args.hash), (1, 64));
        assert_eq!(parsed("-n 3").unwrap().threads, 3);
        for line in ["-n 0", "--threads 257", "--hash 0", "--hash 65537", "--eval best"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    #[test]
    fn missing_weights_are_told_once() {
        let error = parsed("--weights none.bin").unwrap().search().map(drop).unwrap_err();
        let text = format!("{error:#}");
        assert_eq!(text.matches("none.bin").count(), 1, "{text}");
        assert_eq!(text.matches("(os error 2)").count(), 1, "{text}");
    }
}
