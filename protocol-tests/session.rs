//! A conversation with a child process: `emilia` with pipes, and a log of all that was said.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::patience::{self, Wait};
use crate::pattern::Pattern;
use crate::scratch::Scratch;
use crate::script::{Script, Step};
use crate::signals;

/// Milliseconds, before patience, of a wait unless a transcript says otherwise: generous, for busy machines.
const DEADLINE: u64 = 6_000;
/// So much of a conversation is kept for the report of a failure.
const KEPT_LINES: usize = 1000;

/// What went wrong, with the conversation up to then.
#[derive(Debug)]
pub struct Failure(pub String);

/// The program just built, or another that `EMILIA_PROGRAM` names: one for another processor or system.
fn program() -> OsString {
    std::env::var_os("EMILIA_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_emilia").into())
}

/// A running child and the conversation with it.
pub struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Option<Receiver<Vec<u8>>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_reader: Option<JoinHandle<()>>,
    log: VecDeque<String>,
    start: Wait,
    /// Milliseconds that each wait may take, before patience.
    deadline: u64,
    banned: Vec<Pattern>,
    utf8: bool,
    /// The child's working directory; goes away with the session.
    _folder: Scratch,
}

impl Session {
    /// A session with this command line, for a test that leads it itself.
    pub fn of(line: &str) -> Self {
        Self::start(&Script::of(line)).unwrap_or_else(|Failure(what)| panic!("{what}"))
    }

    /// Starts `emilia` in a fresh directory of its own with these arguments, environment and files.
    pub fn start(script: &Script) -> Result<Self, Failure> {
        // The blank in the name is deliberate: nothing may depend on the working directory.
        let folder = Scratch::new("of a session");
        for (name, text) in &script.files {
            fs::write(folder.0.join(name), text)
                .map_err(|error| Failure(format!("preparing {name}: {error}")))?;
        }
        let mut child = signals::takes_signals(&mut Command::new(program()))
            .args(&script.args)
            .env_remove("RUST_LOG")
            .env("EMILIA_BOOK", "off")
            .env_remove("RUST_BACKTRACE")
            .envs(script.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&folder.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| Failure(format!("starting emilia: {error}")))?;
        let (sender, lines) = channel();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut line = vec![];
            while stdout.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(vec![]));
        let (mut errors, kept) = (child.stderr.take().expect("stderr is a pipe"), Arc::clone(&stderr));
        let stderr_reader = thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = errors.read(&mut chunk) {
                kept.lock().expect("no holder panics").extend(&chunk[..length]);
            }
        });
        Ok(Self {
            stdin: child.stdin.take(),
            child,
            lines: Some(lines),
            stderr,
            stderr_reader: Some(stderr_reader),
            log: VecDeque::from([format!("emilia {}", script.args.join(" "))]),
            start: Wait::default(),
            deadline: DEADLINE,
            banned: vec![],
            utf8: script.utf8,
            _folder: folder,
        })
    }

    fn note(&mut self, sign: &str, text: &str) {
        let shown: String = text.chars().take(300).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        let seconds = self.start.taken().as_secs_f64();
        if self.log.len() == KEPT_LINES {
            self.log.pop_front();
        }
        self.log.push_back(format!("{seconds:9.3} {sign} {}{more}", shown.trim_end().escape_debug()));
    }

    /// A failure that shows the whole conversation, what was left unread, and stderr.
    pub fn failure(&mut self, what: &str) -> Failure {
        while let Some(Ok(line)) = self.lines.as_ref().map(|lines| lines.try_recv()) {
            self.note("< (unread)", &String::from_utf8_lossy(&line));
        }
        let (stderr, log) = (self.stderr(), self.log.make_contiguous().join("\n"));
        Failure(format!("{what}\n--- conversation\n{log}\n--- stderr\n{stderr}"))
    }

    /// All that came on stderr so far.
    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr.lock().expect("no holder panics")).into_owned()
    }

    /// All that the child, which must have ended, wrote to stderr.
    pub fn all_stderr(&mut self) -> String {
        // The pipe is closed, so the reader comes to its end.
        if let Some(reader) = self.stderr_reader.take() {
            let _ = reader.join();
        }
        self.stderr()
    }

    /// Writes bytes to the child's stdin. That it no longer reads is for the next step to find.
    pub fn send(&mut self, bytes: &[u8]) {
        self.note(">", &String::from_utf8_lossy(bytes));
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    /// Writes `piece` again and again, from a thread of its own, until the child no longer reads; how often so far.
    #[cfg(target_os = "linux")]
    pub fn pour(&mut self, piece: Vec<u8>) -> Arc<std::sync::atomic::AtomicU64> {
        use std::sync::atomic::{AtomicU64, Ordering};

        self.note(">", "(a flood)");
        let mut stdin = self.stdin.take().expect("stdin is open");
        let poured = Arc::<AtomicU64>::default();
        let count = Arc::clone(&poured);
        thread::spawn(move || {
            while stdin.write_all(&piece).is_ok() {
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        poured
    }

    /// The next line of stdout, or `None` at its end. Each must be ASCII, unless the transcript
    /// says otherwise, and end in a lone LF.
    pub fn line(&mut self) -> Result<Option<String>, Failure> {
        self.line_within(&Wait::of(self.deadline))
    }

    fn line_within(&mut self, wait: &Wait) -> Result<Option<String>, Failure> {
        let lines = self.lines.as_ref().expect("stdout is still read");
        let bytes = match wait.next(lines) {
            Ok(bytes) => bytes,
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => return Err(self.failure("no line in time")),
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.note("<", &text);
        let Some(line) = text.strip_suffix('\n') else {
            return Err(self.failure("the last line has no line end"));
        };
        if !self.utf8 && !line.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)) {
            return Err(self.failure("a line is not printable ASCII"));
        }
        if let Some(banned) = self.banned.iter().find(|pattern| pattern.matches(line)) {
            let what = format!("a line matches the banned pattern {:?}", banned.text());
            return Err(self.failure(&what));
        }
        Ok(Some(line.to_string()))
    }

    /// The next line, which must match.
    pub fn expect(&mut self, pattern: &Pattern) -> Result<String, Failure> {
        match self.line()? {
            Some(line) if pattern.matches(&line) => Ok(line),
            Some(line) => Err(self.failure(&format!("expected {:?}, found {line:?}", pattern.text()))),
            None => Err(self.failure(&format!("expected {:?}, found the end of stdout", pattern.text()))),
        }
    }

    /// All lines up to the first that matches, that one included; one deadline for all.
    pub fn skip_to(&mut self, pattern: &Pattern) -> Result<Vec<String>, Failure> {
        let wait = Wait::of(self.deadline);
        let mut read = vec![];
        loop {
            match self.line_within(&wait)? {
                Some(line) => read.push(line),
                None => {
                    let what = format!("stdout ended before {:?}", pattern.text());
                    return Err(self.failure(&what));
                }
            }
            if read.last().is_some_and(|line| pattern.matches(line)) {
                return Ok(read);
            }
        }
    }

    /// Reads until the child closes stdout.
    pub fn drain(&mut self) -> Result<(), Failure> {
        let wait = Wait::of(self.deadline);
        while self.line_within(&wait)?.is_some() {}
        Ok(())
    }

    fn silence(&mut self, ms: u64) -> Result<(), Failure> {
        let lines = self.lines.as_ref().expect("stdout is still read");
        patience::pause(Duration::from_millis(ms));
        match lines.try_recv() {
            Ok(line) => {
                let what = format!("expected silence, found {:?}", String::from_utf8_lossy(&line));
                Err(self.failure(&what))
            }
            Err(TryRecvError::Empty) => Ok(()),
            Err(TryRecvError::Disconnected) => Err(self.failure("expected silence, found the end")),
        }
    }

    /// Closes the child's stdin.
    pub fn close_stdin(&mut self) {
        self.note(">", "(end of input)");
        self.stdin = None;
    }

    /// The child's process number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the child to end, with `code` if given, and nothing left unread on stdout.
    pub fn exit(&mut self, code: Option<i32>) -> Result<(), Failure> {
        let wait = Wait::of(self.deadline);
        if self.lines.is_some()
            && let Some(line) = self.line_within(&wait)?
        {
            return Err(self.failure(&format!("expected the end, found {line:?}")));
        }
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                _ if wait.is_over() => return Err(self.failure("does not exit")),
                _ => patience::pause(Duration::from_millis(2)),
            }
        };
        match code {
            Some(code) if status.code() != Some(code) => {
                Err(self.failure(&format!("expected exit code {code}, found {}", describe(status))))
            }
            _ => Ok(()),
        }
    }

    /// Performs one step of a transcript.
    pub fn step(&mut self, step: &Step) -> Result<(), Failure> {
        match step {
            Step::Send(bytes) => self.send(bytes),
            Step::Expect(pattern) => drop(self.expect(pattern)?),
            Step::SkipTo(pattern) => drop(self.skip_to(pattern)?),
            Step::Never(pattern) => self.banned.push(pattern.clone()),
            Step::Allow => self.banned.clear(),
            Step::Drain => self.drain()?,
            Step::Within(ms) => self.deadline = *ms,
            Step::Silence(ms) => self.silence(*ms)?,
            Step::Pause(ms) => patience::pause(Duration::from_millis(*ms)),
            Step::Eof => self.close_stdin(),
            Step::HangUp => self.lines = None,
            Step::Signal(name) => {
                if !signals::send(self.id(), name) {
                    return Err(self.failure(&format!("cannot send SIG{name}")));
                }
            }
            Step::Exit(code) => self.exit(*code)?,
            // Checked once the child is gone: see `run`.
            Step::Stderr(_) | Step::StderrEmpty => {}
        }
        Ok(())
    }

    fn check_stderr(&mut self, script: &Script) -> Result<(), Failure> {
        let stderr = self.all_stderr();
        for (_, step) in &script.steps {
            match step {
                Step::StderrEmpty if !stderr.is_empty() => {
                    return Err(self.failure("stderr should be empty"));
                }
                Step::Stderr(pattern) if !stderr.lines().any(|line| pattern.matches(line)) => {
                    let what = format!("no line of stderr matches {:?}", pattern.text());
                    return Err(self.failure(&what));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn describe(status: ExitStatus) -> String {
    status.code().map_or(format!("{status}"), |code| code.to_string())
}

/// Plays the transcript at `path` against the built binary.
pub fn run(path: &Path) -> Result<(), Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure(format!("{error}")))?;
    let script = Script::parse(&text).map_err(Failure)?;
    let mut session = Session::start(&script)?;
    for (line, step) in &script.steps {
        session.step(step).map_err(|Failure(what)| Failure(format!("line {line}: {what}")))?;
    }
    session.check_stderr(&script)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(text: &str) -> Result<(), Failure> {
        let script = Script::parse(text).unwrap();
        let mut session = Session::start(&script)?;
        script.steps.iter().try_for_each(|(_, step)| session.step(step))?;
        session.check_stderr(&script)
    }

    fn complaint(text: &str) -> String {
        let Failure(what) = play(text).expect_err("the transcript is wrong on purpose");
        what
    }

    #[test]
    fn wrong_transcripts_fail_and_show_the_conversation() {
        play("args version\ndrain\nstderr-empty\nexit 0").unwrap();
        let what = complaint("args version\n< something else\nexit 0");
        assert!(what.starts_with("expected \"something else\", found \"emilia"), "{what}");
        assert!(what.contains("--- conversation\nemilia version\n"), "{what}");
        assert!(complaint("args version\nexit 0").starts_with("expected the end, found \"emilia"));
        assert!(complaint("args version\ndrain\nexit 3").starts_with("expected exit code 3, found 0"));
        assert!(complaint("args version\nskip-to no such line\nexit 0").starts_with("stdout ended"));
        assert!(complaint("args version\nnever emilia{any}\ndrain\nexit 0").contains("banned"));
        assert!(complaint("args --no-such\nstderr-empty\nexit 2").starts_with("stderr should be empty"));
        assert!(complaint("args version\ndrain\nstderr x\nexit 0").starts_with("no line of stderr"));
    }
}
