//! `emilia-lab sample`: scores of searches with the results that came, a line each.

use std::collections::HashSet;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;

use super::input::{SearchesArgs, read_games};
use crate::board::{Board, Square};
use crate::cli::Progress;
use crate::cli::output::Output;
use crate::search::{Search, side_by_side};
use crate::training::chances::play;
use crate::training::chances::samples::Sample;
use crate::training::labels::selfplay::replay;
use crate::util::rng::Rng;

#[derive(clap::Args)]
#[command(after_help = "\
The engine plays on from positions of the games and prints samples: scores of
searches and how the game ended (game, empties, depth, selectivity, score,
result).

Examples:
  emilia-lab sample --games 4000 -j 2 WTH_20*.wtb >samples.txt
  emilia-lab sample --games 2000 --skip 1000000 WTH_20*.wtb >fresh.txt")]
pub struct Args {
    /// Games in any notation; `-` is stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,
    /// Number of games.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// Skip the first N entries.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    #[command(flatten)]
    searches: SearchesArgs,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let games = read_games(&args.files)?;
    let seed = args.searches.seed;
    let numbers = args.skip..args.skip.saturating_add(args.games);
    let starts = numbers.filter_map(|number| Some((number, start(&games, number, seed)?)));
    // Games share openings, and the results of one position count once.
    let mut seen = HashSet::new();
    let starts = starts.filter(|(_, board)| seen.insert(board.canonical().0));
    let evaluator = Arc::new(args.searches.eval.evaluator()?);
    let searches = args.searches.searches(&evaluator);
    let progress = Progress::new(args.games, 0);
    let mut out = Output::by_line();
    let take = |search: &mut Search, (number, board)| play(search, board, number, seed);
    side_by_side(searches, starts, take, |samples: Vec<Sample>| {
        out.text(
            samples
                .iter()
                .map(|sample| format!("{sample}\n"))
                .collect::<String>(),
        )?;
        progress.advance(1);
        anyhow::Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A position with 12 to 56 empties of the game that this number chooses; `None` if the game is too short.
fn start(games: &[Box<[Square]>], number: u64, seed: u64) -> Option<Board> {
    let mut rng = Rng::new(Rng::new(number).next() ^ Rng::new(seed).next());
    let game = &games[rng.below(games.len() as u32) as usize];
    let board = replay(game, 12 + rng.below(45))?;
    [board, board.pass()]
        .into_iter()
        .find(|board| !board.moves().is_empty())
}
