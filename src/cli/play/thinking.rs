//! Thoughts under way, and what they are for.

use std::time::Instant;

use super::table::MoveNote;
use crate::board::Square;
use crate::engine::{JobId, Level};
use crate::search::{Info, Line, Task};

/// Moves are judged at this level or a higher one, however weakly the engine plays.
const LEAST_LEVEL: u64 = 12;

/// The level of hints and lessons where the engine plays at this one.
pub fn judging_level(plays: Level) -> Level {
    plays.max(Level::new(LEAST_LEVEL).expect("a level"))
}

/// What is thought about.
#[derive(Debug)]
pub enum Purpose {
    /// The engine's move.
    Move,
    /// Another player's move.
    Opponent,
    /// A hint.
    Hint {
        /// The book has told moves before.
        after_book: bool,
    },
    /// Whether a typed move is a mistake.
    Lesson(Judged),
}

/// Thoughts under way.
pub struct Thinking {
    /// The engine's job, if it is the engine that thinks.
    pub job: Option<JobId>,
    /// What was asked for.
    pub task: Task,
    /// What for.
    pub purpose: Purpose,
    /// When it began.
    pub began: Instant,
    /// When something was last told of it.
    pub told: Instant,
    /// It was said that lines wait.
    pub waiting_is_told: bool,
    /// What the engine has found so far.
    pub so_far: Option<Info>,
}

/// A move that is judged before it is played.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Where.
    pub square: Square,
    /// What is noted of it.
    pub note: MoveNote,
    /// The best move, once it is known; the move itself is searched then.
    pub best: Option<Line>,
}
