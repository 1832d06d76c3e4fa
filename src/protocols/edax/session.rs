//! A session at a console: a prompt, a line, its answer, and the next prompt.
//!
//! Nothing echoes what comes over a pipe: a line end stands for the one that was typed. So between two prompts stand
//! a line end and the answer, and before a prompt the board, unless the console is quiet.

use std::io;
use std::time::{Duration, Instant};

use super::board::draw_game;
use super::commands::{EOF, run};
use super::rows::{MOVES, RULE, row};
use super::state::{Edax, EdaxSession, Purpose, Reaction, Waiting};
use crate::engine::{Job, Outcome};
use crate::protocols::console::InputLine;
use crate::protocols::session::{Protocol, Received, SessionOptions};
use crate::search::{Info, Line, Task};

impl Protocol for Edax {
    type Command = String;
    type Waiting = Waiting;

    /// A script that was piped in is executed to its end.
    const GRACE: Duration = Duration::from_secs(600);
    const GRACE_FOR_EACH: bool = true;

    fn open(options: &SessionOptions) -> Self {
        Self::new(options)
    }

    fn begin(session: &mut EdaxSession, now: Instant) -> io::Result<()> {
        session.prompt(now)
    }

    fn end() -> Option<String> {
        Some(EOF.to_owned())
    }

    fn read(line: InputLine) -> Received<String> {
        Received::Command(match line {
            InputLine::Text(text) => text,
            InputLine::TooLong => "(too long)".to_owned(),
        })
    }

    fn interrupts(_: &SessionOptions, command: Option<&String>, _: &Waiting) -> bool {
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
        let Some(running) = &mut session.running else { return Ok(()) };
        let Waiting { purpose, side, shown, .. } = &mut running.waiting;
        let text = match purpose {
            Purpose::Go => rows(&info, *side, 1),
            Purpose::Hint(count, _) => rows(&info, *side, *count),
        };
        *shown = info.lines;
        session.out.piece(&text)
    }

    fn finish(session: &mut EdaxSession, waiting: Waiting, outcome: Outcome, now: Instant) -> io::Result<()> {
        let Outcome::Searched(mut result) = outcome else { return Ok(()) };
        let Waiting { purpose, task, side, shown } = waiting;
        let rule = if session.state.console.verbosity > 0 { format!("{RULE}\n") } else { String::new() };
        let text = match purpose {
            Purpose::Go => {
                session.library.settle(&task, &mut result);
                let is_told = rule.is_empty() || shown.first() == result.info.lines.first();
                let table = if is_told { String::new() } else { rows(&result.info, side, 1) };
                let mv = result.best.unwrap_or(crate::board::Move::Pass);
                table + &rule + &session.answer(mv, now)
            }
            Purpose::Hint(count, told) => {
                let mut info = result.info;
                let is_told = |line: &Line| line.pv.first().is_some_and(|mv| told.contains(mv));
                info.lines.retain(|line| !is_told(line));
                let is_shown = !shown.is_empty() && shown == info.lines;
                (if is_shown { String::new() } else { rows(&info, side, count - told.len()) }) + &rule
            }
        };
        session.out.piece(&text)?;
        session.prompt(now)?;
        if session.running.is_none() && session.state.console.plays != Default::default() {
            session.ponder(session.state.position().board);
        }
        Ok(())
    }

    fn warn(session: &EdaxSession, text: &str) -> io::Result<()> {
        session.state.warnings.line(&format!("WARNING: {text}"))
    }
}

/// The best lines, a row each.
fn rows(info: &Info, side: crate::board::Color, count: usize) -> String {
    info.lines.iter().take(count).map(|line| row(line, side, info, MOVES) + "\n").collect()
}

impl EdaxSession {
    /// Says what a command came to, after `before`; then the next prompt, unless it searches.
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
                self.search(purpose, task, self.state.position().side, now);
                return Ok(());
            }
        }
        self.prompt(now)
    }

    fn search(&mut self, purpose: Purpose, task: Task, side: crate::board::Color, now: Instant) {
        self.start(Waiting { purpose, task, side, shown: Vec::new() }, Job::Search(task), now);
    }

    /// The board and the prompt; or the engine's move, if it is its turn and nobody says otherwise.
    fn prompt(&mut self, now: Instant) -> io::Result<()> {
        let state = &self.state;
        let position = state.position();
        let mut text = String::new();
        if state.console.verbosity > 0 {
            text = format!("\n{}", draw_game(&state.game, state.used));
            text += if position.is_over() { "\n*** Game Over ***\n\n" } else { "\n" };
        }
        if state.console.plays.contains(position.side) && !position.is_over() && self.is_quiet() {
            let reaction = self.go(now);
            return self.react(&format!("{text}\n"), reaction, now);
        }
        self.out.piece(&(text + ">"))
    }
}

#[cfg(test)]
mod tests;
