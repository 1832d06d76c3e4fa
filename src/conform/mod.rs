//! Does an engine keep to its protocol? Each transcript of the protocol is played with a new process, so that no
//! failure hides another. `script.rs` explains the language; the tests in `protocol-tests` play theirs by the same files.
#![allow(missing_docs, reason = "public for the protocol tests only")]

mod pattern;
mod script;
mod session;

use std::io;
use std::process::Command;

pub use pattern::Pattern;
pub use script::{Script, Step};
pub use session::{EngineSession, Failure};

use crate::peers::Protocol;
use crate::peers::process::{split_words, without_settings};

/// Factor of all deadlines: they find an engine that hangs, not one that is slow.
const PATIENCE: u32 = 10;

/// Lines of the conversation that a failure shows.
const SHOWN_LINES: usize = 6;

const TEXTS: &[(Protocol, &str)] = &[
    (Protocol::NBoard, include_str!("nboard.txt")),
    (Protocol::Gtp, include_str!("gtp.txt")),
    (Protocol::Edax, include_str!("edax.txt")),
    (Protocol::Cassio, include_str!("cassio.txt")),
];

pub fn transcripts(protocol: Protocol) -> Vec<Script> {
    let text = TEXTS
        .iter()
        .find(|(of, _)| *of == protocol)
        .map_or("", |(_, text)| text);
    Script::all(text).unwrap_or_else(|error| panic!("{protocol}: {error}"))
}

pub enum Outcome {
    /// All of it came as expected.
    Passed,
    /// The engine does not have this optional GTP command.
    Skipped(String),
    /// The line of the transcript, the expected and the actual answer; then the last lines of the conversation.
    Failed(String),
    /// The same for an engine without any answer.
    Mute(String),
}

/// Plays a transcript with the program of a command line.
///
/// # Errors
/// When the program cannot be started.
pub fn play(command: &str, script: &Script) -> io::Result<Outcome> {
    let words = split_words(command);
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    without_settings(&mut command);
    let mut session = EngineSession::start(
        command.args(arguments).args(&script.args),
        words.join(" "),
        PATIENCE,
    )?;
    Ok(match session.play(script) {
        Ok(true) => Outcome::Passed,
        Ok(false) => Outcome::Skipped(script.needs.clone().unwrap_or_default()),
        Err(Failure(what)) if session.has_answered => Outcome::Failed(shortened(&what)),
        Err(Failure(what)) => Outcome::Mute(shortened(&what)),
    })
}

/// A failure without all but the end of the conversation.
fn shortened(failure: &str) -> String {
    let (what, log) = failure
        .split_once("\n--- conversation\n")
        .unwrap_or((failure, ""));
    let (log, stderr) = log.split_once("\n--- stderr\n").unwrap_or((log, ""));
    let last = |text: &str| {
        text.lines()
            .rev()
            .take(SHOWN_LINES)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let complaints = last(stderr)
        .into_iter()
        .map(|line| format!("stderr: {}", line.escape_debug()));
    let shown: Vec<String> = complaints
        .chain(last(log))
        .chain([what.to_owned()])
        .collect();
    shown.into_iter().rev().collect::<Vec<_>>().join("\n")
}
