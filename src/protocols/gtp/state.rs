//! What a GTP client has told, and what its commands come to.

use std::time::{Duration, Instant};

use super::history::{History, Illegal};
use super::params::Params;
use super::print;
use crate::board::{Color, Move, Position};
use crate::protocols::clock::Clocks;
use crate::protocols::session::ProtocolSession;
use crate::search::{Info, Task};

pub type GtpSession = ProtocolSession<Gtp>;

/// What a GTP client has told.
pub struct Gtp {
    pub history: History,
    pub clocks: Clocks,
    /// How weakly to play.
    pub params: Params,
}

/// What a command leads to.
pub enum Reaction {
    Answer(String),
    /// A search, whose end gives the answer.
    Search(Purpose, Position, Task),
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
        Self { interval: Duration::ZERO, max_moves: 64, last: None, pending: None }
    }
}

impl GtpSession {
    pub(super) fn set_up(&mut self, history: History) {
        self.library.begin(history.game());
        self.state.history = history;
        self.state.clocks.restart();
    }

    /// Makes a move; one that ends the game may have the book learn it.
    pub(super) fn play(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        self.state.history.play(color, mv)?;
        self.library.moved(self.state.history.game());
        Ok(())
    }

    /// The answer that tells a move, which is made if the command `plays`.
    pub(super) fn answer_move(&mut self, color: Color, mv: Move, plays: bool) -> Result<String, String> {
        if plays {
            self.state.history.generate(color, mv)?;
            self.library.moved(self.state.history.game());
        }
        Ok(print::vertex(mv))
    }
}
