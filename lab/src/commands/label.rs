//! `emilia-lab label`: labeled positions for training.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::slice;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};

use super::input::{SearchesArgs, number, read_games};
use crate::cli::Progress;
use crate::cli::files::ForceArgs;
use crate::cli::output;
use crate::cli::search_args::parse_range;
use crate::training::labels::records::Writer;
use crate::training::labels::selfplay::{Job, Plan};
use crate::util::Shard;
use crate::util::append_file::AppendFile;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  Four million solved positions with 6 to 12 empties, from games:
    emilia-lab label --input games.txt --empties 6-12 --positions 4000000 \\
      -o late.rec
  Middle game, labeled by a six-ply search, from random openings:
    emilia-lab label --empties 20-50 --depth 6 -o middle.rec
  Two machines make different positions; cat joins the files:
    emilia-lab label --empties 20-50 --shard 1/2 -o first.rec
    emilia-lab label --empties 20-50 --shard 2/2 -o second.rec

The file grows in blocks of 256 lines of play, up to one block more for each of
--jobs. It records the options: --resume continues it with the same options
only, also to a larger --positions.")]
pub struct Args {
    /// Write to this file: the labeled positions, as they come.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Continue a killed run; keep the positions in the output file.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    force: ForceArgs,
    /// Number of positions; the file holds at least as many.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: u64,
    /// Read games or positions of these files; start from them instead of random openings (`-` is stdin).
    #[arg(long, value_name = "FILE")]
    input: Option<OsString>,
    /// Numbers of empties of the positions.
    #[arg(long, value_name = "LO-HI", default_value = "6-50", value_parser = parse_range)]
    empties: (u32, u32),
    /// Random moves before the first labeled position of a line of play.
    #[arg(long, value_name = "LO-HI", default_value = "0-5", value_parser = parse_range)]
    random_moves: (u32, u32),
    /// Without --input: random moves from the usual start.
    #[arg(long, value_name = "LO-HI", default_value = "8-40", value_parser = parse_range, conflicts_with = "input")]
    prefix: (u32, u32),
    /// Positions labeled in one line of play.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=60))]
    plies: u32,
    /// Share of random moves within a line of play.
    #[arg(long, value_name = "SHARE", default_value_t = 0.3, value_parser = number(0.0..=1.0))]
    explore: f64,
    /// Solve from N empties on.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=30))]
    solve_from: u32,
    /// Search depth in plies; a label is the mean of searches of N and N-1 plies.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=30))]
    depth: u8,
    /// Take part I of N; the parts share no position.
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    #[command(flatten)]
    searches: SearchesArgs,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let plan = Plan {
        seed: args.searches.seed,
        empties: args.empties.0..=args.empties.1,
        random_moves: args.random_moves.0..=args.random_moves.1,
        prefix: args.prefix.0..=args.prefix.1,
        plies: args.plies,
        explore: args.explore,
        exact_empties: args.solve_from,
        depth: args.depth,
    };
    let starts = args
        .input
        .as_ref()
        .map(|file| read_games(slice::from_ref(file)))
        .transpose()?;
    let eval = &args.searches.eval;
    let evaluator = Arc::new(eval.evaluator()?);
    let job = Job {
        plan,
        starts,
        weights: eval.name(&evaluator)?,
        evaluator,
        shard: args.shard,
    };
    if !args.resume {
        let begun = AppendFile::open(&args.output, args.force.existing());
        drop(begun.with_context(|| format!("writing {}", args.output.display()))?);
    }
    let mut writer = Writer::open(&args.output, &job.options())?;
    let begin = Instant::now();
    let before = writer.records;
    let progress = Progress::new(args.positions, before);
    job.run(
        &mut writer,
        args.positions,
        args.searches.jobs,
        &mut |records| progress.advance(records),
    )?;
    drop(progress);
    writer.sync()?;
    let positions = writer.records;
    let rate = (positions - before) as f64 / begin.elapsed().as_secs_f64().max(1e-3);
    output::print(&format!(
        "{positions} positions in {}, {rate:.0} per second\n",
        args.output.display()
    ))
}
