//! The ladder: the early programs, written anew from their descriptions, as opponents in matches.
//!
//! | name        | after                     | search                                   | evaluation                            |
//! |-------------|---------------------------|------------------------------------------|---------------------------------------|
//! | `random`    | –                         | –                                        | –                                     |
//! | `greedy`    | –                         | one ply                                  | discs turned                          |
//! | `othelloai` | othelloAI's readme        | deepening alpha-beta, saved path first   | linear terms, 18-ply book             |
//! | `sustech`   | the SUSTech paper         | deepening alpha-beta, hash, sorted moves | ratios weighted by stage              |
//! | `applet`    | the Java applet's page    | NegaScout                                | edge table, mobility, liberties       |
//! | `pentai`    | PentAI's page             | alpha-beta of fixed depth and width      | squares and mobility, made to misjudge |
//!
//! None of their code was used. PentAI plays Pente: its way of searching is kept, its evaluation is ours.

mod applet;
mod liberties;
mod othelloai;
mod pentai;
mod program;
mod search;
mod simple;
mod sustech;
mod sustech_eval;

use std::time::Instant;

pub use program::{LadderOptions, Program};

use program::Choose;

use crate::board::Move;
use crate::tournament::players::{Budget, Fault, MoveReply, MoveRequest, Note, Player};
use crate::util::rng::Rng;

/// A program at the board.
pub struct LadderPlayer {
    program: Box<dyn Choose>,
    rng: Rng,
}

impl LadderPlayer {
    /// A program whose chance moves depend on `seed` alone.
    pub fn new(options: &LadderOptions, seed: u64) -> Self {
        let depth = u32::from(options.depth);
        let program: Box<dyn Choose> = match options.program {
            Program::Random => Box::new(simple::Random),
            Program::Greedy => Box::new(simple::Greedy),
            Program::OthelloAi => Box::new(othelloai::OthelloAi::new(depth)),
            Program::Sustech => Box::new(sustech::Sustech::new(depth)),
            Program::Applet => Box::new(applet::Applet::new(depth)),
            Program::PentAi => Box::new(pentai::PentAi::new(options)),
        };
        Self { program, rng: Rng::new(seed) }
    }
}

impl Player for LadderPlayer {
    fn new_game(&mut self, _budget: &Budget) -> Result<(), Fault> {
        Ok(())
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<MoveReply, Fault> {
        let start = Instant::now();
        let square = self.program.choose(request.game, &mut self.rng);
        let note = Note { eval: None, time: start.elapsed() };
        Ok(MoveReply { mv: Some(Move::Place(square)), note })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Color, Game};

    /// A position of a random game, up to 50 moves in.
    pub fn random_board(rng: &mut Rng) -> Board {
        let mut game = Game::default();
        for _ in 0..rng.below(50) {
            if !game.is_over() && !game.pass_if_forced() {
                let square = simple::Random.choose(&game, rng);
                game.play_square(square).unwrap();
            }
        }
        game.position().board
    }

    /// Plays a game from a random start and returns Black's discs' lead.
    fn play(black: &mut LadderPlayer, white: &mut LadderPlayer, seed: u64) -> i32 {
        let mut rng = Rng::new(seed);
        let mut game = Game::default();
        while !game.is_over() {
            if game.pass_if_forced() {
                continue;
            }
            let player = match (game.moves().len() < 6, game.position().side) {
                (true, _) => &mut LadderPlayer::new(&LadderOptions::named("random").unwrap(), rng.next()),
                (false, Color::Black) => &mut *black,
                (false, Color::White) => &mut *white,
            };
            let square = player.program.choose(&game, &mut player.rng);
            game.play_square(square).unwrap();
        }
        game.final_score(Color::Black).unwrap()
    }

    #[test]
    fn every_program_plays_legal_games_and_beats_chance() {
        for program in Program::ALL.into_iter().filter(|&program| program != Program::Random) {
            let options =
                LadderOptions { depth: named(program.name()).depth.min(3), ..named(program.name()) };
            let mut points = 0;
            for seed in 0..10 {
                let (mut player, mut random) =
                    (LadderPlayer::new(&options, seed), LadderPlayer::new(&named("random"), seed));
                points += play(&mut player, &mut random, seed).signum();
                points -= play(&mut random, &mut player, seed).signum();
            }
            let least = if program == Program::Greedy { 0 } else { 14 };
            assert!(points > least, "{}: {points} of 20", program.name());
        }
    }

    fn named(name: &str) -> LadderOptions {
        LadderOptions::named(name).unwrap()
    }

    #[test]
    fn the_same_seed_gives_the_same_game() {
        for name in ["random", "pentai"] {
            let mut options = named(name);
            options.depth = 2;
            if name == "pentai" {
                options.set("vision", "50").unwrap();
                options.set("judgement", "50").unwrap();
            }
            let mut scores = (0..2).map(|_| {
                let player = || LadderPlayer::new(&options, 5);
                play(&mut player(), &mut player(), 1)
            });
            assert_eq!(scores.next(), scores.next());
        }
    }

    #[test]
    fn less_vision_and_judgement_play_worse() {
        let mut weak = named("pentai");
        weak.set("vision", "40").unwrap();
        weak.set("judgement", "20").unwrap();
        let mut points = 0;
        for seed in 0..10 {
            let strong = || LadderPlayer::new(&LadderOptions { depth: 3, ..named("pentai") }, seed);
            let weak = || LadderPlayer::new(&LadderOptions { depth: 3, ..weak }, seed);
            points += play(&mut strong(), &mut weak(), seed).signum();
            points -= play(&mut weak(), &mut strong(), seed).signum();
        }
        assert!(points > 6, "{points} of 20");
    }

    #[test]
    fn settings_are_checked() {
        assert!(LadderOptions::named("nobody").is_none());
        assert!(named("random").set("vision", "50").is_err());
        assert!(named("pentai").set("vision", "0").is_err());
        assert!(named("pentai").set("depth", "21").is_err());
    }
}
