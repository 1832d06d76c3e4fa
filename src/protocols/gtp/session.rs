//! A GTP session: inputs in, answers out, each command answered once and in order.
//!
//! Commands that arrive during a search wait; the two interrupts do not. `emilia-analyze` is the
//! one answer that is written in pieces, and any further line of input ends it, as in KataGo.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use super::clock::Clocks;
use super::parse::{self, Command, Input, Request, Rules};
use super::print;
use super::record::Record;
use crate::board::{Color, Move, Position};
use crate::engine::{Engine, Event, Job, JobId, Level, Outcome};
use crate::notation::sgf;
use crate::protocols::console::{Line, LineWriter};
use crate::search::{Info, Limits, SearchResult, Task};
use crate::util::cpu_time;

/// After the end of input a search may go on for this long: scripts get their answers, orphans end.
const GRACE: Duration = Duration::from_secs(10);
/// What the standard says to an illegal move.
const ILLEGAL: &str = "illegal move";

/// Something happens to the session.
pub enum Happening {
    /// A line of input, or its end.
    Line(Option<Line>),
    /// The engine reports.
    Event(Event),
    /// The deadline has come.
    Tick,
}

/// The state of a session.
pub struct Session {
    engine: Engine,
    out: LineWriter,
    record: Record,
    clocks: Clocks,
    level: Level,
    /// A level asked for holds under a clock too; the default one gives way to it.
    level_asked: bool,
    waiting: VecDeque<Request>,
    busy: Option<Busy>,
    input_ended: bool,
    done: bool,
}

/// A command that waits for the engine.
struct Busy {
    id: Option<String>,
    purpose: Purpose,
    job: JobId,
    position: Position,
    started: Instant,
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
    Search(Purpose, Position, Limits, usize),
}

impl Session {
    /// A session on `engine`, whose events must come back as [`Happening::Event`].
    pub fn new(engine: Engine, out: LineWriter, level: Level, level_asked: bool) -> Self {
        Self {
            engine,
            out,
            record: Record::default(),
            clocks: Clocks::default(),
            level,
            level_asked,
            waiting: VecDeque::new(),
            busy: None,
            input_ended: false,
            done: false,
        }
    }

    /// Nothing more will be answered.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// When to send a [`Happening::Tick`], if at all.
    pub fn deadline(&self) -> Option<Instant> {
        self.busy.as_ref().filter(|_| self.input_ended).map(|busy| busy.started + GRACE)
    }

    /// Takes what happened and answers what can be answered.
    ///
    /// # Errors
    /// When an answer cannot be written.
    pub fn handle(&mut self, happening: Happening, now: Instant) -> io::Result<()> {
        match happening {
            Happening::Line(line) => self.line(line),
            Happening::Event(Event::Iteration { job, info }) => self.iteration(job, &info, now)?,
            Happening::Event(Event::Finished { job, outcome }) => self.finished(job, outcome, now)?,
            Happening::Event(Event::Warning { text }) => log::warn!("{text}"),
            Happening::Event(_) => {}
            Happening::Tick => self.engine.stop(),
        }
        self.proceed()
    }

    fn line(&mut self, line: Option<Line>) {
        let input = match line {
            Some(Line::Text(text)) => parse::parse(&text),
            Some(Line::TooLong) => Input::Request(Request { id: None, command: Err(parse::SYNTAX_ERROR) }),
            None => {
                self.input_ended = true;
                Input::Nothing
            }
        };
        let analyzing = matches!(self.busy, Some(Busy { purpose: Purpose::Analyze { .. }, .. }));
        if analyzing || self.busy.is_some() && input == Input::Interrupt {
            self.engine.stop();
        }
        if let Input::Request(request) = input {
            self.waiting.push_back(request);
        }
    }

    /// Executes waiting commands until one needs the engine.
    fn proceed(&mut self) -> io::Result<()> {
        while self.busy.is_none() && !self.done {
            let Some(Request { id, command }) = self.waiting.pop_front() else {
                self.done = self.input_ended;
                break;
            };
            let reaction = match command {
                Ok(command) => self.execute(command),
                Err(text) => Reaction::Answer(Err(text.into())),
            };
            match reaction {
                Reaction::Answer(result) => self.answer(id.as_deref(), &result)?,
                Reaction::Search(purpose, position, limits, lines) => {
                    self.search(id, purpose, position, limits, lines)?;
                }
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
        position: Position,
        limits: Limits,
        lines: usize,
    ) -> io::Result<()> {
        let analyzing = matches!(purpose, Purpose::Analyze { .. });
        if analyzing {
            self.out.line(&format!("={}", id.as_deref().unwrap_or("")))?;
        }
        let task = Task { multi_pv: lines, ..Task::new(position.board, limits) };
        let job = self.engine.start(Job::Search(task));
        self.busy = Some(Busy { id, purpose, job, position, started: Instant::now() });
        // Commands read ahead end an analysis as those that come later do.
        if analyzing && (self.input_ended || !self.waiting.is_empty()) {
            self.engine.stop();
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
        self.out.line(&print::analysis(info, *max_moves))
    }

    fn finished(&mut self, job: JobId, outcome: Outcome, now: Instant) -> io::Result<()> {
        let Some(busy) = self.busy.take_if(|busy| busy.job == job) else { return Ok(()) };
        let Outcome::Searched(result) = outcome else { return Ok(()) };
        let side = busy.position.side;
        let best = result.info.lines.first();
        let text = match busy.purpose {
            Purpose::GenMove(color) => {
                self.clocks.moved(color, now.saturating_duration_since(busy.started));
                return self.play_best(busy.id.as_deref(), color, &result);
            }
            Purpose::Analyze { .. } => return self.out.line(""),
            Purpose::RegGenMove => print::vertex(result.best.unwrap_or(Move::Pass)),
            Purpose::Score => best.map_or_else(String::new, |line| print::score(line, side)),
            Purpose::BestMoves => print::best_moves(&result.info),
            Purpose::Variation => best.map_or_else(String::new, |line| print::variation(line, side)),
        };
        self.answer(busy.id.as_deref(), &Ok(text))
    }

    fn play_best(&mut self, id: Option<&str>, color: Color, result: &SearchResult) -> io::Result<()> {
        let mv = result.best.unwrap_or(Move::Pass);
        let played = self.record.play(color, mv).map(|()| print::vertex(mv));
        debug_assert!(played.is_ok(), "the search found the illegal move {mv}");
        self.answer(id, &played.map_err(|_| ILLEGAL.into()))
    }

    fn execute(&mut self, command: Command) -> Reaction {
        let fine = |text: &str| Ok(text.to_owned());
        let illegal = |_| ILLEGAL.to_owned();
        let position = self.record.position();
        Reaction::Answer(match command {
            Command::ProtocolVersion => fine("2"),
            Command::Name => fine("Emilia"),
            Command::Version => fine(env!("CARGO_PKG_VERSION")),
            Command::KnownCommand(name) => fine(match parse::COMMANDS.contains(&name.as_str()) {
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
            Command::Play(color, mv) => self.record.play(color, mv).map(|()| String::new()).map_err(illegal),
            Command::PlaySequence(moves) => self.play_all(&moves).map_err(illegal),
            Command::GenMove(color) => return self.genmove(color),
            Command::RegGenMove(color) => return self.reg_genmove(color),
            Command::Undo(count) => {
                self.record.undo(count).map(|()| String::new()).map_err(|_| "cannot undo".to_owned())
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
            Command::FinalScore => Ok(print::result(&position)),
            Command::ShowBoard => Ok(format!("\n{position}")),
            Command::LoadSgf(name, at) => self.load(&name, at),
            Command::CpuTime => Ok(format!("{:.3}", cpu_time::of_process().as_secs_f64())),
            Command::AnalyzeCommands => fine(print::ANALYZE_COMMANDS),
            Command::Rules(question) => Ok(rules(question, &position)),
            Command::Stable => Ok(print::points(stable_discs(&position))),
            Command::Score => return self.evaluate(Purpose::Score, 1),
            Command::BestMoves(count) => return self.evaluate(Purpose::BestMoves, count),
            Command::Variation => return self.evaluate(Purpose::Variation, 1),
            Command::Analyze { color, interval, max_moves } => {
                return self.analyze(color, interval, max_moves);
            }
        })
    }

    fn new_game(&mut self) {
        self.record = Record::default();
        self.clocks.restart();
        self.engine.start(Job::Clear);
    }

    fn play_all(&mut self, moves: &[(Color, Move)]) -> Result<String, super::record::Illegal> {
        let mut record = self.record.clone();
        moves.iter().try_for_each(|&(color, mv)| record.play(color, mv))?;
        self.record = record;
        Ok(String::new())
    }

    fn genmove(&mut self, color: Color) -> Reaction {
        match self.record.position_for(color) {
            Err(_) => Reaction::Answer(Err(ILLEGAL.into())),
            Ok(position) if position.board.moves() == 0 => {
                let passed = self.record.play(color, Move::Pass).map(|()| "pass".to_owned());
                Reaction::Answer(passed.map_err(|_| ILLEGAL.to_owned()))
            }
            Ok(position) => Reaction::Search(Purpose::GenMove(color), position, self.limits(color), 1),
        }
    }

    fn reg_genmove(&self, color: Color) -> Reaction {
        match self.record.position_for(color) {
            Err(_) => Reaction::Answer(Err(ILLEGAL.into())),
            Ok(position) => Reaction::Search(Purpose::RegGenMove, position, self.limits(color), 1),
        }
    }

    fn set_level(&mut self, number: u64) -> Result<String, String> {
        self.level = Level::new(number).map_err(|error| error.to_string())?;
        self.level_asked = true;
        Ok(String::new())
    }

    /// The bounds of a move of `color`.
    fn limits(&self, color: Color) -> Limits {
        let free = self.clocks.bounds(color) && !self.level_asked;
        let level = if free { Level::MAX } else { self.level };
        level.limits(self.clocks.clock(color))
    }

    /// A search of the current position without a clock.
    fn evaluate(&self, purpose: Purpose, lines: usize) -> Reaction {
        let position = self.record.position();
        if position.is_over() {
            return Reaction::Answer(Ok(match purpose {
                Purpose::Score => print::result(&position),
                _ => String::new(),
            }));
        }
        Reaction::Search(purpose, position, self.level.limits(crate::search::Clock::Unlimited), lines)
    }

    fn analyze(&self, color: Option<Color>, interval: Duration, max_moves: usize) -> Reaction {
        let position = match color.map(|color| self.record.position_for(color)) {
            None => self.record.position(),
            Some(Ok(position)) => position,
            Some(Err(_)) => return Reaction::Answer(Err(ILLEGAL.into())),
        };
        if position.is_over() {
            return Reaction::Answer(Ok(String::new()));
        }
        let limits = Level::MAX.limits(crate::search::Clock::Unlimited);
        let purpose = Purpose::Analyze { interval, max_moves, last: None };
        Reaction::Search(purpose, position, limits, max_moves)
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
        let game = sgf::read(&String::from_utf8_lossy(&bytes)).map_err(|error| cannot(&error))?;
        let mut record = Record::of(game);
        // The position before move number `at`.
        if let Some(extra) = at.and_then(|at| (record.moves().len() + 1).checked_sub(at.max(1))) {
            let undone = record.undo(extra);
            debug_assert!(undone.is_ok(), "every move of a loaded game is a step");
        }
        self.record = record;
        self.clocks.restart();
        Ok(String::new())
    }
}

fn rules(question: Rules, position: &Position) -> String {
    let count = |color| position.discs(color).count_ones();
    match question {
        Rules::GameId => "Othello".into(),
        Rules::Board => format!("\n{}", print::rows(position)),
        Rules::BoardSize => "8".into(),
        Rules::LegalMoves => print::legal_moves(position),
        Rules::SideToMove => position.side.to_string(),
        Rules::FinalResult => print::result_in_words(position),
        Rules::CapturedCount => format!("{} {}", count(Color::Black), count(Color::White)),
    }
}

/// Discs of either side that can never be turned, as far as is seen at a glance.
fn stable_discs(position: &Position) -> u64 {
    let board = position.board;
    board.stable_discs() | board.pass().stable_discs()
}
