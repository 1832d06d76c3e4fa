//! How to search: the options that all subcommands with a search share, with one set of ranges and defaults.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};

use crate::engine::Options as EngineOptions;
use crate::eval::{EvalKind, Evaluator, WeightsError};
use crate::search::{Options, Search, Selectivity};

/// Threads, table and evaluation; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct SearchArgs {
    /// Search threads.
    #[arg(short = 'n', short_alias = 't', long, value_name = "N", default_value = "1", value_parser = EngineOptions::parse_threads)]
    pub threads: usize,
    /// Size of the transposition table in MiB.
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = EngineOptions::parse_hash_mib)]
    pub hash: usize,
    /// The evaluation.
    #[command(flatten)]
    pub eval: EvalArgs,
}

/// Which evaluation; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EvalArgs {
    /// Evaluation: network, linear or classic [default: the best there are weights for].
    #[arg(long, value_name = "NAME")]
    pub eval: Option<EvalKind>,
    /// Weights of a learned evaluation, instead of those built in.
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
}

/// Reads a time in seconds, or in minutes and seconds as Edax takes it too (`5:00`): a millisecond at least, ten days
/// at most, which keeps the arithmetic of clocks far from overflow.
///
/// # Errors
/// What was expected.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    const MOST: f64 = 864_000.0;
    let (minutes, rest) = text.split_once(':').unwrap_or(("0", text));
    let whole = minutes.parse::<u32>().ok().map(|minutes| 60.0 * f64::from(minutes));
    let seconds = whole.zip(rest.parse::<f64>().ok()).map(|(minutes, seconds)| minutes + seconds);
    match seconds {
        Some(seconds) if (0.001..=MOST).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!(
            "expected seconds from 0.001 to {MOST}, such as 2.5, or minutes and seconds, such as 5:00; found {text:?}"
        )),
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
        assert_eq!(parsed("-t 3").unwrap().threads, 3);
        for line in ["-n 0", "--threads 257", "--hash 0", "--hash 65537", "--eval best"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    #[test]
    fn missing_weights_are_told_once() {
        let error = parsed("--weights none.bin").unwrap().search().map(drop).unwrap_err();
        let text = format!("{error:#}");
        assert_eq!(text.matches("none.bin").count(), 1, "{text}");
        assert_eq!(text.matches("No such file").count(), 1, "{text}");
    }

    #[test]
    fn times_are_seconds_or_minutes_and_seconds() {
        assert_eq!(parse_seconds("2.5"), Ok(Duration::from_millis(2500)));
        assert_eq!(parse_seconds("5:30"), Ok(Duration::from_secs(330)));
        for text in ["", "0", "-1", "nan", "inf", "1e9", "x", "1:x", "-1:30", "99999999:00"] {
            assert!(parse_seconds(text).is_err(), "{text:?}");
        }
    }
}
