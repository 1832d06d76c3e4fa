//! A game on the terminal: you play Black and type moves such as `f5`.
//!
//! `cargo run --release -p emilia-engine --example play`

use std::error::Error;
use std::io::{BufRead, stdin};
use std::sync::Arc;

use emilia_engine::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let mut search = Search::new(&Options::default(), Arc::new(Evaluator::default()));
    let mut lines = stdin().lock().lines();
    let mut game = Game::default();
    while !game.is_over() {
        let position = game.position();
        if game.pass_if_forced() {
            println!("{} passes", position.side);
        } else if position.side == Color::White {
            let best = search
                .run(&Task::new(position.board, Limits::depth(8)))
                .best;
            game.play(best.expect("White has a move"))?;
            println!("White plays {}", best.expect("White has a move"));
        } else {
            println!("{}\nYour move ({})?", position, position.board.moves());
            let Some(text) = lines.next().transpose()? else {
                return Ok(());
            };
            let typed = text.trim().parse::<Square>();
            let played = typed.map(|square| game.play_square(square));
            if !matches!(played, Ok(Ok(()))) {
                println!("{:?} is no legal move", text.trim());
            }
        }
    }
    println!(
        "{:+} discs for Black",
        game.final_score(Color::Black).expect("the game is over")
    );
    Ok(())
}
