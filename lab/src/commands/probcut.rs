//! `emilia-lab probcut` and `emilia-lab reliability`: how well shallow searches predict deep ones.

use std::ffi::OsString;
use std::ops::ControlFlow::Continue;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};

use super::input::SearchesArgs;
use crate::board::Board;
use crate::cli::Progress;
use crate::cli::input::InputArgs;
use crate::cli::output;
use crate::cli::search_args::{parse_range, parse_selectivity};
use crate::search::{Search, Selectivity, side_by_side};
use crate::training::labels::dataset::is_held_out;
use crate::training::probcut::reliability::{Kind, ReliabilityTable};
use crate::training::probcut::{ENOUGH, Effort, FEWEST_SOLVED, Sample, Statistics};
use crate::util::rng::Rng;

#[derive(clap::Args)]
struct SampleArgs {
    /// Files of games, WTHOR files say, that give the positions.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,
    /// Number of positions.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Solve from N empties on.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=30))]
    solve_from: u32,
    /// Numbers of empties of the positions; each number comes equally often.
    #[arg(long, value_name = "LO-HI", default_value = "8-56", value_parser = parse_range)]
    empties: (u32, u32),
    /// Selectivity of the searches in percent: 52, 73, 87, 95, 98, 99 or 100 (nothing left out).
    #[arg(long, value_name = "PERCENT", default_value = "100", value_parser = parse_selectivity)]
    selectivity: Selectivity,
    #[command(flatten)]
    searches: SearchesArgs,
}

#[derive(clap::Args)]
#[command(after_help = "\
Prints engine/src/search/tree/probcut_table.rs. A fit needs 20 positions or more of
most numbers of empties.

Example:
  emilia-lab probcut --positions 1470 --depth 22 --selectivity 95 \\
    --solve-from 30 WTH_20*.wtb >probcut_table.rs")]
pub struct Args {
    #[command(flatten)]
    sample: SampleArgs,
    /// Search depth in plies; the greatest.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(6..=40))]
    depth: u8,
}

#[derive(clap::Args)]
#[command(after_help = "\
A selectivity is right when the share within its margin is its name: 73 % of the
deep scores within the margin of 73 %. Mean, deviation and the deviation in use
are in discs. The positions are the one in 64 that fits never use.

Examples:
  emilia-lab reliability --depths 12,18,24 --positions 500 WTH_*.wtb
  Where games are solved, from 16 to 20 empties:
    emilia-lab reliability --depths 4 --empties 16-20 --solve-from 20 \\
      WTH_*.wtb")]
pub struct CheckArgs {
    #[command(flatten)]
    sample: SampleArgs,
    /// Depths of the deep searches.
    #[arg(long, value_name = "PLIES,…", default_value = "8,12", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(2..=40))]
    depths: Vec<u8>,
}

/// Prints the fitted table as a source file.
pub fn run(
    Args {
        sample: args,
        depth,
    }: &Args,
) -> Result<ExitCode> {
    let boards = args.boards(false)?;
    let SampleArgs {
        positions,
        solve_from,
        empties: (low, high),
        searches,
        ..
    } = args;
    ensure!(
        Statistics::can_be_of(&boards, *solve_from),
        "too few positions for a fit: two or more numbers of empties from {FEWEST_SOLVED} to {solve_from} (--solve-from) \
         must have {ENOUGH} of them (--positions {positions} over --empties {low}-{high})"
    );
    let samples = args.samples(*depth, boards)?;
    let selectivity = match args.selectivity {
        Selectivity::Full => String::new(),
        level => format!(" --selectivity {}", level.percent()),
    };
    let how = format!(
        "`emilia-lab probcut --positions {positions} --depth {depth} --solve-from {solve_from}{selectivity} \
         --seed {}` over WTHOR games.",
        searches.seed
    );
    let statistics =
        Statistics::of(&samples).context("no law fits the deviations; more positions may help")?;
    output::print(&statistics.to_source(&how))
}

/// Prints how often the cuts of each selectivity are right.
pub fn check(
    CheckArgs {
        sample: args,
        depths,
    }: &CheckArgs,
) -> Result<ExitCode> {
    let midgame = depths.iter().map(|&depth| Kind::Midgame(depth));
    let solving = (args.empties.0..=args.empties.1.min(args.solve_from))
        .map(|empties| Kind::Solving(empties as u8));
    let kinds: Vec<Kind> = midgame.chain(solving).collect();
    let deepest = kinds
        .iter()
        .map(|kind| kind.depth())
        .max()
        .expect("there are depths");
    let samples = args.samples(deepest, args.boards(true)?)?;
    output::print(&format!("{}\n", ReliabilityTable::of(&samples, &kinds)))
}

impl SampleArgs {
    /// Searches all positions, some at a time. The samples do not depend on how many.
    fn samples(&self, depth: u8, boards: Vec<Board>) -> Result<Vec<Sample>> {
        let evaluator = Arc::new(self.searches.eval.evaluator()?);
        let effort = Effort {
            depth,
            selectivity: self.selectivity,
            solve: self.solve_from,
        };
        let progress = Progress::new(boards.len() as u64, 0);
        let searches = self.searches.searches(&evaluator);
        let take = |search: &mut Search, (index, board)| {
            (index, Sample::take(search, &evaluator, board, effort))
        };
        let mut samples = Vec::new();
        side_by_side(searches, boards.into_iter().enumerate(), take, |sample| {
            samples.push(sample);
            progress.advance(1);
            anyhow::Ok(())
        })?;
        samples.sort_unstable_by_key(|&(index, _)| index);
        Ok(samples.into_iter().map(|(_, sample)| sample).collect())
    }

    /// Positions of the games, each number of empties equally often: those that no fit learns from, or the others.
    fn boards(&self, held_out: bool) -> Result<Vec<Board>> {
        let (low, high) = self.empties;
        let mut by_empties = vec![Vec::new(); 65];
        InputArgs {
            inputs: self.files.clone(),
            ..InputArgs::of("")
        }
        .for_each(|entry| {
            for board in entry
                .record()
                .game
                .positions()
                .iter()
                .map(|position| position.board)
            {
                if !board.moves().is_empty() && is_held_out(board) == held_out {
                    by_empties[board.empty_count() as usize].push(board);
                }
            }
            Ok(Continue(()))
        })?;
        let mut rng = Rng::new(self.searches.seed);
        let mut boards = Vec::new();
        let mut known: Vec<&mut Vec<Board>> = by_empties[low as usize..=high as usize]
            .iter_mut()
            .collect();
        while boards.len() < self.positions as usize {
            known.retain(|positions| !positions.is_empty());
            if known.is_empty() {
                break;
            }
            for positions in &mut known {
                if boards.len() < self.positions as usize {
                    boards.push(positions.swap_remove(rng.below(positions.len() as u32) as usize));
                }
            }
        }
        ensure!(
            !boards.is_empty(),
            "the games have no position with {low} to {high} empties that can be used"
        );
        Ok(boards)
    }
}
