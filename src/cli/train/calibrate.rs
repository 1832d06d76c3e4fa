//! `emilia train calibrate`: how scores and results go together, measured and fitted.

use std::collections::HashSet;
use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::samples;

use crate::board::{Board, Square};
use crate::cli::games::{noted_games, read_games};
use crate::cli::output;
use crate::cli::search_args::EvalArgs;
use crate::engine::Options as EngineOptions;
use crate::engine::chances::{Evidence, MODEL, Model};
use crate::search::Search;
use crate::training::chances::margins::{Margins, pairs};
use crate::training::chances::samples::Sample;
use crate::training::chances::{Reliability, fit, play, samples_of, to_source};
use crate::training::labels::selfplay::replay;
use crate::training::labels::wthor;
use crate::util::rng::Rng;

/// Arguments of `emilia train calibrate`.
#[derive(clap::Args)]
#[command(after_help = "\
With --games, the engine plays on from positions of the games and prints
samples: scores of searches and how the game ended (game, empties, depth,
selectivity, score, result). Without it, the command fits the chances to win to
such samples, and prints the constants and how reliable the fit is in games that
it has not seen.

Examples:
  emilia train calibrate --games 4000 -j 2 WTH_20*.wtb >samples.txt
  emilia train calibrate --games 100000 --solved -j 2 WTH_*.wtb >solved.txt
  emilia train calibrate samples.txt
  emilia train calibrate --games 2000 --skip 1000000 WTH_20*.wtb >fresh.txt
  emilia train calibrate samples.txt --against fresh.txt
  emilia train calibrate --in-use fresh.txt")]
pub struct Args {
    /// Samples, or with --games games in any notation; `-` is stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,
    /// Play N games.
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Skip N games: others give other samples.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Judge by the samples in this file, of other games [default: each half of the games judges a fit to the other].
    #[arg(long, value_name = "FILE", conflicts_with_all = ["games", "in_use"])]
    against: Option<OsString>,
    /// Fit nothing: judge the constants in use by the samples.
    #[arg(long, conflicts_with = "games")]
    in_use: bool,
    /// Instead of playing on, take positions whose theoretical scores the WTHOR files know.
    #[arg(long, requires = "games")]
    solved: bool,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games played side by side.
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
    let starts: Box<dyn Iterator<Item = Start> + Send> = match args.solved {
        true => Box::new(solved(args, count)?),
        false => Box::new(drawn(args, count)?),
    };
    let samples = |search: &mut Search, Start { game, board, result }| match result {
        Some(result) => samples_of(search, board, game, result),
        None => play(search, board, game, args.seed),
    };
    samples::take(starts, count, (args.jobs, &args.eval), samples)
}

/// A position to take samples of.
struct Start {
    game: u64,
    board: Board,
    /// What comes of it, if that need not be played.
    result: Option<i32>,
}

/// Positions of games.
fn drawn(args: &Args, count: u64) -> Result<impl Iterator<Item = Start> + Send> {
    let games = read_games(&noted_games(&args.files))?;
    let (numbers, seed) = (args.skip..args.skip.saturating_add(count), args.seed);
    let starts = numbers.filter_map(move |game| {
        let board = start(&games, game, seed)?;
        Some(Start { game, board, result: None })
    });
    Ok(each_once(starts))
}

/// Positions with known results, in an order that depends on the seed.
fn solved(args: &Args, count: u64) -> Result<impl Iterator<Item = Start> + Send> {
    let mut records = Vec::new();
    for file in &args.files {
        records.extend(wthor::read(file.as_ref(), Err)?);
    }
    Rng::new(args.seed).shuffle(&mut records);
    let starts = (0..).zip(records).map(|(game, record)| Start {
        game,
        board: record.board,
        result: Some(record.score.round_discs()),
    });
    let open = each_once(starts.filter(|start| start.board.moves() != 0));
    Ok(open.skip(args.skip as usize).take(count as usize))
}

/// Each position once: games share openings, and what comes of one position is one result.
fn each_once(starts: impl Iterator<Item = Start> + Send) -> impl Iterator<Item = Start> + Send {
    let mut seen = HashSet::new();
    starts.filter(move |start| seen.insert(start.board.canonical().0))
}

/// A position with 12 to 56 empties of the game that this number gives; `None` if the game has none.
fn start(games: &[Box<[Square]>], number: u64, seed: u64) -> Option<Board> {
    let mut rng = Rng::new(Rng::new(number).next() ^ Rng::new(seed).next());
    let game = &games[rng.below(games.len() as u32) as usize];
    let board = replay(game, 12 + rng.below(45))?;
    [board, board.pass()].into_iter().find(|board| board.moves() != 0)
}

/// A model to print, how many samples it is fitted to, and samples, each with the number of the model it judges.
struct Trial {
    model: Model,
    fitted: usize,
    judges: Vec<Model>,
    judged: Vec<(usize, Sample)>,
}

impl Trial {
    fn new(args: &Args) -> Result<Self> {
        let fit = |samples: &[Sample]| fit(samples).context("too few samples for a fit");
        let samples: Vec<Sample> = samples::read(&args.files)?;
        let first = |samples: Vec<Sample>| samples.into_iter().map(|sample| (0, sample)).collect();
        if args.in_use {
            return Ok(Self { model: MODEL, fitted: 0, judges: vec![MODEL], judged: first(samples) });
        }
        let (model, fitted) = (fit(&samples)?, samples.len());
        match &args.against {
            Some(file) => {
                let judged = first(samples::read(std::slice::from_ref(file))?);
                Ok(Self { model, fitted, judges: vec![model], judged })
            }
            None => {
                let (odd, even): (Vec<Sample>, Vec<Sample>) =
                    samples.into_iter().partition(|sample| sample.game % 2 == 1);
                let judges = vec![fit(&even)?, fit(&odd)?];
                let judged = [(0, odd), (1, even)].into_iter();
                let judged =
                    judged.flat_map(|(judge, part)| part.into_iter().map(move |sample| (judge, sample)));
                Ok(Self { model, fitted, judges, judged: judged.collect() })
            }
        }
    }

    fn reliability(&self, takes: impl Fn(Evidence) -> bool) -> Option<Reliability> {
        let taken = self.judged.iter().filter(|(_, sample)| takes(sample.evidence));
        Reliability::of(taken.map(|(judge, sample)| (&self.judges[*judge], sample)))
    }
}

fn judge(args: &Args) -> Result<ExitCode> {
    let trial = Trial::new(args)?;
    let Trial { model, fitted, judged, .. } = &trial;
    let mut text = format!("{fitted} samples fitted, {} judge\n\n{}", judged.len(), to_source(model));
    let depths = [1, 4, 8, 12, 16].map(|depth| {
        let takes = |evidence: Evidence| evidence.depth == depth && !evidence.is_to_the_end();
        (format!("Depth {depth}"), trial.reliability(takes))
    });
    let ends = trial.reliability(Evidence::is_to_the_end);
    for (name, table) in depths.into_iter().chain([("To the end, selectively".to_owned(), ends)]) {
        if let Some(table) = table {
            text.push_str(&format!("\n{name}\n\n{table}"));
        }
    }
    let judges: Vec<Sample> = judged.iter().map(|(_, sample)| *sample).collect();
    let margins = Margins::of(model, &pairs(&judges));
    text.push_str(&format!("\nWithin the margin for a certainty, percent\n\n{margins}"));
    output::print(&text)
}
