//! `emilia-lab worth`: the worth of the facts of sentences, in discs.

use std::ops::ControlFlow::Continue;
use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::cli::input::InputArgs;
use crate::cli::output;
use crate::eval::{EvalKind, Evaluator};
use crate::training::worth::Worths;

#[derive(clap::Args)]
#[command(after_help = "\
Measures, over one position in three of the games, by how many discs the
network's values after moves that have a fact differ from those that have not,
and prints a source file. Repeat it after a change of the network.

Example:
  emilia-lab worth WTH_20*.wtb >src/sentences/worth.rs")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
}

/// One position in this many is measured: neighbors in a game are much the same.
const STEP: usize = 3;

pub fn run(args: &Args) -> Result<ExitCode> {
    let evaluator = Evaluator::load(Some(EvalKind::Network), None)?;
    let mut worths = Worths::default();
    let mut count = 0;
    let tally = args.input.for_each(|entry| {
        let positions = entry.record().game.positions();
        let taken = positions
            .iter()
            .skip(entry.index as usize % STEP)
            .step_by(STEP);
        for board in taken
            .map(|position| position.board)
            .filter(|board| !board.moves().is_empty())
        {
            count += 1;
            worths.add(board, &evaluator);
        }
        Ok(Continue(()))
    })?;
    ensure!(count > 0, "no games to measure");
    let how = format!(
        "`emilia-lab worth` over {count} positions of {} games.",
        tally.entries
    );
    output::print(&worths.into_source(&how))
}
