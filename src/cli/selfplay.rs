//! `emilia selfplay`: labelled positions for training.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::games::read_games;
use super::output;
use super::progress::Progress;
use anyhow::{Result, bail};

use crate::eval::{EvalKind, Evaluator};
use crate::training::labels::records::Writer;
use crate::training::labels::selfplay::{Job, Labels, Plan, Shard, Starts};

/// Arguments of `emilia selfplay`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  Four million solved positions with 6 to 12 empties, from games:
    emilia selfplay --games games.txt --empties 6-12 --positions 4000000 \\
                    --out late.rec
  Middle game, labelled by a six-ply search, from random openings:
    emilia selfplay --empties 20-50 --depth 6 --positions 1000000 --out mid.rec
  The same on two machines, which make different positions; cat joins them:
    emilia selfplay --empties 20-50 --shard 1/2 --out first.rec
    emilia selfplay --empties 20-50 --shard 2/2 --out second.rec

The same command again resumes a killed job; a larger --positions extends a
finished one. The file notes the options: with others it is not resumed.
Work goes in blocks of 256 lines, and a file holds whole blocks: up to a block
per thread more than asked for.")]
pub struct Args {
    /// Where the records go; resumed if it exists
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How many records the file shall hold at least
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: u64,
    /// Begin in these games (in any notation; - for stdin) instead of random openings
    #[arg(long, value_name = "FILE")]
    games: Option<OsString>,
    /// Numbers of empties to label
    #[arg(long, value_name = "LO-HI", default_value = "6-50", value_parser = parse_range)]
    empties: (u32, u32),
    /// Random moves just before the first labelled position of a line
    #[arg(long, value_name = "LO-HI", default_value = "0-5", value_parser = parse_range)]
    random_moves: (u32, u32),
    /// Without --games: random moves from the usual start
    #[arg(long, value_name = "LO-HI", default_value = "8-40", value_parser = parse_range, conflicts_with = "games")]
    prefix: (u32, u32),
    /// Positions labelled in one line of play
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=60))]
    plies: u32,
    /// Share of random moves within a line
    #[arg(long, value_name = "P", default_value_t = 0.3)]
    explore: f64,
    /// Solve exactly from this many empties on
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=30))]
    exact: u32,
    /// Before that, label by the mean of searches of N and N-1 plies
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=30))]
    depth: u8,
    /// Evaluation of the labelling search; the strongest there are weights for by default
    #[arg(long, value_name = "KIND")]
    eval: Option<EvalKind>,
    /// Weights file instead of the embedded weights
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Label the positions of --games with the games' results instead
    #[arg(long, requires = "games")]
    outcomes: bool,
    /// The job depends on it
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Make part I of N of the job: parts share no block, so several machines can work at one job
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

/// Reads `LO-HI` or a single number.
pub fn parse_range(text: &str) -> Result<(u32, u32), String> {
    let expected = || format!("expected LO-HI with LO <= HI <= 60, found {text:?}");
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let number = |word: &str| word.trim().parse::<u32>().map_err(|_| expected());
    let (low, high) = (number(low)?, number(high)?);
    if low <= high && high <= 60 { Ok((low, high)) } else { Err(expected()) }
}

/// Makes the records.
pub fn run(args: &Args) -> Result<ExitCode> {
    if !(0.0..=1.0).contains(&args.explore) {
        bail!("--explore: expected a share between 0 and 1, found {}", args.explore);
    }
    let plan = Plan {
        seed: args.seed,
        empties: args.empties.0..=args.empties.1,
        random_moves: args.random_moves.0..=args.random_moves.1,
        prefix: args.prefix.0..=args.prefix.1,
        plies: args.plies,
        explore: args.explore,
        exact_empties: args.exact,
        depth: args.depth,
    };
    let starts =
        args.games.as_ref().map_or(Ok(Starts::Random), |path| read_games([path]).map(Starts::Games))?;
    let labels = if args.outcomes {
        Labels::Outcomes
    } else {
        Labels::Searches(Arc::new(Evaluator::load(args.eval, args.weights.as_deref())?))
    };
    let job = Job { plan, starts, labels, shard: args.shard };
    let mut writer = Writer::open(&args.out, &job.options())?;
    if writer.is_adopted() {
        let path = args.out.display();
        output::message(format_args!("{path} notes no options of its job; taken to be the same as now"));
    }
    let mut report = Report::new(writer.records(), args.positions);
    job.run(&mut writer, args.positions, args.threads.into(), &mut |records| report.update(records))?;
    let rate = report.rate(writer.records());
    drop(report);
    output::print(&format!("{} records in {}, {rate:.0} per second\n", writer.records(), args.out.display()))
}

/// The progress bar on a terminal, a line in the log twice a minute elsewhere.
struct Report {
    progress: Progress,
    start: Instant,
    first: u64,
    last_line: Instant,
    wanted: u64,
}

impl Report {
    fn new(first: u64, wanted: u64) -> Self {
        let progress = Progress::new(wanted, first);
        Self { progress, start: Instant::now(), first, last_line: Instant::now(), wanted }
    }

    fn rate(&self, records: u64) -> f64 {
        (records - self.first) as f64 / self.start.elapsed().as_secs_f64().max(1e-3)
    }

    fn update(&mut self, records: u64) {
        self.progress.set(records);
        if !self.progress.is_shown() && self.last_line.elapsed() > Duration::from_secs(30) {
            self.last_line = Instant::now();
            log::info!("{records} of {} records, {:.0} per second", self.wanted, self.rate(records));
        }
    }
}
