//! `emilia train`: make labels, fit the weights and the constants that depend on them, and measure both.

mod calibrate;
mod fit;
mod input;
mod label;
mod people;
mod probcut;
mod sample;
mod test;
mod tune;
mod worth;

use std::process::ExitCode;

use anyhow::Result;

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
  emilia train test labels.rec --eval weights.bin";

#[derive(clap::Subcommand)]
enum Command {
    /// Label positions by search, to learn from.
    Label(label::Args),
    /// Fit the network to labeled positions.
    Fit(fit::Args),
    /// Measure the errors of an evaluation.
    Test(test::Args),
    /// Fit the margins of ProbCut.
    Probcut(probcut::Args),
    /// Count how often the cuts of each selectivity are right.
    Reliability(probcut::CheckArgs),
    /// Play games on and print scores with results.
    Sample(sample::Args),
    /// Fit the chances to win to such samples.
    Calibrate(calibrate::Args),
    /// Measure the worth of the facts in sentences, in discs.
    Worth(worth::Args),
    /// Fit the model of people's moves.
    People(people::Args),
    /// Tune the numbers of the search by games.
    Tune(tune::Args),
}

pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.command {
        Command::Label(args) => label::run(args),
        Command::Fit(args) => fit::run(args),
        Command::Test(args) => test::run(args),
        Command::Probcut(args) => probcut::run(args),
        Command::Reliability(args) => probcut::check(args),
        Command::Sample(args) => sample::run(args),
        Command::Calibrate(args) => calibrate::run(args),
        Command::Worth(args) => worth::run(args),
        Command::People(args) => people::run(args),
        Command::Tune(args) => tune::run(args),
    }
}
