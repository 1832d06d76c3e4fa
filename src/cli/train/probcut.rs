//! `emilia train probcut`: measures how well shallow searches predict deep ones.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use crate::board::Board;
use crate::cli::output::{self, Output};
use crate::cli::progress::Progress;
use crate::cli::search_args::{EvalArgs, parse_range, parse_selectivity};
use crate::engine::Options as EngineOptions;
use crate::notation::wthor::GameFile;
use crate::search::{Options, Search, Selectivity, side_by_side};
use crate::training::labels::dataset::is_held_out;
use crate::training::probcut::reliability::{Kind, ReliabilityTable};
use crate::training::probcut::{ENOUGH, Effort, FEWEST_SOLVED, Sample, Statistics};
use crate::util::input_file;
use crate::util::rng::Rng;
use anyhow::{Context, Result, ensure};

/// Arguments of `emilia train probcut`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  Refit after a change of the evaluation:
    emilia train probcut --positions 1470 --depth 22 --selectivity 95 \\
      --solve-from 30 WTH_20*.wtb >probcut_table.rs
  Count how often the levels of selectivity are right:
    emilia train probcut --check 12,18,24 --positions 500 WTH_*.wtb
  The same where games are solved, from 16 to 20 empties:
    emilia train probcut --check 4 --empties 16-20 --solve-from 20 WTH_*.wtb

A fit never uses the one position in 64 that --check looks at, and needs 20
positions or more of most numbers of empties. A level is right when the share
within it is its name: 73 % of the deep scores within the margin of 73 %. Mean,
deviation and the deviation in use are in discs.")]
pub struct Args {
    /// WTHOR files that give the positions.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Positions to search.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Deepest search.
    #[arg(long, value_name = "PLIES", default_value_t = 10, value_parser = clap::value_parser!(u8).range(6..=40))]
    depth: u8,
    /// Solve from N empties on.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=30))]
    solve_from: u32,
    /// Empties of the positions, each number equally often.
    #[arg(long, value_name = "LO-HI", default_value = "8-56", value_parser = parse_range)]
    empties: (u32, u32),
    /// Selectivity: 52, 73, 87, 95, 98, 99 or 100 (nothing left out).
    #[arg(long, value_name = "PERCENT", default_value = "100", value_parser = parse_selectivity)]
    selectivity: Selectivity,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Positions searched side by side.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = EngineOptions::parse_threads)]
    jobs: usize,
    /// Instead of a fit, count how often each level of selectivity is right at these depths.
    #[arg(long, value_name = "PLIES,…", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(2..=40))]
    check: Vec<u8>,
    /// Which evaluation.
    #[command(flatten)]
    eval: EvalArgs,
}

/// Prints the fitted table as a source file, or the counts of a check.
pub fn run(args: &Args) -> Result<ExitCode> {
    let boards = boards(args)?;
    if !args.check.is_empty() {
        return check(args, boards);
    }
    ensure!(
        Statistics::can_be_of(&boards, args.solve_from),
        "too few positions for a fit: two or more numbers of empties from {FEWEST_SOLVED} to {} (--solve-from) must have \
         {ENOUGH} of them (--positions {} over --empties {}-{})",
        args.solve_from,
        args.positions,
        args.empties.0,
        args.empties.1,
    );
    let samples = samples(args, args.depth, boards)?;
    let selectivity = match args.selectivity {
        Selectivity::Full => String::new(),
        level => format!(" --selectivity {}", level.percent()),
    };
    let how = format!(
        "`emilia train probcut --positions {} --depth {} --solve-from {}{selectivity} --seed {}` over WTHOR games.",
        args.positions, args.depth, args.solve_from, args.seed
    );
    let statistics =
        Statistics::of(&samples).context("no law fits the deviations; more positions may help")?;
    output::print(&statistics.to_source(&how))
}

/// Prints how often the levels were right.
fn check(args: &Args, boards: Vec<Board>) -> Result<ExitCode> {
    let midgame = args.check.iter().map(|&depth| Kind::Midgame(depth));
    let solving =
        (args.empties.0..=args.empties.1.min(args.solve_from)).map(|empties| Kind::Solving(empties as u8));
    let kinds: Vec<Kind> = midgame.chain(solving).collect();
    let deepest = kinds.iter().map(|kind| kind.depth()).max().expect("a check has depths");
    let samples = samples(args, deepest, boards)?;
    let mut out = Output::by_line();
    out.line(ReliabilityTable::of(&samples, &kinds))?;
    Ok(ExitCode::SUCCESS)
}

/// Searches all positions, some at a time. The samples do not depend on how many.
fn samples(args: &Args, depth: u8, boards: Vec<Board>) -> Result<Vec<Sample>> {
    let evaluator = Arc::new(args.eval.evaluator()?);
    let effort = Effort { depth, selectivity: args.selectivity, solve: args.solve_from };
    let progress = Progress::new(boards.len() as u64, 0);
    let options = Options { threads: 1, hash_mib: 64 };
    let searches = (0..args.jobs).map(|_| Search::new(&options, Arc::clone(&evaluator)));
    let take = |search: &mut Search, (index, board)| (index, Sample::take(search, &evaluator, board, effort));
    let mut samples = Vec::new();
    side_by_side(searches, boards.into_iter().enumerate(), take, |sample| {
        samples.push(sample);
        progress.advance(1);
        anyhow::Ok(())
    })?;
    samples.sort_unstable_by_key(|&(index, _)| index);
    Ok(samples.into_iter().map(|(_, sample)| sample).collect())
}

/// Positions of the games with the numbers of empties asked for, each of them equally often: for a check
/// those that no evaluation and no fit has learned from, for a fit the others.
fn boards(args: &Args) -> Result<Vec<Board>> {
    let mut games = Vec::new();
    for path in &args.files {
        let read = input_file::read(path, GameFile::MAX_BYTES);
        let bytes = read.with_context(|| format!("reading {}", path.display()))?;
        games.extend(GameFile::parse(&bytes).with_context(|| format!("in {}", path.display()))?.games);
    }
    ensure!(!games.is_empty(), "the files hold no games");
    let (low, high) = args.empties;
    let mut by_empties: Vec<Vec<Board>> = vec![Vec::new(); 61];
    for game in games.iter().filter_map(|game| game.replay().ok()) {
        for board in game.game.positions().iter().map(|position| position.board) {
            if board.moves() != 0 && is_held_out(board) != args.check.is_empty() {
                by_empties[board.empty_count() as usize].push(board);
            }
        }
    }
    let mut rng = Rng::new(args.seed);
    let mut boards = Vec::new();
    let mut known: Vec<&mut Vec<Board>> = by_empties[low as usize..=high as usize].iter_mut().collect();
    while boards.len() < args.positions as usize {
        let before = boards.len();
        for positions in &mut known {
            if !positions.is_empty() && boards.len() < args.positions as usize {
                boards.push(positions.swap_remove(rng.below(positions.len() as u32) as usize));
            }
        }
        if boards.len() == before {
            break;
        }
    }
    ensure!(!boards.is_empty(), "the games have no position with {low} to {high} empties that can be used");
    Ok(boards)
}
