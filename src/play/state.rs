//! The state of a session: its setup, the game on the table, and the thoughts under way.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Result;

use super::paste::Paste;
use super::seat::Seat;
use super::table::Table;
use crate::board::{Color, Move, Position, Square};
use crate::engine::{Job, JobId, Level};
use crate::eval::Evaluator;
use crate::notation::Detected;
use crate::notation::ggf::Ply;
use crate::picture::terminal::Style;
use crate::protocols::console::InputLine;
use crate::protocols::driver::{Backlog, Searcher};
use crate::protocols::library::Library;
use crate::search::{Handicap, Info, Line, Task};
use crate::sentences::Language;

/// The choices of the player before the first move.
#[derive(Clone, Debug)]
pub struct Setup {
    pub table: Table,
    /// Black's and White's player.
    pub seats: [Seat; 2],
    pub level: Level,
    /// The engine's weakness, except in hints.
    pub handicap: Option<Handicap>,
    pub style: Style,
    /// A person types: lines that come while the engine thinks may interrupt it.
    pub is_interactive: bool,
    /// The session prints the prompt; a line editor prints it itself.
    pub prompts: bool,
    /// Columns of the terminal, which may change; without a terminal lines are not wrapped.
    pub columns: fn() -> Option<usize>,
    pub language: Language,
    /// Mistakes of at least this number of discs are taken back.
    pub lesson: Option<f64>,
    /// The seed of a person's moves.
    pub seed: u64,
    /// Hints name traps for a person as opponent.
    pub traps: Option<Traps>,
    /// The file of all games of the session.
    pub output: Option<PathBuf>,
    /// Raised by Ctrl-C: the session ends.
    pub interrupted: Arc<AtomicBool>,
    /// Reads the first game of a file in any notation, and whether more follow.
    pub read_game: fn(&Path) -> Result<(Detected, bool)>,
    /// Refuses a file that the command line uses already.
    pub refuse_named: fn(&Path) -> Result<()>,
}

/// The settings of traps in hints.
#[derive(Clone, Debug)]
pub struct Traps {
    /// The most discs that a trap may cost.
    pub most: f64,
    /// The evaluation of the model of people.
    pub evaluator: Arc<Evaluator>,
}

impl Setup {
    /// The engine with its strength: `Emilia 1450` for a person.
    pub fn engine_name(&self) -> String {
        match self.handicap.and_then(|handicap| handicap.person) {
            Some(person) => format!("Emilia {}", person.rating),
            None => format!("Emilia level {}", self.level),
        }
    }
}

pub struct Play {
    pub(super) engine: Box<dyn Searcher>,
    pub(super) out: Box<dyn Write>,
    pub(super) setup: Setup,
    pub(super) library: Library,
    pub(super) thinking: Option<Thinking>,
    pub(super) backlog: Backlog<InputLine>,
    pub(super) paste: Option<Paste>,
    /// When the side to move began to think.
    pub(super) since: Instant,
    /// When its clock was stopped.
    pub(super) stopped_at: Option<Instant>,
    /// The engine waits for `go`, because moves were taken back to its turn.
    pub(super) waits: bool,
    /// The session has reported that the side to move has used up its time.
    pub(super) flag_fell: bool,
    /// The move that a lesson has just taken back.
    pub(super) refused: Option<Square>,
    /// The game on the table in the form of the output file; empty without moves.
    pub(super) kept_game: String,
    /// The games before it in that form.
    pub(super) earlier_games: String,
    pub(super) has_ended: bool,
    pub(super) is_done: bool,
}

/// A search under way.
pub struct Thinking {
    pub job: JobId,
    pub purpose: Purpose,
    /// When progress was last printed.
    pub shown_at: Instant,
    /// The session has reported that lines wait.
    pub has_noted_wait: bool,
    pub so_far: Option<Info>,
}

pub enum Purpose {
    /// The engine's move, found by this task.
    Move(Task),
    /// A hint, with the moves of the book and their scores in discs.
    Hint(Vec<(Move, f64)>),
    /// The judgement of a typed move.
    Lesson(Judged),
}

/// A typed move under judgement.
pub struct Judged {
    pub square: Square,
    pub note: Ply,
    /// The best move, once it is known; then the typed move is searched.
    pub best: Option<Line>,
}

/// Hints and lessons search at least at this level, even if the engine plays weaker.
const LEAST_JUDGING_LEVEL: u64 = 12;

impl Play {
    /// A session that has printed nothing yet.
    pub fn new(
        setup: Setup,
        engine: impl Searcher + 'static,
        out: impl Write + 'static,
        library: Library,
        now: Instant,
    ) -> Self {
        Self {
            engine: Box::new(engine),
            out: Box::new(out),
            setup,
            library,
            thinking: None,
            backlog: Backlog::default(),
            paste: None,
            since: now,
            stopped_at: None,
            waits: false,
            flag_fell: false,
            refused: None,
            kept_game: String::new(),
            earlier_games: String::new(),
            has_ended: false,
            is_done: false,
        }
    }

    pub(super) fn position(&self) -> Position {
        self.setup.table.position()
    }

    pub(super) fn is_over(&self) -> bool {
        self.setup.table.game().is_over()
    }

    fn seat(&self, color: Color) -> Seat {
        self.setup.seats[color as usize]
    }

    pub(super) fn name(&self, color: Color) -> String {
        match self.seat(color) {
            Seat::Human => "Human".into(),
            Seat::Engine => self.setup.engine_name(),
        }
    }

    pub(super) fn names(&self) -> [String; 2] {
        [Color::Black, Color::White].map(|color| self.name(color))
    }

    /// Whether a person at the keyboard moves for the side.
    pub(super) fn is_human(&self, color: Color) -> bool {
        self.seat(color) == Seat::Human
    }

    /// The level of hints and lessons.
    pub(super) fn judging_level(&self) -> Level {
        self.setup
            .level
            .max(Level::new(LEAST_JUDGING_LEVEL).expect("it is a level"))
    }

    pub(super) fn start(&mut self, task: Task, purpose: Purpose, now: Instant) {
        let job = self.engine.start(Job::Search(task));
        self.thinking = Some(Thinking {
            job,
            purpose,
            shown_at: now,
            has_noted_wait: false,
            so_far: None,
        });
    }

    /// Whether times are measured. A script without a clock measures no times, so that its files can be compared.
    pub(super) fn measures_time(&self) -> bool {
        self.setup.is_interactive || self.setup.table.clock.is_some()
    }
}
