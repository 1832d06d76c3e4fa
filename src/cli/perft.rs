//! `emilia perft`.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;

use super::output;
use crate::board::Board;
use crate::board::perft::{Passes, perft};

/// Arguments of `emilia perft`.
#[derive(clap::Args)]
#[command(after_help = "\
Published counts at 9 plies: 3005288, and 3005320 if a pass is no ply.

Examples:
  emilia perft 9
  emilia perft 9 --pass-free")]
pub struct Args {
    /// Plies
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(0..=15))]
    depth: u32,
    /// Do not count a pass as a ply
    #[arg(long)]
    pass_free: bool,
}

/// From so many plies on it takes minutes.
const LONG: u32 = 13;

/// Prints the number of sequences, the time and the rate.
pub fn run(args: &Args) -> Result<ExitCode> {
    let passes = if args.pass_free { Passes::Free } else { Passes::Counted };
    if args.depth >= LONG {
        output::message(format_args!(
            "perft {} takes minutes, each further ply ten times as long",
            args.depth
        ));
    }
    let start = Instant::now();
    let count = perft(Board::START, args.depth, passes);
    let seconds = start.elapsed().as_secs_f64();
    let rate = count as f64 / seconds.max(1e-9) / 1e6;
    output::print(&format!("perft {}: {count}  {seconds:.3} s  {rate:.0} M/s\n", args.depth))
}
