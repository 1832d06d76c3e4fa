//! Counts the move sequences of each length from the usual start, as the published tables do.
//!
//! `cargo run --release -p emilia-engine --example perft -- 9`

use std::error::Error;
use std::time::Instant;

use emilia_engine::board::Board;
use emilia_engine::board::perft::{Passes, perft};

fn main() -> Result<(), Box<dyn Error>> {
    let deepest = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 8,
    };
    for depth in 1..=deepest {
        let start = Instant::now();
        let count = perft(Board::START, depth, Passes::Counted);
        println!(
            "{depth:2} {count:>15} {:9.3} s",
            start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}
