//! Ctrl-C, SIGTERM and SIGHUP: they end the program at once, unless a command has something to finish first.

use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};

use super::output;
use super::progress::Progress;
use crate::util::file;
use crate::util::os::{children, console};

/// The exit code of a program that SIGINT ended, as shells report it.
const INTERRUPTED: u8 = 130;

/// The time that child processes have to end before they are killed.
pub const GRACE: Duration = Duration::from_millis(400);

type Action = Box<dyn FnOnce() + Send>;

/// The action of the next signal, instead of the end of the program.
static CAUGHT: Mutex<Option<Action>> = Mutex::new(None);

/// What an interrupted run leaves; `None` if its end needs no word.
static ADVICE: Mutex<Option<&str>> = Mutex::new(None);

/// From now on an interrupted run leaves files that `--resume` continues.
pub fn set_resumable() {
    set_advice("--resume continues it");
}

/// From now on an interrupted run ends with this advice; an empty one adds nothing to "interrupted".
pub fn set_advice(advice: &'static str) {
    *ADVICE.lock().unwrap_or_else(PoisonError::into_inner) = Some(advice);
}

fn advice() -> Option<&'static str> {
    *ADVICE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn caught() -> MutexGuard<'static, Option<Action>> {
    CAUGHT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Listens to signals from now on. All output is written in whole lines, so an end at any moment cuts no line.
pub fn listen() -> Result<()> {
    console::listen(raise).context("listening to Ctrl-C")
}

/// Acts as a signal does: runs the action of [`catch`] once, or ends the program, its child processes and its unfinished
/// files.
pub fn raise() {
    // Removed, so that a second signal ends the program.
    let action = caught().take();
    let Some(action) = action else {
        children::end_all(Duration::ZERO);
        file::remove_growing();
        if advice().is_some() {
            Progress::leave();
            let _ = interrupted();
        }
        exit(INTERRUPTED.into())
    };
    action();
}

/// Prints that a signal stopped the command and how to continue it; returns the exit code.
pub fn interrupted() -> ExitCode {
    let advice = advice().unwrap_or_default();
    let between = if advice.is_empty() { "" } else { "; " };
    output::message(format_args!("interrupted{between}{advice}"));
    exit_code()
}

/// The exit code of a command that a signal stopped.
pub fn exit_code() -> ExitCode {
    ExitCode::from(INTERRUPTED)
}

/// While this is held, the first signal runs the action of [`catch`]; a second one ends the program.
#[must_use = "dropped, it catches nothing"]
pub struct Catch {
    came: Arc<AtomicBool>,
}

/// Makes the first signal run `first` on another thread instead of ending the program.
pub fn catch(first: impl FnOnce() + Send + 'static) -> Catch {
    let came = Arc::new(AtomicBool::new(false));
    let flag = came.clone();
    *caught() = Some(Box::new(move || {
        flag.store(true, Ordering::Relaxed);
        first();
    }));
    Catch { came }
}

impl Catch {
    /// Whether a signal came.
    pub fn came(&self) -> bool {
        self.came.load(Ordering::Relaxed)
    }
}

impl Drop for Catch {
    fn drop(&mut self) {
        *caught() = None;
    }
}
