//! `emilia train`: make labels, fit the weights and what depends on them, and measure all of it.

mod calibrate;
mod fit;
mod label;
mod probcut;
mod samples;
mod test;
mod worth;

use std::process::ExitCode;

use anyhow::Result;

use super::tune;

/// Arguments of `emilia train`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  emilia train label --input games.txt --empties 20-50 -o labels.rec
  emilia train fit labels.rec -o weights.bin
  emilia train test labels.rec --weights weights.bin";

#[derive(clap::Subcommand)]
enum Command {
    /// Label positions by search, to learn from.
    Label(label::Args),
    /// Fit the network to labelled positions.
    Fit(fit::Args),
    /// Measure how far evaluations are from labels.
    Test(test::Args),
    /// Measure how well shallow searches predict deep ones.
    Probcut(probcut::Args),
    /// Fit the chances to win that a score stands for.
    Calibrate(calibrate::Args),
    /// Measure how many discs the facts of sentences are worth.
    Worth(worth::Args),
    /// Tune the numbers of the search by games.
    Tune(tune::Args),
}

/// Runs one of them.
pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.command {
        Command::Label(args) => label::run(args),
        Command::Fit(args) => fit::run(args),
        Command::Test(args) => test::run(args),
        Command::Probcut(args) => probcut::run(args),
        Command::Calibrate(args) => calibrate::run(args),
        Command::Worth(args) => worth::run(args),
        Command::Tune(args) => tune::run(args),
    }
}
