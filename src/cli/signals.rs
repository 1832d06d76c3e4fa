//! Ctrl-C and SIGTERM: they end the program at once, unless a command has something to finish first.

use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};

use crate::util::file;

/// What shells report for a program that SIGINT ended.
const INTERRUPTED: u8 = 130;

type Action = Box<dyn FnOnce() + Send>;

/// What the next signal does instead of ending the program.
static CAUGHT: Mutex<Option<Action>> = Mutex::new(None);

fn caught() -> MutexGuard<'static, Option<Action>> {
    CAUGHT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Listens to signals from now on. Whole lines only are ever written, so an end at once tears nothing.
///
/// # Errors
/// When the system refuses.
pub fn listen() -> Result<()> {
    ctrlc::set_handler(|| {
        // Taken, so that a second signal ends what does not end by itself.
        let first = caught().take();
        match first {
            Some(first) => first(),
            None => end(),
        }
    })
    .context("listening to Ctrl-C")
}

/// Ends the program, as a signal does; no half-written file stays.
pub fn end() -> ! {
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
