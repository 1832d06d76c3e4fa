//! The plan of a search: its iterations from the cheapest to the one that answers.

use crate::search::params::{
    EXACT_JUMP, FALLBACK_JUMP, SOLVE_COST_DOUBLING, SOLVE_COST_EMPTIES, SOLVE_JUMP, TRIVIAL_EMPTIES,
};
use crate::search::task::{Goal, Limits, Selectivity, Task};

/// How far one iteration of the root searches, and how surely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Iteration {
    pub depth: u8,
    pub selectivity: Selectivity,
    pub aim: Aim,
    /// Runs only if the following solve would hardly end within the limits.
    pub is_fallback: bool,
}

pub(super) const ONE_PLY: Iteration = Iteration {
    depth: 1,
    selectivity: Selectivity::Full,
    aim: Aim::Estimate,
    is_fallback: false,
};

/// The goal of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// The score by the evaluation at the iteration's depth.
    Estimate,
    /// The winner at the end of the game.
    WinLossDraw,
    Exact,
}

impl Iteration {
    /// Whether the leaves are finished games.
    pub fn is_solving(&self) -> bool {
        self.aim != Aim::Estimate
    }
}

/// The searches of one task, the cheapest first; each one's findings order the next one's moves.
pub(super) fn plan(task: &Task) -> Vec<Iteration> {
    let Task {
        limits, draw_value, ..
    } = task;
    let empties = task.board.empty_count() as u8;
    let limits = Limits {
        depth: limits.depth.min(Limits::MAX_DEPTH),
        ..*limits
    };
    let plays = limits.goal == Goal::Play;
    let exact = !plays || empties <= limits.exact_empties;
    let solving = exact || limits.depth >= empties;
    let aim = if limits.goal == Goal::WinLossDraw {
        Aim::WinLossDraw
    } else {
        Aim::Exact
    };
    let pass = |selectivity, aim| Iteration {
        depth: empties,
        selectivity,
        aim,
        is_fallback: false,
    };
    let passes = passes(empties);
    let boldest = passes.first().copied().unwrap_or(Selectivity::P73);
    let selectivity = if plays { limits.selectivity } else { boldest };
    let jump = if plays {
        SOLVE_JUMP.get()
    } else {
        EXACT_JUMP.get()
    };
    let deepest = if solving {
        empties.saturating_sub(jump as u8).min(limits.depth)
    } else {
        limits.depth
    };
    let mut plan = Vec::new();
    if !solving || empties > TRIVIAL_EMPTIES.get() as u8 {
        let midgame = |depth| Iteration {
            depth,
            selectivity,
            aim: Aim::Estimate,
            is_fallback: false,
        };
        plan.extend(depths(deepest.max(1)).map(midgame));
        // The first pass of a solve costs ten to sixty times the search before it, two plies more only two to three times.
        // At 40,000 nodes a move +722 =266 -612 of 1,600 games, Elo +24 [+13, +35]; by the clock, the surer ones
        // included, +61 =49 -50 of 160 games at 300 ms, +24 [-8, +56].
        if solving && plays {
            let fallback = |depth| Iteration {
                is_fallback: true,
                ..midgame(depth)
            };
            let last = empties
                .saturating_sub(FALLBACK_JUMP.get() as u8)
                .min(limits.depth);
            plan.extend((deepest.max(1) + 2..=last).step_by(2).map(fallback));
            // Then the same less boldly.
            let surer = [Selectivity::P87, Selectivity::P95]
                .into_iter()
                .filter(|&other| other > selectivity);
            let reached = plan.last().map_or(deepest, |iteration| iteration.depth);
            plan.extend(surer.map(|selectivity| Iteration {
                selectivity,
                ..fallback(reached)
            }));
        }
    }
    if exact {
        plan.extend(passes.iter().map(|&selectivity| pass(selectivity, aim)));
        if plays && *draw_value != 0 {
            // If draws count for one side, its yes or no is most of the answer.
            plan.push(pass(Selectivity::Full, Aim::WinLossDraw));
        }
        plan.push(pass(Selectivity::Full, aim));
    } else if solving {
        plan.push(pass(limits.selectivity, aim));
    }
    plan
}

/// The factor of the first pass of a solve relative to the search before it; 1 with few empties.
///
/// With 28 to 32 empties the pass took 3 to 28 times as long as the search to nine plies before the end, the median 9, with
/// 34 about 18, with 36 more than 27 (seven WTHOR positions each).
pub(super) fn solve_cost_growth(empties: u32) -> f64 {
    (f64::from(empties.saturating_sub(SOLVE_COST_EMPTIES)) / SOLVE_COST_DOUBLING).exp2()
}

/// The depths of the midgame iterations: from the second on all as odd or as even as the deepest.
///
/// Scores rise and fall with the parity of the depth, so an iteration two plies less deep has a better guess of
/// the score to offer than one of a single ply less, and half of the iterations are saved: 33, 34, 27 and 38 %
/// fewer nodes at 12, 16, 19 and 22 plies of 73 % (60 opening positions), FFO #40-48 -13 %, 20 empties 0 %. At
/// 40,000 nodes a move +554 =177 -469 of 1,200 games, Elo +25 [+6, +43].
fn depths(deepest: u8) -> impl Iterator<Item = u8> {
    std::iter::once(1).chain((2..=deepest).filter(move |depth| (deepest - depth).is_multiple_of(2)))
}

/// The passes of a solve before the exact one: bolder ones first, more of them the longer it takes.
///
/// Compared with one pass of 52 %, two of 73 and 87 % take 7.5 ± 1.6 % fewer nodes with 20 empties (150 positions of
/// `hard-20.obf`), 5.4 ± 2.0 % with 21 to 23 (150 of WTHOR), but 2.0 ± 0.9 % more with 15 to 19 (200). From 24 empties on
/// bolder, surer or fewer passes cost more than they save (45 positions of 24 to 26, nodes against the passes chosen):
/// 52 % before the others +0.9 %, without 98 % +1.8 %, 99 % after them +3.7 %, only 87 and 98 % +1.1 %.
pub fn passes(empties: u8) -> &'static [Selectivity] {
    use Selectivity::{P52, P73, P87, P95, P98, P99};
    match empties {
        0..=14 => &[],
        15..=19 => &[P52],
        20..=23 => &[P73, P87],
        24..=26 => &[P73, P87, P95, P98],
        _ => &[P73, P87, P95, P99],
    }
}
