//! The state of a GTP session, and the effects of its commands.

use std::time::{Duration, Instant};

use super::history::History;
use super::params::Params;
use super::print;
use crate::board::{Color, Move};
use crate::protocols::clock::Clocks;
use crate::protocols::session::ProtocolSession;
use crate::search::{Info, Task};
use crate::util::refusal::Refusal;

pub type GtpSession = ProtocolSession<Gtp>;

pub struct Gtp {
    pub history: History,
    pub clocks: Clocks,
    /// The strength of `genmove`.
    pub params: Params,
}

/// The effect of a command.
pub enum Reaction {
    Answer(String),
    /// A search for this side, whose end gives the answer.
    Search(Purpose, Color, Task),
}

pub enum Purpose {
    /// A move of a side, which `genmove` plays.
    Move {
        color: Color,
        plays: bool,
    },
    Score,
    BestMoves,
    Variation,
    /// An analysis, until the next line of input.
    Analyze(Stream),
}

/// Reports while a search runs.
pub struct Stream {
    /// Draws on GoGui's board, through stderr, instead of lines of the answer.
    pub draws: bool,
    /// Least time between two reports.
    pub interval: Duration,
    pub max_moves: usize,
    pub last: Option<Instant>,
    /// An iteration that came too soon after it.
    pub pending: Option<Box<Info>>,
}

impl Stream {
    pub fn due(&self) -> Option<Instant> {
        self.last.map(|last| last + self.interval)
    }
}

impl Default for Stream {
    /// Reports on all moves, as soon as there is something new.
    fn default() -> Self {
        Self {
            draws: false,
            interval: Duration::ZERO,
            max_moves: 64,
            last: None,
            pending: None,
        }
    }
}

impl GtpSession {
    pub(super) fn set_up(&mut self, history: History) {
        self.library.set_up(history.game());
        self.state.history = history;
        self.state.clocks.restart();
    }

    /// Answers with a move, which is played if the command `plays`.
    pub(super) fn answer_move(
        &mut self,
        color: Color,
        mv: Move,
        plays: bool,
    ) -> Result<String, Refusal> {
        if plays {
            self.state.history.generate(color, mv)?;
            self.library.moved(self.state.history.game());
        }
        Ok(print::vertex(mv))
    }
}
