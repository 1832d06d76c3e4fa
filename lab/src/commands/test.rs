//! `emilia-lab test`: the errors of an evaluation, its speed, and the discs that its moves lose.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, ensure};

use super::suite;
use crate::board::{Board, Score};
use crate::cli::bench::evaluation_ns;
use crate::cli::output::Output;
use crate::cli::search_args::EvalArgs;
use crate::eval::Evaluator;
use crate::search::{Limits, Options, Search, Selectivity, Task};
use crate::training::fit::errors::ErrorTable;
use crate::training::labels::dataset::{Dataset, is_held_out};
use crate::training::labels::records::{Record, Source};
use crate::training::labels::wthor;

/// Numbers of empties at which the static score is compared with a deep search.
const DEEP_EMPTIES: [u32; 3] = [20, 30, 40];
/// Depth of that search, plies.
const DEEP: u8 = 12;
/// Budgets of the searches of a suite, nodes.
const SUITE_NODES: [u64; 2] = [20_000, 200_000];

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia-lab test late.rec middle.rec --eval new.bin
  emilia-lab test dev.rec --wthor wthor --suite moves-28-34-exam.obf
  emilia-lab test --wthor wthor --depths 3,4,5,6 --positions 2226

Errors are in discs. `emilia-lab fit` never learns from these positions; the
row `static, all` has the others too. --wthor also compares the static score
with the score of 12 plies at 95 % by the same evaluation.")]
pub struct Args {
    /// Files of labeled positions, made by `emilia-lab label`.
    #[arg(value_name = "FILE")]
    records: Vec<PathBuf>,
    /// Theoretical scores of a WTHOR file or of a folder of them: compare with these.
    #[arg(long, value_name = "PATH")]
    wthor: Option<PathBuf>,
    /// Depths of the deep searches: compare their scores with theoretical ones.
    #[arg(long, value_name = "PLIES,…", default_value = "4,8", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=30))]
    depths: Vec<u8>,
    /// Number of positions: at most, evenly spread, for each row of searches.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Positions with the score of every move: the discs that the moves of 20,000 and of 200,000 nodes lose.
    #[arg(long, value_name = "FILE")]
    suite: Vec<OsString>,
    #[command(flatten)]
    eval: EvalArgs,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let measures = !args.records.is_empty() || args.wthor.is_some() || !args.suite.is_empty();
    ensure!(
        measures,
        "nothing to compare with: give files of labeled positions, --wthor or --suite"
    );
    let evaluator = Arc::new(args.eval.evaluator()?);
    let mut out = Output::by_line();
    let name = args.eval.name(&evaluator)?;
    out.line(format_args!(
        "{name}: {:.0} ns a position",
        evaluation_ns(&evaluator)
    ))?;
    if !args.records.is_empty() {
        let held_out = Dataset::load(&args.records, 0..=60, 0.0, Vec::new())?.held_out;
        ensure!(
            !held_out.is_empty(),
            "the files hold no position that fits never learn from"
        );
        out.line(format_args!(
            "\nHeld-out lines, static\n{}",
            static_errors(&evaluator, &held_out)
        ))?;
    }
    let mut search = Search::new(
        &Options {
            threads: 1,
            hash_mib: 64,
        },
        Arc::clone(&evaluator),
    );
    if let Some(path) = &args.wthor {
        args.compare_with_wthor(path, &mut search, &mut out)?;
    }
    args.lose_discs(&mut search, &mut out)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn compare_with_wthor(&self, path: &Path, search: &mut Search, out: &mut Output) -> Result<()> {
        let evaluator = Arc::clone(search.evaluator());
        let mut solved = wthor::read(path)?;
        ensure!(
            !solved.is_empty(),
            "{} has no game with a theoretical score",
            path.display()
        );
        out.line(heading("WTHOR's exact scores"))?;
        out.line(row("static, all", &static_errors(&evaluator, &solved)))?;
        solved.retain(|record| is_held_out(record.board));
        out.line(row("static", &static_errors(&evaluator, &solved)))?;
        let solved = self.some(&solved);
        for &depth in &self.depths {
            let limits = Limits {
                exact_empties: 0,
                ..Limits::depth(depth)
            };
            let errors = ErrorTable::measure(&solved, |record| {
                searched(search, record.board, limits).discs()
            });
            out.line(row(&format!("{depth} plies"), &errors))?;
        }
        out.line(heading("Static against 12 plies"))?;
        let limits = Limits {
            exact_empties: 0,
            selectivity: Selectivity::P95,
            ..Limits::depth(DEEP)
        };
        for empties in DEEP_EMPTIES {
            let mut boards = wthor::boards(path, empties)?;
            boards.retain(|&board| !board.moves().is_empty() && is_held_out(board));
            let deep = self.some(&boards).into_iter().map(|board| Record {
                board,
                score: searched(search, board, limits),
                source: Source::Search(DEEP),
            });
            let errors = static_errors(&evaluator, &deep.collect::<Vec<_>>());
            out.line(row(&format!("{empties} empties"), &errors))?;
        }
        Ok(())
    }

    fn lose_discs(&self, search: &mut Search, out: &mut Output) -> Result<()> {
        if !self.suite.is_empty() {
            out.line(format_args!(
                "\n{:24} positions   nodes    loss standard error",
                "Suite, discs lost"
            ))?;
        }
        for file in &self.suite {
            let name = Path::new(file).file_name().unwrap_or(file).display();
            for nodes in SUITE_NODES {
                let limits = Limits {
                    nodes: Some(nodes),
                    ..Limits::depth(Limits::MAX_DEPTH)
                };
                let (count, loss, error) = suite::loss(file, search, limits)?;
                out.line(format_args!(
                    "{name:24} {count:>9} {nodes:>7} {loss:>7.3} {error:>14.3}"
                ))?;
            }
        }
        Ok(())
    }

    /// At most `--positions` of them, evenly spread.
    fn some<T: Copy>(&self, all: &[T]) -> Vec<T> {
        all.iter()
            .step_by(all.len().div_ceil(self.positions as usize).max(1))
            .copied()
            .collect()
    }
}

fn heading(name: &str) -> String {
    format!(
        "\n{name:24} {:>9} {:>7} {:>7} {:>7}",
        "positions", "RMSE", "MAE", "bias"
    )
}

fn row(name: &str, errors: &ErrorTable) -> String {
    format!("{name:24} {}", errors.summary())
}

fn static_errors(evaluator: &Evaluator, records: &[Record]) -> ErrorTable {
    ErrorTable::measure(records, |record| evaluator.discs(record.board))
}

/// The score of a search; of a finished game its result.
fn searched(search: &mut Search, board: Board, limits: Limits) -> Score {
    let result = search.run(&Task::new(board, limits));
    result
        .info
        .lines
        .first()
        .map_or(Score::from_discs(board.final_score()), |line| line.bound)
}
