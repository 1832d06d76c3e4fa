//! Solves a position exactly: 64 signs and the side to move in one argument, or FFO's position 40.
//!
//! `cargo run --release -p emilia-engine --example solve`

use std::error::Error;
use std::sync::Arc;

use emilia_engine::prelude::*;
use emilia_engine::text::parse_board;

const FFO_40: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::env::args().nth(1).unwrap_or(FFO_40.to_owned());
    let position = parse_board(&text)?;
    let options = Options::default().with_threads(2);
    let mut search = Search::new(&options, Arc::new(Evaluator::default()));
    let result = search.run(&Task::new(position.board, Limits::exact()));
    let Some(line) = result.info.lines.first() else {
        println!("the game is over: {:+} discs", position.board.final_score());
        return Ok(());
    };
    let moves: Vec<String> = line.pv.iter().map(|mv| mv.to_string()).collect();
    println!("{:+} discs for {}", line.bound.round_discs(), position.side);
    println!("{} in {} nodes", moves.join(" "), result.info.nodes);
    Ok(())
}
