//! `emilia bench`: the same searches every time, for speed and for the fingerprint of the tree.

mod budget;
mod kernels;

use std::ffi::OsString;
use std::fmt;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

pub use self::budget::Budget;
pub use self::kernels::evaluation_ns;
use super::input::InputArgs;
use super::output::{self, Output};
use super::search_args::SearchArgs;
use crate::analysis::words::{depth_of, score_of};
use crate::board::Board;
use crate::board::perft::{Passes, perft};
use crate::notation::diagram;
use crate::search::bench::POSITIONS;
use crate::search::{Counters, Limits, Proof, Search, SearchResult, Task};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
The last line, `Bench: N`, is the fingerprint of the search: the number of
nodes, the same on every build as long as no search has changed.

Examples:
  emilia bench
  emilia bench --depth 14 --limit 5
  emilia bench --input books/ffo-1-19.obf --solve-from 20 --hash 256")]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    positions: PositionArgs,
    #[command(flatten)]
    budget: Budget,
    /// How to search.
    #[command(flatten)]
    search: SearchArgs,
}

/// The positions to search: 26 across the game, or those of a file.
#[derive(clap::Args)]
pub struct PositionArgs {
    /// Read games or positions of these files; search their positions.
    #[arg(long, value_name = "FILE")]
    input: Option<OsString>,
    /// Take at most N entries [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Count the move sequences from the start: the test of move generation.
    Perft(PerftArgs),
    /// Measure the kernels of the board and of the endgame solver.
    #[command(after_help = "Example:\n  emilia bench kernels")]
    Kernels,
}

#[derive(clap::Args)]
#[command(after_help = "\
Published counts of 9 plies: 3005288, with --pass-free 3005320.

Example:
  emilia bench perft 9")]
struct PerftArgs {
    /// Length of the sequences.
    #[arg(value_name = "PLIES", value_parser = clap::value_parser!(u32).range(0..=15))]
    plies: u32,
    /// Do not count a pass as a ply.
    #[arg(long)]
    pass_free: bool,
}

/// Searches every position from an empty table and prints its nodes and time.
pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.command {
        Some(Command::Perft(args)) => count_sequences(args),
        Some(Command::Kernels) => output::print(&kernels::report()),
        None => measure(
            &mut args.search.search()?,
            &args.positions.read()?,
            args.budget.limits(),
        ),
    }
}

/// Searches each from an empty table and prints nodes and time.
fn measure(
    search: &mut Search,
    positions: &[(Board, Option<i32>)],
    limits: Limits,
) -> Result<ExitCode> {
    let mut sum = Sum::default();
    let mut out = Output::by_line();
    for (number, &(board, known)) in (1..).zip(positions) {
        search.clear();
        let result = search.run(&Task::new(board, limits));
        out.line(row(number, board, &result, known))?;
        sum.counters += search.counters();
        sum.time += result.info.time;
        sum.wrong += usize::from(is_wrong(&result, known));
    }
    out.line(&sum)?;
    Ok(if sum.wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// From this number of plies on it takes minutes.
const LONG_PERFT: u32 = 12;

/// Prints the number of sequences, the time and the rate.
fn count_sequences(args: &PerftArgs) -> Result<ExitCode> {
    let plies = args.plies;
    let passes = if args.pass_free {
        Passes::Free
    } else {
        Passes::Counted
    };
    if plies >= LONG_PERFT {
        output::message(format_args!(
            "perft {plies} takes minutes, each further ply ten times as long"
        ));
    }
    let start = Instant::now();
    let count = perft(Board::START, plies, passes);
    let seconds = start.elapsed().as_secs_f64();
    let rate = count as f64 / seconds.max(1e-9) / 1e6;
    output::print(&format!(
        "perft {plies}: {count}  {seconds:.3} s  {rate:.0} M/s\n"
    ))
}

impl PositionArgs {
    /// The boards to search, with the exact score in discs where it is known.
    pub fn read(&self) -> Result<Vec<(Board, Option<i32>)>> {
        let mut positions: Vec<_> = match &self.input {
            None => {
                let board = |text: &&str| Ok((diagram::parse_board(text)?.board, None));
                POSITIONS.iter().map(board).collect::<Result<_>>()?
            }
            Some(file) => InputArgs::of(file)
                .entries()
                .map(|entry| entry.map(|entry| (entry.position().board, entry.found.known_score())))
                .collect::<Result<_, _>>()?,
        };
        positions.truncate(self.limit.map_or(usize::MAX, |limit| limit as usize));
        ensure!(!positions.is_empty(), "no positions to search");
        Ok(positions)
    }
}

/// Whether a solved score is not the one that is known.
fn is_wrong(result: &SearchResult, known: Option<i32>) -> bool {
    let exact = result
        .info
        .lines
        .first()
        .filter(|line| line.proof == Proof::Exact);
    exact
        .zip(known)
        .is_some_and(|(line, known)| line.bound != crate::board::Score::from_discs(known))
}

fn row(number: usize, board: Board, result: &SearchResult, known: Option<i32>) -> String {
    let Some(line) = result.info.lines.first() else {
        return format!("{number:3}  game over");
    };
    let best = result
        .best
        .map_or_else(String::new, |best| best.to_string());
    let pv: String = line
        .pv
        .iter()
        .take(10)
        .map(|step| step.to_string())
        .collect();
    let verdict = if is_wrong(result, known) {
        "  WRONG"
    } else {
        ""
    };
    format!(
        "{number:3}  {:2} empties  depth {:6}  {best}  {:>7}  {:>11} nodes  {:7.3} s  {pv}{verdict}",
        board.empty_count(),
        depth_of(line),
        score_of(line),
        result.info.nodes,
        result.info.time.as_secs_f64(),
    )
}

#[derive(Default)]
struct Sum {
    counters: Counters,
    time: Duration,
    wrong: usize,
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counters {
            nodes,
            probes,
            hits,
            ..
        } = self.counters;
        let seconds = self.time.as_secs_f64();
        writeln!(f, "Time: {seconds:.3} s")?;
        writeln!(
            f,
            "Nodes per second: {:.0}",
            nodes as f64 / seconds.max(1e-9)
        )?;
        writeln!(
            f,
            "Table hits: {:.1} % of {probes}",
            100.0 * hits as f64 / (probes.max(1)) as f64
        )?;
        if self.wrong > 0 {
            writeln!(f, "Wrong scores: {}", self.wrong)?;
        }
        write!(f, "Bench: {nodes}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_positions_are_sound_and_span_the_game() {
        let empties: Vec<_> = POSITIONS
            .iter()
            .map(|text| diagram::parse_board(text).expect("written by us").board)
            .inspect(|board| assert!(!board.moves().is_empty()))
            .map(Board::empty_count)
            .collect();
        assert!(empties.iter().any(|&n| n >= 50) && empties.iter().any(|&n| n <= 10));
    }
}
