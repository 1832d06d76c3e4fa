//! Our own engine as a player inside this process.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Answer, Budget, Fault, Note, Player, TimeControl, Turn};
use crate::eval::{EvalKind, Evaluator};
use crate::search::{Clock, Limits, Options, Search, Silent, Stop, Task};
use crate::tournament::evaluator;

/// How one of our own players differs from the rest of the match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Deepest midgame iteration, in place of the match's.
    pub depth: Option<u8>,
    /// Nodes per move, in place of the match's.
    pub nodes: Option<u64>,
    /// Solve from this many empties on, in place of the depth.
    pub exact: Option<u8>,
    /// The evaluation; the best there is if not given.
    pub eval: Option<EvalKind>,
    /// The file of its weights; the embedded ones if not given.
    pub weights: Option<PathBuf>,
    /// Search threads.
    pub threads: usize,
    /// Hash table in MiB.
    pub hash_mib: usize,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { depth: None, nodes: None, exact: None, eval: None, weights: None, threads: 1, hash_mib: 16 }
    }
}

/// Our engine.
pub struct EnginePlayer {
    search: Search,
    options: EngineOptions,
}

impl EnginePlayer {
    /// An engine of its own, with an empty hash table.
    ///
    /// # Errors
    /// When the weights cannot be read.
    pub fn new(options: &EngineOptions) -> Result<Self, Fault> {
        let evaluator = match (options.eval, options.weights.as_deref()) {
            (None, None) => evaluator(),
            (kind, path) => {
                Arc::new(Evaluator::load(kind, path).map_err(|error| Fault::Start(error.to_string()))?)
            }
        };
        let search_options = Options { threads: options.threads, hash_mib: options.hash_mib };
        Ok(Self { search: Search::new(&search_options, evaluator), options: options.clone() })
    }

    /// What the search may spend on this turn.
    fn limits(&self, turn: &Turn) -> Limits {
        let budget = turn.budget;
        let bounded = budget.time != TimeControl::Unlimited || budget.nodes.is_some();
        let depth = self.options.depth.or(budget.depth).unwrap_or(if bounded { 60 } else { 8 });
        let mut limits = Limits::depth(depth);
        limits.nodes = self.options.nodes.or(budget.nodes);
        limits.exact_empties = self.options.exact.unwrap_or(depth);
        limits.clock = match budget.time {
            TimeControl::Unlimited => Clock::Unlimited,
            TimeControl::Game { increment, .. } => Clock::Game { remaining: turn.left[0], increment },
            TimeControl::Move(time) => Clock::Move(time),
        };
        limits
    }
}

impl Player for EnginePlayer {
    fn new_game(&mut self, _budget: &Budget) -> Result<(), Fault> {
        self.search.clear();
        Ok(())
    }

    fn choose(&mut self, turn: &Turn) -> Result<Answer, Fault> {
        let start = Instant::now();
        let task = Task::new(turn.game.position().board, self.limits(turn));
        let result = self.search.run(&task, &Stop::new(), &mut Silent);
        let time: Duration = start.elapsed();
        let mv = result.best.ok_or_else(|| Fault::Protocol("no move found".to_owned()))?;
        let eval = result.info.lines.first().map(|line| line.score.discs());
        Ok(Answer { mv, note: Note { eval, time } })
    }
}
