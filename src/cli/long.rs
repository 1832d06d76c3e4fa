//! Warnings of long searches before they begin.

use std::fmt;

use super::output;
use crate::analysis::words;
use crate::board::Board;
use crate::engine::cost::{Cost, LONG};
use crate::search::{Clock, Limits, Task};

/// Seconds from which the warning advises a shorter search: two days.
const HOPELESS: f64 = 172_800.0;

/// Prints to stderr the time to solve positions one after another with all `threads`, if that is long. `what` names the
/// positions. Returns whether it printed.
pub fn warn_of_solves(
    what: impl fmt::Display,
    boards: impl IntoIterator<Item = Board>,
    multi_pv: usize,
    limits: &Limits,
    threads: usize,
) -> bool {
    if limits.nodes.is_some() || limits.clock != Clock::Unlimited {
        return false;
    }
    let costs: Vec<(Board, Cost)> = boards
        .into_iter()
        .filter_map(|board| {
            let task = Task {
                multi_pv,
                ..Task::new(board, *limits)
            };
            Some((board, Cost::of(&task, threads, None)?))
        })
        .collect();
    let seconds: f64 = costs.iter().map(|(_, cost)| cost.seconds).sum();
    if seconds < LONG {
        return false;
    }
    let time = match &costs[..] {
        [(board, cost)] => format!("{} empties, {}", board.empty_count(), words::cost(cost)),
        _ => format!(
            "{} positions to solve, {}",
            costs.len(),
            words::time(seconds)
        ),
    };
    let advice = if seconds > HOPELESS {
        "; for an estimate now: emilia analyze --depth 24"
    } else {
        ""
    };
    output::message(format_args!("{what}: {time}{advice}"));
    true
}
