//! A session at a console: a prompt, a line, its answer, and the next prompt.
//!
//! A pipe echoes nothing, so a line end replaces the typed one: each answer begins with it. Unless the console is quiet,
//! the board comes before each prompt.

use std::io;
use std::time::{Duration, Instant};

use super::board::draw_game;
use super::commands::run;
use super::rows::{MOVES, row};
use super::state::{Edax, EdaxSession, Purpose, Reaction, Request};
use crate::board::{Color, Move};
use crate::engine::{Job, Outcome};
use crate::protocols::console::InputLine;
use crate::protocols::session::{ProtocolRules, Received, Running, SessionOptions};
use crate::search::{Info, Line};

impl ProtocolRules for Edax {
    type Command = String;
    type Request = Request;

    /// Enough for any script.
    const GRACE: Duration = Duration::from_secs(600);

    fn open(options: &SessionOptions) -> Self {
        Self::new(options)
    }

    fn begin(session: &mut EdaxSession, now: Instant) -> io::Result<()> {
        session.prompt(now)
    }

    fn end() -> Option<String> {
        Some("eof".to_owned())
    }

    fn read(line: InputLine) -> Received<String> {
        Received::Command(match line {
            InputLine::Text(text) => text,
            InputLine::TooLong(_) => "(too long)".to_owned(),
        })
    }

    fn interrupts(_: &SessionOptions, command: Option<&String>, _: &Request) -> bool {
        command.is_some_and(|line| line.trim().eq_ignore_ascii_case("stop"))
    }

    fn execute(session: &mut EdaxSession, line: String, now: Instant) -> io::Result<()> {
        let reaction = run(session, &line, now);
        session.react("\n", reaction, now)
    }

    fn iteration(session: &mut EdaxSession, info: Info, _: Instant) -> io::Result<()> {
        if session.state.console.verbosity < 2 {
            return Ok(());
        }
        let Some(running) = &mut session.running else {
            return Ok(());
        };
        let Request {
            purpose,
            side,
            shown,
            ..
        } = &mut running.request;
        let text = match purpose {
            Purpose::Go => rows(&info, *side, 1),
            Purpose::Hint(count, _) => rows(&info, *side, *count),
        };
        *shown = info.lines;
        session.out.piece(&text)
    }

    fn finish(
        session: &mut EdaxSession,
        running: Running<Request>,
        outcome: Outcome,
        now: Instant,
    ) -> io::Result<()> {
        let Outcome::Searched(mut result) = outcome else {
            return Ok(());
        };
        let Request {
            purpose,
            task,
            side,
            shown,
        } = running.request;
        let [_, rule] = session.state.rules();
        let text = match purpose {
            Purpose::Go => {
                session.library.vary(&task, &mut result);
                let is_known = rule.is_empty() || shown.first() == result.info.lines.first();
                let table = if is_known {
                    String::new()
                } else {
                    rows(&result.info, side, 1)
                };
                let mv = result.best.unwrap_or(Move::Pass);
                table + &rule + &session.answer(mv, now)
            }
            Purpose::Hint(count, known) => {
                let mut info = result.info;
                let is_known = |line: &Line| line.pv.first().is_some_and(|mv| known.contains(mv));
                info.lines.retain(|line| !is_known(line));
                let is_shown = !shown.is_empty() && shown == info.lines;
                (if is_shown {
                    String::new()
                } else {
                    rows(&info, side, count - known.len())
                }) + &rule
            }
        };
        session.out.piece(&text)?;
        session.prompt(now)?;
        if session.running.is_none() && session.state.console.plays != [false; 2] {
            session.ponder(session.state.position().board);
        }
        Ok(())
    }

    fn warn(session: &EdaxSession, text: &str) -> io::Result<()> {
        session.state.warnings.line(&format!("WARNING: {text}"))
    }
}

fn rows(info: &Info, side: Color, count: usize) -> String {
    info.lines
        .iter()
        .take(count)
        .map(|line| row(line, side, info, MOVES) + "\n")
        .collect()
}

impl EdaxSession {
    /// Prints the answer of a command after `before`, then the next prompt unless a search runs.
    fn react(&mut self, before: &str, reaction: Reaction, now: Instant) -> io::Result<()> {
        match reaction {
            Reaction::Quit => {
                self.done = true;
                return self.out.piece(before);
            }
            Reaction::Text(text) => self.out.piece(&format!("{before}{text}"))?,
            Reaction::Warning(text) => {
                self.out.piece(before)?;
                self.state.warnings.line(&format!("\n{text}"))?;
            }
            Reaction::Search(purpose, task, head) => {
                self.out.piece(&format!("{before}{head}"))?;
                let side = self.state.position().side;
                self.start(
                    Request {
                        purpose,
                        task,
                        side,
                        shown: Vec::new(),
                    },
                    Job::Search(task),
                    now,
                );
                return Ok(());
            }
        }
        self.prompt(now)
    }

    /// Prints the board and the prompt, or starts the engine's move if it is its turn and no command waits.
    fn prompt(&mut self, now: Instant) -> io::Result<()> {
        let state = &self.state;
        let position = state.position();
        let mut text = String::new();
        if state.console.verbosity > 0 {
            text = format!("\n{}", draw_game(&state.game, state.used));
            text += if position.is_over() {
                "\n*** Game Over ***\n\n"
            } else {
                "\n"
            };
        }
        if state.console.plays[position.side as usize] && !position.is_over() && self.is_quiet() {
            let reaction = self.go(now);
            return self.react(&format!("{text}\n"), reaction, now);
        }
        self.out.piece(&(text + ">"))
    }
}
