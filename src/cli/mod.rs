//! The command line: one file per subcommand.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

mod bench;
mod selfplay;
mod version;

/// An Othello (Reversi) engine speaking NBoard and GTP.
#[derive(Parser)]
#[command(name = "emilia", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Make labelled positions for training.
    Selfplay(selfplay::Args),
    /// Search fixed positions and print nodes, speed and the fingerprint `Bench: N`.
    Bench(bench::Args),
    /// Show the build, the active kernels and the weights.
    Version(version::Args),
}

/// Parses the command line, runs the subcommand, prints an error chain once to stderr.
///
/// Exit codes: 0 done, 1 failed or a check missed, 2 wrong usage or unsupported processor.
pub fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("emilia: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        Some(Command::Selfplay(args)) => selfplay::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Version(args)) => version::run(&args),
        None => Ok(ExitCode::SUCCESS),
    }
}
