//! GTP's clocks, as Othello match tools set them.
//!
//! `m 0 0` sudden death, `0 b 0` b seconds per move, `m b 0` Fischer, `m b s` Canadian overtime, `0 0 0` no limit. (Strict
//! GTP calls `0 b 0` no limit. To play too fast is harmless; to play too slow loses.)

use std::time::Duration;

use crate::board::Color;
use crate::search;

/// The reserve of every move for pipes and schedulers; at most a tenth of the move's time.
const LATENCY: Duration = Duration::from_millis(30);
/// The reserve of the game's clock: `time_left` may be in whole seconds, and a busy machine is slow.
const RESERVE: Duration = Duration::from_millis(1000);
/// The largest difference of the client's clock that rounding explains.
const ROUNDING: Duration = Duration::from_millis(1500);
/// The time of a search without time.
const LEAST: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug, Default)]
pub struct Clocks {
    settings: Option<Settings>,
    sides: [Option<Left>; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Settings {
    main: Duration,
    period: Duration,
    stones: u32,
}

/// The time of a side, and the moves to make in it (0 in main time).
#[derive(Clone, Copy, Debug)]
struct Left {
    time: Duration,
    stones: u32,
    /// The client set whole seconds, which no clock of this session confirms.
    rough: bool,
}

impl Left {
    fn new(time: Duration, stones: u32) -> Self {
        Self {
            time,
            stones,
            rough: false,
        }
    }
}

impl Clocks {
    /// The clocks until the client sets the time.
    pub fn of(clock: search::Clock) -> Self {
        let mut clocks = Self::default();
        match clock {
            search::Clock::Unlimited => {}
            search::Clock::Move(time) => clocks.set(Duration::ZERO, time, 0),
            search::Clock::Game {
                remaining,
                increment,
            } => clocks.set(remaining, increment, 0),
        }
        clocks
    }

    /// `time_settings`: sets both clocks.
    pub fn set(&mut self, main: Duration, period: Duration, stones: u32) {
        let settings = Settings {
            main,
            period,
            stones,
        };
        let is_unlimited = main.is_zero() && period.is_zero();
        *self = Self {
            settings: (!is_unlimited).then_some(settings),
            sides: [None; 2],
        };
        self.restart();
    }

    /// Both clocks as at the start of a game; the settings stay.
    pub fn restart(&mut self) {
        let left = self.settings.map(|settings| match settings.main.is_zero() {
            true if settings.stones > 0 => Left::new(settings.period, settings.stones),
            _ => Left::new(settings.main, 0),
        });
        self.sides = [left; 2];
    }

    /// `time_left`: sets a clock; whole seconds, which may be rounded up, do not add to a known time.
    pub fn set_left(&mut self, color: Color, time: Duration, stones: u32) {
        let whole = time.subsec_nanos() == 0;
        let left = match self.sides[color as usize] {
            Some(own)
                if whole && !own.rough && own.stones == stones && time <= own.time + ROUNDING =>
            {
                Left::new(time.min(own.time), stones)
            }
            _ => Left {
                time,
                stones,
                rough: whole,
            },
        };
        self.sides[color as usize] = Some(left);
    }

    /// The time for the next move of `color`.
    pub fn clock(&self, color: Color) -> search::Clock {
        let Some(left) = self.sides[color as usize] else {
            return search::Clock::Unlimited;
        };
        let Settings {
            main,
            period,
            stones,
        } = self.settings.unwrap_or_default();
        let per_move = |time: Duration| search::Clock::Move(after_latency(time).max(LEAST));
        // Overtime: an even share of the period.
        if left.stones > 0 {
            return per_move(left.time / left.stones);
        }
        if main.is_zero() && stones == 0 && !period.is_zero() {
            return per_move(period);
        }
        // Canadian: the period begins after the main time.
        let increment = if stones > 0 { period / stones } else { period };
        if stones > 0 && left.time <= increment.max(RESERVE) {
            return per_move(left.time.saturating_add(increment));
        }
        let reserve = if left.rough {
            RESERVE
        } else {
            RESERVE.min(left.time / 4)
        };
        if left.time <= reserve {
            return per_move((left.time / 20).max(increment / 2).min(left.time));
        }
        search::Clock::Game {
            remaining: left.time - reserve,
            increment: after_latency(increment),
        }
    }

    /// `color` has made a move that took `used`.
    pub fn moved(&mut self, color: Color, used: Duration) {
        let Some(left) = &mut self.sides[color as usize] else {
            return;
        };
        let Some(settings) = self.settings else {
            left.time = left.time.saturating_sub(used);
            return;
        };
        let rest = left.time.checked_sub(used);
        match settings.stones {
            0 => left.time = rest.unwrap_or_default() + settings.period,
            stones => {
                *left = match rest {
                    Some(time) if left.stones == 0 => Left { time, ..*left },
                    Some(time) if left.stones > 1 => Left {
                        time,
                        stones: left.stones - 1,
                        ..*left
                    },
                    // The period or the main time is over.
                    _ => Left::new(settings.period, stones),
                };
            }
        }
    }
}

/// The part of a move's time for the search.
fn after_latency(time: Duration) -> Duration {
    time - LATENCY.min(time / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Color = Color::Black;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn clocks(main: f64, period: f64, stones: u32) -> Clocks {
        let mut clocks = Clocks::default();
        clocks.set(seconds(main), seconds(period), stones);
        clocks
    }

    fn game(remaining: f64, increment: f64) -> search::Clock {
        search::Clock::Game {
            remaining: seconds(remaining),
            increment: seconds(increment),
        }
    }

    fn per_move(time: f64) -> search::Clock {
        search::Clock::Move(seconds(time))
    }

    #[test]
    fn each_form_has_its_meaning() {
        for (main, period, stones, expected) in [
            (0.0, 0.0, 0, search::Clock::Unlimited),
            (0.0, 0.0, 3, search::Clock::Unlimited),
            (60.0, 0.0, 0, game(59.0, 0.0)),
            (60.0, 2.0, 0, game(59.0, 1.97)),
            (0.0, 2.0, 0, per_move(1.97)),
            (60.0, 10.0, 5, game(59.0, 1.97)),
            (0.0, 10.0, 5, per_move(1.97)),
            (0.0, 0.01, 1, per_move(0.009)),
            (0.0, 0.3, 1, per_move(0.27)),
            (0.0, 0.4, 1, per_move(0.37)),
        ] {
            assert_eq!(
                clocks(main, period, stones).clock(BLACK),
                expected,
                "{main} {period} {stones}"
            );
        }
    }

    #[test]
    fn sudden_death_runs_down_to_zero() {
        let mut clocks = clocks(60.0, 0.0, 0);
        clocks.moved(BLACK, seconds(20.0));
        assert_eq!(clocks.clock(BLACK), game(39.0, 0.0));
        assert_eq!(clocks.clock(Color::White), game(59.0, 0.0));
        clocks.moved(BLACK, seconds(100.0));
        assert_eq!(clocks.clock(BLACK), search::Clock::Move(LEAST));
        clocks.restart();
        assert_eq!(clocks.clock(BLACK), game(59.0, 0.0));
    }

    #[test]
    fn increments_and_canadian_periods_follow_each_other() {
        let mut fischer = clocks(10.0, 2.0, 0);
        fischer.moved(BLACK, seconds(5.0));
        assert_eq!(fischer.clock(BLACK), game(6.0, 1.97));
        let mut canadian = clocks(1.0, 10.0, 2);
        for (used, expected) in [(1.5, 4.97), (4.0, 5.97), (5.0, 4.97)] {
            canadian.moved(BLACK, seconds(used));
            assert_eq!(canadian.clock(BLACK), per_move(expected));
        }
        let mut canadian = clocks(10.0, 30.0, 3);
        assert_eq!(canadian.clock(BLACK), per_move(19.97));
        canadian.moved(BLACK, seconds(6.0));
        assert_eq!(canadian.clock(BLACK), per_move(13.97));
        for (left, stones, expected) in [(30.0, 3, 9.97), (1.0, 1, 0.97)] {
            canadian.set_left(BLACK, seconds(left), stones);
            assert_eq!(canadian.clock(BLACK), per_move(expected));
        }
    }

    #[test]
    fn whole_seconds_add_nothing_to_a_known_clock() {
        let mut clocks = clocks(1.0, 0.0, 0);
        assert_eq!(clocks.clock(BLACK), game(0.75, 0.0));
        clocks.moved(BLACK, seconds(0.6));
        clocks.set_left(BLACK, seconds(1.0), 0);
        assert_eq!(clocks.clock(BLACK), game(0.3, 0.0), "rounded up");
        clocks.set_left(BLACK, seconds(0.2), 0);
        assert_eq!(clocks.clock(BLACK), game(0.15, 0.0), "fractions count");
        clocks.set_left(BLACK, seconds(9.0), 0);
        assert_eq!(clocks.clock(BLACK), game(8.0, 0.0), "another count");
    }
}
