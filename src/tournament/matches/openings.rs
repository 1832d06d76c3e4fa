//! Openings: given ones, or balanced ones that this engine makes.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use anyhow::{Result, ensure};

use crate::board::{Board, Game, Move, Position, Score};
use crate::eval::Evaluator;
use crate::search::{Limits, Options, Search, Task};
use crate::util::lock;
use crate::util::rng::Rng;

/// A game as an opening, cut to `plies` moves if given.
pub fn opening(mut game: Game, plies: Option<usize>) -> Result<Game> {
    while plies.is_some_and(|plies| game.moves().len() > plies) {
        game.undo();
    }
    ensure!(
        !game.is_over(),
        "no opening: the game is over after {} moves",
        game.moves().len()
    );
    Ok(game)
}

/// The parameters of made openings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    pub plies: usize,
    /// Depth of the searches that judge the moves.
    pub depth: u8,
    pub seed: u64,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            plies: 8,
            depth: 5,
            seed: 1,
        }
    }
}

/// The largest loss of a chosen move, in discs.
const CHOICE: i32 = 3;
/// The largest lead at the end, in discs.
const BALANCE: i32 = 2;
/// Attempts for one opening: 8 plies offer tens of thousands, 2 plies only a few.
const ATTEMPTS: usize = 5_000;

#[derive(Clone)]
pub enum Openings {
    /// A list, used in turn.
    Given(Arc<Vec<Game>>),
    /// Made on demand, without end.
    Made(Recipe, Arc<Mutex<OpeningGenerator>>),
}

impl Openings {
    pub fn given(openings: Vec<Game>) -> Self {
        Self::Given(Arc::new(openings))
    }

    pub fn made(recipe: Recipe) -> Self {
        Self::Made(recipe, Arc::new(Mutex::new(OpeningGenerator::new(recipe))))
    }

    /// The opening of a round, counted from 0.
    pub fn get(&self, round: usize) -> Result<Game> {
        match self {
            Self::Given(openings) => Ok(openings[round % openings.len()].clone()),
            Self::Made(_, generator) => lock(generator).get(round).cloned(),
        }
    }

    /// Their number; `None` without end.
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Given(openings) => Some(openings.len()),
            Self::Made(..) => None,
        }
    }

    /// Whether moves from the usual start lead to all of them.
    pub fn all_from_the_usual_start(&self) -> Result<bool> {
        match self {
            Self::Given(openings) => {
                ensure!(!openings.is_empty(), "a match needs openings");
                Ok(openings.iter().all(|game| game.start() == Position::START))
            }
            Self::Made(..) => Ok(true),
        }
    }
}

/// Makes openings of nearly best moves with an even end, no two of them alike under symmetry.
pub struct OpeningGenerator {
    recipe: Recipe,
    search: Search,
    rng: Rng,
    seen: HashSet<Board>,
    made: Vec<Game>,
}

impl OpeningGenerator {
    pub fn new(recipe: Recipe) -> Self {
        // The classic evaluation: new weights must not change the openings of a seed.
        let search = Search::new(
            &Options {
                threads: 1,
                hash_mib: 1,
            },
            Arc::new(Evaluator::Classic),
        );
        Self {
            recipe,
            search,
            rng: Rng::new(recipe.seed),
            seen: HashSet::new(),
            made: Vec::new(),
        }
    }

    /// The opening with this index; it depends only on recipe and index.
    ///
    /// # Errors
    /// When the recipe allows fewer.
    pub fn get(&mut self, index: usize) -> Result<&Game> {
        let mut attempts = 0;
        while self.made.len() <= index {
            ensure!(
                attempts < ATTEMPTS,
                "only {} different balanced openings of {} plies found: ask for fewer games or longer openings",
                self.made.len(),
                self.recipe.plies
            );
            attempts += 1;
            if let Some(game) = attempt(&mut self.search, &self.recipe, &mut self.rng)
                && self.seen.insert(game.position().board.canonical().0)
            {
                self.made.push(game);
                attempts = 0;
            }
        }
        Ok(&self.made[index])
    }
}

/// A random line, if its end is even.
fn attempt(search: &mut Search, recipe: &Recipe, rng: &mut Rng) -> Option<Game> {
    let mut game = Game::default();
    while game.moves().len() < recipe.plies {
        if game.pass_if_forced() {
            continue;
        }
        let lines = lines(search, game.position().board, recipe.depth);
        let least = lines.first()?.1 - Score::from_discs(CHOICE);
        let good = lines
            .iter()
            .take_while(|(_, score)| *score >= least)
            .count();
        game.play(lines[rng.below(good as u32) as usize].0).ok()?;
    }
    let score = lines(search, game.position().board, recipe.depth + 1)
        .first()?
        .1;
    (score.units().abs() <= BALANCE * Score::DISC).then_some(game)
}

/// All moves with their scores, best first.
fn lines(search: &mut Search, board: Board, depth: u8) -> Vec<(Move, Score)> {
    let task = Task {
        multi_pv: 64,
        ..Task::new(board, Limits::depth(depth))
    };
    // A new table: an opening must not depend on earlier ones.
    search.clear();
    let result = search.run(&task);
    result
        .info
        .lines
        .iter()
        .filter_map(|line| Some((*line.pv.first()?, line.bound)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_cut_to_openings() {
        let game = |moves| crate::notation::moves::parse_game(Position::START, moves).unwrap();
        assert_eq!(
            opening(game("f5d6c3d3c4"), None).unwrap(),
            game("f5d6c3d3c4")
        );
        assert_eq!(opening(game("f5d6c3d3c4"), Some(2)).unwrap(), game("f5d6"));
        assert_eq!(opening(game("f5d6"), Some(9)).unwrap(), game("f5d6"));
        let over = game("e6f4e3f6g5d6e7f5c5");
        assert!(
            opening(over.clone(), None)
                .unwrap_err()
                .to_string()
                .contains("over after 9 moves")
        );
        assert!(opening(over, Some(8)).is_ok());
    }

    #[test]
    fn made_openings_differ_and_repeat_with_the_seed() {
        fn make(count: usize, recipe: &Recipe) -> Result<Vec<Game>> {
            let openings = Openings::made(*recipe);
            (0..count).map(|round| openings.get(round)).collect()
        }
        let recipe = Recipe {
            depth: 1,
            ..Recipe::default()
        };
        let openings = make(30, &recipe).unwrap();
        assert_eq!(make(10, &recipe).unwrap(), openings[..10]);
        assert!(
            openings
                .iter()
                .all(|game| game.moves().len() == 8 && !game.is_over())
        );
        let ends: HashSet<Board> = openings
            .iter()
            .map(|game| game.position().board.canonical().0)
            .collect();
        assert_eq!(ends.len(), 30);
        assert_ne!(
            make(10, &Recipe { seed: 2, ..recipe }).unwrap(),
            openings[..10]
        );
    }

    #[test]
    fn too_many_short_openings_are_refused() {
        // After one ply all four positions are the same.
        let openings = Openings::made(Recipe {
            plies: 1,
            depth: 1,
            seed: 1,
        });
        assert!(openings.get(0).is_ok());
        let error = openings.get(1).unwrap_err().to_string();
        assert!(
            error.starts_with("only 1 different balanced openings of 1 plies"),
            "{error}"
        );
        assert!(openings.get(0).is_ok(), "made openings stay");
    }
}
