//! How long a search may think.

use std::time::{Duration, Instant};

use super::limits::Clock;
use crate::search::params::{FORCED_PERMILLE, MOVE_OVERHEAD_US, TIME_MARGIN_MS};

/// Clocks that show more are taken to show this, so that no arithmetic on them overflows.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// The two limits of one search, counted from its start.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Timer {
    start: Instant,
    /// No iteration begins after this.
    last_begin: Option<Duration>,
    hard: Option<Duration>,
}

impl Timer {
    /// Limits for a search that starts now with `empties` squares left to fill.
    pub fn new(clock: Clock, empties: u32) -> Self {
        let (last_begin, hard) = match clock {
            Clock::Unlimited => (None, None),
            Clock::Move(time) => {
                let hard = less_margin(time.min(LONGEST));
                (Some(hard), Some(hard))
            }
            Clock::Game { remaining, increment } => {
                let (soft, hard) = share(remaining.min(LONGEST), increment.min(LONGEST), empties);
                // An iteration costs about twice all the earlier ones together: begin none that cannot end.
                (Some(soft / 2), Some(hard))
            }
        };
        Self { start: Instant::now(), last_begin, hard }
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The search must end now.
    pub fn is_over(&self) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Another iteration is not worth starting: it would hardly end in time, or the move is `forced` and
    /// has got the little that such a move gets.
    pub fn is_enough(&self, forced: bool) -> bool {
        let Some(begin) = self.last_begin else { return false };
        self.elapsed() >= if forced { begin * FORCED_PERMILLE as u32 / 1000 } else { begin }
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
/// share is taken over the moves before them; the middle game, where games are decided, gets more. What each move to
/// come costs on its way out, however little it is thought about, is kept back first.
fn share(remaining: Duration, increment: Duration, empties: u32) -> (Duration, Duration) {
    let overhead = Duration::from_micros(MOVE_OVERHEAD_US as u64) * (empties / 2);
    let kept = Duration::from_millis(20) + overhead.min(remaining / 2);
    let usable = remaining.saturating_sub(kept.max(remaining / 50));
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
    fn what_every_move_costs_on_its_way_out_is_kept_back() {
        let overhead = Duration::from_micros(MOVE_OVERHEAD_US as u64);
        for total_ms in [400, 1_000, 5_000, 600_000] {
            let mut remaining = Duration::from_millis(total_ms);
            for empties in (1..=60).rev().step_by(2) {
                let (_, hard) = share(remaining, Duration::ZERO, empties);
                let rest = (remaining - hard).checked_sub(overhead);
                remaining = rest.unwrap_or_else(|| panic!("{total_ms} ms are gone at {empties} empties"));
            }
        }
    }

    #[test]
    fn endless_clocks_are_no_trouble() {
        let game = Clock::Game { remaining: Duration::MAX, increment: Duration::MAX };
        for clock in [game, Clock::Move(Duration::MAX)] {
            let timer = Timer::new(clock, 60);
            assert!(!timer.is_over() && !timer.is_enough(false) && !timer.is_enough(true));
        }
    }

    #[test]
    fn a_forced_move_gets_a_small_part_of_its_time() {
        let second = Duration::from_secs(1);
        for clock in [Clock::Move(second), Clock::Game { remaining: 20 * second, increment: second }] {
            let mut timer = Timer::new(clock, 30);
            timer.start -= second / 20;
            assert!(timer.is_enough(true) && !timer.is_enough(false));
        }
    }

    #[test]
    fn no_time_means_at_once() {
        let timer = Timer::new(Clock::Move(Duration::ZERO), 30);
        assert!(timer.is_over() && timer.is_enough(false));
        let clock = Clock::Game { remaining: Duration::ZERO, increment: Duration::ZERO };
        assert!(Timer::new(clock, 30).is_over());
        assert!(!Timer::new(Clock::Unlimited, 30).is_over());
    }
}
