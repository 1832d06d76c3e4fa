//! What is checked, and what a check found.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::protocol::Protocol;
use crate::peers::process::{Process, Silence};

/// What a check found: what was seen, or why it missed.
pub type CheckResult = Result<String, Miss>;

/// Why an item was not passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// The engine does otherwise.
    Fail(String),
    /// It cannot be checked here.
    Skip(String),
}

/// What is being checked.
pub struct Target {
    /// The command line.
    pub command: String,
    /// The protocol it speaks.
    pub protocol: Protocol,
    /// Where it starts, unless that is here.
    pub folder: Option<PathBuf>,
}

impl Target {
    /// Starts the program.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn spawn(&self) -> io::Result<Process> {
        Process::spawn_in(&self.command, self.folder.as_deref())
    }

    /// The same program by another command line.
    pub fn with(&self, command: String) -> Self {
        Self { command, protocol: self.protocol, folder: self.folder.clone() }
    }
}

impl From<Silence> for Miss {
    fn from(silence: Silence) -> Self {
        Self::Fail(silence.to_string())
    }
}

impl From<io::Error> for Miss {
    fn from(error: io::Error) -> Self {
        Self::Fail(error.to_string())
    }
}

/// Passes with what was seen, or fails with it.
pub fn when(holds: bool, seen: impl Into<String>) -> CheckResult {
    if holds { Ok(seen.into()) } else { Err(Miss::Fail(seen.into())) }
}

/// A failure in these words.
pub fn fail<T>(text: impl Into<String>) -> Result<T, Miss> {
    Err(Miss::Fail(text.into()))
}

/// No result, for this reason.
pub fn skip(why: &str) -> CheckResult {
    Err(Miss::Skip(why.to_owned()))
}

/// A time for people.
pub fn ms(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1e3)
}
