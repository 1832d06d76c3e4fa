//! The time, level and nodes of a side.

use std::time::Duration;

use crate::notation::ggf;
use crate::search;
use crate::util::refusal::Refusal;
use crate::util::seconds::{parse_clock, parse_seconds};

/// The clock of a side in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// One that a search can have: `remaining` is the time at the start of the game.
    Search(search::Clock),
    /// `time` for each `moves` moves; the rest of it is lost.
    Period { moves: u32, time: Duration },
}

impl Clock {
    pub const UNLIMITED: Self = Self::Search(search::Clock::Unlimited);

    /// The same time for each move.
    pub const fn per_move(time: Duration) -> Self {
        Self::Search(search::Clock::Move(time))
    }

    /// Parses a clock for the game, `5:00+3`, or for each so many moves, `40/60`.
    ///
    /// # Errors
    /// The error names the expected forms.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let Some((moves, time)) = text.split_once('/') else {
            return parse_game_clock(text).map(Self::Search);
        };
        let moves = moves.parse().ok().filter(|moves| (1..=60).contains(moves));
        let expected = "expected 1 to 60 moves and their time, such as 40/60 or 10/0:30";
        match (moves, parse_seconds(time)) {
            (Some(moves), Ok(time)) => Ok(Self::Period { moves, time }),
            _ => Err(format!("{expected}; found {text:?}").into()),
        }
    }

    /// Parses a time per move.
    ///
    /// # Errors
    /// When it is no time.
    pub fn parse_move_time(text: &str) -> Result<Self, Refusal> {
        parse_seconds(text).map(Self::per_move)
    }

    /// The clock before the first move; `patience` without a clock.
    pub fn at_start(self, patience: Duration) -> Duration {
        match self {
            Self::Search(search::Clock::Unlimited) => patience,
            Self::Search(search::Clock::Game { remaining, .. }) => remaining,
            Self::Search(search::Clock::Move(time)) | Self::Period { time, .. } => time,
        }
    }

    /// The clock after a move that took `used` of `left`, and is the move number `made` of the side.
    pub fn after_move(self, left: Duration, used: Duration, made: u32) -> Duration {
        match self {
            Self::Search(search::Clock::Game { increment, .. }) => {
                left.saturating_sub(used).saturating_add(increment)
            }
            Self::Search(search::Clock::Unlimited | search::Clock::Move(_)) => left,
            Self::Period { time, .. } if self.is_refilled(made) => time,
            Self::Period { .. } => left.saturating_sub(used),
        }
    }

    /// Whether a new period begins after the move number `made` of the side.
    pub fn is_refilled(self, made: u32) -> bool {
        matches!(self, Self::Period { moves, .. } if made.is_multiple_of(moves))
    }

    /// The moves in the rest of a period after `made` moves; 0 without periods.
    pub fn moves_of_period(self, made: u32) -> u32 {
        match self {
            Self::Period { moves, .. } => moves - made % moves,
            Self::Search(_) => 0,
        }
    }

    /// A clock that runs down over several moves.
    pub fn runs_down(self) -> bool {
        !matches!(
            self,
            Self::Search(search::Clock::Unlimited | search::Clock::Move(_))
        )
    }

    /// The clock in game files: a time per move, or its mean, is an increment to an empty clock.
    pub fn to_ggf(self) -> ggf::Clock {
        let (main, increment) = match self {
            Self::Search(search::Clock::Unlimited) => (Duration::ZERO, Duration::ZERO),
            Self::Search(search::Clock::Game {
                remaining,
                increment,
            }) => (remaining, increment),
            Self::Search(search::Clock::Move(time)) => (Duration::ZERO, time),
            Self::Period { moves, time } => (Duration::ZERO, time / moves),
        };
        ggf::Clock {
            main: main.as_secs_f64(),
            increment: increment.as_secs_f64(),
            overtime: None,
        }
    }

    /// One word: `none`, `60+0.5`, `2/move`, `40/60`.
    pub fn in_a_word(self) -> String {
        match self {
            Self::Search(search::Clock::Unlimited) => "none".to_owned(),
            Self::Search(search::Clock::Game {
                remaining,
                increment,
            }) => format!("{}+{}", remaining.as_secs_f64(), increment.as_secs_f64()),
            Self::Search(search::Clock::Move(time)) => format!("{}/move", time.as_secs_f64()),
            Self::Period { moves, time } => format!("{moves}/{}", time.as_secs_f64()),
        }
    }
}

/// Parses a clock for the game: the time at the start and the increment per move, `5:00+3`.
pub fn parse_game_clock(text: &str) -> Result<search::Clock, Refusal> {
    parse_clock(text).map(|(remaining, increment)| search::Clock::Game {
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
        time: Clock::UNLIMITED,
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
    fn clocks_are_for_the_game_or_for_some_moves() {
        let period = |moves, seconds| {
            Ok(Clock::Period {
                moves,
                time: Duration::from_secs(seconds),
            })
        };
        assert_eq!(Clock::parse("40/60"), period(40, 60));
        assert_eq!(Clock::parse("1/0:30"), period(1, 30));
        assert_eq!(Clock::parse("40/60").unwrap().in_a_word(), "40/60");
        assert_eq!(Clock::parse("60").unwrap().in_a_word(), "60+0");
        for text in [
            "0/60", "61/60", "40/", "/60", "40/0", "40/60+1", "x/60", "4/5/6",
        ] {
            let error = Clock::parse(text).unwrap_err();
            assert!(error.contains("such as 40/60"), "{text}: {error:?}");
        }
    }

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
