//! The commands of NBoard. All lines after `pong k` belong to the commands after `ping k`.

use std::io;
use std::time::{Duration, Instant};

use crate::analysis::words;
use crate::board::{Color, Score};
use crate::book::names::name_of_line;
use crate::engine::cost::Cost;
use crate::engine::{Analysis, Choice, Hints, Job, LearnError, Learned, Level, Outcome};
use crate::notation::ggf::GgfGame;
use crate::protocols::console::{InputLine, LineWriter};
use crate::protocols::session::{
    ProtocolRules, ProtocolSession, Received, Running, SessionOptions,
};
use crate::search::{Info, SearchResult, Task};

use super::memory::Memory;
use super::parse::{self, NBoardCommand};
use super::print;
use super::progress::RequestProgress;
use super::state::NBoard;

pub type NBoardSession = ProtocolSession<NBoard>;

pub struct Request {
    purpose: Purpose,
    progress: RequestProgress,
    /// The status shows that the evaluation is being loaded.
    is_loading: bool,
}

#[derive(Clone, Copy)]
enum Purpose {
    Go(Task),
    Hint,
    Analyze,
}

impl Purpose {
    /// The status while it runs.
    fn status(self) -> &'static str {
        match self {
            Self::Go(_) => "Thinking",
            Self::Hint => "Analyzing",
            Self::Analyze => "Analyzing the game",
        }
    }
}

impl ProtocolRules for NBoard {
    type Command = NBoardCommand;
    type Request = Request;

    const GRACE: Duration = Duration::from_millis(200);
    const GRACE_FOR_EACH: bool = false;

    fn open(options: &SessionOptions) -> Self {
        Self::new(options)
    }

    fn read(line: InputLine) -> Received<NBoardCommand> {
        let command = match line {
            InputLine::Text(text) => parse::parse(&text),
            InputLine::TooLong(begin) => parse::parse_begin(&begin),
        };
        match command {
            NBoardCommand::Ignored => Received::Nothing,
            command => Received::Command(command),
        }
    }

    fn interrupts(
        options: &SessionOptions,
        command: Option<&NBoardCommand>,
        request: &Request,
    ) -> bool {
        let is_go = matches!(request.purpose, Purpose::Go(_));
        !options.batch && command.is_some_and(|command| command.interrupts(is_go))
    }

    fn execute(
        session: &mut NBoardSession,
        command: NBoardCommand,
        now: Instant,
    ) -> io::Result<()> {
        if session.state.is_refused && command.needs_game() {
            return session.status("No game: the last one was too long; send it again");
        }
        match command {
            NBoardCommand::Hello => {
                session.out.line(&print::my_name(None))?;
                session.print_notice()
            }
            NBoardCommand::Depth(depth) => {
                let level =
                    Level::new(depth.into()).expect("the parser keeps depths within 1..=60");
                match std::mem::replace(&mut session.state.depth, level) == level {
                    true => Ok(()),
                    false => session.out.line(&print::my_name(Some(depth))),
                }
            }
            NBoardCommand::Game(text) => match GgfGame::parse(&text) {
                Ok(game) => {
                    session.state.game = game;
                    session.state.is_refused = false;
                    Ok(())
                }
                Err(reason) => session.status(&format!("Game refused: {reason}")),
            },
            NBoardCommand::LongGame => {
                // The error stream is also for clients that show no status.
                LineWriter::stderr().line(&format!("emilia: set game: {}", parse::TOO_LONG))?;
                session.state.is_refused = true;
                session.status(&format!("Game refused: {}", parse::TOO_LONG))
            }
            NBoardCommand::Contempt(contempt) => {
                session.state.contempt = contempt;
                Ok(())
            }
            NBoardCommand::Move(token) => match session.state.game.push(token) {
                Ok(()) => Ok(()),
                Err(reason) => session.status(&format!("Move refused: {reason}")),
            },
            NBoardCommand::Ping(number) => session.out.line(&format!("pong {number}")),
            NBoardCommand::Clear => {
                session.state.memory = Memory::default();
                session.clear();
                Ok(())
            }
            NBoardCommand::Quit => {
                session.done = true;
                Ok(())
            }
            NBoardCommand::Go => session.go(now),
            NBoardCommand::Hint(count) => session.hint(count, now),
            NBoardCommand::Analyze => {
                let positions = session.state.game().positions();
                let positions = positions.iter().map(|position| position.board).collect();
                let job = Job::Analyze(Analysis {
                    positions,
                    limits: session.state.analysis_limits(),
                });
                session.begin(
                    Purpose::Analyze,
                    RequestProgress::new(now, Hints::default(), 1),
                    job,
                    now,
                )
            }
            NBoardCommand::Learn => session.learn(),
            NBoardCommand::Malformed(text) => session.status(&text),
            NBoardCommand::Ignored => Ok(()),
        }
    }

    fn loading(session: &mut NBoardSession) -> io::Result<()> {
        let Some(running) = &mut session.running else {
            return Ok(());
        };
        running.request.is_loading = true;
        session.status("Loading the evaluation")
    }

    fn iteration(session: &mut NBoardSession, info: Info, now: Instant) -> io::Result<()> {
        session.loaded()?;
        let Some(running) = &mut session.running else {
            return Ok(());
        };
        let Request {
            purpose, progress, ..
        } = &mut running.request;
        if matches!(purpose, Purpose::Hint) {
            let task = session.state.hint_task(info.lines.len());
            let cost = Cost::of(&task, 1, Some(&info)).filter(|cost| cost.is_long());
            progress.iteration(info, now, &session.out)?;
            return cost.map_or(Ok(()), |cost| session.status(&words::cost(&cost)));
        }
        progress.count(info.nodes);
        Ok(())
    }

    fn analyzed(session: &mut NBoardSession, ply: usize, result: &SearchResult) -> io::Result<()> {
        session.loaded()?;
        let Some(position) = session.state.game().positions().get(ply) else {
            return Ok(());
        };
        if let Some(running) = &mut session.running {
            running.request.progress.add(result.info.nodes);
        }
        let mut hints = Hints::default();
        // The search continues without a damaged book.
        hints.add_book(&session.library.moves(position.board).unwrap_or_default());
        let score = match hints.improve(&result.info, 1).first() {
            // A bound is no score.
            Some(hint) if hint.line.discs().is_none() => return Ok(()),
            Some(hint) => hint.line.bound,
            None => Score::from_discs(position.board.final_score()),
        };
        let for_black = if position.side == Color::Black {
            score
        } else {
            -score
        };
        session.out.line(&print::analysis(ply, for_black))
    }

    fn finish(
        session: &mut NBoardSession,
        running: Running<Request>,
        outcome: Outcome,
        now: Instant,
    ) -> io::Result<()> {
        let Request {
            purpose,
            mut progress,
            ..
        } = running.request;
        match (purpose, outcome) {
            (Purpose::Go(task), Outcome::Searched(mut result)) => {
                session.library.vary(&task, &mut result);
                progress.count(result.info.nodes);
                session.out.line(&progress.final_stats(now))?;
                let score = result
                    .info
                    .lines
                    .first()
                    .filter(|line| line.discs().is_some());
                session
                    .out
                    .line(&result.best.map_or(print::ANSWER_PASS.into(), |mv| {
                        print::answer(mv, score.map(|line| line.bound), progress.elapsed(now))
                    }))?;
                session.print_notice()?;
                // The position that the client will send once it has played the move.
                if let Some(after) = result
                    .best
                    .and_then(|mv| session.state.position().play(mv).ok())
                {
                    session.ponder(after.board);
                }
                return Ok(());
            }
            (Purpose::Hint, Outcome::Searched(result)) => {
                let hints = progress.close(result.info, &session.out)?;
                session
                    .state
                    .memory
                    .keep(&session.state.hint_task(1), hints);
            }
            _ => {}
        }
        session.out.line(&progress.final_stats(now))?;
        session.status(session.library.notice().unwrap_or_default())
    }

    fn warn(session: &NBoardSession, text: &str) -> io::Result<()> {
        session.status(text)
    }

    fn tick(session: &mut NBoardSession, now: Instant) -> io::Result<()> {
        let nodes = session.engine.nodes();
        let Some(running) = &mut session.running else {
            return Ok(());
        };
        running.request.progress.tick(nodes, now, &session.out)
    }

    fn next_tick(request: &Request) -> Option<Instant> {
        request.progress.deadline()
    }
}

impl NBoardSession {
    fn status(&self, text: &str) -> io::Result<()> {
        self.out.line(&print::status(text))
    }

    fn go(&mut self, now: Instant) -> io::Result<()> {
        if self.state.position().board.moves().is_empty() {
            return self.out.line(print::ANSWER_PASS);
        }
        let task = self.state.go_task();
        let choice = match self.library.choose(self.state.game(), task) {
            Ok(choice) => choice,
            Err(damage) => {
                self.status(&damage)?;
                Choice::Search(task)
            }
        };
        match choice {
            Choice::Book(line) => {
                self.status(&self.opening_name("Book move"))?;
                self.out
                    .line(&print::answer(line.pv[0], line.score, Duration::ZERO))
            }
            Choice::Search(task) => {
                let progress = RequestProgress::new(now, Hints::default(), 1);
                self.begin(Purpose::Go(task), progress, Job::Search(task), now)
            }
        }
    }

    fn hint(&mut self, count: usize, now: Instant) -> io::Result<()> {
        if self.state.position().is_over() {
            return self.status("The game is over");
        }
        let task = self.state.hint_task(count);
        let mut hints = self.state.memory.recall(&task);
        match self.library.moves(task.board) {
            Ok(lines) if lines.is_empty() => {}
            Ok(lines) => {
                hints.add_book(&lines);
                self.status(&self.opening_name("Book"))?;
            }
            Err(damage) => self.status(&damage)?,
        }
        let mut progress = RequestProgress::new(now, hints, task.multi_pv);
        progress.open(&self.out)?;
        self.begin(Purpose::Hint, progress, Job::Search(task), now)
    }

    /// `Book: Tiger`, if the game has a name.
    fn opening_name(&self, text: &str) -> String {
        let boards = self
            .state
            .game()
            .positions()
            .iter()
            .map(|position| position.board);
        name_of_line(boards).map_or(text.to_owned(), |name| format!("{text}: {name}"))
    }

    /// Adds the game to the book and reports the result after `learned`, which clears the status.
    fn learn(&mut self) -> io::Result<()> {
        let game = self.state.game();
        let text = match self.library.learn(game) {
            Ok(Learned {
                is_new: true,
                games,
            }) => {
                let result = match game.final_score(Color::Black) {
                    Some(discs @ 1..) => format!("Black won by {discs}"),
                    Some(0) | None => "a draw".into(),
                    Some(discs) => format!("White won by {}", -discs),
                };
                format!("Learned: {result}; games in the book: {games}")
            }
            Ok(Learned {
                is_new: false,
                games,
            }) => {
                format!("The book has this game: it counts once; games in the book: {games}")
            }
            Err(LearnError::NoBook(None)) => "No book: the game is not learned".into(),
            Err(LearnError::NoBook(Some(reason))) => format!("The game is not learned. {reason}"),
            Err(error) => format!("Not learned: {error}"),
        };
        self.out.line("learned")?;
        self.status(&text)
    }

    fn print_notice(&self) -> io::Result<()> {
        self.library
            .notice()
            .map_or(Ok(()), |notice| self.status(notice))
    }

    fn begin(
        &mut self,
        purpose: Purpose,
        progress: RequestProgress,
        job: Job,
        now: Instant,
    ) -> io::Result<()> {
        self.status(purpose.status())?;
        self.start(
            Request {
                purpose,
                progress,
                is_loading: false,
            },
            job,
            now,
        );
        Ok(())
    }

    /// The search has begun: restores the status.
    fn loaded(&mut self) -> io::Result<()> {
        let Some(Running { request, .. }) = &mut self.running else {
            return Ok(());
        };
        let purpose = request.purpose;
        if std::mem::take(&mut request.is_loading) {
            self.status(purpose.status())
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
