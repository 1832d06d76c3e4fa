//! `emilia-lab tune`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow};

use super::input::number;
use crate::board::Game;
use crate::cli::Progress;
use crate::cli::files::ForceArgs;
use crate::cli::input::read_openings;
use crate::cli::{output, signals};
use crate::search::Options;
use crate::search::{TUNABLES, Tunable, Tuning};
use crate::tournament::Openings;
use crate::tuning::{Games, Job, Tuner};
use crate::util::program;
use crate::util::rng::Rng;
use crate::util::target::Existing;

const EXAMPLES: &str = "\
Each iteration moves every number up or down at random, by a step or two. The
values of one direction play pairs of games against those of the other, and all
numbers follow the winner a little (SPSA). Values a few Elo apart need thousands
of games. A number with little effect wanders by about a step. The output is
lines for engine/src/search/params.rs. The same options give the same values, after any
interruption and for any --jobs.

Games count nodes, not time. They cannot tune numbers that trade nodes for time,
such as the least depth that uses the table.

Examples:
  cargo build --release -p emilia-lab --features tune
      Only this build can tune: in others the numbers are constants.
  emilia-lab tune --list
      The numbers: value, range, step.
  emilia-lab tune ORDER_EVAL ORDER_POTENTIAL --openings xot.txt \\
      --games 20000 --jobs 2 --output order.json
      Ctrl-C prints the values so far; the same command with --resume continues.
  emilia match emilia:ORDER_EVAL=51,ORDER_POTENTIAL=40 emilia --nodes 20000 \\
               --openings xot.txt --sprt 0,3
      Checks the new values before they become the constants.";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Numbers to tune [default: all].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Print the numbers: name, value, range, step and meaning.
    #[arg(long, exclusive = true)]
    list: bool,
    /// File of openings or games in any notation; `-` is stdin.
    #[arg(long, value_name = "FILE", required_unless_present = "list")]
    openings: Option<OsString>,
    /// Number of games; rounded up to whole iterations.
    #[arg(short, long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Pairs of games in an iteration: at least half as many as jobs.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pairs: u64,
    /// Nodes to search at most; per move.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Size of the last changes, in steps; the first are up to three times as large.
    #[arg(long, value_name = "STEPS", default_value_t = 1.0, value_parser = number(0.01..=100.0))]
    spread: f64,
    /// Speed at which numbers follow the winner. With 1, luck moves them by about a step in all.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = number(0.01..=100.0))]
    rate: f64,
    /// Random seed: the same seed makes the same choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of searches or games side by side; each has one thread.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Write to this file: the run, after every iteration.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Continue a killed run; it is in the output file.
    #[arg(long, requires = "output")]
    resume: bool,
    #[command(flatten)]
    force: ForceArgs,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if args.list {
        return output::print(&list());
    }
    let numbers = numbers(&args.names)?;
    Tuning::is_possible()?;
    let tables = 2 * Games::HASH_MIB * usize::from(args.jobs);
    Options::check_memory(tables).with_context(|| format!("with {} games at once", args.jobs))?;
    // Each seed meets other openings first.
    let mut openings = read_openings(args.openings.as_deref().unwrap_or("-".as_ref()), None)?;
    Rng::new(args.seed).shuffle(&mut openings);
    let job = Job {
        program: program::identity().context("reading the program")?,
        ..job(args, &numbers, &openings)
    };
    let existing = if args.resume {
        Existing::Continue
    } else {
        args.force.existing()
    };
    let mut tuner = Tuner::open(job, args.output.as_deref(), existing)?;
    let stop = Arc::new(AtomicBool::new(false));
    let requested = stop.clone();
    let interrupt = signals::catch(move || requested.store(true, Ordering::Relaxed));
    let played = play(args, &mut tuner, Openings::given(openings), &stop);
    // The games played count, also after an error.
    output::print(&tuner.to_source())?;
    played?;
    if interrupt.came() && !tuner.is_over() {
        let how = if args.output.is_some() {
            "; --resume continues it"
        } else {
            ""
        };
        output::message(format_args!("interrupted{how}"));
        return Ok(signals::exit_code());
    }
    Ok(ExitCode::SUCCESS)
}

/// Plays the rest of the run.
fn play(args: &Args, tuner: &mut Tuner, openings: Openings, stop: &Arc<AtomicBool>) -> Result<()> {
    let games = Games {
        numbers: tuner.spsa.numbers.clone(),
        openings,
        pairs: args.pairs as usize,
        nodes: args.nodes,
        jobs: args.jobs.into(),
    };
    let progress = Progress::new(tuner.job.games, tuner.games());
    progress.message(&tuner.to_line());
    tuner.run(
        |trial| games.play(trial, stop),
        |tuner| {
            log::info!("{} games: {}", tuner.games(), tuner.to_line());
            progress.advance(tuner.job.games_at_once());
            progress.message(&tuner.to_line());
        },
    )
}

/// The numbers of these names, each once and in their own order; all without names.
fn numbers(names: &[String]) -> Result<Vec<&'static Tunable>> {
    let mut places = Vec::new();
    for name in names {
        let known = Tunable::named(name);
        places.push(
            known
                .map_err(|error| anyhow!("{error}: see `emilia-lab tune --list`"))?
                .0,
        );
    }
    if names.is_empty() {
        places.extend(0..TUNABLES.len());
    }
    places.sort_unstable();
    places.dedup();
    Ok(places.into_iter().map(|place| &TUNABLES[place]).collect())
}

fn job(args: &Args, numbers: &[&Tunable], openings: &[Game]) -> Job {
    let &Args {
        games,
        pairs,
        nodes,
        spread,
        rate,
        seed,
        ..
    } = args;
    Job {
        numbers: numbers
            .iter()
            .map(|number| number.name.to_owned())
            .collect(),
        games: games.next_multiple_of(2 * pairs),
        pairs,
        nodes,
        spread,
        rate,
        seed,
        openings: crc32fast::hash(format!("{openings:?}").as_bytes()),
        program: String::new(),
    }
}

fn list() -> String {
    let line =
        |Tunable {
             name,
             value,
             low,
             high,
             step,
             doc,
         }: &Tunable| { format!("{name}: {value}, {low}..={high}, {step}; {doc}\n") };
    TUNABLES.iter().map(line).collect()
}
