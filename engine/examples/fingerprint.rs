//! Searches the positions of `emilia bench` and prints the kernels of this build and the sum of the nodes, `Bench: N`.
//!
//! `cargo run --release -p emilia-engine --example fingerprint`

use std::error::Error;
use std::sync::Arc;

use emilia_engine::internal::board::level;
use emilia_engine::internal::search::bench::{POSITIONS, limits};
use emilia_engine::prelude::*;
use emilia_engine::text::parse_board;

fn main() -> Result<(), Box<dyn Error>> {
    let (kernels, reason) = level::name_and_reason();
    println!("kernels {kernels} ({reason})");
    let mut search = Search::new(&Options::default(), Arc::new(Evaluator::default()));
    let mut nodes = 0;
    for position in POSITIONS {
        search.clear();
        search.run(&Task::new(parse_board(position)?.board, limits()));
        nodes += search.counters().nodes;
    }
    println!("Bench: {nodes}");
    Ok(())
}
