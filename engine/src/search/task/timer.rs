//! How long a search may think.
//!
//! A move of a game has an even share of the clock, times three factors:
//!
//! | factor | range | why |
//! |---|---|---|
//! | stage | 0.96 in the opening, 1.6 later | games are decided in the middle |
//! | stability | 0.6 to 1.6 | less where all iterations named one move, more where the last one changed it |
//! | next iteration | 0.5 | one that begins later would hardly end |
//!
//! A running iteration is aborted at three shares. Source of the idea: the stability factors of neural-reversi and Stockfish.

use std::time::Duration;

use super::limits::Clock;
use crate::search::params::{
    BEGIN_FACTOR, CLOCK_RESERVE, FORCED_PART, HARD_FACTOR, HARD_INCREMENT_PART, HARD_PART,
    INCREMENT_PART, MARGIN_PART, MOVE_OVERHEAD, OPENING_EMPTIES, OVERHEAD_PART, RESERVE_PART,
    SHARE_MOVES, SHARE_PART, SOLVED_EMPTIES, STABILITY_FACTOR, STAGE_FACTOR, TIME_MARGIN,
};
use crate::util::clock::Instant;

/// The longest clock; larger ones count as this, so that no arithmetic overflows.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// The two limits of one search, counted from its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer {
    start: Instant,
    /// The time of earlier slices of the search.
    spent: Duration,
    /// No iteration begins after this.
    last_begin: Option<Duration>,
    /// The search ends after this.
    pub hard: Option<Duration>,
    /// Unused time of this move remains for later ones.
    keeps: bool,
}

impl Timer {
    /// Limits for a search that starts now with `empties` squares left to fill.
    pub fn new(clock: Clock, empties: u32) -> Self {
        let start = Instant::now();
        let spent = Duration::ZERO;
        match clock {
            Clock::Unlimited => Self {
                start,
                spent,
                last_begin: None,
                hard: None,
                keeps: false,
            },
            Clock::Move(time) => {
                let hard = Some(less_margin(time.min(LONGEST)));
                Self {
                    start,
                    spent,
                    last_begin: hard,
                    hard,
                    keeps: false,
                }
            }
            Clock::Game {
                remaining,
                increment,
            } => {
                let increment = increment.min(LONGEST);
                let (soft, hard) = share(remaining.min(LONGEST), increment, empties);
                if hard <= increment {
                    return Self {
                        start,
                        spent,
                        last_begin: Some(hard),
                        hard: Some(hard),
                        keeps: false,
                    };
                }
                // Begin no iteration that cannot end.
                let last_begin = Some(part(soft, BEGIN_FACTOR));
                Self {
                    start,
                    spent,
                    last_begin,
                    hard: Some(hard),
                    keeps: true,
                }
            }
        }
    }

    /// The same for a forced move: a small part of the time gives it a score.
    pub fn of_forced(self) -> Self {
        let part = |time| part(time, FORCED_PART);
        let last_begin = self.last_begin.map(part);
        // The iteration that runs at the end of that part is aborted.
        Self {
            last_begin,
            hard: last_begin.map(|begin| 2 * begin),
            ..self
        }
    }

    /// The same for a search that has taken `spent` in earlier slices.
    pub fn after(self, spent: Duration) -> Self {
        Self { spent, ..self }
    }

    /// The time of the search, its earlier slices included.
    pub fn elapsed(&self) -> Duration {
        self.spent + self.start.elapsed()
    }

    pub fn is_over(&self) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Whether the search must end within this time of its start.
    pub fn ends_within(&self, time: Duration) -> bool {
        self.hard.is_some_and(|hard| time > hard)
    }

    /// Whether another iteration is not worth starting: it would hardly end in time, or the best move is stable. `steady`
    /// is the share of the depth, in thousandths, for which the move was best.
    pub fn is_enough(&self, steady: u32) -> bool {
        self.is_enough_at(self.elapsed(), steady)
    }

    fn is_enough_at(&self, elapsed: Duration, steady: u32) -> bool {
        let Some(begin) = self.last_begin else {
            return false;
        };
        elapsed
            >= if self.keeps {
                part(begin, stability(steady))
            } else {
                begin
            }
    }
}

/// `time` less the margin for the output of the answer.
fn less_margin(time: Duration) -> Duration {
    time.saturating_sub(TIME_MARGIN.min(part(time, MARGIN_PART)))
}

/// The factor of a move that has been the best for `steady` thousandths of the depth, in thousandths.
fn stability(steady: u32) -> u32 {
    let (least, most) = STABILITY_FACTOR.into_inner();
    most - (most - least) * steady.min(1000) / 1000
}

/// Soft and hard limit of a move in a game with `remaining` time and `empties` squares left.
///
/// The mover fills about half of the empties. The last ones are solved in no time, so the moves before them share the
/// clock; the middle game, which decides games, gets more. The overhead of each future move is reserved first, unless
/// the increment pays for it. A move may also use the time that the increment returns, within the clock.
fn share(remaining: Duration, increment: Duration, empties: u32) -> (Duration, Duration) {
    let overhead = MOVE_OVERHEAD.saturating_sub(increment) * (empties / 2);
    let kept = CLOCK_RESERVE + overhead.min(part(remaining, OVERHEAD_PART));
    let usable = remaining.saturating_sub(kept.max(part(remaining, RESERVE_PART)));
    let moves = empties.saturating_sub(SOLVED_EMPTIES) / 2 + SHARE_MOVES;
    let [opening, later] = STAGE_FACTOR;
    let share = part(
        usable,
        if empties > OPENING_EMPTIES {
            opening
        } else {
            later
        },
    ) / moves;
    let soft = share.min(part(usable, SHARE_PART)) + part(increment, INCREMENT_PART);
    let most = part(usable, HARD_INCREMENT_PART)
        .min(increment)
        .max(part(usable, HARD_PART));
    let hard = part(soft, HARD_FACTOR).min(most);
    (soft.min(hard), hard)
}

/// `time` times `permille` thousandths.
fn part(time: Duration, permille: u32) -> Duration {
    time * permille / 1000
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
        for total_ms in [400, 1_000, 5_000, 600_000] {
            let mut remaining = Duration::from_millis(total_ms);
            for empties in (1..=60).rev().step_by(2) {
                let (_, hard) = share(remaining, Duration::ZERO, empties);
                let rest = (remaining - hard).checked_sub(MOVE_OVERHEAD);
                remaining =
                    rest.unwrap_or_else(|| panic!("{total_ms} ms are gone at {empties} empties"));
            }
        }
    }

    #[test]
    fn a_forced_move_gets_a_small_part_of_its_time() {
        let second = Duration::from_secs(1);
        for clock in [
            Clock::Move(second),
            Clock::Game {
                remaining: 20 * second,
                increment: second,
            },
        ] {
            let timer = Timer::new(clock, 30);
            assert!(
                timer.of_forced().is_enough_at(second / 20, 0)
                    && !timer.is_enough_at(second / 20, 1000)
            );
            assert!(
                timer.of_forced().hard < Some(second / 20),
                "an iteration is cut short"
            );
        }
    }

    #[test]
    fn agreement_saves_time_in_a_game_and_not_where_a_move_has_its_own() {
        let second = Duration::from_secs(1);
        let game = Clock::Game {
            remaining: 60 * second,
            increment: Duration::ZERO,
        };
        let per_move = Clock::Game {
            remaining: second,
            increment: second,
        };
        for (clock, keeps) in [
            (game, true),
            (per_move, false),
            (Clock::Move(second), false),
        ] {
            let timer = Timer::new(clock, 40);
            let is_enough = |steady| timer.is_enough_at(timer.last_begin.unwrap() * 4 / 5, steady);
            assert_eq!(is_enough(1000), keeps);
            assert!(!is_enough(0));
        }
        assert!(
            (0..1000)
                .step_by(50)
                .map(stability)
                .is_sorted_by(|a, b| a >= b)
        );
    }

    #[test]
    fn an_increment_that_pays_for_the_move_is_used() {
        for milliseconds in [100, 1_000, 60_000] {
            let time = Duration::from_millis(milliseconds);
            let timer = Timer::new(
                Clock::Game {
                    remaining: time,
                    increment: time,
                },
                50,
            );
            let hard = timer.hard.unwrap();
            assert!(
                hard < time && hard >= time * 7 / 10 && timer.last_begin == Some(hard),
                "{hard:?}"
            );
        }
    }

    #[test]
    fn a_time_beyond_the_hard_limit_is_out_of_reach() {
        let second = Duration::from_secs(1);
        let timer = Timer::new(Clock::Move(second), 30);
        assert!(timer.ends_within(second) && !timer.ends_within(second / 2));
        assert!(!Timer::new(Clock::Unlimited, 30).ends_within(Duration::MAX));
    }

    #[test]
    fn no_time_ends_at_once_and_endless_clocks_never() {
        let game = |time| Clock::Game {
            remaining: time,
            increment: time,
        };
        for time in [Duration::ZERO, Duration::MAX] {
            for timer in [Clock::Move(time), game(time)].map(|clock| Timer::new(clock, 60)) {
                let ends = [
                    timer.is_over(),
                    timer.is_enough(0),
                    timer.of_forced().is_over(),
                ];
                assert_eq!(ends, [time.is_zero(); 3], "{timer:?}");
            }
        }
        assert!(!Timer::new(Clock::Unlimited, 30).is_over());
    }
}
