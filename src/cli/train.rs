//! `emilia train`: fits an evaluation to labelled positions.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;

use super::output::Output;
use crate::eval::Weights;
use crate::training::fit::{self, Fitted, Schedule};
use crate::training::fit::{linear, network};
use crate::training::labels::correction::Correction;
use crate::training::labels::dataset::Dataset;
use crate::training::labels::wthor;

/// Arguments of `emilia train`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia train late.rec middle.rec --kind linear --out weights.bin
  emilia train late.rec middle.rec --kind network --out weights.bin --threads 2
  emilia train new.rec --kind network --from weights.bin --out better.bin
  emilia train new.rec --wthor /data --kind network --from old.bin --out new.bin
  emilia eval-test --weights weights.bin late.rec middle.rec

An existing --out keeps its other part: the first two commands make one file
with both evaluations. One line of play in 64 is held out whole; after every
epoch the error of its positions is printed, and the file written if it is the
best so far. One position in 64 is set aside wherever it stands. The same
files, seed and threads give the same weights.")]
pub struct Args {
    /// Files of labelled positions, as `emilia selfplay` makes them
    #[arg(required = true, value_name = "FILE")]
    records: Vec<PathBuf>,
    /// What to fit
    #[arg(long, value_enum)]
    kind: Kind,
    /// The weights file to write; what else it holds is kept
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Begin with the weights of this file instead of nothing; there are no shared passes then
    #[arg(long, value_name = "FILE", conflicts_with = "shared_epochs")]
    from: Option<PathBuf>,
    /// The name that the file carries, shown by `emilia version`
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Learn from at most so many positions, to see how the error falls with data
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Discs that the last move is worth and the searches behind the labels did not know of: added to their labels
    /// where the empties are odd, taken away where they are even
    #[arg(long, value_name = "DISCS", default_value_t = 0.0, value_parser = parse_discs, allow_negative_numbers = true)]
    parity: f64,
    /// A file whose labels `--parity` is for, if not all; may be given several times
    #[arg(long, value_name = "FILE", requires = "parity")]
    parity_of: Vec<PathBuf>,
    /// How much of what exact scores say against labels of searches is taken out of these: curves measured for labels
    /// by the network's weights of November 2026 (src/training/correction.rs), of which 1 takes all
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_share)]
    correct: f64,
    /// Learn also from games of the WTHOR base with theoretical scores: a .wtb file or a folder of them
    #[arg(long, value_name = "PATH")]
    wthor: Option<PathBuf>,
    /// Numbers of empties to learn from
    #[arg(long, value_name = "LO-HI", default_value = "0-60", value_parser = super::selfplay::parse_range)]
    empties: (u32, u32),
    /// Passes over the positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    epochs: Option<u32>,
    /// Passes at the start in which all stages share their rows
    #[arg(long, value_name = "N")]
    shared_epochs: Option<u32>,
    /// Positions per step (network)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    batch: Option<u64>,
    /// Step of the pattern rows at the start; with --from a tenth of the usual one unless given
    #[arg(long, value_name = "X", value_parser = parse_positive)]
    rate: Option<f32>,
    /// Squared gradient that a row starts with: larger moves rare rows less
    #[arg(long, value_name = "X", value_parser = parse_positive)]
    prior: Option<f32>,
    /// Step of the head at the start (network)
    #[arg(long, value_name = "X", value_parser = parse_positive)]
    head_rate: Option<f32>,
    /// Order and first weights depend on it
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads (network)
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

/// What can be fitted.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// One weight per pattern row and stage.
    Linear,
    /// Rows of 64 numbers and a small head.
    Network,
}

impl Args {
    /// What part of the usual steps a fit begins with: full ones would undo what the weights of `--from`
    /// have learned, before the fit has seen how much each of them still moves.
    fn first_step(&self) -> f32 {
        if self.from.is_some() { 0.1 } else { 1.0 }
    }

    fn corrects_parity_of(&self, path: &Path) -> bool {
        self.parity_of.is_empty() || self.parity_of.iter().any(|other| other == path)
    }

    /// Files that are to be corrected and are not learned from: a slip of the pen.
    fn check_parity_of(&self) -> Result<()> {
        for path in &self.parity_of {
            ensure!(
                self.records.contains(path),
                "--parity-of {}: not among the files to learn from",
                path.display()
            );
        }
        Ok(())
    }

    /// The positions to learn from, and those held out.
    fn dataset(&self) -> Result<Dataset> {
        let correction = |path: &Path| {
            let parity = if self.corrects_parity_of(path) { self.parity } else { 0.0 };
            Correction { parity, measured: self.correct }
        };
        let solved = self.wthor.as_deref().map(|path| wthor::read(path, Err)).transpose()?;
        let empties = self.empties.0..=self.empties.1;
        Dataset::load_corrected(&self.records, empties, correction, solved.unwrap_or_default())
    }

    fn schedule(&self) -> Schedule {
        match self.kind {
            Kind::Linear => {
                let plain = linear::Schedule::default();
                Schedule::Linear(linear::Schedule {
                    epochs: self.epochs.unwrap_or(plain.epochs),
                    shared_epochs: self.shared_epochs.unwrap_or(plain.shared_epochs),
                    rate: self.rate.unwrap_or(plain.rate * self.first_step()),
                    prior: self.prior.unwrap_or(plain.prior),
                    seed: self.seed,
                })
            }
            Kind::Network => {
                let plain = network::Schedule::default();
                Schedule::Network(network::Schedule {
                    epochs: self.epochs.unwrap_or(plain.epochs),
                    shared_epochs: self.shared_epochs.unwrap_or(plain.shared_epochs),
                    batch: self.batch.map_or(plain.batch, |batch| batch as usize),
                    row_rate: self.rate.unwrap_or(plain.row_rate * self.first_step()),
                    row_prior: self.prior.unwrap_or(plain.row_prior),
                    head_rate: self.head_rate.unwrap_or(plain.head_rate),
                    seed: self.seed,
                    threads: self.threads.into(),
                })
            }
        }
    }
}

/// Reads a number above 0.
fn parse_positive(text: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| format!("expected a number, found {text:?}"))?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("expected a number above 0".to_owned()) }
}

/// Reads a number of discs that labels may be off by.
fn parse_discs(text: &str) -> Result<f64, String> {
    let discs = text.parse().ok().filter(|discs: &f64| discs.abs() <= 8.0);
    discs.ok_or_else(|| format!("expected discs, -8 to 8, found {text:?}"))
}

/// Reads a share of a correction.
fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=2.0).contains(share));
    share.ok_or_else(|| format!("expected a share, 0 to 2, found {text:?}"))
}

/// Finds out now, and not after the first epoch, whether weights can be written.
fn probe(path: &Path) -> Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.probe", std::process::id()));
    let probe = File::create_new(&beside).and_then(|_| std::fs::remove_file(&beside));
    probe.with_context(|| format!("{} cannot be written", path.display()))?;
    ensure!(!path.is_dir(), "{} cannot be written: it is a folder", path.display());
    Ok(())
}

/// The weights to begin with, which must hold what is to be fitted.
fn start(path: &Path, kind: Kind) -> Result<Weights> {
    let weights = Weights::load(path).with_context(|| format!("reading {}", path.display()))?;
    let (is_there, name) = match kind {
        Kind::Linear => (weights.linear.is_some(), "linear"),
        Kind::Network => (weights.network.is_some(), "network"),
    };
    ensure!(is_there, "{} holds no {name} evaluation to begin with", path.display());
    Ok(weights)
}

/// Fits and writes.
pub fn run(args: &Args) -> Result<ExitCode> {
    args.check_parity_of()?;
    ensure!(
        args.kind == Kind::Network || args.batch.is_none() && args.head_rate.is_none(),
        "--batch and --head-rate are of --kind network"
    );
    probe(&args.out)?;
    let mut weights = if args.out.exists() {
        Weights::load(&args.out).with_context(|| format!("reading {}", args.out.display()))?
    } else {
        Weights::default()
    };
    let start = args.from.as_deref().map(|path| start(path, args.kind)).transpose()?;
    let mut dataset = args.dataset()?;
    dataset.shuffle(args.seed);
    dataset.train.truncate(args.limit.map_or(usize::MAX, |limit| limit as usize));
    let (learned, held_out) = (dataset.train.len(), dataset.held_out.len());
    let mut out = Output::by_line();
    let Dataset { duplicates, set_aside, .. } = dataset;
    out.line(format_args!(
        "{learned} positions to learn from, {held_out} held out, {set_aside} set aside, {duplicates} duplicates"
    ))?;
    if learned == 0 {
        bail!("no positions to learn from");
    }
    let schedule = args.schedule();
    match &args.name {
        Some(name) => weights.name.clone_from(name),
        None => {
            let before = start.as_ref().and_then(|start| start.learned(schedule.kind())).unwrap_or(0);
            let in_all = before.saturating_add(learned as u64);
            weights.describe(schedule.kind(), &format!("of {in_all} positions"));
        }
    }
    let mut saves = 0;
    fit::run(&mut dataset, &schedule, start.as_ref(), &mut |epoch| {
        // A reader that has gone away is no reason to stop learning.
        let (number, training, seconds) = (epoch.number, epoch.training, epoch.seconds);
        let _ = out.line(format_args!("epoch {number}: training {training:.3}, {seconds:.0} s"));
        let _ = out.line(epoch.held_out);
        match epoch.best {
            Some(Fitted::Linear(linear)) => weights.linear = Some(linear),
            Some(Fitted::Network(network)) => weights.network = Some(network),
            None => return Ok(()),
        }
        saves += 1;
        weights.save(&args.out).with_context(|| format!("writing {}", args.out.display()))
    })?;
    ensure!(saves > 0, "nothing was written: the errors are no numbers; try a smaller --rate");
    out.line(format_args!("{} written", args.out.display()))?;
    Ok(ExitCode::SUCCESS)
}
