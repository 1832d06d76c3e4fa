//! A job that will hardly end is told before it begins, with what would end.

use std::fmt;

use super::output;
use crate::board::Board;
use crate::search::{Clock, Goal, Limits};

/// Seconds that a solve of 30 empties takes one thread, about, and how many times as long each further one takes: from
/// the FFO set (20 to 34 empties, see `src/search/README.md`).
const SECONDS_OF_30: f64 = 30.0;
const GROWTH: f64 = 3.0;

/// How long a solve of so many empties will take, in words; `None` for less than an hour.
fn solve_time(empties: u32) -> Option<&'static str> {
    let hours = SECONDS_OF_30 * GROWTH.powi(empties as i32 - 30) / 3600.0;
    Some(match hours {
        ..1.0 => return None,
        ..24.0 => "hours",
        ..720.0 => "days",
        ..8760.0 => "months",
        ..1e6 => "years",
        _ => "longer than anyone can wait",
    })
}

/// Tells on stderr that a search without bounds to the end of the game will hardly end, where that is so, and returns
/// whether it is; `what` names the position.
pub fn warn_of_solve(what: impl fmt::Display, board: Board, limits: &Limits) -> bool {
    let solves = matches!(limits.goal, Goal::Exact | Goal::WinLossDraw);
    let is_bounded = limits.nodes.is_some() || limits.clock != Clock::Unlimited;
    if !solves || is_bounded || board.is_over() {
        return false;
    }
    let empties = board.empty_count();
    let Some(time) = solve_time(empties) else { return false };
    output::message(format_args!(
        "{what} has {empties} empties: to solve so many takes {time}, 30 about half a minute; for an estimate now: \
         emilia analyze --depth 24"
    ));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_soon_solved_is_not_talked_of() {
        assert_eq!(solve_time(30), None);
        assert_eq!(solve_time(34), None);
        assert_eq!(solve_time(37), Some("hours"));
        assert_eq!(solve_time(60), Some("longer than anyone can wait"));
    }
}
