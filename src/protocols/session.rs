//! The common part of all sessions: one request runs at a time, and later commands wait for it.
//!
//! Commands run strictly in order. A command that interrupts the running request stops the engine. All lines of a request
//! come before the next command. Lines of input, engine events and ticks arrive on one thread, which owns the output.

use std::io;
use std::time::{Duration, Instant};

use super::console::{InputLine, LineReader, LineWriter};
use super::driver::{self, Backlog, Input, Permit, Searcher, Session};
use super::library::Library;
use crate::board::Board;
use crate::engine::{Event, Job, JobId, Level, Options, Outcome};
use crate::search::{Clock, Handicap, Info, SearchResult, Selectivity, Task};

/// The options of a session in any protocol. The defaults: no clock, no pondering, no handicap.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionOptions {
    /// The level of the command line, which holds under a clock too; see [`Level::limits_for`].
    pub level: Option<Level>,
    /// For scripts: every search runs to its own end, even after the end of input.
    pub batch: bool,
    /// The clock until the client sets one.
    pub time: Clock,
    /// Search in the other side's time, until the next command; the results stay in the hash table.
    pub ponder: bool,
    /// Weak play; hints and analyses keep their full strength.
    pub handicap: Option<Handicap>,
    /// The seed of a person whom the client asks for.
    pub person_seed: u64,
    /// Options of Edax's console only.
    pub console: ConsoleOptions,
}

#[derive(Clone, Copy, Debug)]
pub struct ConsoleOptions {
    /// 0 answers, 1 boards and tables, 2 and more iterations.
    pub verbosity: u8,
    /// Whether the engine moves by itself for Black and for White.
    pub plays: [bool; 2],
    /// Midgame depth in plies and empties to solve from, instead of the level's.
    pub depth: Option<u8>,
    /// The selectivity instead of the level's.
    pub selectivity: Option<Selectivity>,
}

impl Default for ConsoleOptions {
    fn default() -> Self {
        Self {
            verbosity: 1,
            plays: [false; 2],
            depth: None,
            selectivity: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Received<C> {
    /// A command, which waits for its turn.
    Command(C),
    /// A command about the running request, which runs at once; without a request a command like any other.
    Aside(C),
    /// End the running request; no effect when idle.
    Stop,
    Nothing,
}

/// A protocol: the parser of its lines, the effect of its commands, and its output.
pub trait ProtocolRules: Sized + 'static {
    /// A parsed line.
    type Command;
    /// The protocol's data of the running request.
    type Request;

    /// The time of a search after the end of input, or while the backlog is full.
    const GRACE: Duration;
    /// Whether each search after the end of input has that time, or all have it together.
    const GRACE_FOR_EACH: bool = true;

    /// The state at the start of a session.
    fn open(options: &SessionOptions) -> Self;

    fn read(line: InputLine) -> Received<Self::Command>;

    /// Prints the text before the first line of input.
    fn begin(_: &mut ProtocolSession<Self>, _now: Instant) -> io::Result<()> {
        Ok(())
    }

    /// The command at the end of input, after all others.
    fn end() -> Option<Self::Command> {
        None
    }

    /// Whether a command ends the running request early; `None` is a line without a command, or the end of input.
    fn interrupts(
        options: &SessionOptions,
        command: Option<&Self::Command>,
        request: &Self::Request,
    ) -> bool;

    /// Executes a command while no request runs.
    fn execute(
        session: &mut ProtocolSession<Self>,
        command: Self::Command,
        now: Instant,
    ) -> io::Result<()>;

    /// Executes a command about the running request.
    fn aside(_: &mut ProtocolSession<Self>, _: Self::Command, _now: Instant) -> io::Result<()> {
        Ok(())
    }

    /// The running request waits until the evaluation is loaded.
    fn loading(_: &mut ProtocolSession<Self>) -> io::Result<()> {
        Ok(())
    }

    /// An iteration of the running search has ended.
    fn iteration(_: &mut ProtocolSession<Self>, _: Info, _now: Instant) -> io::Result<()> {
        Ok(())
    }

    /// The running analysis has scored a position.
    fn analyzed(_: &mut ProtocolSession<Self>, _ply: usize, _: &SearchResult) -> io::Result<()> {
        Ok(())
    }

    /// Prints the last lines of a request.
    fn finish(
        session: &mut ProtocolSession<Self>,
        running: Running<Self::Request>,
        result: Outcome,
        now: Instant,
    ) -> io::Result<()>;

    /// Reports that the engine continues without a requested part.
    fn warn(_: &ProtocolSession<Self>, text: &str) -> io::Result<()> {
        log::warn!("{text}");
        Ok(())
    }

    /// Time has passed while a request runs.
    fn tick(_: &mut ProtocolSession<Self>, _now: Instant) -> io::Result<()> {
        Ok(())
    }

    /// The latest time of the next tick.
    fn next_tick(_: &Self::Request) -> Option<Instant> {
        None
    }
}

pub struct ProtocolSession<P: ProtocolRules> {
    pub(super) engine: Box<dyn Searcher>,
    pub(super) out: LineWriter,
    pub(super) library: Library,
    pub(super) options: SessionOptions,
    pub(super) state: P,
    pub(super) running: Option<Running<P::Request>>,
    pub(super) done: bool,
    backlog: Backlog<P::Command>,
    /// The last search in the other side's time; it may have ended.
    ponder: Option<JobId>,
    /// The queued job that clears the hash table.
    clearing: Option<JobId>,
    ended_at: Option<Instant>,
}

pub struct Running<W> {
    pub(super) request: W,
    pub(super) started: Instant,
    job: JobId,
    stopped: bool,
}

/// Runs a session until `quit` or the end of input.
pub fn run<P: ProtocolRules>(
    reader: LineReader,
    out: LineWriter,
    engine: Options,
    library: Library,
    options: SessionOptions,
) -> io::Result<()> {
    driver::run(reader, engine, drop, |engine| {
        ProtocolSession::<P>::new(engine, out, library, options)
    })
}

impl<P: ProtocolRules> ProtocolSession<P> {
    /// A session at the start position; the events of `engine` must arrive as [`Input::Event`].
    pub fn new(
        engine: impl Searcher + 'static,
        out: LineWriter,
        library: Library,
        options: SessionOptions,
    ) -> Self {
        Self {
            engine: Box::new(engine),
            out,
            library,
            options,
            state: P::open(&options),
            running: None,
            done: false,
            backlog: Backlog::default(),
            ponder: None,
            clearing: None,
            ended_at: None,
        }
    }

    /// Starts a request; stops it at once if a waiting command interrupts it.
    pub(super) fn start(&mut self, request: P::Request, job: Job, now: Instant) {
        let job = self.engine.start(job);
        self.running = Some(Running {
            request,
            started: now,
            job,
            stopped: false,
        });
        let is_cut = self.ended_at.is_some() && self.is_interrupted_by(None)
            || self
                .backlog
                .iter()
                .any(|command| self.is_interrupted_by(Some(command)));
        if is_cut || self.is_late(now) {
            self.stop();
        }
    }

    /// Searches `board`, where the other side is to move, until the next command.
    pub(super) fn ponder(&mut self, board: Board) {
        if self.options.ponder && self.backlog.is_empty() && !board.moves().is_empty() {
            let task = Task::new(board, Level::MAX.limits(Clock::Unlimited));
            self.ponder = Some(self.engine.start(Job::Search(task)));
        }
    }

    /// Whether no command waits and more input may come.
    pub(super) fn is_quiet(&self) -> bool {
        self.backlog.is_empty() && self.ended_at.is_none() && !self.done
    }

    /// Clears the hash table, unless such a job is queued already.
    pub(super) fn clear(&mut self) {
        self.clearing
            .get_or_insert_with(|| self.engine.start(Job::Clear));
    }

    pub(super) fn stop(&mut self) {
        if let Some(running) = self.running.as_mut().filter(|running| !running.stopped) {
            running.stopped = true;
            self.engine.stop();
        }
    }

    fn is_interrupted_by(&self, command: Option<&P::Command>) -> bool {
        let running = self.running.as_ref();
        running.is_some_and(|running| P::interrupts(&self.options, command, &running.request))
    }

    /// The time at which the running search is stopped because the client has gone or waits.
    fn cut_at(&self) -> Option<Instant> {
        let running = self
            .running
            .as_ref()
            .filter(|running| !running.stopped && !self.options.batch)?;
        let ended = self.ended_at.map(|at| {
            if P::GRACE_FOR_EACH {
                running.started
            } else {
                at
            }
        });
        let crowded = self.backlog.is_full().then_some(running.started);
        ended
            .into_iter()
            .chain(crowded)
            .min()
            .map(|from| from + P::GRACE)
    }

    fn is_late(&self, now: Instant) -> bool {
        self.cut_at().is_some_and(|cut_at| cut_at <= now)
    }

    fn take_line(&mut self, line: InputLine, permit: Permit, now: Instant) -> io::Result<()> {
        let received = match P::read(line) {
            Received::Aside(command) if self.running.is_some() => {
                return P::aside(self, command, now);
            }
            Received::Aside(command) => Received::Command(command),
            received => received,
        };
        let stops = match &received {
            Received::Command(command) => self.is_interrupted_by(Some(command)),
            Received::Stop => true,
            Received::Nothing | Received::Aside(_) => self.is_interrupted_by(None),
        };
        if stops {
            self.stop();
        }
        if let Received::Command(command) = received {
            if self.ponder.take().is_some() {
                self.engine.stop();
            }
            self.backlog.push(command, permit);
        }
        Ok(())
    }

    fn event(&mut self, event: Event, now: Instant) -> io::Result<()> {
        let current = self.running.as_ref().map(|running| running.job);
        match event {
            Event::Warning { text } => P::warn(self, &text),
            Event::Loading { job } if Some(job) == current => P::loading(self),
            Event::Iteration { job, info } if Some(job) == current => P::iteration(self, info, now),
            Event::Analyzed { job, ply, result } if Some(job) == current => {
                P::analyzed(self, ply, &result)
            }
            Event::Finished { job, outcome } => {
                self.clearing.take_if(|clearing| *clearing == job);
                match self.running.take_if(|running| running.job == job) {
                    Some(request) => P::finish(self, request, outcome, now),
                    None => Ok(()),
                }
            }
            // Those of another job.
            _ => Ok(()),
        }
    }

    /// Executes waiting commands until one starts a request.
    fn proceed(&mut self, now: Instant) -> io::Result<()> {
        while self.running.is_none() && !self.done {
            if let Some(command) = self.backlog.pop() {
                P::execute(self, command, now)?;
                continue;
            }
            self.done = self.ended_at.is_some();
            break;
        }
        Ok(())
    }
}

impl<P: ProtocolRules> Session for ProtocolSession<P> {
    fn begin(&mut self, now: Instant) -> io::Result<()> {
        P::begin(self, now)
    }

    fn handle(&mut self, input: Input, now: Instant) -> io::Result<()> {
        match input {
            Input::Line(line, permit) => self.take_line(line, permit, now)?,
            Input::End => {
                self.ended_at = Some(now);
                P::end()
                    .into_iter()
                    .for_each(|command| self.backlog.push(command, Permit::default()));
                if self.is_interrupted_by(None) {
                    self.stop();
                }
            }
            Input::Event(event) => self.event(event, now)?,
            Input::Tick => {}
        }
        if self.running.is_some() {
            P::tick(self, now)?;
        }
        if self.is_late(now) {
            self.stop();
        }
        self.proceed(now)
    }

    fn deadline(&self) -> Option<Instant> {
        let running = self.running.as_ref()?;
        P::next_tick(&running.request)
            .into_iter()
            .chain(self.cut_at())
            .min()
    }

    fn is_done(&self) -> bool {
        self.done
    }
}
