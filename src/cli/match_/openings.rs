//! The openings of a match, and `emilia match openings`.

use std::process::ExitCode;

use anyhow::Result;

use super::args::{Args, MadeArgs, OpeningsArgs};
use crate::cli::games::read_openings;
use crate::cli::output::Output;
use crate::notation::moves::write_moves;
use crate::tournament::matches::openings::{Openings, Recipe};
use crate::util::rng::Rng;

/// As many openings as are asked for.
fn made(args: MadeArgs) -> Openings {
    let plies = args.opening_plies.map_or(Recipe::default().plies, usize::from);
    Openings::made(Recipe { plies, seed: args.seed, ..Recipe::default() })
}

/// Prints made openings.
pub fn print(args: &OpeningsArgs) -> Result<ExitCode> {
    let openings = made(args.made);
    let mut out = Output::by_line();
    for round in 0..args.count as usize {
        out.line(write_moves(openings.get(round)?.moves()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The openings of a match: those of a file, or made ones.
pub fn of(args: &Args) -> Result<Openings> {
    let Some(path) = &args.openings else { return Ok(made(args.made)) };
    let mut openings = read_openings(path, args.made.opening_plies.map(usize::from))?;
    if args.shuffle {
        Rng::new(args.made.seed).shuffle(&mut openings);
    }
    Ok(Openings::given(openings))
}
