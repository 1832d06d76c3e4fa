//! The progress of a match: a redrawn line on a terminal, elsewhere a line at most once a minute and after each finished
//! pairing of a table.

use std::time::{Duration, Instant};

use indicatif::HumanDuration;

use crate::cli::output;
use crate::cli::progress::Progress;
use crate::tournament::matches::runner::MatchPlan;
use crate::tournament::matches::scoreboard::Scoreboard;
use crate::tournament::matches::stats::Sprt;

/// The least time between two lines without a terminal.
const INTERVAL: Duration = Duration::from_secs(60);

/// Shows the progress of a match until it is dropped.
pub struct MatchProgress {
    bar: Progress,
    sprt: Option<Sprt>,
    start: Instant,
    /// The time of the last line.
    last: Instant,
    /// Games of earlier runs.
    before: usize,
}

impl MatchProgress {
    pub fn new(plan: &MatchPlan, scoreboard: &Scoreboard, sprt: Option<Sprt>) -> Self {
        let bar = Progress::new(plan.games() as u64, scoreboard.games as u64);
        bar.message(&scoreboard.to_line(plan, sprt));
        let now = Instant::now();
        Self {
            bar,
            sprt,
            start: now,
            last: now,
            before: scoreboard.games,
        }
    }

    /// Shows the end of a game of this meeting, which `scoreboard` counts.
    pub fn note(&mut self, plan: &MatchPlan, scoreboard: &Scoreboard, meeting: usize) {
        self.bar.advance(1);
        self.bar.message(&scoreboard.to_line(plan, self.sprt));
        if self.bar.is_shown() {
            return;
        }
        let done = scoreboard.games;
        let total = plan.games();
        if let Some(pairing) = finished_pairing(plan, scoreboard, meeting) {
            output::message(format_args!("{done} of {total} games, {pairing}"));
        } else if self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            let each = self.start.elapsed() / (done - self.before).max(1) as u32;
            let left = HumanDuration(each.saturating_mul(total.saturating_sub(done) as u32));
            let about = if self.sprt.is_some() {
                "at most"
            } else {
                "about"
            };
            let standing = scoreboard.to_line(plan, self.sprt);
            output::message(format_args!(
                "{done} of {total} games, {about} {left} left: {standing}"
            ));
        }
    }

    /// Hides the drawn line during another write to the terminal.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

/// The result of a pairing of a table after its last game.
fn finished_pairing(plan: &MatchPlan, scoreboard: &Scoreboard, meeting: usize) -> Option<String> {
    let score = &scoreboard.scores[meeting];
    if plan.meetings() < 2 || score.all.games() as usize != 2 * plan.rounds {
        return None;
    }
    let [first, second] = plan.meeting(meeting).map(|index| &plan.players[index].name);
    Some(format!(
        "finished: {first} - {second} {}, Elo {}",
        score.all,
        score.elo()
    ))
}
