//! `emilia train cost`: what solves take, measured and fitted.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;

use super::samples;

use crate::board::Board;
use crate::cli::games::{noted_games, read_games};
use crate::cli::output;
use crate::cli::search_args::{EvalArgs, parse_range};
use crate::engine::Options as EngineOptions;
use crate::search::Search;
use crate::training::cost::{STAGES, Sample, errors, fit};
use crate::training::labels::selfplay::replay;

/// Arguments of `emilia train cost`.
#[derive(clap::Args)]
#[command(after_help = "\
With --games, positions of games are solved, and it is printed what that took
(game, empties, moves, and the nodes until the end of the midgame iterations and
of each pass). Without it, the command fits the estimate of `emilia solve` to
such samples, and prints the constants and how far they are from games that they
were not fitted to.

Examples:
  emilia train cost --games 400 --empties 18-26 WTH_20*.wtb >costs.txt
  emilia train cost costs.txt
  emilia train cost --in-use costs.txt")]
pub struct Args {
    /// Samples, or with --games games in any notation; `-` is stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,
    /// Solve a position of each of N games.
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Skip N games: others give other samples.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Empties of the positions to solve, one number after the other.
    #[arg(long, value_name = "LO-HI", default_value = "18-24", value_parser = parse_range)]
    empties: (u32, u32),
    /// Fit nothing: judge the constants in use by the samples.
    #[arg(long, conflicts_with = "games")]
    in_use: bool,
    /// Positions solved side by side.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = EngineOptions::parse_threads)]
    jobs: usize,
    /// The evaluation of the searches.
    #[command(flatten)]
    eval: EvalArgs,
}

/// Takes samples, or fits them.
pub fn run(args: &Args) -> Result<ExitCode> {
    match args.games {
        Some(count) => take(args, count),
        None => judge(args),
    }
}

fn take(args: &Args, count: u64) -> Result<ExitCode> {
    let games = read_games(&noted_games(&args.files))?;
    let (low, high) = args.empties;
    let starts = (args.skip..args.skip.saturating_add(count)).filter_map(|number| {
        let game = games.get(usize::try_from(number).ok()?)?;
        let empties = low + (number % u64::from(high - low + 1)) as u32;
        let board: Board = replay(game, empties)?;
        Some((number, [board, board.pass()].into_iter().find(|board| board.moves() != 0)?))
    });
    let solve = |search: &mut Search, (game, board)| vec![Sample::of(search, game, board)];
    samples::take(starts, count, (args.jobs, &args.eval), solve)
}

fn judge(args: &Args) -> Result<ExitCode> {
    let samples: Vec<Sample> = samples::read(&args.files)?;
    let mut text = format!("{} samples\n\n", samples.len());
    if !args.in_use {
        for row in fit(&samples.iter().collect::<Vec<_>>()) {
            let _ = writeln!(text, "{row:.3?},");
        }
        text.push('\n');
    }
    text.push_str("empties  solves  Mnodes (median)  estimate / truth within a factor, half and 80 % of them, at each stage\n");
    let numbers = samples.iter().map(|sample| sample.empties);
    let (low, high) = (numbers.clone().min().unwrap_or(0), numbers.max().unwrap_or(0));
    let ranges = (low..=high).map(|empties| (empties.to_string(), empties..=empties));
    for (name, range) in ranges.chain([("all".to_owned(), low..=high)]) {
        let mut nodes: Vec<u64> =
            samples.iter().filter(|sample| range.contains(&sample.empties)).map(Sample::whole).collect();
        nodes.sort_unstable();
        let Some(median) = nodes.get(nodes.len() / 2) else { continue };
        let _ = write!(text, "{name:>7}{:>8}{:>17.2}  ", nodes.len(), *median as f64 / 1e6);
        for stage in STAGES {
            let mut errors = errors(&samples, stage, range.clone(), args.in_use);
            if errors.len() > 0 {
                let _ = write!(text, "  {stage:?} {:.2} {:.2}", errors.within(50), errors.within(80));
            }
        }
        text.push('\n');
    }
    output::print(&text)
}
