//! What all sessions share: one request runs at a time, commands wait for it, and all know an end.
//!
//! Commands are executed strictly in order. While a request runs, later commands wait; one that interrupts it asks the
//! engine to stop. All lines of a request are out before the next command is executed. The session owns the output:
//! lines of input, events of the engine and the passing of time all reach it on one thread.

use std::io;
use std::time::{Duration, Instant};

use super::console::{InputLine, LineReader, LineWriter};
use super::driver::{self, Backlog, Input, Permit, Searcher, Session};
use super::library::Library;
use crate::board::{Board, Color};
use crate::engine::{Event, Job, JobId, Level, Options, Outcome};
use crate::search::{Clock, Handicap, Info, SearchResult, Selectivity, Task};

/// How a session is to run, whatever its protocol.
#[derive(Clone, Copy, Debug)]
pub struct SessionOptions {
    /// The strength asked for, which holds under a clock too; see [`Level::limits_for`].
    pub level: Option<Level>,
    /// Scripts: every search runs to its own end, even after the end of input.
    pub batch: bool,
    /// What a side may use where the client sets no clock.
    pub time: Clock,
    /// Think on after a move, until the client says something: what is found stays in the table.
    pub ponder: bool,
    /// Weak play, for people; hints and analyses are as strong as ever.
    pub handicap: Option<Handicap>,
    /// What only a console has.
    pub console: ConsoleOptions,
}

/// How a console is to begin; other protocols have their own ways to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsoleOptions {
    /// How much is shown, 0 to 3.
    pub verbosity: u8,
    /// The sides whose moves are made unasked.
    pub plays: Sides,
    /// Midgame depth in plies, and what is solved; over the level.
    pub depth: Option<u8>,
    /// How sure cuts must be; over the level's.
    pub selectivity: Option<Selectivity>,
}

impl Default for ConsoleOptions {
    fn default() -> Self {
        Self { verbosity: 1, plays: Sides::default(), depth: None, selectivity: None }
    }
}

impl Default for SessionOptions {
    /// The default level, and neither clock, pondering nor handicap.
    fn default() -> Self {
        Self {
            level: None,
            batch: false,
            time: Clock::Unlimited,
            ponder: false,
            handicap: None,
            console: ConsoleOptions::default(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    pub black: bool,
    pub white: bool,
}

impl Sides {
    pub fn contains(self, color: Color) -> bool {
        if color == Color::Black { self.black } else { self.white }
    }
}

/// What a line says.
#[derive(Clone, Debug, PartialEq)]
pub enum Received<C> {
    /// A command, which waits for its turn.
    Command(C),
    /// A word on the running request, taken at once; where nothing runs, a command like any other.
    Aside(C),
    /// End the running request; nothing when idle.
    Stop,
    Nothing,
}

/// What tells one protocol from the other: how its lines are read, what its commands do, what it prints.
pub trait Protocol: Sized + 'static {
    /// What waits for its turn.
    type Command;
    /// What is known of the running request.
    type Waiting;

    /// A search may go on for so long after the end of input, or while so much input waits that none of it is read.
    const GRACE: Duration;
    /// Whether each search after the end of input has that long, or all have together.
    const GRACE_FOR_EACH: bool;

    /// The state at the start of a session.
    fn open(options: &SessionOptions) -> Self;

    fn read(line: InputLine) -> Received<Self::Command>;

    /// The session begins: what comes before the first line of input.
    fn begin(_: &mut ProtocolSession<Self>, _now: Instant) -> io::Result<()> {
        Ok(())
    }

    /// The command that the end of input stands for, behind all others.
    fn end() -> Option<Self::Command> {
        None
    }

    /// Whether this ends the running request early: a command; without one a line that is none, or the end of input.
    fn interrupts(options: &SessionOptions, command: Option<&Self::Command>, waiting: &Self::Waiting)
    -> bool;

    /// Executes a command; nothing runs at that time.
    fn execute(session: &mut ProtocolSession<Self>, command: Self::Command, now: Instant) -> io::Result<()>;

    /// Takes a word on the running request.
    fn aside(_: &mut ProtocolSession<Self>, _: Self::Command, _now: Instant) -> io::Result<()> {
        Ok(())
    }

    /// The running request waits until the evaluation is loaded.
    fn loading(_: &mut ProtocolSession<Self>) -> io::Result<()> {
        Ok(())
    }

    /// An iteration of the running search has ended.
    fn iteration(session: &mut ProtocolSession<Self>, info: Info, now: Instant) -> io::Result<()>;

    /// The running analysis has scored a position.
    fn analyzed(_: &mut ProtocolSession<Self>, _ply: usize, _: &SearchResult) -> io::Result<()> {
        Ok(())
    }

    /// A request has ended: its last lines.
    fn finish(
        session: &mut ProtocolSession<Self>,
        waiting: Self::Waiting,
        result: Outcome,
        now: Instant,
    ) -> io::Result<()>;

    /// The engine goes on without something that it was asked for.
    fn warn(session: &ProtocolSession<Self>, text: &str) -> io::Result<()>;

    /// Time has passed while a request runs.
    fn tick(_: &mut ProtocolSession<Self>, _now: Instant) -> io::Result<()> {
        Ok(())
    }

    /// When that should happen at the latest.
    fn next_tick(_: &Self::Waiting) -> Option<Instant> {
        None
    }
}

/// A session of protocol `P`.
pub struct ProtocolSession<P: Protocol> {
    pub(super) engine: Box<dyn Searcher>,
    pub(super) out: LineWriter,
    pub(super) library: Library,
    pub(super) options: SessionOptions,
    /// What the protocol knows besides.
    pub(super) state: P,
    pub(super) running: Option<Running<P::Waiting>>,
    pub(super) done: bool,
    backlog: Backlog<P::Command>,
    /// The search in the other side's time; it may have come to its end.
    ponder: Option<JobId>,
    /// A cleared table that the engine has not come to yet.
    clearing: Option<JobId>,
    ended_at: Option<Instant>,
}

pub(super) struct Running<W> {
    pub(super) waiting: W,
    pub(super) started: Instant,
    job: JobId,
    stopped: bool,
}

/// Runs a session until `quit` or the end of input, playing from `library` and teaching it.
///
/// # Errors
/// When the input cannot be read, or the output cannot be written for another reason than that its
/// reader has gone.
pub fn run<P: Protocol>(
    reader: LineReader,
    out: LineWriter,
    engine: Options,
    library: Library,
    options: SessionOptions,
) -> io::Result<()> {
    driver::run(reader, engine, |engine| ProtocolSession::<P>::new(engine, out, library, options))
}

impl<P: Protocol> ProtocolSession<P> {
    /// A session at the usual start, on an engine whose events must come back as [`Input::Event`].
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

    /// Starts a request; stops it at once if what interrupts it has already come.
    pub(super) fn start(&mut self, waiting: P::Waiting, job: Job, now: Instant) {
        let job = self.engine.start(job);
        self.running = Some(Running { waiting, started: now, job, stopped: false });
        let is_cut = self.ended_at.is_some() && self.is_interrupted_by(None)
            || self.backlog.iter().any(|command| self.is_interrupted_by(Some(command)));
        if is_cut || self.is_late(now) {
            self.stop();
        }
    }

    /// Thinks about `board`, where the other side is to move, until the client says something.
    pub(super) fn ponder(&mut self, board: Board) {
        if self.options.ponder && self.backlog.is_empty() && board.moves() != 0 {
            let task = Task::new(board, Level::MAX.limits(Clock::Unlimited));
            self.ponder = Some(self.engine.start(Job::Search(task)));
        }
    }

    /// Nothing waits for its turn, and more may come.
    pub(super) fn is_quiet(&self) -> bool {
        self.backlog.is_empty() && self.ended_at.is_none() && !self.done
    }

    /// Empties the table; a clearing that still waits does for both.
    pub(super) fn clear(&mut self) {
        self.clearing.get_or_insert_with(|| self.engine.start(Job::Clear));
    }

    pub(super) fn stop(&mut self) {
        if let Some(running) = self.running.as_mut().filter(|running| !running.stopped) {
            running.stopped = true;
            self.engine.stop();
        }
    }

    fn is_interrupted_by(&self, command: Option<&P::Command>) -> bool {
        let running = self.running.as_ref();
        running.is_some_and(|running| P::interrupts(&self.options, command, &running.waiting))
    }

    /// When the running search is cut short: nobody listens any more, and orphans must not live on.
    fn cut_at(&self) -> Option<Instant> {
        let running = self.running.as_ref().filter(|running| !running.stopped && !self.options.batch)?;
        let ended = self.ended_at.map(|at| if P::GRACE_FOR_EACH { running.started } else { at });
        let crowded = self.backlog.is_full().then_some(running.started);
        ended.into_iter().chain(crowded).min().map(|from| from + P::GRACE)
    }

    fn is_late(&self, now: Instant) -> bool {
        self.cut_at().is_some_and(|cut_at| cut_at <= now)
    }

    fn take_line(&mut self, line: InputLine, permit: Permit, now: Instant) -> io::Result<()> {
        let received = match P::read(line) {
            Received::Aside(command) if self.running.is_some() => return P::aside(self, command, now),
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
            Event::Analyzed { job, ply, result } if Some(job) == current => P::analyzed(self, ply, &result),
            // Of a job that nobody waits for.
            Event::Loading { .. } | Event::Iteration { .. } | Event::Analyzed { .. } => Ok(()),
            Event::Finished { job, outcome } => {
                self.clearing.take_if(|clearing| *clearing == job);
                match self.running.take_if(|running| running.job == job) {
                    Some(Running { waiting, .. }) => P::finish(self, waiting, outcome, now),
                    None => Ok(()),
                }
            }
        }
    }

    /// Executes waiting commands until one needs the engine.
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

impl<P: Protocol> Session for ProtocolSession<P> {
    fn begin(&mut self, now: Instant) -> io::Result<()> {
        P::begin(self, now)
    }

    fn handle(&mut self, input: Input, now: Instant) -> io::Result<()> {
        match input {
            Input::Line(line, permit) => self.take_line(line, permit, now)?,
            Input::End => {
                self.ended_at = Some(now);
                P::end().into_iter().for_each(|command| self.backlog.push(command, Permit::default()));
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
        P::next_tick(&running.waiting).into_iter().chain(self.cut_at()).min()
    }

    fn is_done(&self) -> bool {
        self.done
    }
}
