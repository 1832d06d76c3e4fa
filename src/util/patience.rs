//! The one clock of the tests, those of whole conversations included: what limits them by time goes through here.
//!
//! A limit finds what hangs, not what is slow, so each is a number of milliseconds that an idle machine is far below,
//! times `EMILIA_PATIENCE`, 10 without it. Better than a limit is an order of events that no scheduler can change.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Milliseconds that anything which must come may take, before patience.
const USUAL: u64 = 6_000;

/// The factor of all limits.
pub fn patience() -> u32 {
    let asked = std::env::var("EMILIA_PATIENCE").ok();
    asked.map_or(10, |factor| factor.parse().expect("EMILIA_PATIENCE is a whole number"))
}

/// So many milliseconds, times the patience.
pub fn at_most(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds) * patience()
}

/// An instant for a test that moves its own clock.
pub fn origin() -> Instant {
    Instant::now()
}

/// Lets others go on for a while: proves nothing, and no test may fail because it was short or long.
pub fn pause(time: Duration) {
    thread::sleep(time);
}

/// Waits until `holds`.
///
/// # Panics
/// With `what` when it does not come to that.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let wait = Wait::default();
    while !holds() {
        assert!(!wait.is_over(), "in vain for {:?}: {what}", wait.taken());
        pause(Duration::from_millis(1));
    }
}

/// A wait that began when it was made.
pub struct Wait {
    begin: Instant,
    most: Duration,
}

impl Default for Wait {
    fn default() -> Self {
        Self::of(USUAL)
    }
}

impl Wait {
    /// For so many milliseconds, times the patience.
    pub fn of(milliseconds: u64) -> Self {
        Self { begin: Instant::now(), most: at_most(milliseconds) }
    }

    /// Time since it began.
    pub fn taken(&self) -> Duration {
        self.begin.elapsed()
    }

    /// It is in vain.
    pub fn is_over(&self) -> bool {
        self.taken() > self.most
    }

    /// When it will have been in vain.
    #[cfg_attr(windows, allow(dead_code, reason = "only those who start a shell use it"))]
    pub fn end(&self) -> Instant {
        self.begin + self.most
    }

    /// What comes next, if it comes in time.
    pub fn next<T>(&self, receiver: &Receiver<T>) -> Result<T, RecvTimeoutError> {
        receiver.recv_timeout(self.most.saturating_sub(self.taken()))
    }
}
