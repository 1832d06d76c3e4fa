//! Levels of play: how deep, solved from where, how selective.

use std::fmt;
use std::str::FromStr;

use crate::search::{Clock, Goal, Limits, OptionError, Selectivity};

/// A level of play, `0..=60`: about the midgame depth in plies. A higher level never searches less.
///
/// ```
/// use emilia_engine::engine::Level;
/// use emilia_engine::search::Clock;
///
/// let level: Level = "10".parse()?;
/// assert_eq!(level.limits(Clock::Unlimited).exact_empties, 20);
/// # Ok::<(), emilia_engine::search::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

impl Level {
    /// The weakest: one ply, nothing solved.
    pub const MIN: Self = Self(0);
    /// The strongest: every position is searched to the end of the game.
    pub const MAX: Self = Self(60);

    /// The default of games with people: answers at once and can be beaten.
    pub const PLAY: Self = Self(6);
    /// The default of everything else: some tens of milliseconds per move.
    pub const STUDY: Self = Self(16);

    /// The level `number`, or an error outside `0..=60`.
    pub fn new(number: u64) -> Result<Self, OptionError> {
        match u8::try_from(number) {
            Ok(number) if number <= Self::MAX.0 => Ok(Self(number)),
            _ => Err(OptionError::range("level", number, 0, 60)),
        }
    }

    /// Its number, `0..=60`.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The bounds of a search with `clock` at the given level; without a level those of the clock, without both those of
    /// the default level.
    pub fn limits_for(asked: Option<Self>, clock: Clock) -> Limits {
        let free = if clock == Clock::Unlimited {
            Self::default()
        } else {
            Self::MAX
        };
        asked.unwrap_or(free).limits(clock)
    }

    /// The bounds of a search at this level with `clock`.
    ///
    /// An exact solve of 2n empties costs about as much as n plies of midgame; from level 11 on the
    /// solver's reach grows by half a ply per level, until the depth itself reaches the end.
    pub fn limits(self, clock: Clock) -> Limits {
        let exact_empties = match self.0 {
            level @ 0..=10 => 2 * level,
            level => level.max(20 + (level - 10) / 2),
        };
        // Shallow searches are cheap: they leave nothing out.
        let selectivity = if self.0 <= 8 {
            Selectivity::Full
        } else {
            Selectivity::P73
        };
        Limits {
            goal: Goal::Play,
            depth: self.0.max(1),
            exact_empties,
            selectivity,
            nodes: None,
            clock,
        }
    }
}

impl Default for Level {
    fn default() -> Self {
        Self::STUDY
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Level {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        match text.parse() {
            Ok(number) => Self::new(number),
            Err(_) => Err(OptionError::range("level", text, 0, 60)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_monotone() {
        for number in 1..=60 {
            let lower = Level(number - 1).limits(Clock::Unlimited);
            let higher = Level(number).limits(Clock::Unlimited);
            assert!(higher.depth >= lower.depth, "level {number}");
            assert!(
                higher.exact_empties >= lower.exact_empties,
                "level {number}"
            );
        }
        assert_eq!(Level::MAX.limits(Clock::Unlimited).exact_empties, 60);
    }

    #[test]
    fn a_clock_decides_where_no_level_is_asked_for() {
        let clock = Clock::Move(std::time::Duration::from_secs(1));
        assert_eq!(Level::limits_for(None, clock), Level::MAX.limits(clock));
        assert_eq!(
            Level::limits_for(Some(Level(3)), clock),
            Level(3).limits(clock)
        );
        assert_eq!(
            Level::limits_for(None, Clock::Unlimited),
            Level::default().limits(Clock::Unlimited)
        );
    }

    #[test]
    fn levels_outside_the_range_are_refused() {
        assert_eq!("60".parse(), Ok(Level::MAX));
        for text in ["61", "-1", "x", "", "99999999999999999999"] {
            assert!(text.parse::<Level>().is_err(), "{text:?}");
        }
    }
}
