//! The only clock of the tests, protocol tests included.
//!
//! A limit finds hangs, not slowness: each is far above the time of an idle machine, times `EMILIA_PATIENCE` (default 10). An
//! order of events that no scheduler can change is better than a limit.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The usual limit in milliseconds, before patience.
const USUAL: u64 = 6_000;

/// The factor of all limits.
pub fn patience() -> u32 {
    let asked = std::env::var("EMILIA_PATIENCE").ok();
    asked.map_or(10, |factor| {
        factor.parse().expect("EMILIA_PATIENCE is a whole number")
    })
}

/// Milliseconds times the patience.
pub fn at_most(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds) * patience()
}

/// An instant for a test that moves its own clock.
pub fn origin() -> Instant {
    Instant::now()
}

/// Sleeps. No test may depend on its length.
pub fn pause(time: Duration) {
    thread::sleep(time);
}

/// Waits until `holds`.
///
/// # Panics
/// With `what` after the usual limit.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let wait = Wait::default();
    while !holds() {
        assert!(!wait.is_over(), "waited {:?} for: {what}", wait.taken());
        pause(Duration::from_millis(1));
    }
}

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
    /// Begins a wait of milliseconds times the patience.
    pub fn of(milliseconds: u64) -> Self {
        Self {
            begin: Instant::now(),
            most: at_most(milliseconds),
        }
    }

    /// Time since it began.
    pub fn taken(&self) -> Duration {
        self.begin.elapsed()
    }

    pub fn is_over(&self) -> bool {
        self.taken() > self.most
    }

    #[cfg_attr(
        windows,
        allow(dead_code, reason = "only the tests with a shell use it")
    )]
    pub fn end(&self) -> Instant {
        self.begin + self.most
    }

    /// The next message, if it comes in time.
    pub fn next<T>(&self, receiver: &Receiver<T>) -> Result<T, RecvTimeoutError> {
        receiver.recv_timeout(self.most.saturating_sub(self.taken()))
    }
}
