//! The commands: make labels, fit the weights and the constants that depend on them, and measure both.

mod calibrate;
mod fit;
mod input;
mod label;
mod people;
mod probcut;
mod sample;
mod simulate;
mod suite;
mod test;
mod tune;
mod worth;

use std::process::ExitCode;

use anyhow::Result;

/// The laboratory of Emilia: labels, fits, measurements and tuning.
#[derive(clap::Parser)]
#[command(name = "emilia-lab", version, after_help = EXAMPLES, max_term_width = 80)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  emilia-lab label --input games.txt --empties 20-50 -o labels.rec
  emilia-lab fit labels.rec -o weights.bin
  emilia-lab test labels.rec --eval weights.bin";

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
    /// Rate the moves chosen in positions whose moves all have known scores.
    Suite(suite::Args),
    /// Compare one thread with several in simulated time, of which a node takes one unit.
    Simulate(simulate::Args),
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
        Command::Suite(args) => suite::run(args),
        Command::Simulate(args) => simulate::run(args),
    }
}
