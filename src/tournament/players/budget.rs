//! The time, level and nodes of a side.

use std::time::Duration;

use crate::notation::ggf;
pub use crate::search::Clock;
use crate::util::refusal::Refusal;
use crate::util::seconds::{parse_clock, parse_seconds};

/// The clocks of a match.
pub trait MatchClock: Copy {
    /// The clock before the first move; `patience` without a clock.
    fn at_start(self, patience: Duration) -> Duration;

    /// The clock after a move that took `used` of `left`.
    fn after_move(self, left: Duration, used: Duration) -> Duration;

    /// A clock for the whole game, which runs down.
    fn is_for_game(self) -> bool;

    /// The same with this time on the clock.
    #[must_use]
    fn with_left(self, remaining: Duration) -> Self;

    /// The clock in game files: a time per move is an increment to an empty clock.
    fn to_ggf(self) -> ggf::Clock;

    /// One word: `none`, `60+0.5`, `2/move`.
    fn in_a_word(self) -> String;
}

impl MatchClock for Clock {
    fn at_start(self, patience: Duration) -> Duration {
        match self {
            Self::Unlimited => patience,
            Self::Game { remaining, .. } => remaining,
            Self::Move(time) => time,
        }
    }

    fn after_move(self, left: Duration, used: Duration) -> Duration {
        match self {
            Self::Game { increment, .. } => left.saturating_sub(used).saturating_add(increment),
            Self::Unlimited | Self::Move(_) => left,
        }
    }

    fn is_for_game(self) -> bool {
        matches!(self, Self::Game { .. })
    }

    fn with_left(self, remaining: Duration) -> Self {
        match self {
            Self::Game { increment, .. } => Self::Game {
                remaining,
                increment,
            },
            other => other,
        }
    }

    fn to_ggf(self) -> ggf::Clock {
        let (main, increment) = match self {
            Self::Unlimited => (Duration::ZERO, Duration::ZERO),
            Self::Game {
                remaining,
                increment,
            } => (remaining, increment),
            Self::Move(time) => (Duration::ZERO, time),
        };
        ggf::Clock {
            main: main.as_secs_f64(),
            increment: increment.as_secs_f64(),
            overtime: None,
        }
    }

    fn in_a_word(self) -> String {
        match self {
            Self::Unlimited => "none".to_owned(),
            Self::Game {
                remaining,
                increment,
            } => format!("{}+{}", remaining.as_secs_f64(), increment.as_secs_f64()),
            Self::Move(time) => format!("{}/move", time.as_secs_f64()),
        }
    }
}

/// Parses a clock for the game: the time at the start and the increment per move, `5:00+3`.
pub fn parse_game_clock(text: &str) -> Result<Clock, Refusal> {
    parse_clock(text).map(|(remaining, increment)| Clock::Game {
        remaining,
        increment,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub time: Clock,
    /// Level of play: a depth over NBoard, `set_level` over GTP.
    pub level: Option<u8>,
    /// Nodes per move, for players inside this process.
    pub nodes: Option<u64>,
}

impl Budget {
    pub const FREE: Self = Self {
        time: Clock::Unlimited,
        level: None,
        nodes: None,
    };
}

/// Parses the allowed delay of moves.
pub fn parse_margin(text: &str) -> Result<Duration, Refusal> {
    let margin = if text == "0" {
        Ok(Duration::ZERO)
    } else {
        parse_seconds(text)
    };
    margin
        .ok()
        .filter(|margin| *margin <= Duration::from_secs(600))
        .ok_or_else(|| {
            format!("expected seconds from 0 to 600, such as 0.1, found {text:?}").into()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_begin_at_nothing() {
        assert_eq!(parse_margin("0"), Ok(Duration::ZERO));
        assert_eq!(parse_margin("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_margin("10:00"), Ok(Duration::from_secs(600)));
        for text in ["", "-1", "601.5", "x"] {
            assert!(
                parse_margin(text).unwrap_err().contains("from 0 to 600"),
                "{text}"
            );
        }
    }
}
