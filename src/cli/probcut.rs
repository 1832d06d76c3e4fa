//! `emilia probcut`: measures how well shallow searches foretell deep ones.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use super::output;
use super::progress::Progress;
use crate::board::Board;
use crate::eval::Evaluator;
use crate::notation::wthor::GameFile;
use crate::search::{Options, Search};
use crate::training::probcut::{Sample, Statistics};
use crate::util::rng::Rng;
use anyhow::{Context, Result};

/// Arguments of `emilia probcut`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  Refit after a change of the evaluation:
    emilia probcut --positions 1500 --depth 10 WTH_*.wtb > src/search/tree/probcut_table.rs")]
pub struct Args {
    /// WTHOR games that give the positions
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Positions to search
    #[arg(long, default_value_t = 1000)]
    positions: usize,
    /// Deepest search in plies
    #[arg(long, default_value_t = 10)]
    depth: u8,
    /// Solve positions with at most so many empties
    #[arg(long, default_value_t = 16)]
    solve: u32,
    /// Chooses the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Prints the fitted table as a source file.
pub fn run(args: &Args) -> Result<ExitCode> {
    let evaluator = Arc::new(Evaluator::default());
    let mut search = Search::new(&Options { threads: 1, hash_mib: 16 }, evaluator.clone());
    let boards = boards(args)?;
    let progress = Progress::new(boards.len() as u64, 0);
    let samples: Vec<Sample> = boards
        .into_iter()
        .inspect(|_| progress.advance(1))
        .map(|board| {
            let depth = args.depth.min(board.empty_count() as u8 - 1);
            Sample::take(&mut search, &evaluator, board, depth, args.solve)
        })
        .collect();
    drop(progress);
    let how = format!(
        "`emilia probcut --positions {} --depth {} --solve {} --seed {}` over WTHOR games.",
        args.positions, args.depth, args.solve, args.seed
    );
    let statistics = Statistics::of(&samples).context("too few positions for a fit")?;
    output::print(&statistics.to_source(&how))
}

/// Positions with 8 to 56 empties, each number of empties equally often.
fn boards(args: &Args) -> Result<Vec<Board>> {
    let mut rng = Rng::new(args.seed);
    let mut games = Vec::new();
    for path in &args.files {
        let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        games.extend(GameFile::parse(&bytes).with_context(|| format!("in {}", path.display()))?.games);
    }
    anyhow::ensure!(!games.is_empty(), "the files hold no games");
    let mut boards = Vec::new();
    for number in 0..args.positions * 4 {
        let empties = 8 + boards.len() as u32 % 49;
        let Ok(replay) = games[rng.below(games.len() as u32) as usize].replay() else { continue };
        let fits = |board: &Board| board.empty_count() == empties && board.moves() != 0;
        boards.extend(replay.game.positions().iter().map(|position| position.board).find(fits));
        if boards.len() == args.positions || number + 1 == args.positions * 4 {
            break;
        }
    }
    Ok(boards)
}
