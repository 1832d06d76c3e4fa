//! Ctrl-C, SIGTERM and SIGHUP: they end the program at once, unless a command has something to finish first.

use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::util::file;
use crate::util::os::{children, console};

/// What shells report for a program that SIGINT ended.
const INTERRUPTED: u8 = 130;

/// How long programs that we started may take over their end once we end.
pub const GRACE: Duration = Duration::from_millis(400);

type Action = Box<dyn FnOnce() + Send>;

/// What the next signal does instead of ending the program.
static CAUGHT: Mutex<Option<Action>> = Mutex::new(None);

fn caught() -> MutexGuard<'static, Option<Action>> {
    CAUGHT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Listens to signals from now on. Whole lines only are ever written, so an end at once tears nothing.
pub fn listen() -> Result<()> {
    console::listen(came).context("listening to Ctrl-C")
}

/// Does what a signal does: the first that is caught ends what the command says, any other one ends the program.
pub fn came() {
    // Taken, so that a second signal ends what does not end by itself.
    let first = caught().take();
    match first {
        Some(first) => first(),
        None => end(),
    }
}

/// Ends the program and the programs that it started, as a signal does; no half-written file stays.
pub fn end() -> ! {
    children::end_all(Duration::ZERO);
    file::remove_growing();
    exit(INTERRUPTED.into())
}

/// The exit code of a command that a signal stopped.
pub fn exit_code() -> ExitCode {
    ExitCode::from(INTERRUPTED)
}

/// While this is held, the first signal does what was given to [`catch`]; a second one ends the program.
#[must_use = "dropped, it catches nothing"]
pub struct Catch {
    came: Arc<AtomicBool>,
}

/// Lets the first signal run `first`, on a thread of its own, instead of ending the program.
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
