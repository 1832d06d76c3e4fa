//! `emilia-lab fit`: fits the network to labeled positions.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use super::input::number;
use crate::cli::files::ForceArgs;
use crate::cli::output::Output;
use crate::cli::search_args::parse_range;
use crate::eval::Weights;
use crate::training::fit;
use crate::training::fit::network::Schedule;
use crate::training::labels::dataset::Dataset;
use crate::training::labels::wthor;
use crate::util::rng::Rng;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia-lab fit late.rec middle.rec -o weights.bin --threads 2
  emilia-lab fit new.rec --init weights.bin -o better.bin
  emilia-lab fit new.rec --wthor wthor --init old.bin -o new.bin

One line of play in 64 is held out whole. Each epoch prints the error of its
positions and writes the file if it is the best so far. One position in 64 is
never learned from, in any file. The same files, seed and threads give the same
weights.")]
pub struct Args {
    /// Files of labeled positions, made by `emilia-lab label`.
    #[arg(required = true, value_name = "FILE")]
    records: Vec<PathBuf>,
    /// Write to this file: the weights.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Begin with the weights of this file.
    #[arg(long, value_name = "FILE")]
    init: Option<PathBuf>,
    /// Name of the weights, which `emilia version` shows [default: the number of positions learned from].
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Correct labels by search towards exact scores by this share of the measured error
    /// (lab/src/training/labels/correction.rs).
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = number(0.0..=2.0))]
    correct: f64,
    /// Theoretical scores of a WTHOR file or of a folder of them; learn from them, too.
    #[arg(long, value_name = "PATH")]
    wthor: Option<PathBuf>,
    /// Numbers of empties of the positions.
    #[arg(long, value_name = "LO-HI", default_value = "0-60", value_parser = parse_range)]
    empties: (u32, u32),
    /// Passes over the positions.
    #[arg(long, value_name = "N", default_value_t = Schedule::default().epochs, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// First step of the pattern rows [default: 0.02, with --init 0.002].
    #[arg(long = "step", value_name = "STEP", value_parser = number(1e-6..=f64::from(f32::MAX)))]
    rate: Option<f64>,
    /// Random seed: the same seed makes the same choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of threads.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

impl Args {
    /// The positions to learn from, and those held out.
    fn dataset(&self) -> Result<Dataset> {
        let solved = self.wthor.as_deref().map(wthor::read).transpose()?;
        let empties = self.empties.0..=self.empties.1;
        let mut dataset = Dataset::load(
            &self.records,
            empties,
            self.correct,
            solved.unwrap_or_default(),
        )?;
        Rng::new(self.seed).shuffle(&mut dataset.train);
        Ok(dataset)
    }

    fn schedule(&self) -> Schedule {
        let mut schedule = if self.init.is_some() {
            Schedule::continued()
        } else {
            Schedule::default()
        };
        schedule.epochs = self.epochs;
        schedule.row_rate = self.rate.map_or(schedule.row_rate, |rate| rate as f32);
        schedule.seed = self.seed;
        schedule.threads = self.threads.into();
        schedule
    }

    /// The weights to begin with; without `--init` they hold no network.
    fn first_weights(&self) -> Result<Weights> {
        let Some(path) = &self.init else {
            return Ok(Weights::default());
        };
        let weights = Weights::load(path).with_context(|| format!("reading {}", path.display()))?;
        ensure!(
            weights.network.is_some(),
            "{} holds no network to begin with",
            path.display()
        );
        Ok(weights)
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let init = args.first_weights()?;
    let mut dataset = args.dataset()?;
    let learned = dataset.train.len();
    let held_out = dataset.held_out.len();
    let Dataset {
        duplicates,
        set_aside,
        ..
    } = dataset;
    let mut out = Output::by_line();
    out.line(format_args!(
        "{learned} positions to learn from, {held_out} held out, {set_aside} set aside, {duplicates} duplicates"
    ))?;
    ensure!(learned > 0, "no positions to learn from");
    let mut weights = Weights::default();
    match &args.name {
        Some(name) => weights.name.clone_from(name),
        None => weights.describe(init.learned().unwrap_or(0).saturating_add(learned as u64)),
    }
    fit::run(
        &mut dataset,
        &args.schedule(),
        init.network.as_ref(),
        &mut |epoch| {
            // A reader that has gone away is no reason to stop learning.
            let number = epoch.number;
            let training = epoch.training;
            let seconds = epoch.seconds;
            let _ = out.line(format_args!(
                "epoch {number}: training {training:.3}, {seconds:.0} s"
            ));
            let _ = out.line(epoch.held_out);
            if epoch.best.is_none() {
                return Ok(());
            }
            weights.network = epoch.best;
            weights
                .save(&args.output)
                .with_context(|| format!("writing {}", args.output.display()))
        },
    )?;
    ensure!(
        weights.network.is_some(),
        "nothing was written: the errors are not numbers; try a smaller --step"
    );
    out.line(format_args!("{} written", args.output.display()))?;
    Ok(ExitCode::SUCCESS)
}
