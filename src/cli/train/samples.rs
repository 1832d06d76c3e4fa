//! Samples of searches, a line each: taken side by side, and read again.

use std::ffi::OsString;
use std::fmt::Display;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};

use crate::cli::input;
use crate::cli::output::Output;
use crate::cli::progress::Progress;
use crate::cli::search_args::EvalArgs;
use crate::search::{Options, Search, side_by_side};

/// Prints the samples of each start, of which there are `count`; so many `jobs` search at once.
pub fn take<T: Send, S: Display + Send>(
    starts: impl Iterator<Item = T> + Send,
    count: u64,
    (jobs, eval): (usize, &EvalArgs),
    samples: impl Fn(&mut Search, T) -> Vec<S> + Sync,
) -> Result<ExitCode> {
    let evaluator = Arc::new(eval.evaluator()?);
    let options = Options { threads: 1, hash_mib: 64 };
    let searches = (0..jobs).map(|_| Search::new(&options, Arc::clone(&evaluator)));
    let progress = Progress::new(count, 0);
    let mut out = Output::by_line();
    side_by_side(searches, starts, samples, |samples: Vec<S>| {
        out.text(samples.iter().map(|sample| format!("{sample}\n")).collect::<String>())?;
        progress.advance(1);
        anyhow::Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The samples of some files.
///
/// # Errors
/// The first line that is none, with its place.
pub fn read<S: FromStr<Err: Display>>(sources: &[OsString]) -> Result<Vec<S>> {
    let mut samples = Vec::new();
    for source in sources {
        for line in input::lines(source)? {
            let (number, line) = line?;
            let sample = line.parse().map_err(|error| anyhow!("{error}"));
            samples.push(sample.with_context(|| format!("{}, line {number}", source.display()))?);
        }
    }
    Ok(samples)
}
