//! A conversation with a child process over pipes, and a log of it.

use std::collections::VecDeque;
use std::fmt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::pattern::Pattern;
use super::script::{Script, Step};
use crate::peers::process::{Process, Silence};

/// Milliseconds, before patience, of a wait unless a transcript sets them: generous, for busy machines.
const DEADLINE: u64 = 6_000;
/// Lines of a conversation that the report of a failure shows.
const KEPT_LINES: usize = 1000;

/// The fault, with the conversation up to then.
pub struct Failure(pub String);

/// As text, for `unwrap`.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A running child and the conversation with it. Dropping it kills the child.
pub struct EngineSession {
    pub process: Process,
    log: VecDeque<String>,
    start: Instant,
    patience: u32,
    /// The deadline of each wait, patience included.
    deadline: Duration,
    banned: Vec<Pattern>,
    forms: Vec<Pattern>,
    utf8: bool,
    /// The transcript has closed the child's output.
    has_hung_up: bool,
    /// The child has written a line.
    pub has_answered: bool,
    /// Sends a signal to a process; only transcripts of tests do that.
    pub send_signal: fn(u32, &str) -> bool,
}

impl EngineSession {
    /// A conversation with a new child. All deadlines are multiplied by `patience`.
    ///
    /// # Errors
    /// When the child does not start.
    pub fn start(command: &mut Command, shown: String, patience: u32) -> std::io::Result<Self> {
        Ok(Self {
            process: Process::start(command)?,
            log: VecDeque::from([shown]),
            start: Instant::now(),
            patience,
            deadline: Duration::from_millis(DEADLINE) * patience,
            banned: vec![],
            forms: vec![],
            utf8: false,
            has_hung_up: false,
            has_answered: false,
            send_signal: |_, _| false,
        })
    }

    /// Plays a transcript; whether it was played, or the child does not know the command that it needs.
    pub fn play(&mut self, script: &Script) -> Result<bool, Failure> {
        self.utf8 = script.utf8;
        if let Some(command) = &script.needs {
            self.send(format!("known_command {command}\n").as_bytes());
            let is_known = self.line()?.is_some_and(|line| line.trim_end() == "= true");
            if !is_known {
                return Ok(false);
            }
            self.expect(&Pattern::parse("").map_err(|refusal| Failure(refusal.into()))?)?;
        }
        for (place, step) in &script.steps {
            self.step(step)
                .map_err(|Failure(what)| Failure(format!("{place}: {what}")))?;
        }
        self.check_stderr(script)?;
        Ok(true)
    }

    fn note(&mut self, sign: &str, text: &str) {
        let shown: String = text.chars().take(300).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        let seconds = self.start.elapsed().as_secs_f64();
        if self.log.len() == KEPT_LINES {
            self.log.pop_front();
        }
        self.log.push_back(format!(
            "{seconds:9.3} {sign} {}{more}",
            shown.trim_end().escape_debug()
        ));
    }

    /// A failure that shows the whole conversation, all unread lines, and stderr.
    pub fn failure(&mut self, fault: &str) -> Failure {
        for _ in 0..KEPT_LINES {
            let Ok(line) = self.process.next_line(Instant::now()) else {
                break;
            };
            self.note("< (unread)", &line.text);
        }
        let stderr = self.process.errors().join("\n");
        let log = self.log.make_contiguous().join("\n");
        Failure(format!(
            "{fault}\n--- conversation\n{log}\n--- stderr\n{stderr}"
        ))
    }

    /// Writes bytes to the child's stdin; waits only if the child has left very many writes unread.
    pub fn send(&mut self, bytes: &[u8]) {
        self.note(">", &String::from_utf8_lossy(bytes));
        self.process.send_bytes(bytes.to_vec());
    }

    /// The next line of stdout, or `None` at its end. Each must be ASCII, unless the transcript
    /// allows more, and end in a lone LF.
    pub fn line(&mut self) -> Result<Option<String>, Failure> {
        self.line_before(Instant::now() + self.deadline, "a line")
    }

    fn line_before(
        &mut self,
        deadline: Instant,
        expected: &str,
    ) -> Result<Option<String>, Failure> {
        let text = match self.process.next_line(deadline) {
            Ok(line) => line.text,
            Err(Silence::Exited(_)) => return Ok(None),
            Err(_) => {
                return Err(self.failure(&format!("expected {expected:?}, found no line in time")));
            }
        };
        self.note("<", &text);
        self.has_answered = true;
        match self.fault_of(&text) {
            Some(fault) => Err(self.failure(&fault)),
            None => Ok(text.strip_suffix('\n').map(str::to_owned)),
        }
    }

    /// The fault of this line, its end included, if it has one.
    fn fault_of(&self, text: &str) -> Option<String> {
        let Some(line) = text.strip_suffix('\n') else {
            return Some("the last line has no line end".into());
        };
        if !self.utf8
            && !line
                .bytes()
                .all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte))
        {
            return Some(format!("expected printable ASCII, found {line:?}"));
        }
        if let Some(banned) = self.banned.iter().find(|pattern| pattern.matches(line)) {
            return Some(format!(
                "found {line:?}, which matches the banned pattern {:?}",
                banned.text()
            ));
        }
        let mut forms = self
            .forms
            .iter()
            .filter(|form| first_word(form.text()) == first_word(line));
        let form = forms.find(|form| !form.matches(line))?;
        Some(format!(
            "found {line:?}, expected the form {:?}",
            form.text()
        ))
    }

    /// The next line, which must match.
    pub fn expect(&mut self, pattern: &Pattern) -> Result<String, Failure> {
        let line = self.line_before(Instant::now() + self.deadline, pattern.text())?;
        match line {
            Some(line) if pattern.matches(&line) => Ok(line),
            Some(line) => {
                Err(self.failure(&format!("expected {:?}, found {line:?}", pattern.text())))
            }
            None => Err(self.failure(&format!(
                "expected {:?}, found the end of stdout",
                pattern.text()
            ))),
        }
    }

    /// All lines up to the first that matches, that one included; one deadline for all.
    pub fn skip_to(&mut self, pattern: &Pattern) -> Result<Vec<String>, Failure> {
        self.skip_until(pattern, |line| pattern.matches(line))
    }

    fn skip_until(
        &mut self,
        pattern: &Pattern,
        is_it: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, Failure> {
        let deadline = Instant::now() + self.deadline;
        let mut read = vec![];
        while let Some(line) = self.line_before(deadline, pattern.text())? {
            read.push(line);
            if read.last().is_some_and(|line| is_it(line)) {
                return Ok(read);
            }
        }
        Err(self.failure(&format!("stdout ended before {:?}", pattern.text())))
    }

    /// Reads up to the first line that begins like the pattern, which must match.
    fn next(&mut self, pattern: &Pattern) -> Result<(), Failure> {
        let read = self.skip_until(pattern, |line| {
            first_word(line) == first_word(pattern.text())
        })?;
        match read.last() {
            Some(line) if !pattern.matches(line) => {
                Err(self.failure(&format!("expected {:?}, found {line:?}", pattern.text())))
            }
            _ => Ok(()),
        }
    }

    pub fn drain(&mut self) -> Result<(), Failure> {
        let deadline = Instant::now() + self.deadline;
        while self.line_before(deadline, "the end")?.is_some() {}
        Ok(())
    }

    fn silence(&mut self, ms: u64) -> Result<(), Failure> {
        thread::sleep(Duration::from_millis(ms));
        match self.process.next_line(Instant::now()) {
            Ok(line) => Err(self.failure(&format!("expected silence, found {:?}", line.text))),
            Err(Silence::Exited(_)) => Err(self.failure("expected silence, found the end")),
            Err(_) => Ok(()),
        }
    }

    pub fn close_stdin(&mut self) {
        self.note(">", "(end of input)");
        self.process.input = None;
    }

    /// Waits for the child to end, with `code` if given, and nothing left unread on stdout.
    pub fn exit(&mut self, code: Option<i32>) -> Result<(), Failure> {
        let deadline = Instant::now() + self.deadline;
        if !self.has_hung_up
            && let Some(line) = self.line_before(deadline, "the end")?
        {
            return Err(self.failure(&format!("expected the end, found {line:?}")));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let Some(status) = self.process.exit_within(left) else {
            return Err(self.failure("does not exit"));
        };
        match code {
            Some(code) if status.code() != Some(code) => {
                let found = status
                    .code()
                    .map_or(status.to_string(), |code| code.to_string());
                Err(self.failure(&format!("expected exit code {code}, found {found}")))
            }
            _ => Ok(()),
        }
    }

    pub fn step(&mut self, step: &Step) -> Result<(), Failure> {
        match step {
            Step::Send(bytes) => self.send(bytes),
            Step::Expect(pattern) => drop(self.expect(pattern)?),
            Step::SkipTo(pattern) => drop(self.skip_to(pattern)?),
            Step::Next(pattern) => self.next(pattern)?,
            Step::Never(pattern) => self.banned.push(pattern.clone()),
            Step::Allow => self.banned.clear(),
            Step::Form(pattern) => self.forms.push(pattern.clone()),
            Step::Drain => self.drain()?,
            Step::Within(ms) => self.deadline = Duration::from_millis(*ms) * self.patience,
            Step::Silence(ms) => self.silence(*ms)?,
            Step::Pause(ms) => thread::sleep(Duration::from_millis(*ms)),
            Step::Eof => self.close_stdin(),
            Step::HangUp => {
                self.process.close_output();
                self.has_hung_up = true;
            }
            Step::Signal(name) => {
                if !(self.send_signal)(self.process.id(), name) {
                    return Err(self.failure(&format!("cannot send SIG{name}")));
                }
            }
            Step::Exit(code) => self.exit(*code)?,
            // Checked once the child is gone: see `check_stderr`.
            Step::Stderr(_) | Step::StderrEmpty => {}
        }
        Ok(())
    }

    fn check_stderr(&mut self, script: &Script) -> Result<(), Failure> {
        let stderr = self.process.errors();
        for (_, step) in &script.steps {
            match step {
                Step::StderrEmpty if !stderr.is_empty() => {
                    return Err(self.failure("stderr should be empty"));
                }
                Step::Stderr(pattern) if !stderr.iter().any(|line| pattern.matches(line)) => {
                    return Err(
                        self.failure(&format!("no line of stderr matches {:?}", pattern.text()))
                    );
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}
