//! `emilia train explain`: the weights of the terms behind `emilia show --why`.

use std::ops::ControlFlow::Continue;
use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::cli::input::InputArgs;
use crate::cli::output;
use crate::eval::{EvalKind, Evaluator};
use crate::training::explain::{Family, fit, judge, to_source};

/// Arguments of `emilia train explain`.
#[derive(clap::Args)]
#[command(after_help = "\
Fits the weights with which the terms come nearest to the network's values, to
one position in three of the games, and prints them as a source file. Repeat it
after a change of the network.

Examples:
  emilia train explain WTH_20*.wtb >src/eval/explain/weights.rs")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
}

/// One position in so many is fitted: neighbours in a game say much the same.
const STEP: usize = 3;

/// Fits the weights to the games.
pub fn run(args: &Args) -> Result<ExitCode> {
    let evaluator = Evaluator::load(Some(EvalKind::Network), None)?;
    let mut families = Vec::new();
    let tally = args.input.for_each(|entry| {
        let positions = entry.record().game.positions();
        let taken = positions.iter().skip(entry.index as usize % STEP).step_by(STEP);
        let boards = taken.map(|position| position.board).filter(|board| board.moves() != 0);
        families.extend(boards.map(|board| Family::of(entry.index, board, &evaluator)));
        Ok(Continue(()))
    })?;
    ensure!(!families.is_empty(), "no games to fit to");
    let weights = fit(&families);
    let (positions, games) = (families.len(), tally.entries);
    let how =
        format!("`emilia train explain` to {positions} positions of {games} games, and to their moves.");
    output::print(&to_source(&weights, &judge(&families, &weights), &how))
}
