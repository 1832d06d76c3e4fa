//! What a side may spend on its moves.

use std::str::FromStr;
use std::time::Duration;

use crate::notation::ggf::Clock;
use crate::util::seconds::parse_clock;

/// The time that each side has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// As long as it takes; depth or nodes bound the search.
    Unlimited,
    /// A clock for the game.
    Game {
        /// At the start.
        main: Duration,
        /// Added after each move.
        increment: Duration,
    },
    /// This long for each move.
    Move(Duration),
}

impl TimeControl {
    /// As game texts write it: a time per move is an increment to an empty clock.
    pub fn to_ggf(self) -> Clock {
        let clock = |main: Duration, increment: Duration| Clock {
            main: main.as_secs_f64(),
            increment: increment.as_secs_f64(),
            overtime: None,
        };
        match self {
            Self::Unlimited => Clock::default(),
            Self::Game { main, increment } => clock(main, increment),
            Self::Move(time) => clock(Duration::ZERO, time),
        }
    }
}

/// What a side may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Time.
    pub time: TimeControl,
    /// Deepest midgame iteration, plies.
    pub depth: Option<u8>,
    /// Nodes per move; only players inside this process can keep to it.
    pub nodes: Option<u64>,
}

impl Budget {
    /// Neither a clock nor any other bound: whoever plays has to know when to move.
    pub const FREE: Self = Self { time: TimeControl::Unlimited, depth: None, nodes: None };
}

impl FromStr for TimeControl {
    type Err = String;

    /// A clock for the game: the time at the start, and what each move adds to it, `5:00+3`.
    fn from_str(text: &str) -> Result<Self, String> {
        parse_clock(text).map(|(main, increment)| Self::Game { main, increment })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read() {
        let seconds = Duration::from_secs_f64;
        let game =
            |main, increment| Ok(TimeControl::Game { main: seconds(main), increment: seconds(increment) });
        assert_eq!("60+0.5".parse(), game(60.0, 0.5));
        assert_eq!("0.1".parse(), game(0.1, 0.0));
        assert_eq!("5+0".parse(), game(5.0, 0.0));
        assert_eq!("5:00+3".parse(), game(300.0, 3.0));
        for text in ["", "0", "0+1", "+1", "-5", "nan", "1e99", "5+x"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }
}
