//! A GTP session: one answer to each command, in order.
//!
//! Commands that arrive during a search wait, except the two interrupts. A live analysis writes its answer in pieces, and
//! any further line of input ends it, as in KataGo.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use super::commands::COMMANDS;
use super::history::History;
use super::params::Params;
use super::parse::{self, Arguments, GtpCommand, SYNTAX_ERROR, UNKNOWN_COMMAND};
use super::print;
use super::state::{Gtp, GtpSession, Purpose, Reaction, Stream};
use crate::board::{Color, Move};
use crate::engine::{Hints, Job, Outcome};
use crate::protocols::clock::Clocks;
use crate::protocols::console::{InputLine, LineWriter};
use crate::protocols::session::{ProtocolRules, Received, Running, SessionOptions};
use crate::search::{Info, Task};
use crate::util::refusal::Refusal;

/// A command that waits for the engine.
pub struct Request {
    id: Option<String>,
    purpose: Purpose,
    side: Color,
    task: Task,
    /// The book's scores of the moves.
    hints: Hints,
}

impl ProtocolRules for Gtp {
    type Command = GtpCommand;
    type Request = Request;

    /// Enough for short scripts.
    const GRACE: Duration = Duration::from_secs(10);

    fn open(options: &SessionOptions) -> Self {
        let clocks = Clocks::of(options.time);
        Self {
            history: History::default(),
            clocks,
            params: Params::new(options.handicap, options.person_seed),
        }
    }

    fn read(line: InputLine) -> Received<GtpCommand> {
        match line {
            InputLine::Text(text) => parse::parse(&text),
            InputLine::TooLong(_) => Received::Command(GtpCommand::default()),
        }
    }

    fn interrupts(_: &SessionOptions, _: Option<&GtpCommand>, request: &Request) -> bool {
        // Only another line ends it.
        matches!(request.purpose, Purpose::Analyze(_))
    }

    fn execute(session: &mut GtpSession, command: GtpCommand, now: Instant) -> io::Result<()> {
        let GtpCommand { id, words } = command;
        let reply = match words.split_first() {
            None => Err(SYNTAX_ERROR.into()),
            Some((name, words)) => match COMMANDS.find(name) {
                None => Err(UNKNOWN_COMMAND.into()),
                Some(action) => action(session, &mut Arguments(words)),
            },
        };
        match reply {
            Ok(Reaction::Search(purpose, side, task)) => {
                session.search(id, purpose, side, task, now)
            }
            Ok(Reaction::Answer(text)) => session.answer(id.as_deref(), &Ok(text)),
            Err(text) => session.answer(id.as_deref(), &Err(text)),
        }
    }

    fn iteration(session: &mut GtpSession, info: Info, now: Instant) -> io::Result<()> {
        let Some(running) = &mut session.running else {
            return Ok(());
        };
        let Request {
            purpose,
            hints,
            side,
            ..
        } = &mut running.request;
        let Purpose::Analyze(stream) = purpose else {
            return Ok(());
        };
        stream.pending = Some(Box::new(hints.improved(&info, stream.max_moves)));
        report_pending(&session.out, stream, *side, now)
    }

    fn finish(
        session: &mut GtpSession,
        running: Running<Request>,
        outcome: Outcome,
        now: Instant,
    ) -> io::Result<()> {
        let Outcome::Searched(mut result) = outcome else {
            return Ok(());
        };
        let Request {
            id,
            purpose,
            side,
            task,
            mut hints,
        } = running.request;
        let info = hints.improved(&result.info, task.multi_pv);
        let best = info.lines.first();
        let text = match purpose {
            Purpose::Analyze(stream) if stream.draws => print::best_moves(&info),
            Purpose::Analyze(stream) => {
                if stream.pending.is_some() && !result.stopped {
                    report(&session.out, &stream, side, &info)?;
                }
                return session.out.line("");
            }
            Purpose::Score => best.map_or_else(String::new, |line| print::score(line, side)),
            Purpose::BestMoves => print::best_moves(&info),
            Purpose::Variation => {
                best.map_or_else(String::new, |line| print::variation(line, side))
            }
            Purpose::Move { color, plays } => {
                session.library.vary(&task, &mut result);
                if plays {
                    session
                        .state
                        .clocks
                        .moved(color, now.saturating_duration_since(running.started));
                }
                let mv = result.best.unwrap_or(Move::Pass);
                let answer = session.answer_move(color, mv, plays);
                debug_assert!(answer.is_ok(), "the search found the illegal move {mv}");
                session.answer(id.as_deref(), &answer)?;
                if plays {
                    session.ponder(session.state.history.position().board);
                }
                return Ok(());
            }
        };
        session.answer(id.as_deref(), &Ok(text))
    }

    fn tick(session: &mut GtpSession, now: Instant) -> io::Result<()> {
        let Some(running) = &mut session.running else {
            return Ok(());
        };
        let side = running.request.side;
        match &mut running.request.purpose {
            Purpose::Analyze(stream) => report_pending(&session.out, stream, side, now),
            _ => Ok(()),
        }
    }

    fn next_tick(request: &Request) -> Option<Instant> {
        match &request.purpose {
            Purpose::Analyze(stream) => stream.due().filter(|_| stream.pending.is_some()),
            _ => None,
        }
    }
}

/// Reports a pending iteration once it is due.
fn report_pending(
    out: &LineWriter,
    stream: &mut Stream,
    side: Color,
    now: Instant,
) -> io::Result<()> {
    let is_due = stream.due().is_none_or(|due| due <= now);
    let Some(info) = stream.pending.take_if(|_| is_due) else {
        return Ok(());
    };
    stream.last = Some(now);
    report(out, stream, side, &info)
}

/// Writes a report, if there is anything in it.
fn report(out: &LineWriter, stream: &Stream, side: Color, info: &Info) -> io::Result<()> {
    if stream.draws {
        // A client that reads no stderr loses only the drawing.
        let _ = io::stderr().write_all(print::drawing(info, side).as_bytes());
        return Ok(());
    }
    let text = print::analysis(info, stream.max_moves);
    if text.is_empty() {
        Ok(())
    } else {
        out.line(&text)
    }
}

impl GtpSession {
    fn answer(&self, id: Option<&str>, result: &Result<String, Refusal>) -> io::Result<()> {
        self.out.line(&print::answer(id, result))
    }

    fn search(
        &mut self,
        id: Option<String>,
        purpose: Purpose,
        side: Color,
        task: Task,
        now: Instant,
    ) -> io::Result<()> {
        if matches!(&purpose, Purpose::Analyze(stream) if !stream.draws) {
            self.out
                .line(&format!("={}", id.as_deref().unwrap_or("")))?;
        }
        let mut hints = Hints::default();
        if !matches!(purpose, Purpose::Move { .. }) {
            hints.add_book(&self.library.moves(task.board).unwrap_or_else(|damage| {
                log::warn!("{damage}");
                Vec::new()
            }));
        }
        self.start(
            Request {
                id,
                purpose,
                side,
                task,
                hints,
            },
            Job::Search(task),
            now,
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests;
