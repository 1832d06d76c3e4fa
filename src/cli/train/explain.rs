//! `emilia train explain`: what stands behind `emilia show --why` and `--terms`.

use std::ops::ControlFlow::Continue;
use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::cli::input::InputArgs;
use crate::cli::output;
use crate::eval::{EvalKind, Evaluator};
use crate::training::explain::{Family, fit, judge, to_source};
use crate::training::worth::Worths;

/// Arguments of `emilia train explain`.
#[derive(clap::Args)]
#[command(after_help = "\
Fits the weights with which the terms come nearest to the network's values, to
one position in three of the games, and prints them as a source file. Repeat it
after a change of the network. --facts measures what the facts of sentences are
worth: by how many discs the network's values after moves that have a fact
differ from those of the same position that have not.

Examples:
  emilia train explain WTH_20*.wtb >src/eval/explain/weights.rs
  emilia train explain --facts WTH_20*.wtb >worth.rs")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Measure the facts of sentences, not the terms.
    #[arg(long)]
    facts: bool,
}

/// One position in so many is fitted: neighbours in a game say much the same.
const STEP: usize = 3;

/// Fits the weights to the games.
pub fn run(args: &Args) -> Result<ExitCode> {
    let evaluator = Evaluator::load(Some(EvalKind::Network), None)?;
    let (mut families, mut worths, mut count) = (Vec::new(), Worths::default(), 0);
    let tally = args.input.for_each(|entry| {
        let positions = entry.record().game.positions();
        let taken = positions.iter().skip(entry.index as usize % STEP).step_by(STEP);
        let boards = taken.map(|position| position.board).filter(|board| board.moves() != 0);
        for board in boards {
            count += 1;
            match args.facts {
                true => worths.add(board, &evaluator),
                false => families.push(Family::of(entry.index, board, &evaluator)),
            }
        }
        Ok(Continue(()))
    })?;
    ensure!(count > 0, "no games to fit to");
    let games = tally.entries;
    if args.facts {
        let how = format!("`emilia train explain --facts` over {count} positions of {games} games.");
        return output::print(&worths.into_source(&how));
    }
    let weights = fit(&families);
    let how = format!("`emilia train explain` to {count} positions of {games} games, and to their moves.");
    output::print(&to_source(&weights, &judge(&families, &weights), &how))
}
