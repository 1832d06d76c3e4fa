//! Players: engines in child processes, this engine, and the early programs.

mod budget;
mod engine;
mod gtp;
pub mod ladder;
mod nboard;
pub mod options;
pub mod spec;

pub use budget::{Budget, Clock, parse_game_clock, parse_margin};
pub use engine::{EngineOptions, EnginePlayer, evaluator};
pub use gtp::GtpPlayer;
pub use nboard::{NBoardPlayer, find_protocol};

use std::time::Duration;

use crate::board::{Color, Game, Move};
use crate::peers::process::{Process, Silence};
use crate::search;

/// The wait for the first answer of an engine, unless the user sets another.
pub const START_PATIENCE: Duration = Duration::from_secs(30);

/// The wait for an answer without a search.
pub const SYNC_PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Note {
    /// The evaluation in discs for the mover, if it gave one.
    pub eval: Option<f64>,
    pub time: Duration,
}

/// A request for a move. The side to move has a legal one.
pub struct MoveRequest<'a> {
    pub game: &'a Game,
    pub notes: &'a [Note],
    pub budget: &'a Budget,
    /// The clocks of the side to move and of the other side: the time for the move if each move has the same, without a
    /// clock the patience.
    pub left: [Duration; 2],
    /// The moves of both sides for which `left` is, or 0: with [`Clock::Period`].
    pub period: [u32; 2],
    /// The longest wait; longer than `left`.
    pub patience: Duration,
}

impl MoveRequest<'_> {
    pub fn side(&self) -> Color {
        self.game.position().side
    }

    /// The time of this move, if the clock is not one for the game: that of each move, or an even share of the period.
    pub fn per_move(&self) -> Option<Duration> {
        let empties = self.game.position().board.empty_count();
        match self.budget.time {
            Clock::Search(search::Clock::Move(time)) => Some(time),
            Clock::Period { .. } => {
                let share = self.left[0] / self.period[0].min(empties.div_ceil(2));
                Some(share.max(Duration::from_millis(1)))
            }
            Clock::Search(_) => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveReply {
    /// The move, not yet judged by the rules; `None`: it resigns.
    pub mv: Option<Move>,
    pub note: Note,
}

/// A loss other than on the board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("did not start: {0}")]
    Start(String),
    #[error("crashed: {0}")]
    Crash(String),
    #[error("hung: {0}")]
    Hang(String),
    #[error("illegal move: {0}")]
    Illegal(String),
    #[error("lost on time: {:.3} s of {:.3} s", used.as_secs_f64(), allowed.as_secs_f64())]
    Time { used: Duration, allowed: Duration },
    #[error("wrote lines without end")]
    Chatter,
    /// Its answer makes no sense, or it refused a legal request.
    #[error("broke the protocol: {0}")]
    Protocol(String),
}

impl Fault {
    /// Whether the program is broken rather than weak: the game says nothing about strength. A loss on time is weak play.
    pub fn is_defect(&self) -> bool {
        !matches!(self, Self::Time { .. })
    }

    pub fn word(&self) -> &'static str {
        match self {
            Self::Start(_) => "start",
            Self::Crash(_) => "crash",
            Self::Hang(_) => "hang",
            Self::Illegal(_) => "illegal",
            Self::Time { .. } => "time",
            Self::Chatter => "chatter",
            Self::Protocol(_) => "protocol",
        }
    }

    /// The same fault at the start.
    pub fn at_start(self) -> Self {
        match self {
            Self::Start(text) | Self::Crash(text) | Self::Hang(text) | Self::Protocol(text) => {
                Self::Start(text)
            }
            other => Self::Start(other.to_string()),
        }
    }

    /// The fault of a program that did not start, with the last line of its stderr.
    pub fn with_last_words(self, process: &Process) -> Self {
        let Self::Start(text) = self.at_start() else {
            unreachable!("faults at the start")
        };
        let words = process.errors().pop();
        let words = words.map_or(String::new(), |words| format!("; stderr: {words}"));
        Self::Start(text + &words)
    }

    /// The fault of a request without an answer.
    fn of_silence(silence: &Silence, request: &str) -> Self {
        let text = format!("{silence} (to `{request}`)");
        match silence {
            // When this process ends, the game does not count.
            Silence::Deadline | Silence::Ending => Self::Hang(text),
            Silence::Exited(_) => Self::Crash(text),
            Silence::Chatter => Self::Chatter,
        }
    }
}

pub trait Player: Send {
    /// Prepares for a game: forgets the last one.
    ///
    /// # Errors
    /// A fault that loses the game.
    fn new_game(&mut self, budget: &Budget) -> Result<(), Fault>;

    /// Chooses a move; blocks until it has one or a deadline passes.
    ///
    /// # Errors
    /// A fault that loses the game. The player cannot play another one.
    fn choose(&mut self, request: &MoveRequest) -> Result<MoveReply, Fault>;

    /// Remarks before its first game: its name, and the options that its protocol cannot send.
    fn remarks(&self, _budget: &Budget) -> Vec<String> {
        Vec::new()
    }

    /// The last lines of traffic with it, oldest first; empty for players inside this process.
    fn tail(&self) -> Vec<String> {
        Vec::new()
    }
}
