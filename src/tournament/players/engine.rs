//! This engine as a player inside this process, with the levels and the time management of NBoard and GTP sessions.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::{Budget, Clock, Fault, MoveReply, MoveRequest, Note, Player};
use crate::board::Score;
use crate::book::policy::Policy;
use crate::engine::{
    BookOptions, Choice, Engine, Job, Level, Opening, Options, choose_move, vary_move,
};
use crate::eval::{EvalKind, Evaluator, WeightsError};
use crate::search::{self, Handicap, Limits, Line, Task, Tuning};

/// The best evaluation, made once.
pub fn evaluator() -> Result<Arc<Evaluator>, WeightsError> {
    static EVALUATOR: OnceLock<Arc<Evaluator>> = OnceLock::new();
    if let Some(made) = EVALUATOR.get() {
        return Ok(made.clone());
    }
    let made = Arc::new(Evaluator::load(None, None)?);
    Ok(EVALUATOR.get_or_init(|| made).clone())
}

#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    /// Replaces the match's.
    pub level: Option<Level>,
    /// Plies of every search, in place of a level.
    pub depth: Option<u8>,
    /// Nodes per move; replaces the match's.
    pub nodes: Option<u64>,
    /// Empties from which it solves; replaces the level's.
    pub solve_from: Option<u8>,
    /// The best one if `None`.
    pub eval: Option<EvalKind>,
    /// A file; the embedded weights if `None`.
    pub weights: Option<PathBuf>,
    pub book: Option<PathBuf>,
    pub policy: Policy,
    /// Weak play; the game replaces the seed.
    pub handicap: Option<Handicap>,
    pub threads: usize,
    pub hash_mib: usize,
    pub tuning: Tuning,
}

impl Default for EngineOptions {
    fn default() -> Self {
        let Options {
            threads, hash_mib, ..
        } = Options::default();
        Self {
            level: None,
            depth: None,
            nodes: None,
            solve_from: None,
            eval: None,
            weights: None,
            book: None,
            policy: Policy::Best,
            handicap: None,
            threads,
            hash_mib,
            tuning: Tuning::default(),
        }
    }
}

pub struct EnginePlayer {
    engine: Engine,
    opening: Option<Opening>,
    options: EngineOptions,
}

impl EnginePlayer {
    /// An engine with an empty hash table; random book moves and weak play depend on `seed`.
    ///
    /// # Errors
    /// When the weights or the book cannot be read.
    pub fn new(options: &EngineOptions, seed: u64) -> Result<Self, Fault> {
        let evaluator = match (options.eval, options.weights.as_deref()) {
            (None, None) => evaluator(),
            (kind, path) => Evaluator::load(kind, path).map(Arc::new),
        };
        let evaluator = evaluator.map_err(|error| Fault::Start(error.to_string()))?;
        let opening = match &options.book {
            None => None,
            Some(path) => {
                let book = BookOptions {
                    path: Some(path.clone()),
                    policy: options.policy,
                    seed,
                };
                Some(Opening::open(&book).map_err(|error| Fault::Start(error.to_string()))?)
            }
        };
        let EngineOptions {
            threads, hash_mib, ..
        } = *options;
        let evaluator = Some(evaluator);
        let tuning = options.tuning.clone();
        let settings = Options {
            threads,
            hash_mib,
            evaluator,
            tuning,
            ..Options::default()
        };
        // A match shows no iterations.
        let engine =
            Engine::new(settings, |_| ()).map_err(|error| Fault::Start(error.to_string()))?;
        let handicap = options
            .handicap
            .map(|handicap| Handicap { seed, ..handicap });
        Ok(Self {
            engine,
            opening,
            options: EngineOptions {
                handicap,
                ..options.clone()
            },
        })
    }

    fn limits(&self, request: &MoveRequest) -> Limits {
        let budget = request.budget;
        let clock = match (budget.time, request.per_move()) {
            (_, Some(time)) => search::Clock::Move(time),
            (Clock::Search(search::Clock::Game { increment, .. }), _) => search::Clock::Game {
                remaining: request.left[0],
                increment,
            },
            _ => search::Clock::Unlimited,
        };
        let nodes = self.options.nodes.or(budget.nodes);
        let of_match = budget
            .level
            .map(|level| Level::new(level.into()).expect("options check it"));
        // A number of nodes bounds the search like a clock.
        let asked = self
            .options
            .level
            .or(of_match)
            .or(nodes.map(|_| Level::MAX));
        let limits = match self.options.depth {
            Some(depth) => Limits::depth(depth),
            None => Level::limits_for(asked, clock),
        };
        Limits {
            clock,
            nodes,
            exact_empties: self.options.solve_from.unwrap_or(limits.exact_empties),
            ..limits
        }
    }
}

impl Player for EnginePlayer {
    fn new_game(&mut self, _budget: &Budget) -> Result<(), Fault> {
        self.engine.start(Job::Clear);
        // Before the clock runs.
        self.engine.start(Job::Prepare);
        self.engine.wait();
        Ok(())
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<MoveReply, Fault> {
        let start = Instant::now();
        let board = request.game.position().board;
        let task = Task {
            handicap: self.options.handicap,
            ..Task::new(board, self.limits(request))
        };
        let choice = choose_move(self.opening.as_mut(), request.game, task);
        let (best, eval) = match choice.map_err(|error| Fault::Protocol(error.to_string()))? {
            Choice::Book(line) => (Some(line.pv[0]), line.score.map(Score::discs)),
            Choice::Search(task) => {
                let mut result = self.engine.search_and_wait(task);
                vary_move(self.opening.as_mut(), &task, &mut result);
                (result.best, result.info.lines.first().and_then(Line::discs))
            }
        };
        let best = best.ok_or_else(|| Fault::Protocol("no move found".to_owned()))?;
        let time = start.elapsed();
        Ok(MoveReply {
            mv: Some(best),
            note: Note { eval, time },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Game;

    #[test]
    fn the_limits_are_those_of_a_session() {
        let second = Duration::from_secs(1);
        let limits = |options: EngineOptions, budget: Budget| {
            let player = EnginePlayer::new(
                &EngineOptions {
                    hash_mib: 1,
                    ..options
                },
                1,
            )
            .unwrap();
            let game = Game::default();
            let left = [second; 2];
            player.limits(&MoveRequest {
                game: &game,
                notes: &[],
                budget: &budget,
                left,
                period: [4; 2],
                patience: second,
            })
        };
        let free = Budget {
            time: Clock::UNLIMITED,
            level: None,
            nodes: None,
        };
        let level = |number: u64, clock| Level::new(number).unwrap().limits(clock);
        let plain = EngineOptions::default;
        assert_eq!(
            (plain().threads, plain().hash_mib),
            (1, Options::default().hash_mib)
        );
        assert_eq!(
            limits(plain(), free),
            Level::default().limits(search::Clock::Unlimited)
        );
        assert_eq!(
            limits(
                plain(),
                Budget {
                    level: Some(6),
                    ..free
                }
            ),
            level(6, search::Clock::Unlimited)
        );
        let strong = EngineOptions {
            level: Some(Level::new(12).unwrap()),
            ..plain()
        };
        assert_eq!(
            limits(
                strong,
                Budget {
                    level: Some(6),
                    ..free
                }
            ),
            level(12, search::Clock::Unlimited)
        );
        let timed = Budget {
            time: Clock::per_move(second),
            ..free
        };
        let per_move = |time| level(60, search::Clock::Move(time));
        assert_eq!(limits(plain(), timed), per_move(second));
        let period = Budget {
            time: Clock::parse("5/2").unwrap(),
            ..free
        };
        assert_eq!(limits(plain(), period), per_move(second / 4));
        let depth = EngineOptions {
            depth: Some(9),
            ..plain()
        };
        let fixed = Limits {
            clock: search::Clock::Move(second),
            ..Limits::depth(9)
        };
        assert_eq!(limits(depth, timed), fixed);
        let nodes = limits(
            plain(),
            Budget {
                nodes: Some(500),
                ..free
            },
        );
        assert_eq!((nodes.nodes, nodes.depth), (Some(500), 60));
        assert_eq!(
            limits(
                EngineOptions {
                    solve_from: Some(9),
                    ..plain()
                },
                free
            )
            .exact_empties,
            9
        );
    }
}
