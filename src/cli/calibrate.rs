//! `emilia calibrate`: how scores foretell results, measured and fitted.

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};

use anyhow::{Context, Result};

use super::games::read_games;
use super::input;
use super::output::{self, Output};
use super::progress::Progress;
use super::search_args::SearchArgs;
use crate::board::{Board, Square};
use crate::engine::chances::{Evidence, MODEL};
use crate::search::{Options, Search};
use crate::training::calibration::{Reliability, fit, play, to_source};
use crate::training::foretold::Sample;
use crate::training::margins::{Margins, pairs};
use crate::training::selfplay::replay;
use crate::util::rng::Rng;

/// Arguments of `emilia calibrate`.
#[derive(clap::Args)]
#[command(after_help = "\
With --take it plays on from positions of the games and prints what searches
said on the way and what came of it: game, empties, depth, selectivity, score,
result. Without, it fits the chances to win to such samples and prints the
constants and how reliable they are in games held out.

Examples:
  emilia calibrate --take 4000 -n 2 WTH_20*.wtb >samples.txt
  emilia calibrate samples.txt
  emilia calibrate samples.txt --against fresh.txt
  emilia calibrate --take 2000 --skip 1000000 WTH_20*.wtb >fresh.txt
  emilia calibrate --in-use fresh.txt")]
pub struct Args {
    /// Samples; with --take games in any notation. `-` is stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Play this many games.
    #[arg(long, value_name = "N")]
    take: Option<u64>,
    /// Number of the first game; the first of the files is 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Fit all samples, and judge by those in this file, which must be of other games; without, every other
    /// game is held out.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["take", "in_use"])]
    against: Option<String>,
    /// Fit nothing: judge the constants in use by all samples, which must be of other games than those fitted.
    #[arg(long, conflicts_with = "take")]
    in_use: bool,
    /// Chooses the positions.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    search: SearchArgs,
}

/// Takes samples, or fits them.
pub fn run(args: &Args) -> Result<ExitCode> {
    match args.take {
        Some(count) => take(args, count),
        None => judge(args),
    }
}

fn take(args: &Args, count: u64) -> Result<ExitCode> {
    let games = read_games(&args.files)?;
    let evaluator = Arc::new(args.search.eval.evaluator()?);
    let options = Options { threads: 1, ..args.search.options() };
    let next = AtomicU64::new(args.skip);
    let last = args.skip + count;
    let (sender, played) = mpsc::sync_channel(args.search.threads);
    std::thread::scope(|scope| {
        for sender in vec![sender; args.search.threads] {
            let (games, next, options, evaluator) = (&games, &next, &options, &evaluator);
            scope.spawn(move || {
                let mut search = Search::new(options, Arc::clone(evaluator));
                let numbers = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < last);
                while let Some(number) = numbers() {
                    let start = start(games, number, args.seed);
                    let samples = start.map(|board| play(&mut search, board, number, args.seed));
                    if sender.send(samples.unwrap_or_default()).is_err() {
                        return;
                    }
                }
            });
        }
        write_samples(played, count)
    })
}

/// Prints samples as they come. An error drops the channel, which ends the threads.
fn write_samples(played: Receiver<Vec<Sample>>, count: u64) -> Result<ExitCode> {
    let progress = Progress::new(count, 0);
    let mut out = Output::by_line();
    for samples in played {
        out.text(samples.iter().map(|sample| format!("{sample}\n")).collect::<String>())?;
        progress.advance(1);
    }
    Ok(ExitCode::SUCCESS)
}

/// A position with 12 to 56 empties of the game that this number gives; `None` if the game has none.
fn start(games: &[Box<[Square]>], number: u64, seed: u64) -> Option<Board> {
    let mut rng = Rng::new(Rng::new(number).next() ^ Rng::new(seed).next());
    let game = &games[rng.below(games.len() as u32) as usize];
    let board = replay(game, 12 + rng.below(45))?;
    [board, board.pass()].into_iter().find(|board| board.moves() != 0)
}

/// The samples of a file, each once.
fn read_samples(sources: &[String]) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for source in sources {
        for line in input::lines(source)? {
            let (number, line) = line?;
            samples.push(line.parse().with_context(|| format!("{source}, line {number}"))?);
        }
    }
    // Games share openings, and what comes of one position is one result: equal scores tell it.
    let mut seen = HashSet::new();
    samples.retain(|&Sample { evidence, score, .. }| {
        let Evidence { empties, depth, selectivity } = evidence;
        evidence.is_to_the_end() || seen.insert((empties, depth, selectivity, score.to_bits()))
    });
    Ok(samples)
}

fn judge(args: &Args) -> Result<ExitCode> {
    let samples = read_samples(&args.files)?;
    let (fitted, judges) = match &args.against {
        Some(file) => (samples, read_samples(std::slice::from_ref(file))?),
        None if args.in_use => (Vec::new(), samples),
        None => samples.into_iter().partition(|sample| !sample.is_held_out()),
    };
    let model = if args.in_use { MODEL } else { fit(&fitted).context("the samples are too few")? };
    let mut text =
        format!("{} samples fitted, {} judge\n\n{}", fitted.len(), judges.len(), to_source(&model));
    let table = |takes: &dyn Fn(Evidence) -> bool| {
        Reliability::of(&model, judges.iter().filter(|sample| takes(sample.evidence)))
    };
    let depths = [1, 4, 8, 12, 16].map(|depth| {
        let takes = move |evidence: Evidence| evidence.depth == depth && !evidence.is_to_the_end();
        (format!("Depth {depth}"), table(&takes))
    });
    let ends = table(&Evidence::is_to_the_end);
    for (name, table) in depths.into_iter().chain([("To the end, selectively".to_owned(), ends)]) {
        if let Some(table) = table {
            text.push_str(&format!("\n{name}\n\n{table}"));
        }
    }
    let margins = Margins::of(&model, &pairs(&judges));
    text.push_str(&format!("\nWithin the margin for a certainty, percent\n\n{margins}"));
    output::print(&text)
}
