//! `emilia bench`: the same searches every time, for speed and for the fingerprint of the tree.

mod evaluation;
mod kernels;
mod suite;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::analysis_args::BudgetArgs;
use super::input::InputArgs;
use super::output::{self, Output};
use super::search_args::SearchArgs;
use crate::analysis::words::depth_of;
use crate::board::Board;
use crate::board::perft::{Passes, perft};
use crate::notation::diagram;
use crate::search::{Counters, Limits, Proof, Search, SearchResult, Silent, Stop, Task, Tuning};

/// Positions across the game: six random plies, then our own play at depth 4.
const POSITIONS: [&str; 26] = [
    "------------------OXO-----OOXX----OXO------X-O------------------ X",
    "-------------X-----OXX----XOX-----XOO-----OOO----O-------------- X",
    "-------------------O------XOX----XOXXXO--O-OXXX-------X--------- X",
    "--------------------O-O---XXOOX----XOXXX---XOXX-----OX---------- X",
    "----O-------OO-----XOO----XXOOO---XOXX----OOO-X---X------------- X",
    "-----------O-------O---X--OOOO-X-XXOXXOX--X-OOX-----OO-------O-- X",
    "-XXX------OO----OOOOO----OOXOO----OXXX----XXXX-----X------------ X",
    "-------------------XO-----XOXXXO--OOOXOO--OOOOOO---XOO------XXX- X",
    "-------------------OOOO---OOXO---OOXOX--OOXOOX---XOOOO----XXXX-- X",
    "-----X------XX---O-XO-----OXXOO--XXOOOX---XOOXX---OOOO---O--OOO- X",
    "-------------X---XOOOOOO-OXOXXO--OOXXOOOOOXXXXXX---XX-------X--- X",
    "--X-------X-O---XXXXX---XXXXOOO-XXXXOOXXXXOXOX----OOOX------O--- X",
    "-----------------OXO-O-X--XXOOXX-XXOXOOXX-XXOOXX--XXXX-X-OOOOOO- X",
    "--X-X-----X-XX----XOXO-O--XXXOO---XOXOX-XXXOXOO---OXOO---OOOOOO- O",
    "--XXXX----XXXO---XXXXOOO-XXXXOOOXXXXXOOO--XXXOOO--XX---O-------- O",
    "XXX-----OXOO----XXXOOO--XXOOOO--XXXOOO--XXOOOO--XXOOO---XXXXX--- X",
    "---X----O--XXX--OXXXXX-XOOOOOXOXOXXXXOXX--OOOOOX--OOXO----OOOOO- O",
    "--OXXXXX--XXXXOX-XOXXXOX--OXXOOX-OOXOXOX--OOOOXX--OOOX-X--OO---- O",
    "--------X---X-XOXXOXXXXOXXOOXOXOXXOXOXXO-XOOOOXO--OOOOOO--OOOOOO O",
    "--XXXXXXXXXOXX--XXOOXX--XOXXOXO-XOXOXOOOXXOXOX--X-XOXX---XXXXX-- O",
    "-OOOOX----XXXX-XXXXXXXXXXXXOOXOXXXXOXXXXXOOXOXXX-OOOOX-X--XOO--- O",
    "-XXX------XXXX-O-OOXOOOOXOOXOOOOXOOOXOOOXOXXXXOOOOOXXXX-XXXXXXX- O",
    "OXXXXXX--OXOOXOO-OOXXOOOXOOXXOOOXOXOOXOOXOOXOOOOXOOOOO---OOOO--- O",
    "XXXXXXOXOOOOOOOXOOXXXXOXOOOXXOXXO-OXOXOXOOXOXXXXOOXX-X-XOOXX---- O",
    "-OOO-X-OXOOOX--OXXOXOOOOXOXOOOOOXXOXOOXOXXOOOOXOXXOOXXXOXXXXXXXO O",
    "XXXXXXXXXXXOOOOOXXXXXOXOXOXXXXOOOOOXXOXOOOOOXXXXO-OXXXX-OOOOOOX- O",
];

/// Midgame depth of the standard run, plies.
const DEPTH: u8 = 10;
/// The standard run solves positions with at most so many empties.
const SOLVE_EMPTIES: u8 = 18;
/// What the budget stands under in the help.
const BUDGET: &str = "Budget of each position [default: --depth 10 --solve-from 18]";

/// Arguments of `emilia bench`.
#[derive(clap::Args)]
#[command(after_help = "\
The last line, `Bench: N`, is the fingerprint of the search: the number of
nodes, the same on every build as long as no search has changed. Published
counts of --perft 9: 3005288, with --pass-free 3005320.

With --suite the file tells the score of every move, as an OBF file does. Then
a row tells how many discs the chosen move loses by these scores, and the last
lines how often the best move was chosen, with standard errors.

Examples:
  emilia bench
  emilia bench --depth 14 --limit 5
  emilia bench --input books/ffo-1-19.obf --solve-from 20 --hash 256
  emilia bench --perft 9
  emilia bench --suite hard-25.obf --nodes 200000 > before.txt
  emilia bench --suite hard-25.obf --nodes 200000 --baseline before.txt")]
pub struct Args {
    /// Search the positions of this file instead; in any notation.
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    input: Option<OsString>,
    /// Measure how good the chosen moves are by the scores of the moves in this file.
    #[arg(long, value_name = "FILE")]
    suite: Option<OsString>,
    /// Compare with this earlier output of --suite, position by position.
    #[arg(long, value_name = "FILE", requires = "suite")]
    baseline: Option<PathBuf>,
    /// Search only the first N positions [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    #[command(flatten, next_help_heading = BUDGET)]
    budget: BudgetArgs,
    /// Solve from N empties on [default: as the budget says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=60), help_heading = BUDGET)]
    solve_from: Option<u8>,
    /// How to search.
    #[command(flatten)]
    search: SearchArgs,
    /// Give a number of the search another value; only in a build with the feature `tune`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_number, help_heading = "Engine")]
    set: Vec<(String, i32)>,
    /// Measure the kernels of the board and of the endgame solver instead.
    #[arg(long)]
    kernels: bool,
    /// Count the move sequences of this many plies from the start instead: the test of move generation.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(0..=15))]
    perft: Option<u32>,
    /// Do not count a pass as a ply.
    #[arg(long, requires = "perft")]
    pass_free: bool,
}

/// Searches every position from an empty table and prints what it took.
pub fn run(args: &Args) -> Result<ExitCode> {
    if args.kernels {
        return output::print(&kernels::report());
    }
    if let Some(depth) = args.perft {
        let passes = if args.pass_free { Passes::Free } else { Passes::Counted };
        return count_sequences(depth, passes);
    }
    let mut search = args.search.search()?;
    search.set_tuning(args.tuning()?);
    if let Some(file) = &args.suite {
        let suite = suite::Suite::read(file, args.limit)?;
        suite.run(&mut search, args.limits(), args.baseline.as_deref())?;
        return Ok(ExitCode::SUCCESS);
    }
    measure(&mut search, positions(args)?.into_iter(), args.limits())
}

/// Searches each from an empty table and prints what it took.
fn measure(
    search: &mut Search,
    positions: impl Iterator<Item = (Board, Option<i32>)>,
    limits: Limits,
) -> Result<ExitCode> {
    let mut sum = Sum::default();
    let mut out = Output::by_line();
    for (number, (board, known)) in positions.enumerate() {
        search.clear();
        let result = search.run(&Task::new(board, limits), &Stop::new(), &mut Silent);
        out.line(row(number + 1, board, &result, known))?;
        sum.counters += search.counters();
        sum.time += result.info.time;
        sum.wrong += usize::from(is_wrong(&result, known));
    }
    out.line(&sum)?;
    Ok(if sum.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Args {
    fn limits(&self) -> Limits {
        let standard = Limits { exact_empties: SOLVE_EMPTIES, ..Limits::depth(DEPTH) };
        let limits = self.budget.limits_or(standard);
        Limits { exact_empties: self.solve_from.unwrap_or(limits.exact_empties), ..limits }
    }

    fn tuning(&self) -> Result<Tuning> {
        let mut tuning = Tuning::default();
        for (name, value) in &self.set {
            tuning.set(name, *value).context("option --set")?;
        }
        Ok(tuning)
    }
}

/// Reads `NAME=VALUE`.
fn parse_number(text: &str) -> Result<(String, i32), String> {
    let found = text.split_once('=').and_then(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
    found.ok_or_else(|| format!("expected NAME=VALUE with a whole number, found {text:?}"))
}

/// From so many plies on it takes minutes.
const LONG_PERFT: u32 = 12;

/// Prints the number of sequences, the time and the rate.
pub fn count_sequences(depth: u32, passes: Passes) -> Result<ExitCode> {
    if depth >= LONG_PERFT {
        output::message(format_args!("perft {depth} takes minutes, each further ply ten times as long"));
    }
    let start = Instant::now();
    let count = perft(Board::START, depth, passes);
    let seconds = start.elapsed().as_secs_f64();
    let rate = count as f64 / seconds.max(1e-9) / 1e6;
    output::print(&format!("perft {depth}: {count}  {seconds:.3} s  {rate:.0} M/s\n"))
}

/// The boards that are searched where no others are named.
fn standard_positions() -> Result<Vec<(Board, Option<i32>)>> {
    let board = |text: &&str| Ok((diagram::parse_board(text)?.board, None));
    POSITIONS.iter().map(board).collect()
}

/// The boards to search, with the exact score in discs where it is known.
fn positions(args: &Args) -> Result<Vec<(Board, Option<i32>)>> {
    let mut positions: Vec<_> = match &args.input {
        None => standard_positions()?,
        Some(file) => InputArgs::of(file)
            .entries()
            .map(|entry| entry.map(|entry| (entry.position().board, entry.found.known_score())))
            .collect::<Result<_, _>>()?,
    };
    positions.truncate(args.limit.map_or(usize::MAX, |limit| limit as usize));
    ensure!(!positions.is_empty(), "no positions to search");
    Ok(positions)
}

/// Whether a solved score is not the one that is known.
fn is_wrong(result: &SearchResult, known: Option<i32>) -> bool {
    let exact = result.info.lines.first().filter(|line| line.proof == Proof::Exact);
    exact.zip(known).is_some_and(|(line, known)| line.score != crate::board::Score::from_discs(known))
}

fn row(number: usize, board: Board, result: &SearchResult, known: Option<i32>) -> String {
    let Some(line) = result.info.lines.first() else { return format!("{number:3}  game over") };
    let best = result.best.map_or_else(String::new, |best| best.to_string());
    let pv: String = line.pv.iter().take(10).map(|step| step.to_string()).collect();
    let verdict = if is_wrong(result, known) { "  WRONG" } else { "" };
    format!(
        "{number:3}  {:2} empties  depth {:6}  {best}  {:>7}  {:>11} nodes  {:7.3} s  {pv}{verdict}",
        board.empty_count(),
        depth_of(line),
        line.score.to_string(),
        result.info.nodes,
        result.info.time.as_secs_f64(),
    )
}

/// What all searches together took.
#[derive(Default)]
struct Sum {
    counters: Counters,
    time: Duration,
    wrong: usize,
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counters { nodes, probes, hits, .. } = self.counters;
        let seconds = self.time.as_secs_f64();
        writeln!(f, "Time: {seconds:.3} s")?;
        writeln!(f, "Nodes per second: {:.0}", nodes as f64 / seconds.max(1e-9))?;
        writeln!(f, "Table hits: {:.1} % of {probes}", 100.0 * hits as f64 / (probes.max(1)) as f64)?;
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
    fn the_help_names_the_default_budget() {
        assert!(BUDGET.ends_with(&format!("[default: --depth {DEPTH} --solve-from {SOLVE_EMPTIES}]")));
    }

    #[test]
    fn all_positions_are_sound_and_span_the_game() {
        let empties: Vec<_> = POSITIONS
            .iter()
            .map(|text| diagram::parse_board(text).expect("written by us").board)
            .inspect(|board| assert!(board.moves() != 0))
            .map(Board::empty_count)
            .collect();
        assert!(empties.iter().any(|&n| n >= 50) && empties.iter().any(|&n| n <= 10));
    }
}
