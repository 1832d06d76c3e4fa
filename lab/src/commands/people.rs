//! `emilia-lab people`: the model of people's moves.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cli::output;
use crate::engine::people::net::Weights;
use crate::eval::{EvalKind, Evaluator};
use crate::search::Options;
use crate::training::people::likeness::Measure;
use crate::training::people::opening::Counts;
use crate::training::people::samples::{Wanted, choose, view};
use crate::training::people::{fit, games, opening, report};

#[derive(clap::Args)]
#[command(after_help = "\
Rates the players of the WTHOR base, fits the model to the moves of people in four
games of five, and measures it on the others. Without -o it measures the weights
inside the program.

Example:
  emilia-lab people wthor/ -o engine/src/engine/people/weights.bin")]
pub struct Args {
    /// The folder of the base: WTH.JOU and the files of games.
    folder: PathBuf,
    /// Write the weights to this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Number of threads that score positions.
    #[arg(short, long, value_name = "N", default_value = "2", value_parser = Options::parse_jobs)]
    jobs: usize,
    /// Most positions of each of the six groups of ratings.
    #[arg(long, value_name = "N", default_value_t = 40_000)]
    positions: usize,
    /// Passes over the positions.
    #[arg(long, value_name = "N", default_value_t = 8)]
    passes: usize,
    /// Spread of a player's rating between games, for the games that the model plays.
    #[arg(long, value_name = "POINTS", default_value_t = 120.0)]
    day: f64,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let evaluator = Evaluator::load(Some(EvalKind::Network), None)?;
    let games = games::read(&args.folder)?;
    let counts = Counts::new(&games)?;
    let wanted = Wanted {
        held: true,
        per_group: 4_000,
        plies: (8, 52),
    };
    let held = view(&games, &choose(&games, &wanted), &evaluator, args.jobs);
    let weights = match &args.output {
        None => Weights::shipped(),
        Some(path) => {
            let wanted = Wanted {
                held: false,
                per_group: args.positions,
                plies: (4, 57),
            };
            let samples = view(&games, &choose(&games, &wanted), &evaluator, args.jobs);
            let mut weights = fit::fit(&samples, args.passes, |pass, loss| {
                log::info!("pass {}: log-loss {loss:.4}", pass + 1);
            });
            opening::fit(&mut weights, &samples, &counts);
            let weights = Weights::rounded(&weights).context("the fit has another shape")?;
            std::fs::write(path, weights.to_bytes())
                .with_context(|| format!("writing {}", path.display()))?;
            weights
        }
    };
    let measure = Measure {
        games: &games,
        weights: &weights,
        counts: &counts,
        evaluator: &evaluator,
        jobs: args.jobs,
        day: args.day,
    };
    output::print(&(report::table(&weights, &held, &counts) + &measure.report()))
}
