//! The order of things: which command runs when, what it interrupts, what is printed before what.
//!
//! Commands are executed strictly in order. While a request runs, later commands queue up; one that
//! interrupts it asks the engine to stop. All lines of a request are out before the next command is
//! executed, so everything after `pong k` belongs to ping `k`. The session owns the output: lines
//! of input, events of the engine and the passing of time all reach it on one thread.

use std::io;
use std::time::{Duration, Instant};

use crate::board::{Color, Move, Score};
use crate::book::names::name_of_line;
use crate::engine::{Analysis, BookLine, Event, Hints, Job, JobId, LearnError, Learned, Level, Outcome};
use crate::protocols::console::{InputLine, LineWriter};
use crate::protocols::driver::{Backlog, Input, Permit, Ponder, Searcher, Session, SessionOptions};
use crate::protocols::library::Library;
use crate::search::{SearchResult, Task};

use super::memory::Memory;
use super::parse::{self, Command, Request};
use super::print;
use super::progress::Progress;
use super::state::State;

/// A search may go on for so long after the end of input, or while so much input waits that none of it
/// is read: nobody is listening any more, and orphans must not live on.
const GRACE: Duration = Duration::from_millis(200);

/// An NBoard session.
pub struct NBoardSession<T> {
    engine: T,
    out: LineWriter,
    state: State,
    library: Library,
    memory: Memory,
    backlog: Backlog<Command>,
    running: Option<Running>,
    ponder: Ponder,
    /// A `clear` that the engine has not come to yet.
    clearing: Option<JobId>,
    /// Scripts: nothing interrupts anything, not even the end of input.
    batch: bool,
    /// When the input ended.
    ended_at: Option<Instant>,
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

impl<T: Searcher> NBoardSession<T> {
    /// A session at the usual start.
    pub fn new(engine: T, out: LineWriter, options: SessionOptions) -> Self {
        // Until the client sets a depth.
        let free = if options.time.is_some() { Level::MAX } else { Level::default() };
        let depth = options.level.unwrap_or(free);
        Self {
            engine,
            out,
            state: State::new(depth, options.time).with_handicap(options.handicap),
            library: Library::default(),
            memory: Memory::default(),
            backlog: Backlog::default(),
            running: None,
            ponder: Ponder::new(options.ponder),
            clearing: None,
            batch: options.batch,
            ended_at: None,
            done: false,
        }
    }

    /// The session, playing from this book as far as it goes, and teaching it.
    #[must_use]
    pub fn with_book(self, library: Library) -> Self {
        Self { library, ..self }
    }

    fn take_command(&mut self, command: Command, permit: Permit) {
        if command == Command::Ignored {
            return;
        }
        self.ponder.end(&mut self.engine);
        self.library.interrupt(&mut self.engine);
        let request = self.running.as_ref().map(|running| running.request);
        if !self.batch && request.is_some_and(|request| command.interrupts(request)) {
            self.stop_running();
        }
        self.backlog.push(command, permit);
    }

    /// When the running search is cut short.
    fn cut_at(&self) -> Option<Instant> {
        let running = self.running.as_ref().filter(|running| !running.stopped && !self.batch)?;
        let crowded = self.backlog.is_full().then(|| running.progress.started() + GRACE);
        self.ended_at.map(|ended| ended + GRACE).into_iter().chain(crowded).min()
    }

    /// Thinks about the position that the client will send once it has played the answer of a `go`.
    fn ponder_after(&mut self, best: Option<Move>) {
        let after = best.and_then(|mv| self.state.position().play(mv).ok());
        if let Some(after) = after.filter(|_| self.backlog.is_empty()) {
            self.ponder.begin(after.board, &mut self.engine);
        }
    }

    fn stop_running(&mut self) {
        if let Some(running) = self.running.as_mut().filter(|running| !running.stopped) {
            running.stopped = true;
            self.engine.stop();
        }
    }

    /// Executes what can be executed now.
    fn run_backlog(&mut self, now: Instant) -> io::Result<()> {
        while self.running.is_none() && !self.done {
            match self.backlog.pop() {
                Some(command) => self.execute(command, now)?,
                None => {
                    self.done = self.ended_at.is_some();
                    if !self.done && self.clearing.is_none() && !self.ponder.is_begun() {
                        self.library.study(&mut self.engine);
                    }
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
                self.tell_notice()?;
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
                self.memory = Memory::default();
                // One that still waits does for both.
                self.clearing.get_or_insert_with(|| self.engine.start(Job::Clear));
            }
            Command::Quit => self.done = true,
            Command::Go => self.go(now)?,
            Command::Hint(count) => self.hint(count, now)?,
            Command::Analyze => {
                let positions = self.state.game().positions().iter().map(|position| position.board).collect();
                let analysis = Analysis { positions, limits: self.state.analysis_limits() };
                self.start(Request::Analyze, Job::Analyze(analysis), "Analyzing the game", now)?;
            }
            Command::Learn => self.learn()?,
            Command::Malformed(text) => self.out.line(&print::status(&text))?,
            Command::Ignored => {}
        }
        Ok(())
    }

    fn go(&mut self, now: Instant) -> io::Result<()> {
        // Without a move there is nothing to think about.
        if self.state.position().board.moves() == 0 {
            return self.out.line(&print::answer_pass());
        }
        if let Some(line) = self.book_move()? {
            return self.out.line(&print::answer(line.pv[0], line.score, Duration::ZERO));
        }
        let task = self.state.go_task();
        let weak = task.handicap.is_some();
        let multi_pv = if weak { 1 } else { self.library.search_lines(task.board) };
        let task = Task { multi_pv, ..task };
        self.start(Request::Go, Job::Search(task), "Thinking", now)
    }

    fn hint(&mut self, count: usize, now: Instant) -> io::Result<()> {
        if self.state.position().is_over() {
            return self.out.line(&print::status("The game is over"));
        }
        let task = self.state.hint_task(count);
        let mut hints = self.memory.recall(&task);
        self.add_book(&mut hints)?;
        let mut progress = Progress::new(now, hints, task.multi_pv);
        progress.open(&self.out)?;
        self.start_with(progress, Request::Hint, Job::Search(task), "Analyzing")
    }

    /// The book's move here, told with the opening's name.
    fn book_move(&mut self) -> io::Result<Option<BookLine>> {
        let choice = self.library.choose(self.state.game(), self.state.position().board);
        let status = match &choice {
            Ok(Some(_)) => self.opening_name("Book move"),
            Ok(None) => return Ok(None),
            Err(error) => format!("Playing without the book: {error}"),
        };
        self.out.line(&print::status(&status))?;
        Ok(choice.ok().flatten())
    }

    /// Adds what the book says of the moves.
    fn add_book(&mut self, hints: &mut Hints) -> io::Result<()> {
        match self.library.moves(self.state.position().board) {
            Ok(lines) if lines.is_empty() => Ok(()),
            Ok(lines) => {
                hints.add_book(&lines);
                self.out.line(&print::status(&self.opening_name("Book")))
            }
            Err(error) => self.out.line(&print::status(&format!("Playing without the book: {error}"))),
        }
    }

    /// `Book: Tiger`, as far as the game has a name.
    fn opening_name(&self, text: &str) -> String {
        let boards = self.state.game().positions().iter().map(|position| position.board);
        name_of_line(boards).map_or(text.to_owned(), |name| format!("{text}: {name}"))
    }

    /// Adds the game to the book and says so, or what kept it out; after `learned`, which clears the status.
    fn learn(&mut self) -> io::Result<()> {
        let game = self.state.game();
        let text = match self.library.learn(game) {
            Ok(Learned { is_new: true, games }) => {
                let result = match game.final_score(Color::Black) {
                    Some(discs @ 1..) => format!("Black won by {discs}"),
                    Some(0) | None => "a draw".into(),
                    Some(discs) => format!("White won by {}", -discs),
                };
                format!("Learned: {result}; games in the book: {games}")
            }
            Ok(Learned { is_new: false, games }) => {
                format!("The book has this game: it counts once; games in the book: {games}")
            }
            Err(LearnError::NoBook(None)) => "No book: the game is not kept".into(),
            Err(LearnError::NoBook(Some(reason))) => format!("The game is not kept. {reason}"),
            Err(error) => format!("Not learned: {error}"),
        };
        self.out.line(&print::learned())?;
        self.out.line(&print::status(&text))
    }

    /// Says why the book asked for is not played from, if it is not.
    fn tell_notice(&self) -> io::Result<()> {
        self.library.notice().map_or(Ok(()), |notice| self.out.line(&print::status(notice)))
    }

    /// Clears the status, or says what stays true.
    fn rest(&self) -> io::Result<()> {
        self.out.line(&print::status(self.library.notice().unwrap_or_default()))
    }

    fn start(&mut self, request: Request, job: Job, status: &str, now: Instant) -> io::Result<()> {
        self.start_with(Progress::new(now, Hints::default(), 1), request, job, status)
    }

    /// Starts a request; stops it at once if what interrupts it has already come.
    fn start_with(&mut self, progress: Progress, request: Request, job: Job, status: &str) -> io::Result<()> {
        let now = progress.started();
        self.out.line(&print::status(status))?;
        let job = self.engine.start(job);
        self.running = Some(Running { request, job, progress, analyzed_nodes: 0, stopped: false });
        let late = self.cut_at().is_some_and(|cut_at| now >= cut_at);
        if late || !self.batch && self.backlog.iter().any(|command| command.interrupts(request)) {
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
            Event::Finished { job, .. } if Some(job) == self.clearing => {
                self.clearing = None;
                Ok(())
            }
            Event::Finished { job, outcome } => {
                self.library.finished(job, &outcome);
                Ok(())
            }
            // Of a job that nobody waits for.
            Event::Iteration { .. } | Event::Analyzed { .. } => Ok(()),
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
        let mut hints = Hints::default();
        // A damaged book has been closed by then: the search goes on alone.
        hints.add_book(&self.library.moves(position.board).unwrap_or_default());
        let score = match hints.improve(&result.info, 1).first() {
            // A bound is no score.
            Some(hint) if hint.line.discs().is_none() => return Ok(()),
            Some(hint) => hint.line.score,
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
            (Request::Go, Outcome::Searched(mut result)) => {
                self.library.draw(self.state.position().board, &mut result);
                progress.count(result.info.nodes);
                self.out.line(&progress.final_stats(now))?;
                let time = progress.elapsed(now);
                match (result.best, result.info.lines.first()) {
                    (Some(mv), line) => {
                        let score = line.filter(|line| line.discs().is_some()).map(|line| line.score);
                        self.out.line(&print::answer(mv, score, time))?;
                    }
                    (None, _) => self.out.line(&print::answer_pass())?,
                }
                self.tell_notice()?;
                self.ponder_after(result.best);
                Ok(())
            }
            (Request::Hint, Outcome::Searched(result)) => {
                let hints = progress.close(result.info, &self.out)?;
                self.memory.keep(&self.state.hint_task(1), hints);
                self.out.line(&progress.final_stats(now))?;
                self.rest()
            }
            _ => {
                self.out.line(&progress.final_stats(now))?;
                self.rest()
            }
        }
    }
}

impl<T: Searcher> Session for NBoardSession<T> {
    fn handle(&mut self, input: Input, now: Instant) -> io::Result<()> {
        match input {
            Input::Line(InputLine::Text(text), permit) => self.take_command(parse::parse(&text), permit),
            Input::Line(InputLine::TooLong, _) => {}
            Input::End => self.ended_at = Some(now),
            Input::Event(event) => self.on_event(event, now)?,
            Input::Tick => {}
        }
        if let Some(running) = &mut self.running {
            let nodes = self.engine.nodes();
            running.progress.tick(nodes, now, &self.out)?;
        }
        if self.cut_at().is_some_and(|cut_at| now >= cut_at) {
            self.stop_running();
        }
        self.run_backlog(now)
    }

    fn deadline(&self) -> Option<Instant> {
        let running = self.running.as_ref()?;
        running.progress.deadline().into_iter().chain(self.cut_at()).min()
    }

    fn is_done(&self) -> bool {
        self.done
    }
}

#[cfg(test)]
mod tests;
