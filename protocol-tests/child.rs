//! Conversations with the program just built, in the language of `src/conform`.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
#[cfg(target_os = "linux")]
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicU64, Ordering};

pub use emilia::internal::transcripts::Failure;
use emilia::internal::transcripts::{self, Pattern, Script};

use crate::patience::patience;
use crate::scratch::Scratch;
use crate::signals;

/// The program just built, or another that `EMILIA_PROGRAM` names: one for another processor or system.
fn program() -> OsString {
    std::env::var_os("EMILIA_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_emilia").into())
}

/// A session and its working directory, which goes away with it.
pub struct Session(
    transcripts::EngineSession,
    #[allow(dead_code, reason = "removes the folder")] Scratch,
);

impl Session {
    /// A session with this command line, for a test that leads it itself.
    pub fn of(line: &str) -> Self {
        Self::start(&Script::of(line)).unwrap()
    }

    /// Sends lines and reads up to their answer, which is the last line returned.
    pub fn ask(&mut self, lines: impl AsRef<[u8]>, answer: &str) -> Result<Vec<String>, Failure> {
        self.send(lines.as_ref());
        self.skip_to(&Pattern::of(answer))
    }

    /// Sends the last lines; returns all that is said until the end with exit code 0.
    pub fn end(&mut self, lines: &str) -> Result<Vec<String>, Failure> {
        self.end_with(lines, 0)
    }

    /// Sends the last lines; returns all that is said until the end with this exit code.
    pub fn end_with(&mut self, lines: &str, code: i32) -> Result<Vec<String>, Failure> {
        self.send(lines.as_bytes());
        self.close_stdin();
        let said = std::iter::from_fn(|| self.line().transpose()).collect::<Result<_, _>>()?;
        self.exit(Some(code)).map(|()| said)
    }

    /// Starts `emilia` in a fresh directory with the arguments, environment and files of a transcript.
    pub fn start(script: &Script) -> Result<Self, Failure> {
        // The blank in the name is deliberate: nothing may depend on the working directory.
        let folder = Scratch::new("of a session");
        for (name, text) in &script.files {
            fs::write(folder.0.join(name), text)
                .map_err(|error| Failure(format!("preparing {name}: {error}")))?;
        }
        let mut command = Command::new(program());
        signals::takes_signals(&mut command)
            .args(&script.args)
            .env_remove("RUST_LOG")
            .env("EMILIA_BOOK", "off")
            .env_remove("RUST_BACKTRACE")
            .envs(script.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&folder.0);
        let shown = format!("emilia {}", script.args.join(" "));
        let mut session = transcripts::EngineSession::start(&mut command, shown, patience())
            .map_err(|error| Failure(format!("starting emilia: {error}")))?;
        session.send_signal = signals::send;
        Ok(Self(session, folder))
    }

    /// Writes `piece` again and again, from a thread, until the child no longer reads; how often so far.
    #[cfg(target_os = "linux")]
    pub fn pour(&mut self, piece: Vec<u8>) -> Arc<AtomicU64> {
        let input = self.0.process.input.take().expect("stdin is open");
        let poured = Arc::<AtomicU64>::default();
        let count = Arc::clone(&poured);
        std::thread::spawn(move || {
            while input.send(piece.clone()).is_ok() {
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        poured
    }
}

impl std::ops::Deref for Session {
    type Target = transcripts::EngineSession;

    fn deref(&self) -> &transcripts::EngineSession {
        &self.0
    }
}

impl std::ops::DerefMut for Session {
    fn deref_mut(&mut self) -> &mut transcripts::EngineSession {
        &mut self.0
    }
}

/// The number behind a key of `/proc/ID/status`, such as `VmRSS` in KiB.
#[cfg(target_os = "linux")]
pub fn status(id: u32, key: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
    let rest = text
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    rest.expect("Linux reports it")
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

/// Plays the transcript at `path` against the built binary.
pub fn run(path: &Path) -> Result<(), Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure(format!("{error}")))?;
    let script = Script::parse(&text).map_err(|refusal| Failure(refusal.into()))?;
    Session::start(&script)?.play(&script).map(drop)
}

#[test]
fn wrong_transcripts_fail_and_show_the_conversation() {
    let complaint = |text: &str| {
        let script = Script::parse(text).unwrap();
        Session::start(&script)
            .and_then(|mut session| session.play(&script))
            .map_or_else(|Failure(what)| what, |_| "".into())
    };
    assert_eq!(complaint("args version\ndrain\nstderr-empty\nexit 0"), "");
    let what = complaint("args version\n< something else\nexit 0");
    let told = "line 2, < something else: expected \"something else\", found \"emilia";
    assert!(
        what.starts_with(told) && what.contains("--- conversation\nemilia version\n"),
        "{what}"
    );
    for (text, told) in [
        ("exit 0", "line 2, exit 0: expected the end, found \"emilia"),
        ("drain\nexit 3", "expected exit code 3, found 0"),
        ("skip-to no such line\nexit 0", "stdout ended"),
        ("never emilia{any}\ndrain\nexit 0", "banned"),
        (
            "form emilia {any}x\ndrain\nexit 0",
            "expected the form \"emilia {any}x\"",
        ),
        ("drain\nstderr x\nexit 0", "no line of stderr"),
    ] {
        let what = complaint(&format!("args version\n{text}"));
        assert!(what.contains(told), "{text}: {what}");
    }
    assert!(
        complaint("args --no-such\nstderr-empty\nexit 2").starts_with("stderr should be empty")
    );
}
