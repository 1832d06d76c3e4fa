//! The time, level and nodes of a side.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::notation::ggf;
pub use crate::search::Clock;
use crate::util::seconds::{parse_clock, parse_seconds};

impl Clock {
    /// The clock before the first move; `patience` without a clock.
    pub fn at_start(self, patience: Duration) -> Duration {
        match self {
            Self::Unlimited => patience,
            Self::Game { remaining, .. } => remaining,
            Self::Move(time) => time,
        }
    }

    /// The clock after a move that took `used` of `left`.
    pub fn after_move(self, left: Duration, used: Duration) -> Duration {
        match self {
            Self::Game { increment, .. } => left.saturating_sub(used).saturating_add(increment),
            Self::Unlimited | Self::Move(_) => left,
        }
    }

    /// A clock for the whole game, which runs down.
    pub fn is_for_game(self) -> bool {
        matches!(self, Self::Game { .. })
    }

    /// The same with this time on the clock.
    #[must_use]
    pub fn with_left(self, remaining: Duration) -> Self {
        match self {
            Self::Game { increment, .. } => Self::Game {
                remaining,
                increment,
            },
            other => other,
        }
    }

    /// The clock in game files: a time per move is an increment to an empty clock.
    pub fn to_ggf(self) -> ggf::Clock {
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
}

impl fmt::Display for Clock {
    /// One word: `none`, `60+0.5`, `2/move`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("none"),
            Self::Game {
                remaining,
                increment,
            } => {
                write!(f, "{}+{}", remaining.as_secs_f64(), increment.as_secs_f64())
            }
            Self::Move(time) => write!(f, "{}/move", time.as_secs_f64()),
        }
    }
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

impl FromStr for Clock {
    type Err = String;

    /// Parses a clock for the game: the time at the start and the increment per move, `5:00+3`.
    fn from_str(text: &str) -> Result<Self, String> {
        parse_clock(text).map(|(remaining, increment)| Self::Game {
            remaining,
            increment,
        })
    }
}

/// Parses the allowed delay of moves.
pub fn parse_margin(text: &str) -> Result<Duration, String> {
    let margin = if text == "0" {
        Ok(Duration::ZERO)
    } else {
        parse_seconds(text)
    };
    margin
        .ok()
        .filter(|margin| *margin <= Duration::from_secs(600))
        .ok_or_else(|| format!("expected seconds from 0 to 600, such as 0.1, found {text:?}"))
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
