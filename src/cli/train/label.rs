//! `emilia train label`: labelled positions for training.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use crate::cli::games::read_games;
use crate::cli::output;
use crate::cli::progress::Progress;
use crate::cli::search_args::{EvalArgs, parse_range};
use crate::engine::Options;
use crate::training::labels::records::Writer;
use crate::training::labels::selfplay::{Job, Labels, Plan, Starts};
use crate::util::shard::Shard;

/// Arguments of `emilia train label`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  Four million solved positions with 6 to 12 empties, from games:
    emilia train label --input games.txt --empties 6-12 --positions 4000000 \\
      -o late.rec
  Middle game, labelled by a six-ply search, from random openings:
    emilia train label --empties 20-50 --depth 6 -o middle.rec
  Two machines make different positions; cat joins the files:
    emilia train label --empties 20-50 --shard 1/2 -o first.rec
    emilia train label --empties 20-50 --shard 2/2 -o second.rec

With --resume the same command continues a file, also to a larger --positions.
The file records the options: with others it is not continued. It holds whole
blocks of 256 lines of play, so up to one block more for each of --jobs.")]
pub struct Args {
    /// Write the labelled positions to this file.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Continue the output file.
    #[arg(long)]
    resume: bool,
    /// Fewest positions for the file to hold.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: u64,
    /// Start from these games, in any notation (`-` is stdin), instead of random openings.
    #[arg(long, value_name = "FILE")]
    input: Option<OsString>,
    /// Empties of the positions to label.
    #[arg(long, value_name = "LO-HI", default_value = "6-50", value_parser = parse_range)]
    empties: (u32, u32),
    /// Random moves before the first labelled position of a line of play.
    #[arg(long, value_name = "LO-HI", default_value = "0-5", value_parser = parse_range)]
    random_moves: (u32, u32),
    /// Without --input: random moves from the usual start.
    #[arg(long, value_name = "LO-HI", default_value = "8-40", value_parser = parse_range, conflicts_with = "input")]
    prefix: (u32, u32),
    /// Positions labelled in one line of play.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=60))]
    plies: u32,
    /// Share of random moves within a line of play.
    #[arg(long, value_name = "SHARE", default_value_t = 0.3)]
    explore: f64,
    /// Solve from N empties on.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=30))]
    solve_from: u32,
    /// Before that, label by the mean of searches of N and N-1 plies.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=30))]
    depth: u8,
    /// Label the positions of the games with the games' results instead.
    #[arg(long, requires = "input")]
    outcomes: bool,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Make part I of N of the job; the parts share no position.
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    /// Lines of play side by side.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = Options::parse_threads)]
    jobs: usize,
    /// The evaluation of the searches.
    #[command(flatten)]
    eval: EvalArgs,
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
        exact_empties: args.solve_from,
        depth: args.depth,
    };
    let starts =
        args.input.as_ref().map_or(Ok(Starts::Random), |path| read_games([path]).map(Starts::Games))?;
    let labels =
        if args.outcomes { Labels::Outcomes } else { Labels::Searches(Arc::new(args.eval.evaluator()?)) };
    let job = Job { plan, starts, labels, shard: args.shard };
    let path = args.output.display();
    ensure!(args.resume || !args.output.exists(), "{path} exists: give --resume to continue it");
    let mut writer = Writer::open(&args.output, &job.options())?;
    let mut report = Report::new(writer.records(), args.positions);
    job.run(&mut writer, args.positions, args.jobs, &mut |records| report.update(records))?;
    let rate = report.rate(writer.records());
    drop(report);
    output::print(&format!("{} positions in {path}, {rate:.0} per second\n", writer.records()))
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
            log::info!("{records} of {} positions, {:.0} per second", self.wanted, self.rate(records));
        }
    }
}
