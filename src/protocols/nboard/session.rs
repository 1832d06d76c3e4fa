//! The order of things: which command runs when, what it interrupts, what is printed before what.
//!
//! Commands are executed strictly in order. While a request runs, later commands queue up; one that
//! interrupts it asks the engine to stop. All lines of a request are out before the next command is
//! executed, so everything after `pong k` belongs to ping `k`. The session owns the output: lines
//! of input, events of the engine and the passing of time all reach it on one thread.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use crate::board::{Color, Score};
use crate::engine::{Analysis, Engine, Event, Job, JobId, Level, Outcome};
use crate::protocols::console::{Line, LineWriter};
use crate::search::SearchResult;

use super::parse::{self, Command, Request};
use super::print;
use super::progress::Progress;
use super::state::State;

/// After the end of input a running search may finish for so long; orphans must not live on.
const GRACE: Duration = Duration::from_millis(300);

/// What the session needs of an engine.
pub trait Thinker {
    /// Hands in a job; returns at once.
    fn start(&mut self, job: Job) -> JobId;
    /// Asks all jobs to end; returns at once.
    fn stop(&mut self);
    /// Nodes of the running job.
    fn nodes(&self) -> u64;
    /// Gets ready in the background.
    fn prepare(&mut self);
}

impl Thinker for Engine {
    fn start(&mut self, job: Job) -> JobId {
        Engine::start(self, job)
    }

    fn stop(&mut self) {
        Engine::stop(self);
    }

    fn nodes(&self) -> u64 {
        Engine::nodes(self)
    }

    fn prepare(&mut self) {
        Engine::prepare(self);
    }
}

/// What can happen to a session.
pub enum Input {
    /// A line came in.
    Line(Line),
    /// No more lines will come.
    End,
    /// The engine reports.
    Event(Event),
    /// Nothing happened until [`Session::deadline`].
    Tick,
}

/// An NBoard session.
pub struct Session<T> {
    engine: T,
    out: LineWriter,
    state: State,
    queue: VecDeque<Command>,
    running: Option<Running>,
    /// Scripts: nothing interrupts anything, not even the end of input.
    batch: bool,
    /// Input has ended.
    ended: bool,
    /// When every running and coming search is cut short.
    cut_at: Option<Instant>,
    done: bool,
}

/// The request under way.
struct Running {
    request: Request,
    job: JobId,
    progress: Progress,
    /// Nodes of the positions that an analysis has done.
    analyzed_nodes: u64,
    stopped: bool,
}

impl<T: Thinker> Session<T> {
    /// A session at the usual start. With `batch` every request runs to its own end.
    pub fn new(engine: T, out: LineWriter, depth: Level, batch: bool) -> Self {
        Self {
            engine,
            out,
            state: State::new(depth),
            queue: VecDeque::new(),
            running: None,
            batch,
            ended: false,
            cut_at: None,
            done: false,
        }
    }

    /// Everything asked for is answered and the GUI has gone.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// When the session wants a `Tick` if nothing else happens.
    pub fn deadline(&self) -> Option<Instant> {
        let running = self.running.as_ref()?;
        let cut_at = self.cut_at.filter(|_| !running.stopped);
        running.progress.deadline().into_iter().chain(cut_at).min()
    }

    /// Takes one input and does all that follows from it.
    ///
    /// # Errors
    /// When a line cannot be written.
    pub fn handle(&mut self, input: Input, now: Instant) -> io::Result<()> {
        match input {
            Input::Line(Line::Text(text)) => self.queue_command(parse::parse(&text)),
            Input::Line(Line::TooLong) => {}
            Input::End => {
                self.ended = true;
                self.cut_at = (!self.batch).then(|| now + GRACE);
            }
            Input::Event(event) => self.on_event(event, now)?,
            Input::Tick => {}
        }
        if let Some(running) = &mut self.running {
            let nodes = self.engine.nodes();
            running.progress.tick(nodes, now, &self.out)?;
        }
        if self.cut_at.is_some_and(|cut_at| now >= cut_at) {
            self.stop_running();
        }
        self.run_queue(now)
    }

    fn queue_command(&mut self, command: Command) {
        if command == Command::Ignored {
            return;
        }
        let request = self.running.as_ref().map(|running| running.request);
        if !self.batch && request.is_some_and(|request| command.interrupts(request)) {
            self.stop_running();
        }
        self.queue.push_back(command);
    }

    fn stop_running(&mut self) {
        if let Some(running) = self.running.as_mut().filter(|running| !running.stopped) {
            running.stopped = true;
            self.engine.stop();
        }
    }

    /// Executes what can be executed now.
    fn run_queue(&mut self, now: Instant) -> io::Result<()> {
        while self.running.is_none() && !self.done {
            match self.queue.pop_front() {
                Some(command) => self.execute(command, now)?,
                None => {
                    self.done = self.ended;
                    break;
                }
            }
        }
        Ok(())
    }

    fn execute(&mut self, command: Command, now: Instant) -> io::Result<()> {
        match command {
            Command::Hello => {
                self.out.line(&print::my_name(None))?;
                self.engine.prepare();
            }
            Command::Depth(depth) => {
                let level = Level::new(depth.into()).expect("the parser keeps depths within 1..=60");
                if self.state.set_depth(level) {
                    self.out.line(&print::my_name(Some(depth)))?;
                }
            }
            Command::Game(text) => {
                if let Err(reason) = self.state.set_game(&text) {
                    self.out.line(&print::status(&format!("Game not taken: {reason}")))?;
                }
            }
            Command::Contempt(contempt) => self.state.set_contempt(contempt),
            Command::Move(token) => {
                if let Err(reason) = self.state.play(token) {
                    self.out.line(&print::status(&format!("Move not taken: {reason}")))?;
                }
            }
            Command::Ping(number) => self.out.line(&print::pong(&number))?,
            Command::Clear => {
                self.engine.start(Job::Clear);
            }
            Command::Quit => self.done = true,
            Command::Go => self.go(now)?,
            Command::Hint(count) => self.hint(count, now)?,
            Command::Analyze => {
                let positions = self.state.game().positions().iter().map(|position| position.board).collect();
                let analysis = Analysis { positions, limits: self.state.analysis_limits() };
                self.start(Request::Analyze, Job::Analyze(analysis), "Analyzing the game", now)?;
            }
            Command::Learn => {
                let positions = self.state.game().positions().iter().map(|position| position.board).collect();
                self.start(Request::Learn, Job::Learn(positions), "Learning", now)?;
            }
            Command::Ignored => {}
        }
        Ok(())
    }

    fn go(&mut self, now: Instant) -> io::Result<()> {
        // Without a move there is nothing to think about.
        if self.state.position().board.moves() == 0 {
            return self.out.line(&print::answer_pass());
        }
        let task = self.state.go_task();
        self.start(Request::Go, Job::Search(task), "Thinking", now)
    }

    fn hint(&mut self, count: usize, now: Instant) -> io::Result<()> {
        if self.state.position().is_over() {
            return self.out.line(&print::status("The game is over"));
        }
        let task = self.state.hint_task(count);
        self.start(Request::Hint, Job::Search(task), "Analyzing", now)
    }

    /// Starts a request; stops it at once if what interrupts it has already come.
    fn start(&mut self, request: Request, job: Job, status: &str, now: Instant) -> io::Result<()> {
        self.out.line(&print::status(status))?;
        let empties = self.state.position().board.empty_count();
        let progress = Progress::new(now, empties);
        let job = self.engine.start(job);
        self.running = Some(Running { request, job, progress, analyzed_nodes: 0, stopped: false });
        let late = self.cut_at.is_some_and(|cut_at| now >= cut_at);
        if late || !self.batch && self.queue.iter().any(|command| command.interrupts(request)) {
            self.stop_running();
        }
        Ok(())
    }

    fn on_event(&mut self, event: Event, now: Instant) -> io::Result<()> {
        let current = self.running.as_ref().map(|running| running.job);
        match event {
            Event::Warning { text } => self.out.line(&print::status(&text)),
            Event::Iteration { job, info } if Some(job) == current => {
                let running = self.running.as_mut().expect("its job was just compared");
                match running.request {
                    Request::Hint => running.progress.iteration(info, now, &self.out),
                    _ => {
                        running.progress.count(info.nodes);
                        Ok(())
                    }
                }
            }
            Event::Analyzed { job, ply, result } if Some(job) == current => self.on_analyzed(ply, &result),
            Event::Finished { job, outcome } if Some(job) == current => self.finish(outcome, now),
            // Of a job that nobody waits for, such as `clear`.
            Event::Iteration { .. } | Event::Analyzed { .. } | Event::Finished { .. } => Ok(()),
        }
    }

    fn on_analyzed(&mut self, ply: usize, result: &SearchResult) -> io::Result<()> {
        let Some(position) = self.state.game().positions().get(ply) else {
            return Ok(());
        };
        if let Some(running) = &mut self.running {
            running.analyzed_nodes += result.info.nodes;
            running.progress.count(running.analyzed_nodes);
        }
        let score = match result.info.lines.first() {
            Some(line) => line.score,
            None => Score::from_discs(position.board.final_score()),
        };
        let for_black = if position.side == Color::Black { score } else { -score };
        self.out.line(&print::analysis(ply, for_black))
    }

    /// Prints the last lines of the running request.
    fn finish(&mut self, outcome: Outcome, now: Instant) -> io::Result<()> {
        let Some(Running { request, mut progress, .. }) = self.running.take() else {
            return Ok(());
        };
        match (request, outcome) {
            (Request::Go, Outcome::Searched(result)) => {
                progress.count(result.info.nodes);
                self.out.line(&progress.final_stats(now))?;
                let time = progress.elapsed(now);
                match (result.best, result.info.lines.first()) {
                    (Some(mv), Some(line)) => self.out.line(&print::answer(mv, line.score, time)),
                    (Some(mv), None) => self.out.line(&print::answer(mv, Score::ZERO, time)),
                    (None, _) => self.out.line(&print::answer_pass()),
                }
            }
            (Request::Hint, Outcome::Searched(result)) => {
                progress.last_iteration(result.info, &self.out)?;
                self.out.line(&progress.final_stats(now))?;
                self.out.line(&print::status(""))
            }
            (Request::Learn, _) => self.out.line(&print::learned()),
            _ => {
                self.out.line(&progress.final_stats(now))?;
                self.out.line(&print::status(""))
            }
        }
    }
}
