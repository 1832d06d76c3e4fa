//! `emilia train test`: how far evaluations are from exact or deeper scores.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::cli::output::{self, Output};
use crate::eval::{EvalKind, Evaluator};
use crate::search::{Limits, Options, Search, Silent, Stop, Task};
use crate::training::fit::errors::{ErrorLine, ErrorTable};
use crate::training::labels::dataset::{Dataset, is_held_out};
use crate::training::labels::{records::Record, wthor};

/// Arguments of `emilia train test`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia train test late.rec middle.rec
  emilia train test --wthor wthor --eval network
  emilia train test --wthor wthor --positions 2000 --depth 4 --json

Only those positions of label files are used that `emilia train fit` never
learns from. A position of WTHOR may be in label files, too: --held-out keeps
only those that were not learned from.")]
pub struct Args {
    /// Files of labelled positions, made by `emilia train label`.
    #[arg(value_name = "FILE")]
    records: Vec<PathBuf>,
    /// Compare with the theoretical scores of a WTHOR file, or of a folder of them.
    #[arg(long, value_name = "PATH")]
    wthor: Option<PathBuf>,
    /// Of WTHOR, too, take only the one position in 64 that `emilia train fit` never learns from.
    #[arg(long)]
    held_out: bool,
    /// Evaluation to measure; repeat it for several [default: classic and network].
    #[arg(long, value_name = "NAME")]
    eval: Vec<EvalKind>,
    /// Weights file of the network [default: built in].
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Search N plies; 0 is the static evaluation.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=30))]
    depth: u8,
    /// Take N positions at most, evenly spread.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// Skip damaged WTHOR files; each is named, and the exit code is 1.
    #[arg(long, requires = "wthor")]
    keep_going: bool,
    /// Print one JSON object for each evaluation and number of empties.
    #[arg(long)]
    json: bool,
}

/// One line of the JSON output.
#[derive(Serialize)]
struct JsonLine {
    eval: String,
    depth: u8,
    empties: usize,
    positions: u64,
    rmse: f64,
    mae: f64,
    bias: f64,
}

/// Measures.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (positions, damaged) = positions(args)?;
    if positions.is_empty() {
        bail!("no positions: give files of labelled positions, or --wthor");
    }
    let kinds = if args.eval.is_empty() { EvalKind::ALL.to_vec() } else { args.eval.clone() };
    let mut out = Output::by_line();
    for kind in kinds {
        let evaluator = match Evaluator::load(Some(kind), args.weights.as_deref()) {
            Ok(evaluator) => evaluator,
            Err(error) if args.eval.is_empty() => {
                log::info!("{kind}: {error}");
                continue;
            }
            Err(error) => return Err(error).with_context(|| format!("evaluation {kind}")),
        };
        print(&mut out, args, kind, &measure(args.depth, evaluator, &positions))?;
    }
    Ok(if damaged == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The labelled positions asked for, and how many damaged files were left out.
fn positions(args: &Args) -> Result<(Vec<Record>, usize)> {
    let mut damaged = 0;
    let mut positions = Dataset::load(&args.records, 0..=60)?.held_out;
    if let Some(path) = &args.wthor {
        let solved = wthor::read(path, |error| {
            if !args.keep_going {
                return Err(error.context("a WTHOR file cannot be read (--keep-going skips it)"));
            }
            output::message(format_args!("left out: {error:#}"));
            damaged += 1;
            Ok(())
        })?
        .into_iter();
        positions.extend(solved.filter(|record| !args.held_out || is_held_out(record.board)));
    }
    let step = args.positions.map_or(1, |count| (positions.len() as u64).div_ceil(count).max(1));
    Ok((positions.into_iter().step_by(step as usize).collect(), damaged))
}

/// The errors of an evaluation, static or after a search.
fn measure(depth: u8, evaluator: Evaluator, positions: &[Record]) -> ErrorTable {
    if depth == 0 {
        return ErrorTable::measure(positions, |record| {
            let features = evaluator.features(record.board);
            evaluator.evaluate(record.board, &features).discs()
        });
    }
    let options = Options { threads: 1, hash_mib: 16 };
    let mut search = Search::new(&options, evaluator.into());
    let limits = Limits { exact_empties: 0, ..Limits::depth(depth) };
    ErrorTable::measure(positions, |record| {
        let result = search.run(&Task::new(record.board, limits), &Stop::new(), &mut Silent);
        result.info.lines.first().map_or(f64::from(record.board.final_score()), |line| line.score.discs())
    })
}

fn print(out: &mut Output, args: &Args, kind: EvalKind, table: &ErrorTable) -> Result<()> {
    if !args.json {
        let how = if args.depth == 0 { "static".to_owned() } else { format!("{} plies", args.depth) };
        out.line(format_args!("{kind}, {how}\n{table}"))?;
        return Ok(());
    }
    for empties in 0..=64 {
        if let Some(ErrorLine { count, rmse, mae, bias }) = table.line(empties..=empties) {
            let eval = kind.to_string();
            let line = JsonLine { eval, depth: args.depth, empties, positions: count, rmse, mae, bias };
            out.line(serde_json::to_string(&line)?)?;
        }
    }
    Ok(())
}
