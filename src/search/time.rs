//! How long a search may think.

use std::time::{Duration, Instant};

use super::Clock;
use super::params::TIME_MARGIN_MS;

/// The two limits of one search, counted from its start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    start: Instant,
    soft: Option<Duration>,
    hard: Option<Duration>,
}

impl Timer {
    /// Limits for a search that starts now with `empties` squares left to fill.
    pub fn new(clock: Clock, empties: u32) -> Self {
        let (soft, hard) = match clock {
            Clock::Unlimited => (None, None),
            Clock::Move(time) => {
                let hard = less_margin(time);
                (Some(hard), Some(hard))
            }
            Clock::Game { remaining, increment } => {
                let (soft, hard) = share(remaining, increment, empties);
                (Some(soft), Some(hard))
            }
        };
        Self { start: Instant::now(), soft, hard }
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The search must end now.
    pub fn is_over(&self) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Another iteration is not worth starting: after one that took `last` it would hardly end in time.
    ///
    /// `scale` stretches the soft limit: below 1 when the move is clear, above 1 when it is not.
    pub fn is_enough(&self, scale: f64) -> bool {
        let Some(soft) = self.soft else { return false };
        // An iteration costs about twice all the earlier ones together: begin none that cannot end.
        let begin = if self.soft == self.hard { soft } else { soft.mul_f64(scale) / 2 };
        self.elapsed() >= begin
    }
}

/// `time` less what the answer needs to get out: the margin, but never more than a tenth.
fn less_margin(time: Duration) -> Duration {
    let margin = Duration::from_millis(TIME_MARGIN_MS as u64);
    time.saturating_sub(margin.min(time / 10))
}

/// Soft and hard limit of a move in a game with `remaining` time and `empties` squares left.
///
/// The mover has about half of the empties still to fill. The last ones are solved in no time, so the
/// share is taken over the moves before them; the middle game, where games are decided, gets more.
fn share(remaining: Duration, increment: Duration, empties: u32) -> (Duration, Duration) {
    let usable = remaining.saturating_sub(Duration::from_millis(20).max(remaining / 50));
    let moves = (empties.saturating_sub(14) / 2 + 2) as f64;
    let opening = if empties > 48 { 0.6 } else { 1.0 };
    let soft = usable.mul_f64(opening * 1.6 / moves).min(usable / 3) + increment.mul_f64(0.8);
    let hard = (soft * 3).min(usable / 2);
    (soft.min(hard), hard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_never_spends_more_than_it_has() {
        for total_ms in [50, 1_000, 30_000, 600_000] {
            for increment_ms in [0, 100] {
                let increment = Duration::from_millis(increment_ms);
                let mut remaining = Duration::from_millis(total_ms);
                for empties in (0..=60).rev() {
                    let (soft, hard) = share(remaining, increment, empties);
                    assert!(soft <= hard && hard < remaining.max(Duration::from_nanos(1)));
                    remaining = remaining - hard + increment;
                }
            }
        }
    }

    #[test]
    fn no_time_means_at_once() {
        let timer = Timer::new(Clock::Move(Duration::ZERO), 30);
        assert!(timer.is_over() && timer.is_enough(1.0));
        let clock = Clock::Game { remaining: Duration::ZERO, increment: Duration::ZERO };
        assert!(Timer::new(clock, 30).is_over());
        assert!(!Timer::new(Clock::Unlimited, 30).is_over());
    }
}
