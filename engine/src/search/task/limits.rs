//! The limits of a search and its selectivity.

use std::time::Duration;

use super::OptionError;
use crate::search::params::{
    CLOCK_WAIT_DIVISOR, EARLY_SOLVE_DEPTH, EARLY_SOLVE_EMPTIES, EARLY_SOLVE_PLIES,
    MOVE_WAIT_DIVISOR,
};
use crate::util::builders::builders;

/// Selectivity: the probability that a cut is right. `THRESHOLDS` in `params.rs` gives the standard deviations for midgame
/// and solving.
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
    /// 100 %: no selective cuts.
    Full,
}

impl Selectivity {
    /// All levels, the boldest first.
    pub const ALL: [Self; 7] = [
        Self::P52,
        Self::P73,
        Self::P87,
        Self::P95,
        Self::P98,
        Self::P99,
        Self::Full,
    ];

    /// In percent, for display.
    pub fn percent(self) -> u32 {
        [52, 73, 87, 95, 98, 99, 100][self as usize]
    }

    /// The surest level of at most `percent`, or else the boldest level.
    pub fn at_most(percent: u32) -> Self {
        Self::ALL
            .into_iter()
            .rev()
            .find(|level| level.percent() <= percent)
            .unwrap_or(Self::P52)
    }

    /// The level of `percent`, if there is one.
    pub fn from_percent(percent: u32) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|level| level.percent() == percent)
    }
}

/// The goal of a search.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// No limit.
    #[default]
    Unlimited,
    /// Use about all of this for the move, and never more.
    Move(Duration),
    /// Share the remaining time of the game among the future moves.
    Game {
        /// Left on the clock of the side to move.
        remaining: Duration,
        /// Added after each of its moves.
        increment: Duration,
    },
}

impl Clock {
    /// The longest delay after which a search can still answer in time; `None` without a limit.
    pub fn patience(self) -> Option<Duration> {
        match self {
            Self::Unlimited => None,
            Self::Move(time) => Some(time - time / MOVE_WAIT_DIVISOR),
            Self::Game { remaining, .. } => Some(remaining / CLOCK_WAIT_DIVISOR),
        }
    }

    /// The rest of the clock after a delay of `spent` before the search.
    pub fn after(self, spent: Duration) -> Self {
        match self {
            Self::Unlimited => Self::Unlimited,
            Self::Move(time) => Self::Move(time.saturating_sub(spent)),
            Self::Game {
                remaining,
                increment,
            } => Self::Game {
                remaining: remaining.saturating_sub(spent),
                increment,
            },
        }
    }
}

/// Everything that bounds one search.
///
/// ```
/// use std::time::Duration;
///
/// use emilia_engine::search::{Clock, Limits};
///
/// let blitz = Clock::Game { remaining: Duration::from_secs(60), increment: Duration::from_secs(1) };
/// let limits = Limits::depth(20).with_clock(blitz).with_nodes(1_000_000);
/// assert!(limits.check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The goal.
    pub goal: Goal,
    /// Deepest midgame iteration in plies, `1..=60`; larger numbers count as 60.
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
    /// The largest depth in plies: a game has no more moves.
    pub const MAX_DEPTH: u8 = 60;
    /// The longest time for a move or a game, in milliseconds: ten years.
    pub const MAX_MILLISECONDS: u64 = 315_360_000_000;

    /// Checks all ranges. A clock of 0 is allowed in a game: it may have run out.
    ///
    /// # Errors
    /// The first limit with a wrong value.
    pub fn check(&self) -> Result<(), OptionError> {
        OptionError::check("depth", self.depth.into(), 1, Self::MAX_DEPTH.into())?;
        OptionError::check(
            "solve-from",
            self.exact_empties.into(),
            0,
            Self::MAX_DEPTH.into(),
        )?;
        if let Some(nodes) = self.nodes {
            OptionError::check("nodes", nodes, 1, u64::MAX)?;
        }
        let check = |option, time: Duration, low| {
            let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            OptionError::check(option, milliseconds, low, Self::MAX_MILLISECONDS)
        };
        match self.clock {
            Clock::Unlimited => Ok(()),
            Clock::Move(time) => check("milliseconds of a move", time, 1),
            Clock::Game {
                remaining,
                increment,
            } => {
                check("milliseconds of a game", remaining, 0)?;
                check("milliseconds of an increment", increment, 0)
            }
        }
    }

    /// The time of `seconds`: a millisecond at least, ten years at most.
    pub fn parse_move_seconds(seconds: f64) -> Result<Duration, OptionError> {
        let milliseconds = seconds * 1000.0;
        if !(1.0..=Self::MAX_MILLISECONDS as f64).contains(&milliseconds) {
            let found = format!("{seconds} seconds");
            return Err(OptionError::range(
                "milliseconds of a move",
                found,
                1,
                Self::MAX_MILLISECONDS,
            ));
        }
        Ok(Duration::from_secs_f64(seconds))
    }

    /// A midgame search of `depth` plies without other bounds, solving from `depth` empties on; from 8 plies on from four
    /// more, as long as these are not over 20.
    ///
    /// Scores of searches of 8 plies and more that end with one to three empties err by 4 to 9 discs, with five to eight by
    /// 3 to 4.5 (RMSE of those that say 12 or less, 90,770 games). To solve 20 empties takes 1.6 million nodes where 16
    /// plies take 55,000 (the first 40 positions of `hard-20.obf`), fewer much less.
    pub fn depth(depth: u8) -> Self {
        let depth = depth.min(Self::MAX_DEPTH);
        let early = if depth >= EARLY_SOLVE_DEPTH {
            EARLY_SOLVE_PLIES
        } else {
            0
        };
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
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use emilia_engine::eval::Evaluator;
    /// use emilia_engine::search::{Limits, Options, Search, Task};
    /// use emilia_engine::text::parse_board;
    ///
    /// // Three squares are empty.
    /// let text = "XXXXXXXXXXXXXXXXXXOOOXXXXXOOOXXXXXOOOXXXXXXOXXXXXXXXXXOOXXXXX--- O";
    /// let mut search = Search::new(&Options::default(), Arc::new(Evaluator::Classic));
    /// let line = &search.run(&Task::new(parse_board(text)?.board, Limits::exact())).info.lines[0];
    /// assert!(line.is_exact());
    /// # Ok::<(), emilia_engine::text::TextError>(())
    /// ```
    pub fn exact() -> Self {
        Self {
            goal: Goal::Exact,
            ..Self::depth(60)
        }
    }

    /// A solve for the winner only.
    pub fn win_loss_draw() -> Self {
        Self {
            goal: Goal::WinLossDraw,
            ..Self::depth(60)
        }
    }

    /// As deep as this time for one move allows.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use emilia_engine::search::{Clock, Limits};
    /// assert_eq!(Limits::movetime(Duration::from_secs(2)).clock, Clock::Move(Duration::from_secs(2)));
    /// ```
    pub fn movetime(time: Duration) -> Self {
        Self {
            clock: Clock::Move(time),
            ..Self::depth(60)
        }
    }
}

builders! {
    Limits:
    /// Sets the goal.
    with_goal(goal: Goal);
    /// Sets the empties from which `Goal::Play` solves exactly.
    with_exact_empties(exact_empties: u8);
    /// Sets the selectivity of midgame iterations of `Goal::Play`.
    with_selectivity(selectivity: Selectivity);
    /// Sets or removes the bound of nodes.
    with_nodes(nodes: impl Into<Option<u64>>);
    /// Sets the time.
    with_clock(clock: Clock);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_depth_is_a_limit_and_absurd_ones_are_refused() {
        for depth in 0..=u8::MAX {
            let limits = Limits::depth(depth);
            assert_eq!(limits.depth, depth.min(60));
            assert_eq!(limits.check().is_ok(), depth > 0, "{depth}");
            let raw = Limits {
                depth,
                ..Limits::depth(1)
            };
            assert_eq!(raw.check().is_ok(), (1..=60).contains(&depth), "{depth}");
        }
        assert_eq!(Limits::exact().check(), Ok(()));
        let refused = |limits: Limits| limits.check().unwrap_err().to_string();
        let depth = refused(Limits {
            depth: 252,
            ..Limits::exact()
        });
        assert_eq!(depth, "depth takes a whole number from 1 to 60, not 252");
        assert!(
            refused(Limits {
                exact_empties: 61,
                ..Limits::exact()
            })
            .contains("solve-from")
        );
        assert!(
            refused(Limits {
                nodes: Some(0),
                ..Limits::exact()
            })
            .contains("nodes")
        );
        let clock = |clock| Limits {
            clock,
            ..Limits::depth(1)
        };
        for time in [Duration::ZERO, Duration::from_micros(999), Duration::MAX] {
            assert!(refused(Limits::movetime(time)).contains("milliseconds of a move"));
        }
        assert!(
            refused(clock(Clock::Game {
                remaining: Duration::MAX,
                increment: Duration::ZERO
            }))
            .contains("game")
        );
        assert!(
            clock(Clock::Game {
                remaining: Duration::ZERO,
                increment: Duration::ZERO
            })
            .check()
            .is_ok()
        );
    }

    #[test]
    fn seconds_are_times_or_refused() {
        assert_eq!(
            Limits::parse_move_seconds(0.001),
            Ok(Duration::from_millis(1))
        );
        assert_eq!(
            Limits::parse_move_seconds(2.5),
            Ok(Duration::from_millis(2500))
        );
        for seconds in [
            0.0,
            -0.0,
            -1.0,
            1e-9,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e12,
        ] {
            let error = Limits::parse_move_seconds(seconds).unwrap_err().to_string();
            assert!(error.contains(&format!("not {seconds} seconds")), "{error}");
        }
    }

    #[test]
    fn time_gone_by_is_gone_from_the_clock() {
        let second = Duration::from_secs(1);
        assert_eq!(
            Clock::Move(3 * second).after(second),
            Clock::Move(2 * second)
        );
        assert_eq!(
            Clock::Move(second).after(3 * second),
            Clock::Move(Duration::ZERO)
        );
        let game = |remaining| Clock::Game {
            remaining,
            increment: second,
        };
        assert_eq!(game(5 * second).after(second), game(4 * second));
        assert_eq!(Clock::Unlimited.after(second), Clock::Unlimited);
    }
}
