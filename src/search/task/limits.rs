//! What a search may spend and how sure it must be.

use std::time::Duration;

use crate::search::params::{
    CLOCK_WAIT_DIVISOR, EARLY_SOLVE_DEPTH, EARLY_SOLVE_EMPTIES, EARLY_SOLVE_PLIES, MOVE_WAIT_DIVISOR,
};

/// How much the selective search may leave out: the probability that a cut is right. How many standard deviations
/// that takes, midgame and solving differ in (`THRESHOLDS` in `params.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selectivity {
    /// 52 %: only to order the moves of a surer search.
    P52,
    /// 73 %.
    P73,
    /// 87 %.
    P87,
    /// 95 %.
    P95,
    /// 98 %.
    P98,
    /// 99 %.
    P99,
    /// 100 %: nothing is left out.
    Full,
}

impl Selectivity {
    /// All levels, the boldest first.
    pub const ALL: [Self; 7] = [Self::P52, Self::P73, Self::P87, Self::P95, Self::P98, Self::P99, Self::Full];

    /// In percent, for display.
    pub fn percent(self) -> u32 {
        match self {
            Self::P52 => 52,
            Self::P73 => 73,
            Self::P87 => 87,
            Self::P95 => 95,
            Self::P98 => 98,
            Self::P99 => 99,
            Self::Full => 100,
        }
    }

    /// The surest level of at most `percent`; the least sure of all if there is none.
    pub fn at_most(percent: u32) -> Self {
        Self::ALL.into_iter().rev().find(|level| level.percent() <= percent).unwrap_or(Self::P52)
    }

    /// The level of `percent`, if there is one.
    pub fn from_percent(percent: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.percent() == percent)
    }
}

/// What the search is to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The best move: midgame depth, solved to the end when few enough empties are left.
    Play,
    /// The exact score, however long it takes.
    Exact,
    /// Only whether the side to move wins, draws or loses.
    WinLossDraw,
}

/// The time that a search may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// No limit.
    Unlimited,
    /// Use about all of this for the move, and never more.
    Move(Duration),
    /// Share what is left of the game's time among the moves to come.
    Game {
        /// Left on the clock of the side to move.
        remaining: Duration,
        /// Added after each of its moves.
        increment: Duration,
    },
}

impl Clock {
    /// How long a search may be kept from beginning and still answer in time; `None` for ever.
    pub fn patience(self) -> Option<Duration> {
        match self {
            Self::Unlimited => None,
            Self::Move(time) => Some(time - time / MOVE_WAIT_DIVISOR),
            Self::Game { remaining, .. } => Some(remaining / CLOCK_WAIT_DIVISOR),
        }
    }

    /// What is left of it when `spent` has gone by before the search could begin.
    pub fn after(self, spent: Duration) -> Self {
        match self {
            Self::Unlimited => Self::Unlimited,
            Self::Move(time) => Self::Move(time.saturating_sub(spent)),
            Self::Game { remaining, increment } => {
                Self::Game { remaining: remaining.saturating_sub(spent), increment }
            }
        }
    }
}

/// Everything that bounds one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// What to find out.
    pub goal: Goal,
    /// Deepest midgame iteration in plies, `1..=60`.
    pub depth: u8,
    /// With `Goal::Play`: solve exactly from this many empties on.
    pub exact_empties: u8,
    /// With `Goal::Play`: the selectivity of midgame iterations.
    pub selectivity: Selectivity,
    /// Nodes, if bounded.
    pub nodes: Option<u64>,
    /// Time.
    pub clock: Clock,
}

impl Limits {
    /// A midgame search of `depth` plies without other bounds, solving from `depth` empties on; from 8 plies on from four
    /// more, as long as these are not over 20.
    ///
    /// Scores of searches of 8 plies and more that end with one to three empties err by 4 to 9 discs, with five to eight by
    /// 3 to 4.5 (RMSE of those that say 12 or less, 90,770 games). To solve 20 empties takes 1.6 million nodes where 16
    /// plies take 55,000 (the first 40 positions of `hard-20.obf`), fewer much less.
    pub fn depth(depth: u8) -> Self {
        let early = if depth >= EARLY_SOLVE_DEPTH { EARLY_SOLVE_PLIES } else { 0 };
        let exact_empties = depth.max((depth + early).min(EARLY_SOLVE_EMPTIES));
        Self {
            goal: Goal::Play,
            depth,
            exact_empties,
            selectivity: Selectivity::P73,
            nodes: None,
            clock: Clock::Unlimited,
        }
    }

    /// A full exact solve.
    pub fn exact() -> Self {
        Self { goal: Goal::Exact, ..Self::depth(60) }
    }

    /// As deep as this time for one move allows.
    pub fn movetime(time: Duration) -> Self {
        Self { clock: Clock::Move(time), ..Self::depth(60) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_gone_by_is_gone_from_the_clock() {
        let second = Duration::from_secs(1);
        assert_eq!(Clock::Move(3 * second).after(second), Clock::Move(2 * second));
        assert_eq!(Clock::Move(second).after(3 * second), Clock::Move(Duration::ZERO));
        let game = |remaining| Clock::Game { remaining, increment: second };
        assert_eq!(game(5 * second).after(second), game(4 * second));
        assert_eq!(Clock::Unlimited.after(second), Clock::Unlimited);
    }
}
