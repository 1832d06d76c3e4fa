//! `emilia train label`: labelled positions for training.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::analysis::Totals;
use crate::cli::files::ForceArgs;
use crate::cli::games::{noted_games, read_games};
use crate::cli::output;
use crate::cli::progress::Progress;
use crate::cli::results::{Source, beside, summarise};
use crate::cli::search_args::{EvalArgs, parse_range};
use crate::engine::Options;
use crate::training::labels::records::Writer;
use crate::training::labels::selfplay::{Job, Labels, Plan, Starts};
use crate::util::append_file::AppendFile;
use crate::util::shard::Shard;
use crate::util::target::{Existing, Target};

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
    /// Write the labelled positions to FILE: FILE.part until it is complete. FILE.summary.json tells what was done.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Continue the output file.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    force: ForceArgs,
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
    let started = Instant::now();
    let games = noted_games(&args.input);
    let starts = match &args.input {
        Some(_) => Starts::Games(read_games(&games)?),
        None => Starts::Random,
    };
    let evaluator = args.eval.evaluator()?;
    let weights = args.eval.name(&evaluator)?;
    let labels = if args.outcomes { Labels::Outcomes } else { Labels::Searches(Arc::new(evaluator)) };
    let job = Job { plan, starts, labels, shard: args.shard };
    let path = args.output.display();
    let target = Target::of(&args.output).with_context(|| format!("writing {path}"))?;
    let output = target.path();
    let part = beside(output, ".part");
    let mut writer = begin(args, output, &part, &job)?;
    let before = writer.records();
    let mut report = Report::new(before, args.positions);
    let nodes = job.run(&mut writer, args.positions, args.jobs, &mut |records| report.update(records))?;
    let (positions, rate) = (writer.records(), report.rate(writer.records()));
    drop(report);
    let checksum = writer.finish().and_then(|sum| fs::rename(&part, output).map(|()| sum));
    let checksum = checksum.with_context(|| format!("writing {path}"))?;
    let totals = Totals { requests: positions, positions, resumed: before, nodes, ..Totals::default() };
    let source =
        Source { input: games.names(), input_crc32: games.checksum.to_string(), shard: args.shard, weights };
    summarise(output, &checksum, source, totals, started.elapsed())?;
    output::print(&format!("{positions} positions in {path}, {rate:.0} per second\n"))
}

/// The file that grows: a new one, one that was broken off, or a whole one that shall have more.
fn begin(args: &Args, whole: &Path, part: &Path, job: &Job) -> Result<Writer> {
    let replaces = args.force.existing() == Existing::Replace && !args.resume;
    for path in [whole, part, &beside(whole, ".summary.json")] {
        ensure!(
            args.resume || replaces || !path.exists(),
            "{} exists: give --resume to continue it, or --force to replace it",
            path.display()
        );
    }
    if replaces {
        let opened = AppendFile::begin(part, Existing::Replace);
        opened.with_context(|| format!("opening {}", part.display()))?.take_rights(whole);
    }
    if whole.exists() && !replaces {
        ensure!(!part.exists(), "{} and {} exist: remove one of them", whole.display(), part.display());
        // One of another job stays where it is.
        drop(Writer::open(whole, &job.options())?);
        fs::rename(whole, part).with_context(|| format!("continuing {}", whole.display()))?;
    }
    let writer = Writer::open(part, &job.options())?;
    if whole.exists() && !replaces {
        // Another run completed it since it was looked for.
        fs::remove_file(part).with_context(|| format!("removing {}", part.display()))?;
        bail!("another process has just completed {}: run the command again", whole.display());
    }
    Ok(writer)
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
