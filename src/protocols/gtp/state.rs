//! What a GTP client has told, and what its commands come to.

use std::time::{Duration, Instant};

use super::history::{History, Illegal};
use super::params::Params;
use super::print::{self, Form};
use crate::board::{Color, Move, Position};
use crate::protocols::clock::Clocks;
use crate::protocols::session::ProtocolSession;
use crate::search::{Info, Task};

/// A GTP session.
pub type GtpSession = ProtocolSession<Gtp>;

/// What a GTP client has told.
pub struct Gtp {
    /// The game.
    pub history: History,
    /// Its clocks.
    pub clocks: Clocks,
    /// How weakly to play.
    pub params: Params,
}

/// What a command leads to.
pub enum Reaction {
    /// This answer.
    Answer(String),
    /// A search, whose end gives the answer.
    Search(Purpose, Position, Task),
}

/// What a search is for.
pub enum Purpose {
    /// A move of a side, to be played at once or only told.
    Move {
        /// The side.
        color: Color,
        /// Whether it is played.
        plays: bool,
        /// Reports on the way to it, if they are asked for.
        stream: Option<Stream>,
    },
    /// `emilia-score`
    Score,
    /// `emilia-best_moves`
    BestMoves,
    /// `emilia-pv`
    Variation,
    /// An analysis, until the next line of input.
    Analyze(Stream),
}

/// Reports while a search runs.
pub struct Stream {
    /// The words of a report.
    pub form: Form,
    /// Least time between two reports.
    pub interval: Duration,
    /// Moves per report.
    pub max_moves: usize,
    /// When the last one was.
    pub last: Option<Instant>,
    /// An iteration that came too soon after it.
    pub pending: Option<Box<Info>>,
}

impl Stream {
    /// When the next report may be.
    pub fn due(&self) -> Option<Instant> {
        self.last.map(|last| last + self.interval)
    }

    /// Reports of this form on all moves, as soon as there is something new.
    pub fn new(form: Form) -> Self {
        Self { form, interval: Duration::ZERO, max_moves: 64, last: None, pending: None }
    }
}

impl GtpSession {
    /// Goes on with another game.
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
