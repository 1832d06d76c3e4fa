//! `emilia-lab suite`: how good the chosen moves are, by a suite with the score of every move.
//!
//! Losses are in discs of the suite's scores, so they do not depend on the engine's scores.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::analysis::{depth_of, score_of};
use crate::board::{Board, Move};
use crate::cli::bench::Budget;
use crate::cli::input::InputArgs;
use crate::cli::output::Output;
use crate::cli::search_args::SearchArgs;
use crate::notation::Detected;
use crate::notation::moves::parse_move;
use crate::notation::obf::OBF;
use crate::search::{Limits, Line, Search, SearchResult, Task, Tuning};
use crate::util::input_file;
use crate::util::refusal::Refusal;

#[derive(clap::Args)]
#[command(after_help = "\
The file must have the score of every move, as an OBF file does. A row shows the
discs that the chosen move loses by these scores; the last lines show the share
of best moves and the mean loss, with standard errors.

Examples:
  emilia-lab suite hard-25.obf --nodes 200000 > before.txt
  emilia-lab suite hard-25.obf --nodes 200000 --baseline before.txt
  emilia-lab suite hard-25.obf --nodes 200000 --warm 50000
      Like a move after a hint: the table keeps the first search.")]
pub struct Args {
    /// Positions with the score of every move.
    #[arg(value_name = "FILE")]
    suite: OsString,
    /// Compare with this earlier output, position by position.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Take at most N entries [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Search each position with N nodes first, and keep the hash table for the search that counts.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    warm: Option<u64>,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    search: SearchArgs,
    /// Give a number of the search another value; only in a build with the feature `tune`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_number, help_heading = "Engine")]
    set: Vec<(String, i32)>,
}

/// Searches all positions and prints a row of each, then how good the choices were.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut search = args.search.search()?;
    let mut tuning = Tuning::default();
    for (name, value) in &args.set {
        tuning.set(name, *value)?;
    }
    search.set_tuning(tuning);
    let suite = Suite::read(&args.suite, args.limit)?;
    let earlier = args
        .baseline
        .as_deref()
        .map(|file| suite.earlier(file))
        .transpose()?;
    let mut out = Output::by_line();
    out.line(format_args!(
        "{SUITE} {} positions, checksum {:08x}",
        suite.positions.len(),
        suite.checksum
    ))?;
    out.line(HEADING)?;
    let searches = Searches {
        warm: args.warm,
        limits: args.budget.limits(),
    };
    let sum = suite.search(&mut search, searches, |row| Ok(out.line(row)?))?;
    out.line(&sum)?;
    if let Some(earlier) = earlier {
        let losses: Vec<_> = sum
            .losses
            .iter()
            .zip(earlier)
            .map(|(now, then)| now - then)
            .collect();
        out.line(comparison(&losses))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn parse_number(text: &str) -> Result<(String, i32), Refusal> {
    let found = text
        .split_once('=')
        .and_then(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
    found.ok_or_else(|| format!("expected NAME=VALUE with a whole number, found {text:?}").into())
}

/// The number of positions of a suite, and the mean loss in discs with its standard error.
pub fn loss(file: &OsStr, search: &mut Search, limits: Limits) -> Result<(usize, f64, f64)> {
    let suite = Suite::read(file, None)?;
    let searches = Searches { warm: None, limits };
    let (loss, error) = mean(&suite.search(search, searches, |_| Ok(()))?.losses);
    Ok((suite.positions.len(), loss, error))
}

/// The searches of a position, from an empty table.
#[derive(Clone, Copy)]
struct Searches {
    /// The nodes of a search before the one that counts.
    warm: Option<u64>,
    limits: Limits,
}

impl Searches {
    fn run(self, search: &mut Search, board: Board) -> SearchResult {
        search.clear();
        if let Some(nodes) = self.warm {
            search.run(&Task::new(board, self.limits.with_nodes(nodes)));
        }
        search.run(&Task::new(board, self.limits))
    }
}

/// Larger than any printed run.
const MAX_RUN_BYTES: u64 = 1 << 24;

/// The first word of the line that names the suite.
const SUITE: &str = "Suite:";

const HEADING: &str = "   #  empties  move  loss   score  known    depth         nodes   seconds";

/// Positions whose moves all have known scores.
struct Suite {
    positions: Vec<Detected>,
    checksum: u32,
}

impl Suite {
    /// Reads the first `limit` positions of `file`.
    fn read(file: &OsStr, limit: Option<u32>) -> Result<Self> {
        let limit = limit.map_or(usize::MAX, |limit| limit as usize);
        let entries = InputArgs::of(file).entries().take(limit);
        let positions: Vec<_> = entries
            .map(|entry| Ok(entry?.found))
            .collect::<Result<_>>()?;
        ensure!(!positions.is_empty(), "no positions to search");
        let mut hasher = crc32fast::Hasher::new();
        for (number, entry) in (1..).zip(&positions) {
            let moves = entry.position().board.moves();
            ensure!(
                !moves.is_empty(),
                "position {number}: expected a position with a move to make"
            );
            for square in moves {
                ensure!(
                    entry.score_of(Move::Place(square)).is_some(),
                    "position {number}: expected the score of every move, as in OBF; {square} has no score"
                );
            }
            hasher.update(OBF.write(entry)?.as_bytes());
        }
        Ok(Self {
            positions,
            checksum: hasher.finalize(),
        })
    }

    fn search(
        &self,
        search: &mut Search,
        searches: Searches,
        mut print: impl FnMut(String) -> Result<()>,
    ) -> Result<Sum> {
        let mut sum = Sum::default();
        for (number, entry) in (1..).zip(&self.positions) {
            let result = searches.run(search, entry.position().board);
            let best = result.best.context("the search has no move")?;
            let loss = loss_of(entry, best).with_context(|| format!("{best} has no score"))?;
            print(row(number, entry, best, loss, &result))?;
            sum.add(entry, loss, &result);
        }
        Ok(sum)
    }

    /// The losses that an earlier run printed.
    fn earlier(&self, file: &Path) -> Result<Vec<f64>> {
        let bytes = input_file::read(file, MAX_RUN_BYTES)
            .with_context(|| format!("reading {}", file.display()))?;
        let losses = self.losses(&String::from_utf8_lossy(&bytes));
        losses.with_context(|| format!("{} is no earlier run of this suite", file.display()))
    }

    fn losses(&self, text: &str) -> Result<Vec<f64>> {
        let mut lines = text.lines();
        let named = lines
            .find_map(|line| line.strip_prefix(SUITE))
            .context("expected a line `Suite: …`")?;
        let checksum = format!("{:08x}", self.checksum);
        ensure!(
            named.ends_with(&checksum),
            "expected a suite with the checksum {checksum}, found{named}"
        );
        let rows: Vec<_> = lines.skip(1).map_while(parse_row).collect();
        for ((number, entry), &(found, mv, loss)) in (1..).zip(&self.positions).zip(&rows) {
            let is_known = found == number && loss_of(entry, mv) == Some(loss);
            ensure!(
                is_known,
                "row {number}: expected the loss of a move of position {number}"
            );
        }
        let found = rows.len();
        let expected = self.positions.len();
        ensure!(found == expected, "expected {expected} rows, found {found}");
        Ok(rows.iter().map(|&(_, _, loss)| loss).collect())
    }
}

/// Discs that the best move is worth more than `mv`.
fn loss_of(entry: &Detected, mv: Move) -> Option<f64> {
    Some(f64::from(entry.known_score()? - entry.score_of(mv)?))
}

fn row(number: usize, entry: &Detected, best: Move, loss: f64, result: &SearchResult) -> String {
    let (score, depth) = match result.info.lines.first() {
        Some(line) => (score_of(line), depth_of(line)),
        None => ("-".to_owned(), "-".to_owned()),
    };
    format!(
        "{number:4}  {:7}  {:>4}  {loss:4}  {score:>6}  {:+5}  {depth:>7}  {:12}  {:8.3}",
        entry.position().board.empty_count(),
        best.to_string(),
        entry.known_score().unwrap_or_default(),
        result.info.nodes,
        result.info.time.as_secs_f64(),
    )
}

/// Number, move and loss of a printed row.
fn parse_row(line: &str) -> Option<(usize, Move, f64)> {
    let mut words = line.split_whitespace();
    Some((
        words.next()?.parse().ok()?,
        parse_move(words.nth(1)?).ok()?,
        words.next()?.parse().ok()?,
    ))
}

#[derive(Default)]
struct Sum {
    losses: Vec<f64>,
    /// Score minus known score, where the search has one.
    errors: Vec<f64>,
    nodes: u64,
    time: Duration,
}

impl Sum {
    fn add(&mut self, entry: &Detected, loss: f64, result: &SearchResult) {
        self.losses.push(loss);
        let score = result.info.lines.first().and_then(Line::discs);
        let error = score
            .zip(entry.known_score())
            .map(|(score, known)| score - f64::from(known));
        self.errors.extend(error);
        self.nodes += result.info.nodes;
        self.time += result.info.time;
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hits: Vec<_> = self
            .losses
            .iter()
            .map(|&loss| if loss == 0.0 { 100.0 } else { 0.0 })
            .collect();
        let sizes: Vec<_> = self.errors.iter().map(|error| error.abs()).collect();
        let count = self.losses.len().max(1) as f64;
        let [hits, losses, sizes, errors] =
            [&hits, &self.losses, &sizes, &self.errors].map(|values| mean(values));
        writeln!(f, "Best move: {:.1} ± {:.1} %", hits.0, hits.1)?;
        writeln!(f, "Loss: {:.3} ± {:.3} discs", losses.0, losses.1)?;
        if !self.errors.is_empty() {
            let (size, size_error) = sizes;
            let (bias, bias_error) = errors;
            let count = self.errors.len();
            write!(
                f,
                "Error of the score: {size:.2} ± {size_error:.2} discs, of {count}; "
            )?;
            writeln!(f, "on average {bias:+.2} ± {bias_error:.2}")?;
        }
        writeln!(
            f,
            "Nodes: {}, {:.0} a position",
            self.nodes,
            self.nodes as f64 / count
        )?;
        let seconds = self.time.as_secs_f64();
        write!(
            f,
            "Time: {seconds:.3} s, {:.3} s a position",
            seconds / count
        )
    }
}

/// The mean of some values and its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0) / count).sqrt())
}

/// Two runs of one suite in words, by the discs that each position lost more than before.
fn comparison(differences: &[f64]) -> String {
    let count = |is: fn(f64) -> bool| differences.iter().filter(|&&d| is(d)).count() as u32;
    let better = count(|d| d < 0.0);
    let worse = count(|d| d > 0.0);
    let equal = count(|d| d == 0.0);
    let (mean, error) = mean(differences);
    let p = sign_test(better, worse);
    format!(
        "Against the earlier run: loss {mean:+.3} ± {error:.3} discs; better {better}, worse {worse}, equal {equal}; \
         sign test p = {p:.3}"
    )
}

/// The chance that `better` and `worse` are at least this far apart if both are equally likely.
fn sign_test(better: u32, worse: u32) -> f64 {
    let trials = better + worse;
    // Logarithms: 2^-trials is below every number from 1,075 trials on.
    let mut term = -f64::from(trials) * 2f64.ln();
    let mut tail = 0.0;
    for k in 0..=better.min(worse) {
        tail += term.exp();
        term += f64::from(trials - k).ln() - f64::from(k + 1).ln();
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const LINE: &str = "---------------------------OX------XO--------------------------- X; C4:+0; D3:-2; E6:+0; F5:-1;";

    fn suite(lines: &str) -> Result<Suite> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("suite.obf");
        fs::write(&file, lines)?;
        Suite::read(file.as_os_str(), None)
    }

    fn run_of(suite: &Suite, rows: &str) -> String {
        format!(
            "{SUITE} 1 positions, checksum {:08x}\n{HEADING}\n{rows}\nLoss: 0\n",
            suite.checksum
        )
    }

    #[test]
    fn every_move_needs_a_score() {
        let missing = suite(&LINE.replace("D3:-2;", "")).err().expect("an error");
        assert_eq!(
            format!("{missing:#}"),
            "position 1: expected the score of every move, as in OBF; d3 has no score"
        );
        assert!(suite(LINE).is_ok());
    }

    #[test]
    fn losses_are_by_the_scores_of_the_suite() {
        let suite = suite(LINE).expect("a suite");
        let loss = |mv: &str| loss_of(&suite.positions[0], parse_move(mv).expect("a move"));
        assert_eq!(
            [loss("c4"), loss("d3"), loss("f5"), loss("a1")],
            [Some(0.0), Some(2.0), Some(1.0), None]
        );
    }

    #[test]
    fn an_earlier_run_is_of_the_same_suite_and_whole() {
        let suite = suite(LINE).expect("a suite");
        let losses = |rows: &str| {
            suite
                .losses(&run_of(&suite, rows))
                .map_err(|error| error.to_string())
        };
        assert_eq!(losses("1 60 d3 2 +0.1 +0 10 5 0.1"), Ok(vec![2.0]));
        assert!(losses("").unwrap_err().starts_with("expected 1 rows"));
        assert!(
            losses("1 60 d3 1 +0.1 +0 10 5 0.1")
                .unwrap_err()
                .starts_with("row 1")
        );
        assert!(suite.losses("Suite: 1 positions, checksum 0\n").is_err());
        assert!(suite.losses("").is_err());
    }

    #[test]
    fn means_and_signs_are_those_of_the_textbook() {
        let (mean, error) = mean(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(format!("{mean:.2} ± {error:.2}"), "2.50 ± 0.65");
        // Of 10 coins 2 or fewer of one kind: 2 · (1 + 10 + 45) / 1024.
        assert!((sign_test(2, 8) - 112.0 / 1024.0).abs() < 1e-12);
        assert!((sign_test(0, 0) - 1.0).abs() < 1e-12 && (sign_test(5, 5) - 1.0).abs() < 1e-12);
        assert!(sign_test(900, 1100) < 1e-4 && sign_test(900, 1100) > 1e-6);
        let text = comparison(&[0.0, -2.0, 4.0, 0.0]);
        assert!(
            text.contains("better 1, worse 1, equal 2; sign test p = 1.000"),
            "{text}"
        );
    }
}
