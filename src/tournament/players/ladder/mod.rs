//! The ladder: early programs as opponents in matches, written again from their descriptions.
//!
//! | name        | after                   | search                    | evaluation                             |
//! |-------------|-------------------------|---------------------------|----------------------------------------|
//! | `random`    | –                       | –                         | –                                      |
//! | `greedy`    | –                       | one ply                   | discs turned                           |
//! | `othelloai` | othelloAI's readme      | 18-ply book, then 6 plies | linear terms                           |
//! | `sustech`   | the SUSTech paper       | 4 plies                   | ratios weighted by stage               |
//! | `applet`    | the Java applet's page  | 4 plies                   | edges, mobility, liberties             |
//! | `pentai`    | PentAI's page           | 4 plies, few candidates   | squares and mobility, made to misjudge |
//!
//! All share one alpha-beta search: NegaScout, hash tables and iterative deepening of the originals save time and change no
//! move. PentAI plays Pente: only its search is kept.

mod evaluate;
mod program;
mod search;

use std::time::Instant;

pub use self::program::{LadderOptions, names};

use self::program::Program;
use self::search::Searcher;
use crate::board::{Game, Move, Square};
use crate::tournament::players::{Budget, Fault, MoveReply, MoveRequest, Note, Player};
use crate::util::rng::Rng;

pub struct LadderPlayer {
    options: LadderOptions,
    book: Vec<Vec<Move>>,
    rng: Rng,
}

impl LadderPlayer {
    /// A program whose chance moves depend only on `seed`.
    pub fn new(options: &LadderOptions, seed: u64) -> Self {
        let book = if options.program == Program::OthelloAi {
            book()
        } else {
            Vec::new()
        };
        Self {
            options: *options,
            book,
            rng: Rng::new(seed),
        }
    }

    /// A move for the side to move, which has one.
    fn choose(&mut self, game: &Game) -> Square {
        let board = game.position().board;
        let rng = &mut self.rng;
        let chosen = match self.options.program {
            Program::Random => board
                .moves()
                .iter()
                .nth(rng.below(board.moves().len()) as usize),
            Program::Greedy => board
                .moves()
                .iter()
                .max_by_key(|&square| (board.flip(square).count_ones(), rng.next())),
            _ => book_move(&self.book, game, rng)
                .or_else(|| Searcher::new(&self.options, rng).best_move(board)),
        };
        chosen.expect("the side to move has a move")
    }
}

impl Player for LadderPlayer {
    fn new_game(&mut self, _budget: &Budget) -> Result<(), Fault> {
        Ok(())
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<MoveReply, Fault> {
        let start = Instant::now();
        let square = self.choose(request.game);
        let note = Note {
            eval: None,
            time: start.elapsed(),
        };
        Ok(MoveReply {
            mv: Some(Move::Place(square)),
            note,
        })
    }
}

/// Balanced lines of 18 plies.
fn book() -> Vec<Vec<Move>> {
    include_str!("../../../../books/ladder.txt")
        .lines()
        .filter_map(|line| crate::notation::moves::parse_moves(line).ok())
        .filter(|line| !line.is_empty())
        .collect()
}

/// The next move of a random line that begins like the game.
fn book_move(book: &[Vec<Move>], game: &Game, rng: &mut Rng) -> Option<Square> {
    let played = game.moves();
    let fitting: Vec<Square> = book
        .iter()
        .filter(|line| line.len() > played.len() && line.starts_with(played))
        .filter_map(|line| line[played.len()].square())
        .collect();
    let pick = *fitting.get(rng.below(fitting.len().max(1) as u32) as usize)?;
    game.position().board.play(pick).map(|_| pick)
}

#[cfg(test)]
mod tests {
    use super::program::PROGRAMS;
    use super::*;
    use crate::board::{Board, Color, Position};

    fn named(name: &str, depth: u8) -> LadderOptions {
        LadderOptions {
            depth,
            ..LadderOptions::named(name).unwrap()
        }
    }

    /// A position of a random game, up to 50 moves in.
    pub fn random_board(rng: &mut Rng) -> Board {
        let mut random = LadderPlayer::new(&named("random", 1), rng.next());
        let mut game = Game::default();
        for _ in 0..rng.below(50) {
            if !game.is_over() && !game.pass_if_forced() {
                game.play_square(random.choose(&game)).unwrap();
            }
        }
        game.position().board
    }

    /// Plays a game from a random start and returns Black's discs' lead.
    fn play(black: &mut LadderPlayer, white: &mut LadderPlayer, seed: u64) -> i32 {
        let mut random = LadderPlayer::new(&named("random", 1), seed);
        let mut game = Game::default();
        while !game.is_over() {
            if game.pass_if_forced() {
                continue;
            }
            let player = match (game.moves().len() < 6, game.position().side) {
                (true, _) => &mut random,
                (false, Color::Black) => &mut *black,
                (false, Color::White) => &mut *white,
            };
            game.play_square(player.choose(&game)).unwrap();
        }
        game.final_score(Color::Black).unwrap()
    }

    /// Points of the first in twenty games, -20 to 20.
    fn points(first: &LadderOptions, second: &LadderOptions) -> i32 {
        let pair = |seed| {
            let new = |options| LadderPlayer::new(options, seed);
            play(&mut new(first), &mut new(second), seed).signum()
                - play(&mut new(second), &mut new(first), seed).signum()
        };
        (0..10).map(pair).sum()
    }

    #[test]
    fn every_program_plays_legal_games_and_beats_chance() {
        for (program, name, depth) in PROGRAMS {
            let points = points(&named(name, depth.min(3)), &named("random", 1));
            let least = match program {
                Program::Random => -10,
                Program::Greedy => 0,
                _ => 14,
            };
            assert!(points > least, "{name}: {points} of 20");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_game() {
        let blurred = LadderOptions {
            vision: 50,
            judgement: 50,
            ..named("pentai", 2)
        };
        for options in [named("random", 1), blurred] {
            let player = || LadderPlayer::new(&options, 5);
            let score = || play(&mut player(), &mut player(), 1);
            assert_eq!(score(), score());
        }
    }

    #[test]
    fn less_vision_and_judgement_play_worse() {
        let strong = named("pentai", 3);
        let points = points(
            &strong,
            &LadderOptions {
                vision: 40,
                judgement: 20,
                ..strong
            },
        );
        assert!(points > 6, "{points} of 20");
    }

    #[test]
    fn the_book_holds_legal_lines_of_eighteen_plies() {
        let lines = book();
        assert!(lines.len() >= 40);
        for line in lines {
            assert_eq!(line.len(), 18);
            Game::from_moves(Position::START, line).unwrap();
        }
    }
}
