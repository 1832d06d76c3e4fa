//! The course of a session: each line, each event of the engine and each tick of the clock.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::command::{Effect, Line, is_command, read};
use super::paste::Paste;
use super::state::{Play, Purpose};
use crate::board::Move;
use crate::engine::{Event, Outcome};
use crate::notation::ggf::Ply;
use crate::picture::terminal::Style;
use crate::protocols::console::InputLine;
use crate::protocols::driver::{Input, Permit, Session};

impl Play {
    /// Starts the work that can be done now: the engine's move first, then the lines that came in.
    fn go_on(&mut self, now: Instant) -> io::Result<()> {
        while self.thinking.is_none() && !self.is_done {
            let is_human = self.is_human(self.position().side);
            if !is_human && !self.waits && !self.is_over() && self.paste.is_none() {
                self.engine_turn(now)?;
            } else if let Some(line) = self.backlog.pop() {
                self.line(line, now)?;
            } else if self.has_ended {
                self.is_done = true;
            } else {
                self.prompt()?;
                break;
            }
        }
        self.out.flush()
    }

    fn prompt(&mut self) -> io::Result<()> {
        if !self.setup.is_interactive || !self.setup.prompts {
            return Ok(());
        }
        let is_plain = self.paste.is_none() || self.setup.style == Style::Ascii;
        self.out
            .write_all(if is_plain { "> " } else { "\u{2026} " }.as_bytes())
    }

    /// Handles a line that came in: runs it, or lets it wait.
    fn received(&mut self, line: InputLine, permit: Permit, now: Instant) -> io::Result<()> {
        let text = match line {
            InputLine::Text(text) if self.setup.is_interactive => text,
            line => {
                self.backlog.push(line, permit);
                return Ok(());
            }
        };
        if self.thinking.is_some() && self.paste.is_none() {
            return self.while_it_thinks(text, permit, now);
        }
        self.backlog.push(InputLine::Text(text), permit);
        Ok(())
    }

    /// Handles a line at the keyboard while the engine thinks; see [`Effect`]. Any line ends a hint.
    fn while_it_thinks(&mut self, text: String, permit: Permit, now: Instant) -> io::Result<()> {
        let Some(thinking) = &mut self.thinking else {
            return Ok(());
        };
        let is_hint = matches!(thinking.purpose, Purpose::Hint(_));
        let line = read(&text, now);
        let effect = match &line {
            Line::Nothing => Effect::Hurries,
            // It stops the player's clock, not the engine's.
            Line::Command(typed) if typed.word == "clock" && !typed.rest.is_empty() => {
                Effect::Waits
            }
            Line::Command(typed) => typed.command.effect,
            Line::Game | Line::Move(_) | Line::Bad(_) => Effect::Waits,
        };
        match effect {
            Effect::Hurries => {
                self.engine.stop();
                return Ok(());
            }
            Effect::Leaves => self.engine.stop(),
            Effect::Looks if !is_hint => {
                let Line::Command(typed) = line else {
                    return Ok(());
                };
                return typed.run(self);
            }
            _ if is_hint => self.engine.stop(),
            _ if !std::mem::replace(&mut thinking.has_noted_wait, true) => {
                self.say("This waits until the engine has moved; an empty line lets it move now")?;
            }
            _ => {}
        }
        self.backlog.push(InputLine::Text(text), permit);
        Ok(())
    }

    fn event(&mut self, event: Event, now: Instant) -> io::Result<()> {
        match event {
            Event::Warning { text } => self.say(format!("Warning: {text}")),
            Event::Iteration { job, info } => match &mut self.thinking {
                Some(thinking) if thinking.job == job => match thinking.purpose {
                    Purpose::Hint(_) => self.hint_progress(&info, now),
                    _ => {
                        thinking.so_far = Some(info);
                        Ok(())
                    }
                },
                _ => Ok(()),
            },
            Event::Finished {
                job,
                outcome: Outcome::Searched(result),
            } => {
                let ended = self.thinking.take_if(|thinking| thinking.job == job);
                match ended.map(|thinking| thinking.purpose) {
                    Some(Purpose::Hint(of_book)) => self.end_hint(&result, of_book),
                    Some(Purpose::Lesson(judged)) => self.judge(judged, &result, now),
                    Some(Purpose::Move(task)) => self.engine_moves(&task, result, now),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Handles a line whose turn has come: it continues a pasted text, or starts something new.
    fn line(&mut self, line: InputLine, now: Instant) -> io::Result<()> {
        let InputLine::Text(text) = line else {
            return self.say("The line is too long");
        };
        let Some(mut paste) = self.paste.take() else {
            return self.fresh(&text, now);
        };
        if paste.is_ended_by(&text, is_command(&text, now)) {
            self.set_unended(paste, now)?;
            return if text.trim().is_empty() {
                Ok(())
            } else {
                self.fresh(&text, now)
            };
        }
        let mut texts = paste.add(&text).into_iter();
        self.paste = Some(paste).filter(|paste| paste.missing_end().is_some());
        texts.next().map_or(Ok(()), |whole| self.set(&whole, now))?;
        texts.try_for_each(|other| self.fresh(&other, now))
    }

    /// Handles a line that continues nothing.
    fn fresh(&mut self, text: &str, now: Instant) -> io::Result<()> {
        let line = read(text, now);
        if matches!(line, Line::Game | Line::Bad(_))
            && let Some(paste) = Paste::of_line(text)
        {
            let end = paste.missing_end().unwrap_or_default();
            self.paste = Some(paste);
            return self.say(format!(
                "The text continues {end}; an empty line or a command also ends it"
            ));
        }
        match line {
            Line::Nothing => Ok(()),
            Line::Move(mv) => self.typed_move(mv, now),
            Line::Command(typed) => typed.run(self),
            Line::Game => self.set(text, now),
            Line::Bad(answer) => self.say(answer),
        }
    }

    fn typed_move(&mut self, mv: Move, now: Instant) -> io::Result<()> {
        let seconds = self.measures_time().then(|| self.thought(now));
        let note = Ply {
            seconds,
            ..Ply::default()
        };
        if self.is_judged(mv, note, now) {
            Ok(())
        } else {
            self.play(mv, note, now)
        }
    }
}

impl Session for Play {
    fn begin(&mut self, now: Instant) -> io::Result<()> {
        if self.setup.is_interactive {
            self.say(
                "Othello: type a square such as f5 to play there, or ? for a list of commands",
            )?;
        }
        self.turn_begins(now)?;
        self.go_on(now)
    }

    fn handle(&mut self, input: Input, now: Instant) -> io::Result<()> {
        if self.setup.interrupted.load(Ordering::SeqCst) {
            return if self.is_done {
                Ok(())
            } else {
                self.interrupt(now)
            };
        }
        match input {
            Input::Line(line, permit) => self.received(line, permit, now)?,
            Input::End => {
                self.has_ended = true;
                if let Some(paste) = self.paste.take() {
                    self.set_unended(paste, now)?;
                }
                if self.setup.is_interactive {
                    self.say("")?;
                    self.is_done = true;
                }
            }
            Input::Event(event) => self.event(event, now)?,
            Input::Tick => {}
        }
        self.check_flag(now)?;
        self.go_on(now)
    }

    fn deadline(&self) -> Option<Instant> {
        self.flag_falls()
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}
