//! `emilia train test`: the errors of an evaluation against exact or deeper scores.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::cli::output;
use crate::cli::search_args::EvalArgs;
use crate::search::{Limits, Options, Search, Task};
use crate::training::fit::errors::ErrorTable;
use crate::training::labels::dataset::{Dataset, is_held_out};
use crate::training::labels::wthor;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia train test late.rec middle.rec
  emilia train test --wthor wthor --eval classic
  emilia train test --wthor wthor --held-out --positions 2000 --depth 4

The command uses only those positions of label files that `emilia train fit`
never learns from. --held-out does the same for the positions of WTHOR files.")]
pub struct Args {
    /// Files of labeled positions, made by `emilia train label`.
    #[arg(value_name = "FILE")]
    records: Vec<PathBuf>,
    /// Theoretical scores of a WTHOR file or of a folder of them; compare with them.
    #[arg(long, value_name = "PATH")]
    wthor: Option<PathBuf>,
    /// Of WTHOR, too, take only the one position in 64 that `emilia train fit` never learns from.
    #[arg(long, requires = "wthor")]
    held_out: bool,
    /// Search depth in plies; 0 is the static evaluation.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=30))]
    depth: u8,
    /// Number of positions; at most, evenly spread.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    #[command(flatten)]
    eval: EvalArgs,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut positions = Dataset::load(&args.records, 0..=60, 0.0, Vec::new())?.held_out;
    if let Some(path) = &args.wthor {
        let solved = wthor::read(path)?.into_iter();
        positions.extend(solved.filter(|record| !args.held_out || is_held_out(record.board)));
    }
    ensure!(!positions.is_empty(), "no positions: give files of labeled positions, or --wthor");
    let step = args.positions.map_or(1, |count| (positions.len() as u64).div_ceil(count).max(1));
    let positions: Vec<_> = positions.into_iter().step_by(step as usize).collect();
    let evaluator = args.eval.evaluator()?;
    let kind = evaluator.kind();
    if args.depth == 0 {
        let table = ErrorTable::measure(&positions, |record| evaluator.discs(record.board));
        return output::print(&format!("{kind}, static\n{table}"));
    }
    let mut search = Search::new(&Options { threads: 1, hash_mib: 16 }, evaluator.into());
    let limits = Limits { exact_empties: 0, ..Limits::depth(args.depth) };
    let table = ErrorTable::measure(&positions, |record| {
        let result = search.run(&Task::new(record.board, limits));
        result.info.lines.first().map_or(f64::from(record.board.final_score()), |line| line.score.discs())
    });
    output::print(&format!("{kind}, {} plies\n{table}", args.depth))
}
