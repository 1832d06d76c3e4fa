//! How a match goes, for those who watch: a line that is drawn over on a terminal, elsewhere a line every minute and at
//! each finished pairing of a table.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::cli::output;
use crate::cli::progress::Progress;
use crate::tournament::matches::runner::{Finished, MatchPlan};
use crate::tournament::matches::scoreboard::Scoreboard;
use crate::tournament::matches::stats::Sprt;

/// How often a line is written where nobody sees the drawn one.
const INTERVAL: Duration = Duration::from_secs(60);

/// Shows how a match goes until it is dropped.
pub struct MatchProgress {
    progress: Progress,
    state: Arc<Mutex<State>>,
    ticker: Option<Ticker>,
}

/// What a line tells.
struct State {
    start: Instant,
    /// Games played before.
    before: usize,
    done: usize,
    total: usize,
    /// Whether the match may end before.
    may_end: bool,
    standing: String,
}

impl MatchProgress {
    /// Begins with the games of `ledger`, which were played before.
    pub fn begin(plan: &MatchPlan, scoreboard: &Scoreboard, sprt: Option<Sprt>) -> Self {
        let (done, total) = (scoreboard.games, plan.games());
        let standing = scoreboard.to_line(plan, sprt);
        let progress = Progress::new(total as u64, done as u64);
        progress.message(&standing);
        let (start, may_end) = (Instant::now(), sprt.is_some());
        let state = Arc::new(Mutex::new(State { start, before: done, done, total, may_end, standing }));
        let tick = {
            let state = state.clone();
            move || output::message(lock(&state).to_line(Instant::now()))
        };
        let ticker = if progress.is_shown() { None } else { Ticker::start(INTERVAL, tick) };
        Self { progress, state, ticker }
    }

    /// A game has ended and is counted in `ledger`.
    pub fn note(&self, plan: &MatchPlan, scoreboard: &Scoreboard, sprt: Option<Sprt>, finished: &Finished) {
        let mut state = lock(&self.state);
        state.done = scoreboard.games;
        state.standing = scoreboard.to_line(plan, sprt);
        self.progress.advance(1);
        self.progress.message(&state.standing);
        let meeting = plan.meeting_of(finished.pairing.game);
        if self.ticker.is_some()
            && let Some(pairing) = finished_pairing(plan, scoreboard, meeting)
        {
            output::message(format_args!("{} of {} games, {pairing}", state.done, state.total));
        }
    }

    /// Takes the drawn line away while something else is written to the terminal.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.progress.suspend(write)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The result of a pairing of a table whose games have all been played.
fn finished_pairing(plan: &MatchPlan, scoreboard: &Scoreboard, meeting: usize) -> Option<String> {
    let score = &scoreboard.scores[meeting];
    if plan.meetings() < 2 || score.all.games() as usize != 2 * plan.rounds {
        return None;
    }
    let [first, second] = plan.meeting(meeting).map(|index| &plan.players[index].name);
    Some(format!("finished: {first} - {second} {}, Elo {}", score.all, score.elo()))
}

impl State {
    fn to_line(&self, now: Instant) -> String {
        let Self { done, total, standing, .. } = self;
        format!("{done} of {total} games, {}: {standing}", self.time_left(now))
    }

    /// From how long the games of this run took.
    fn time_left(&self, now: Instant) -> String {
        let played = self.done - self.before;
        if played == 0 {
            return "the first are under way".to_owned();
        }
        let elapsed = now.saturating_duration_since(self.start).as_secs_f64();
        let minutes = (elapsed / played as f64 * (self.total - self.done) as f64 / 60.0).ceil() as u64;
        let about = if self.may_end { "at most" } else { "about" };
        match minutes {
            0..60 => format!("{about} {minutes} min left"),
            60..6_000 => format!("{about} {} h {:02} min left", minutes / 60, minutes % 60),
            _ => format!("{about} {} days left", minutes.div_ceil(1_440)),
        }
    }
}

/// Does something at regular times until it is dropped.
struct Ticker {
    /// Closed, it ends the thread.
    until: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// `None` where the system starts no more threads: a match goes on without its lines.
    fn start(interval: Duration, mut tick: impl FnMut() + Send + 'static) -> Option<Self> {
        let (until, ended) = mpsc::channel::<()>();
        let body = move || {
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                tick();
            }
        };
        let thread = thread::Builder::new().name("emilia-watch".into()).spawn(body).ok()?;
        Some(Self { until: Some(until), thread: Some(thread) })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.until = None;
        if let Some(thread) = self.thread.take() {
            // A line that could not be written is no reason to fail.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::util::patience::{origin, pause};

    #[test]
    fn lines_tell_what_is_left() {
        let start = origin();
        let state = |before, done, total, may_end| State {
            start,
            before,
            done,
            total,
            may_end,
            standing: "+3 =0 -1".to_owned(),
        };
        let after = |state: State, minutes: u64| state.to_line(start + Duration::from_secs(60 * minutes));
        assert_eq!(after(state(2, 2, 20, false), 5), "2 of 20 games, the first are under way: +3 =0 -1");
        assert_eq!(after(state(2, 4, 10, false), 4), "4 of 10 games, about 12 min left: +3 =0 -1");
        assert_eq!(after(state(0, 4, 400, true), 4), "4 of 400 games, at most 6 h 36 min left: +3 =0 -1");
        assert_eq!(after(state(0, 1, 10_000, false), 2), "1 of 10000 games, about 14 days left: +3 =0 -1");
    }

    #[test]
    fn a_ticker_ticks_until_it_is_dropped() {
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        let ticker = Ticker::start(Duration::from_millis(1), move || {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        while count.load(Ordering::SeqCst) < 3 {
            thread::yield_now();
        }
        drop(ticker);
        let last = count.load(Ordering::SeqCst);
        pause(Duration::from_millis(20));
        assert_eq!(count.load(Ordering::SeqCst), last);
    }
}
