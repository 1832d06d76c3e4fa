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
use crate::engine::{Analysis, BookLine, Event, Job, JobId, Level, Outcome};
use crate::protocols::console::{InputLine, LineWriter};
use crate::protocols::driver::{Backlog, Happening, Manner, Permit, Ponder, Session, Thinker};
use crate::protocols::library::Library;
use crate::search::{SearchResult, Task};

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

impl<T: Thinker> NBoardSession<T> {
    /// A session at the usual start.
    pub fn new(engine: T, out: LineWriter, manner: Manner) -> Self {
        // Until the client sets a depth.
        let free = if manner.time.is_some() { Level::MAX } else { Level::default() };
        let depth = manner.level.unwrap_or(free);
        Self {
            engine,
            out,
            state: State::new(depth, manner.time).with_handicap(manner.handicap),
            library: Library::default(),
            backlog: Backlog::default(),
            running: None,
            ponder: Ponder::new(manner.ponder),
            clearing: None,
            batch: manner.batch,
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
            Command::Hello => self.out.line(&print::my_name(None))?,
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
        self.book_hints(count)?;
        let task = self.state.hint_task(count);
        self.start(Request::Hint, Job::Search(task), "Analyzing", now)
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

    /// What the book says of the best `count` moves, before the search says more.
    fn book_hints(&mut self, count: usize) -> io::Result<()> {
        match self.library.moves(self.state.position().board) {
            Ok(lines) if lines.is_empty() => Ok(()),
            Ok(lines) => {
                self.out.line(&print::status(&self.opening_name("Book")))?;
                lines.iter().filter_map(print::book).take(count).try_for_each(|line| self.out.line(&line))
            }
            Err(error) => self.out.line(&print::status(&format!("Playing without the book: {error}"))),
        }
    }

    /// `Book: Tiger`, as far as the game has a name.
    fn opening_name(&self, text: &str) -> String {
        let boards = self.state.game().positions().iter().map(|position| position.board);
        name_of_line(boards).map_or(text.to_owned(), |name| format!("{text}: {name}"))
    }

    /// Adds the game to the book, or says what kept it out; after `learned`, which clears the status.
    fn learn(&mut self) -> io::Result<()> {
        let obstacle = match self.library.learn(self.state.game()) {
            None => Some("No book: the game is not kept".to_owned()),
            Some(learned) => learned.err().map(|error| format!("Not learned: {error}")),
        };
        self.out.line(&print::learned())?;
        obstacle.map_or(Ok(()), |text| self.out.line(&print::status(&text)))
    }

    /// Starts a request; stops it at once if what interrupts it has already come.
    fn start(&mut self, request: Request, job: Job, status: &str, now: Instant) -> io::Result<()> {
        self.out.line(&print::status(status))?;
        let empties = self.state.position().board.empty_count();
        let progress = Progress::new(now, empties);
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
                self.ponder_after(result.best);
                Ok(())
            }
            (Request::Hint, Outcome::Searched(result)) => {
                progress.last_iteration(result.info, &self.out)?;
                self.out.line(&progress.final_stats(now))?;
                self.out.line(&print::status(""))
            }
            _ => {
                self.out.line(&progress.final_stats(now))?;
                self.out.line(&print::status(""))
            }
        }
    }
}

impl<T: Thinker> Session for NBoardSession<T> {
    fn handle(&mut self, happening: Happening, now: Instant) -> io::Result<()> {
        match happening {
            Happening::Line(InputLine::Text(text), permit) => self.take_command(parse::parse(&text), permit),
            Happening::Line(InputLine::TooLong, _) => {}
            Happening::End => self.ended_at = Some(now),
            Happening::Event(event) => self.on_event(event, now)?,
            Happening::Tick => {}
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
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Board;
    use crate::protocols::rig::{Fake, Rig, info, manner};

    fn rig(manner: Manner) -> Rig<NBoardSession<Fake>> {
        Rig::new(|engine, out| NBoardSession::new(engine, out, manner))
    }

    #[test]
    fn the_answer_of_a_cut_go_comes_before_the_pong() {
        let mut rig = rig(manner());
        rig.send("ping 1\ngo\nping 2");
        assert_eq!((rig.jobs(), rig.stops()), (1, 1));
        assert_eq!(rig.lines(), ["pong 1", "status Thinking"]);
        rig.now += Duration::from_millis(450);
        rig.finish(5);
        assert_eq!(rig.lines()[1..], ["=== D3/1.00/0.450", "pong 2"]);
    }

    #[test]
    fn every_go_gets_its_answer_in_turn() {
        let mut rig = rig(manner());
        rig.send("go\ngo\nfoo\nset depth 3");
        assert_eq!((rig.jobs(), rig.stops()), (1, 0));
        rig.finish(4);
        assert_eq!(rig.jobs(), 2);
        rig.finish(4);
        assert_eq!(rig.lines_of("===").len(), 2);
        assert_eq!(rig.session.state.analysis_limits().depth, 3);
    }

    #[test]
    fn what_came_before_a_request_started_cuts_it_too() {
        let mut rig = rig(manner());
        rig.send("go\nhint 2\nping 1");
        rig.finish(3);
        assert_eq!((rig.jobs(), rig.stops()), (2, 2));
        rig.finish(1);
        assert_eq!(rig.lines().last().unwrap(), "pong 1");
    }

    #[test]
    fn a_hint_yields_to_anything_but_noise() {
        for line in ["go", "hint 1", "set depth 2", "set contempt 1", "move f5", "learn", "analyze", "ping 1"]
        {
            let mut rig = rig(manner());
            rig.send("hint 4\n\nfoo\nnboard 2\nset x 1\nmove zz");
            assert_eq!(rig.stops(), 0);
            rig.send(line);
            assert_eq!(rig.stops(), 1, "{line}");
        }
    }

    #[test]
    fn iterations_are_paced_and_the_last_one_always_shown() {
        let mut rig = rig(manner());
        rig.send("hint 1");
        for depth in 1..=6 {
            rig.iteration(depth);
        }
        assert_eq!(rig.lines_of("search"), ["search D3 +1.00 0 1"]);
        rig.pass_time(100);
        assert_eq!(rig.lines_of("search"), ["search D3 +1.00 0 6"]);
        rig.iteration(7);
        rig.finish(8);
        assert_eq!(rig.lines()[..2], ["search D3 +1.00 0 8", "nodestats 7000 0.1000"]);
    }

    #[test]
    fn an_iteration_is_not_shown_twice_nor_an_older_one_after_it() {
        let mut rig = rig(manner());
        rig.send("hint 1");
        rig.iteration(5);
        rig.pass_time(200);
        rig.iteration(6);
        rig.finish(6);
        assert_eq!(rig.lines_of("search").len(), 2);
        rig.send("hint 1");
        rig.iteration(6);
        rig.finish(5);
        assert_eq!(rig.lines_of("search").len(), 1);
    }

    #[test]
    fn node_stats_come_every_second_and_fewer_than_ten_thousand() {
        let mut rig = rig(manner());
        rig.send("hint 1");
        rig.pass_time(999);
        assert_eq!(rig.lines_of("nodestats").len(), 0);
        rig.pass_time(1);
        assert_eq!(rig.lines_of("nodestats"), ["nodestats 7000 1.0000"]);
        let mut lines = 0;
        // Three days, looked at whenever the session asks to be.
        while let Some(deadline) = rig.session.deadline().filter(|_| lines < 20_000) {
            if deadline.saturating_duration_since(rig.now) > Duration::from_secs(3 * 86_400) {
                break;
            }
            rig.now = deadline;
            rig.happens(Happening::Tick);
            lines += rig.lines().len();
        }
        assert!((5_000..10_000).contains(&lines), "{lines} lines");
    }

    #[test]
    fn the_end_of_input_leaves_a_moment_then_cuts() {
        let mut rig = rig(manner());
        rig.send("go\nping 1\ngo");
        rig.finish(1);
        rig.happens(Happening::End);
        assert_eq!(rig.stops(), 1);
        rig.pass_time(GRACE.as_millis() as u64);
        assert_eq!((rig.jobs(), rig.stops()), (2, 2));
        assert!(!rig.session.is_done());
        rig.finish(1);
        assert!(rig.session.is_done());
        assert_eq!(rig.lines_of("===").len(), 2);
    }

    #[test]
    fn batch_lets_every_search_end() {
        let mut rig = rig(Manner { batch: true, ..manner() });
        rig.send("hint 2\nping 1\ngo\nquit");
        rig.happens(Happening::End);
        rig.pass_time(3_600_000);
        assert_eq!(rig.stops(), 0);
        rig.finish(9);
        rig.pass_time(3_600_000);
        rig.finish(9);
        assert_eq!(rig.stops(), 0);
        assert!(rig.session.is_done());
        assert_eq!(rig.lines_of("pong").len(), 1);
    }

    #[test]
    fn idle_sessions_end_with_quit_or_input() {
        for end in [Happening::End, Happening::Line(InputLine::Text("quit".into()), Permit::default())] {
            let mut rig = rig(manner());
            rig.send("nboard 2\nset depth 9\nset depth 9\nset depth 1");
            assert_eq!(rig.session.deadline(), None);
            rig.happens(end);
            assert!(rig.session.is_done());
            assert_eq!(rig.lines(), ["set myname Emilia", "set myname Emilia9", "set myname Emilia1"]);
        }
    }

    #[test]
    fn a_go_leaves_the_position_alone() {
        let mut rig = rig(manner());
        rig.send("move F5//1.5\ngo");
        rig.finish(2);
        rig.send("move zz\nmove a1\nmove PA\nset game (;\ngo");
        let expected = Board::START.play("f5".parse().unwrap()).unwrap();
        assert_eq!(rig.task().board, expected);
        assert_eq!(rig.lines_of("===").len(), 1);
    }

    #[test]
    fn passes_and_ends_need_no_search() {
        let mut rig = rig(manner());
        // Black has a1 only and cannot move; White can take it by c1.
        let board = |squares: &str| format!("set game (;GM[Othello]TY[8]BO[8 {squares} *];)");
        rig.send(&board(&format!("O*{}", "-".repeat(62)).replace("O*", "*O")));
        rig.send("go");
        assert!(rig.lines().last().unwrap().starts_with("status Thinking"));
        rig.finish(1);
        rig.lines();
        rig.send(&board(&format!("O*{}", "-".repeat(62))));
        rig.send("go");
        assert_eq!(rig.lines(), ["=== PA"]);
        rig.send("hint 3");
        rig.finish(1);
        assert_eq!(rig.lines_of("search"), ["search PA +1.00 0 1"]);
        rig.send(&board(&format!("**{}", "-".repeat(62))));
        rig.send("go\nhint 3\nping 4");
        assert_eq!(rig.lines(), ["=== PA", "status The game is over", "pong 4"]);
    }

    #[test]
    fn pondering_is_of_the_position_after_the_answer() {
        let mut rig = rig(Manner { ponder: true, ..manner() });
        rig.send("go");
        rig.finish(3);
        assert_eq!((rig.jobs(), rig.stops()), (2, 0));
        assert_eq!(rig.task().board.empty_count(), 59);
        rig.lines();
        rig.send("\nnoise");
        rig.iteration(9);
        assert_eq!((rig.lines().len(), rig.stops(), rig.session.deadline()), (0, 0, None));
        rig.send("ping 1");
        assert_eq!((rig.lines(), rig.stops()), (vec!["pong 1".to_owned()], 1));
    }

    #[test]
    fn analyses_are_blacks_view() {
        let mut rig = rig(manner());
        rig.send("move f5\nanalyze");
        let job = JobId(1);
        for ply in [1, 0] {
            let info = info(Board::START, 4);
            let result = SearchResult { best: None, info, stopped: false };
            rig.happens(Happening::Event(Event::Analyzed { job, ply, result }));
        }
        rig.happens(Happening::Event(Event::Finished { job, outcome: Outcome::Analyzed { stopped: false } }));
        assert_eq!(
            rig.lines(),
            [
                "status Analyzing the game",
                "analysis 1 -1.00",
                "analysis 0 1.00",
                "nodestats 7000 0.0000",
                "status"
            ]
        );
    }
}
