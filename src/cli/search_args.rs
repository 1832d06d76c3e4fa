//! Options of a search, shared by all subcommands that search: one set of ranges and defaults.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};

use crate::eval::{EvalKind, Evaluator, Weights, WeightsError};
use crate::search::{Clock, Options, Search, Selectivity};
use crate::sentences::Language;
use crate::util::refusal::Refusal;
pub use crate::util::seconds::parse_seconds;

/// Threads, table and evaluation; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct SearchArgs {
    /// Number of threads.
    #[arg(short = 'n', long, value_name = "N", default_value = "1", value_parser = Options::parse_threads)]
    pub threads: usize,
    /// Size of the hash table of each search, in MiB: 1 to 65536, within the memory available.
    /// A solve of 25 empties uses 64, each further empty doubles this.
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = Options::parse_hash_mib)]
    pub hash: usize,
    /// The evaluation.
    #[command(flatten)]
    pub eval: EvalArgs,
}

/// The evaluation; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EvalArgs {
    /// Evaluation: network, classic, or a file of weights for the network [default: network].
    #[arg(long, value_name = "NAME|FILE")]
    pub eval: Option<PathBuf>,
}

/// The language of sentences; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct LanguageArgs {
    /// Language of sentences and of names of openings: en, fr or ja.
    #[arg(long, value_name = "LANGUAGE", default_value = "en")]
    pub language: Language,
}

impl SearchArgs {
    pub fn options(&self) -> Options {
        Options {
            threads: self.threads,
            hash_mib: self.hash,
        }
    }

    /// A search with an empty table.
    pub fn search(&self) -> Result<Search> {
        Ok(Search::new(
            &self.options(),
            Arc::new(self.eval.evaluator()?),
        ))
    }
}

impl EvalArgs {
    /// The kind of the evaluation, or the file of its weights.
    fn choice(&self) -> (Option<EvalKind>, Option<&Path>) {
        let kind = self
            .eval
            .as_ref()
            .and_then(|name| name.to_str()?.parse().ok());
        (kind, self.eval.as_deref().filter(|_| kind.is_none()))
    }

    pub fn evaluator(&self) -> Result<Evaluator> {
        let (kind, weights) = self.choice();
        Evaluator::load(kind, weights).map_err(|error| match (weights, &error) {
            (Some(path), _) if !path.exists() => {
                let path = path.display();
                anyhow!("--eval {path}: expected network, classic or a file; there is no such file")
            }
            (None, _) | (_, WeightsError::Io(..)) => error.into(),
            (Some(path), _) => anyhow!("weights {}: {error}", path.display()),
        })
    }

    /// The name of `evaluator` and a checksum of its weights: `network 1a2b3c4d`.
    pub fn name(&self, evaluator: &Evaluator) -> Result<String> {
        let kind = evaluator.kind();
        if kind == EvalKind::Classic {
            return Ok(kind.to_string());
        }
        let checksum = match self.choice().1 {
            Some(path) => Weights::file_checksum(path)?,
            None => Weights::embedded_checksum(),
        };
        Ok(format!("{kind} {checksum:08x}"))
    }

    /// Whether the error of the evaluation's scores is known: that of the built-in network is.
    pub fn is_calibrated(&self, evaluator: &Evaluator) -> bool {
        let is_embedded = |path| {
            Weights::file_checksum(path).is_ok_and(|found| found == Weights::embedded_checksum())
        };
        evaluator.kind() == EvalKind::Network && self.choice().1.is_none_or(is_embedded)
    }
}

/// Parses a time for each move.
pub fn parse_move_time(text: &str) -> Result<Clock, Refusal> {
    parse_seconds(text).map(Clock::Move)
}

/// Parses a selectivity in percent.
pub fn parse_selectivity(text: &str) -> Result<Selectivity, Refusal> {
    let found = text.parse().ok().and_then(Selectivity::from_percent);
    found.ok_or_else(|| format!("expected 52, 73, 87, 95, 98, 99 or 100, found {text:?}").into())
}

/// Parses numbers of empties: `LO-HI` or a single number.
pub fn parse_range(text: &str) -> Result<(u32, u32), Refusal> {
    let expected = || {
        Refusal::from(format!(
            "expected a range LO-HI with LO <= HI <= 60, found {text:?}"
        ))
    };
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let number = |word: &str| word.trim().parse::<u32>().map_err(|_| expected());
    let low = number(low)?;
    let high = number(high)?;
    if low <= high && high <= 60 {
        Ok((low, high))
    } else {
        Err(expected())
    }
}
