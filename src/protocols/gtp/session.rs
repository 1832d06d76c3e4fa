//! A GTP session: inputs in, answers out, each command answered once and in order.
//!
//! Commands that arrive during a search wait; the two interrupts do not. `emilia-analyze` is the
//! one answer that is written in pieces, and any further line of input ends it, as in KataGo.

use std::io;
use std::time::{Duration, Instant};

use super::clock::Clocks;
use super::history::{History, Illegal};
use super::params::Params;
use super::parse::{self, Command, Received, Request};
use super::print;
use crate::board::{Color, Move, Position};
use crate::book::BookError;
use crate::engine::{Event, Hints, Job, JobId, Level, Outcome};
use crate::notation::sgf;
use crate::protocols::console::{InputLine, LineWriter};
use crate::protocols::driver::{
    Backlog, Input, Permit, Ponder, Searcher, Session, SessionOptions, TimeAllowed,
};
use crate::protocols::library::Library;
use crate::search::{Clock, Info, Limits, SearchResult, Task};
use crate::util::os::cpu_time;

/// A search may take so long once the input has ended, or while so much input waits that none of it is
/// read: short scripts get their answers, orphans end.
const GRACE: Duration = Duration::from_secs(10);
/// What the standard says to an illegal move.
const ILLEGAL: &str = "illegal move";

/// A GTP session.
pub struct GtpSession<T> {
    engine: T,
    out: LineWriter,
    history: History,
    clocks: Clocks,
    library: Library,
    options: SessionOptions,
    params: Params,
    backlog: Backlog<Request>,
    busy: Option<Busy>,
    ponder: Ponder,
    /// A cleared table that the engine has not come to yet.
    clearing: Option<JobId>,
    input_ended: bool,
    done: bool,
}

/// A command that waits for the engine.
struct Busy {
    id: Option<String>,
    purpose: Purpose,
    job: JobId,
    position: Position,
    /// What is known of the position beside the search, and of how many moves is asked.
    hints: Hints,
    count: usize,
    started: Instant,
    stopped: bool,
}

enum Purpose {
    GenMove(Color),
    RegGenMove,
    Score,
    BestMoves,
    Variation,
    Analyze { interval: Duration, max_moves: usize, last: Option<Instant> },
}

/// What to do with a command: answer, or search first.
enum Reaction {
    Answer(Result<String, String>),
    Search(Purpose, Search),
}

/// A position to search, the bounds, and how many of the best moves are asked for.
type Search = (Position, Limits, usize);

impl<T: Searcher> GtpSession<T> {
    /// A session on `engine`, whose events must come back as [`Input::Event`].
    pub fn new(engine: T, out: LineWriter, options: SessionOptions) -> Self {
        let mut clocks = Clocks::default();
        match options.time {
            Some(TimeAllowed::Move(time)) => clocks.set(Duration::ZERO, time, 0),
            Some(TimeAllowed::Game(time)) => clocks.set(time, Duration::ZERO, 0),
            None => {}
        }
        Self {
            engine,
            out,
            history: History::default(),
            clocks,
            library: Library::default(),
            options,
            params: Params::new(options.handicap),
            backlog: Backlog::default(),
            busy: None,
            ponder: Ponder::new(options.ponder),
            clearing: None,
            input_ended: false,
            done: false,
        }
    }

    /// The session, playing from this book as far as it goes, and teaching it.
    #[must_use]
    pub fn with_book(self, library: Library) -> Self {
        Self { library, ..self }
    }

    fn take_line(&mut self, line: InputLine, permit: Permit) {
        let input = match line {
            InputLine::Text(text) => parse::parse(&text),
            InputLine::TooLong => Received::Request(Request { id: None, command: Err(parse::SYNTAX_ERROR) }),
        };
        if self.is_analyzing() || input == Received::Interrupt {
            self.stop();
        }
        if let Received::Request(request) = input {
            self.ponder.end(&mut self.engine);
            self.library.interrupt(&mut self.engine);
            self.backlog.push(request, permit);
        }
    }

    fn is_analyzing(&self) -> bool {
        matches!(self.busy, Some(Busy { purpose: Purpose::Analyze { .. }, .. }))
    }

    fn stop(&mut self) {
        if let Some(busy) = self.busy.as_mut().filter(|busy| !busy.stopped) {
            busy.stopped = true;
            self.engine.stop();
        }
    }

    /// Executes waiting commands until one needs the engine.
    fn proceed(&mut self, now: Instant) -> io::Result<()> {
        while self.busy.is_none() && !self.done {
            let Some(Request { id, command }) = self.backlog.pop() else {
                self.done = self.input_ended;
                if !self.done && self.clearing.is_none() && !self.ponder.is_begun() {
                    self.library.study(&mut self.engine);
                }
                break;
            };
            let reaction = match command {
                Ok(command) => self.execute(command),
                Err(text) => Reaction::Answer(Err(text.into())),
            };
            match reaction {
                Reaction::Answer(result) => self.answer(id.as_deref(), &result)?,
                Reaction::Search(purpose, task) => self.search(id, purpose, task, now)?,
            }
        }
        Ok(())
    }

    fn answer(&self, id: Option<&str>, result: &Result<String, String>) -> io::Result<()> {
        self.out.line(&print::answer(id, result))
    }

    fn search(
        &mut self,
        id: Option<String>,
        purpose: Purpose,
        (position, limits, lines): Search,
        now: Instant,
    ) -> io::Result<()> {
        if matches!(purpose, Purpose::Analyze { .. }) {
            self.out.line(&format!("={}", id.as_deref().unwrap_or("")))?;
        }
        let plays = matches!(purpose, Purpose::GenMove(_) | Purpose::RegGenMove);
        let handicap = self.params.handicap().filter(|_| plays);
        let task = Task { multi_pv: lines, handicap, ..Task::new(position.board, limits) };
        let job = self.engine.start(Job::Search(task));
        let mut hints = Hints::default();
        if !plays {
            hints.add_book(&self.library.moves(position.board).unwrap_or_else(without_book));
        }
        self.busy =
            Some(Busy { id, purpose, job, position, hints, count: lines, started: now, stopped: false });
        // Commands read ahead end an analysis as those that come later do.
        if self.is_analyzing() && (self.input_ended || !self.backlog.is_empty()) {
            self.stop();
        }
        Ok(())
    }

    fn iteration(&mut self, job: JobId, info: &Info, now: Instant) -> io::Result<()> {
        let Some(busy) = self.busy.as_mut().filter(|busy| busy.job == job) else { return Ok(()) };
        let Purpose::Analyze { interval, max_moves, last } = &mut busy.purpose else { return Ok(()) };
        if last.is_some_and(|last| now < last + *interval) {
            return Ok(());
        }
        *last = Some(now);
        let info = busy.hints.improved(info, *max_moves);
        self.out.line(&print::analysis(&info, *max_moves))
    }

    fn finished(&mut self, job: JobId, outcome: Outcome, now: Instant) -> io::Result<()> {
        self.clearing.take_if(|clearing| *clearing == job);
        self.library.finished(job, &outcome);
        let Some(mut busy) = self.busy.take_if(|busy| busy.job == job) else { return Ok(()) };
        let Outcome::Searched(mut result) = outcome else { return Ok(()) };
        let side = busy.position.side;
        let info = busy.hints.improved(&result.info, busy.count);
        let best = info.lines.first();
        let text = match busy.purpose {
            Purpose::GenMove(color) => {
                self.clocks.moved(color, now.saturating_duration_since(busy.started));
                self.library.draw(busy.position.board, &mut result);
                return self.play_best(busy.id.as_deref(), color, &result);
            }
            Purpose::Analyze { .. } => return self.out.line(""),
            Purpose::RegGenMove => print::vertex(result.best.unwrap_or(Move::Pass)),
            Purpose::Score => best.map_or_else(String::new, |line| print::score(line, side)),
            Purpose::BestMoves => print::best_moves(&info),
            Purpose::Variation => best.map_or_else(String::new, |line| print::variation(line, side)),
        };
        self.answer(busy.id.as_deref(), &Ok(text))
    }

    fn play_best(&mut self, id: Option<&str>, color: Color, result: &SearchResult) -> io::Result<()> {
        let mv = result.best.unwrap_or(Move::Pass);
        let played = self.play(color, mv).map(|()| print::vertex(mv));
        debug_assert!(played.is_ok(), "the search found the illegal move {mv}");
        self.answer(id, &played.map_err(|_| ILLEGAL.into()))?;
        if self.backlog.is_empty() {
            self.ponder.begin(self.history.position().board, &mut self.engine);
        }
        Ok(())
    }

    fn execute(&mut self, command: Command) -> Reaction {
        let fine = |text: &str| Ok(text.to_owned());
        let illegal = |_| ILLEGAL.to_owned();
        let position = self.history.position();
        Reaction::Answer(match command {
            Command::ProtocolVersion => fine("2"),
            Command::Name => fine("Emilia"),
            Command::Version => fine(env!("CARGO_PKG_VERSION")),
            Command::IsKnown(name) => fine(match parse::COMMANDS.contains(&name.as_str()) {
                true => "true",
                false => "false",
            }),
            Command::ListCommands => Ok(parse::COMMANDS.join("\n")),
            Command::Quit => {
                self.done = true;
                fine("")
            }
            Command::BoardSize | Command::ClearBoard | Command::SetGame => {
                self.new_game();
                fine("")
            }
            Command::Komi | Command::UnderstandsInterrupt => fine(""),
            Command::ListGames => fine("Othello"),
            Command::Play(color, mv) => self.play(color, mv).map(|()| String::new()).map_err(illegal),
            Command::PlaySequence(moves) => self.play_all(&moves).map_err(illegal),
            Command::GenMove(color) => return self.genmove(color),
            Command::RegGenMove(color) => return self.reg_genmove(color),
            Command::Undo(count) => {
                self.history.undo(count).map(|()| String::new()).map_err(|_| "cannot undo".to_owned())
            }
            Command::TimeSettings { main, period, stones } => {
                self.clocks.set(main, period, stones);
                fine("")
            }
            Command::TimeLeft { color, time, stones } => {
                self.clocks.set_left(color, time, stones);
                fine("")
            }
            Command::SetLevel(number) => self.set_level(number),
            Command::Param(None) => Ok(self.params.list(self.options.level.unwrap_or_default())),
            Command::Param(Some((name, value))) => self.set_param(&name, &value),
            Command::FinalScore => Ok(print::result(&position)),
            Command::ShowBoard => Ok(format!("\n{position}")),
            Command::LoadSgf(name, at) => self.load(&name, at),
            Command::SetPosition(game) => {
                self.set_up(History::of(*game));
                fine("")
            }
            Command::CpuTime => Ok(format!("{:.3}", cpu_time::of_process().as_secs_f64())),
            Command::AnalyzeCommands => fine(print::ANALYZE_COMMANDS),
            Command::Rules(question) => Ok(print::rules(question, &position)),
            Command::Stable => Ok(print::points(stable_discs(&position))),
            Command::Score => return self.evaluate(Purpose::Score, 1),
            Command::BestMoves(count) => return self.evaluate(Purpose::BestMoves, count),
            Command::Variation => return self.evaluate(Purpose::Variation, 1),
            Command::Analyze { color, interval, max_moves } => {
                return self.analyze(color, interval, max_moves);
            }
        })
    }

    fn set_up(&mut self, history: History) {
        self.library.begin(history.game());
        self.history = history;
        self.clocks.restart();
    }

    /// Makes a move; one that ends the game may have the book learn it.
    fn play(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        self.history.play(color, mv)?;
        self.library.moved(self.history.game());
        Ok(())
    }

    fn new_game(&mut self) {
        self.set_up(History::default());
        // One that still waits does for both.
        self.clearing.get_or_insert_with(|| self.engine.start(Job::Clear));
    }

    fn play_all(&mut self, moves: &[(Color, Move)]) -> Result<String, Illegal> {
        let mut history = self.history.clone();
        moves.iter().try_for_each(|&(color, mv)| history.play(color, mv))?;
        self.history = history;
        self.library.moved(self.history.game());
        Ok(String::new())
    }

    fn genmove(&mut self, color: Color) -> Reaction {
        match self.history.position_for(color) {
            Err(_) => Reaction::Answer(Err(ILLEGAL.into())),
            Ok(position) if position.board.moves() == 0 => {
                let passed = self.play(color, Move::Pass).map(|()| "pass".to_owned());
                Reaction::Answer(passed.map_err(|_| ILLEGAL.to_owned()))
            }
            Ok(position) => match self.book_move(&position) {
                Some(mv) => {
                    let played = self.play(color, mv).map(|()| print::vertex(mv));
                    Reaction::Answer(played.map_err(|_| ILLEGAL.to_owned()))
                }
                None => {
                    let weak = self.params.handicap().is_some();
                    let lines = if weak { 1 } else { self.library.search_lines(position.board) };
                    Reaction::Search(Purpose::GenMove(color), (position, self.limits(color), lines))
                }
            },
        }
    }

    fn book_move(&mut self, position: &Position) -> Option<Move> {
        let choice = self.library.choose(self.history.game(), position.board);
        choice.unwrap_or_else(without_book).map(|line| line.pv[0])
    }

    fn reg_genmove(&mut self, color: Color) -> Reaction {
        let position = self.history.position_for(color);
        let known = position.as_ref().ok().and_then(|position| self.book_move(position));
        match (position, known) {
            (Err(_), _) => Reaction::Answer(Err(ILLEGAL.into())),
            (_, Some(mv)) => Reaction::Answer(Ok(print::vertex(mv))),
            (Ok(position), None) => Reaction::Search(Purpose::RegGenMove, (position, self.limits(color), 1)),
        }
    }

    fn set_level(&mut self, number: u64) -> Result<String, String> {
        self.options.level = Some(Level::new(number).map_err(|error| error.to_string())?);
        Ok(String::new())
    }

    fn set_param(&mut self, name: &str, value: &str) -> Result<String, String> {
        if let Some(level) = self.params.set(name, value)? {
            self.options.level = Some(level);
        }
        Ok(String::new())
    }

    /// The bounds of a move of `color`.
    fn limits(&self, color: Color) -> Limits {
        Level::limits_for(self.options.level, self.clocks.clock(color))
    }

    /// A search of the current position without a clock.
    fn evaluate(&self, purpose: Purpose, lines: usize) -> Reaction {
        let position = self.history.position();
        if position.is_over() {
            return Reaction::Answer(Ok(match purpose {
                Purpose::Score => print::result(&position),
                _ => String::new(),
            }));
        }
        let limits = Level::limits_for(self.options.level, Clock::Unlimited);
        Reaction::Search(purpose, (position, limits, lines))
    }

    fn analyze(&self, color: Option<Color>, interval: Duration, max_moves: usize) -> Reaction {
        let position = match color.map(|color| self.history.position_for(color)) {
            None => self.history.position(),
            Some(Ok(position)) => position,
            Some(Err(_)) => return Reaction::Answer(Err(ILLEGAL.into())),
        };
        if position.is_over() {
            return Reaction::Answer(Ok(String::new()));
        }
        let limits = Level::MAX.limits(Clock::Unlimited);
        let purpose = Purpose::Analyze { interval, max_moves, last: None };
        Reaction::Search(purpose, (position, limits, max_moves))
    }

    fn load(&mut self, name: &str, at: Option<usize>) -> Result<String, String> {
        /// Larger than any game record.
        const MAX_BYTES: u64 = 1 << 20;
        let cannot = |error: &dyn std::fmt::Display| {
            let text = format!("cannot load file: {error}");
            text.replace(|c: char| !c.is_ascii() || c.is_control(), "?")
        };
        let metadata = std::fs::metadata(name).map_err(|error| cannot(&error))?;
        if !metadata.is_file() || metadata.len() > MAX_BYTES {
            return Err(cannot(&"not a game record"));
        }
        let bytes = std::fs::read(name).map_err(|error| cannot(&error))?;
        let game = sgf::parse_sgf(&String::from_utf8_lossy(&bytes)).map_err(|error| cannot(&error))?.game;
        let mut history = History::of(game);
        // The position before move number `at`.
        if let Some(extra) = at.and_then(|at| (history.moves().len() + 1).checked_sub(at.max(1))) {
            let undone = history.undo(extra);
            debug_assert!(undone.is_ok(), "every move of a loaded game is a step");
        }
        self.set_up(history);
        Ok(String::new())
    }
}

impl<T: Searcher> Session for GtpSession<T> {
    fn handle(&mut self, input: Input, now: Instant) -> io::Result<()> {
        match input {
            Input::Line(line, permit) => self.take_line(line, permit),
            Input::End => {
                self.input_ended = true;
                // It has no end of its own, and nobody will send the line that ends it.
                if self.is_analyzing() {
                    self.stop();
                }
            }
            Input::Event(Event::Iteration { job, info }) => self.iteration(job, &info, now)?,
            Input::Event(Event::Finished { job, outcome }) => self.finished(job, outcome, now)?,
            Input::Event(Event::Warning { text }) => log::warn!("{text}"),
            Input::Event(Event::Analyzed { .. }) | Input::Tick => {}
        }
        if self.deadline().is_some_and(|deadline| now >= deadline) {
            self.stop();
        }
        self.proceed(now)
    }

    fn deadline(&self) -> Option<Instant> {
        let busy = self.busy.as_ref().filter(|busy| !busy.stopped && !self.options.batch)?;
        (self.input_ended || self.backlog.is_full()).then(|| busy.started + GRACE)
    }

    fn is_done(&self) -> bool {
        self.done
    }
}

/// What a book says that is damaged.
fn without_book<T: Default>(error: BookError) -> T {
    log::warn!("playing without the book: {error}");
    T::default()
}

/// Discs of either side that can never be turned, as far as is seen at a glance.
fn stable_discs(position: &Position) -> u64 {
    let board = position.board;
    board.stable_discs() | board.pass().stable_discs()
}

#[cfg(test)]
mod tests;
