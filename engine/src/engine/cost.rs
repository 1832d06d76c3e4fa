//! The estimated nodes and time of a solve, before it begins and after each iteration.
//!
//! The logarithm of the nodes is linear in the empties and the logarithm of a count: before the search the legal moves,
//! later the nodes so far. The estimate is a median: half of the solves take more.

use std::time::Duration;

use crate::search::{Clock, Goal, Info, Limits, Selectivity, Task, solve_passes};

/// Number of terms: 1, the empties, a logarithm.
const TERMS: usize = 3;
/// Assumed nodes per second of a thread until the speed is measured: the FFO test set on a Zen 4 reaches 21 million.
const NODES_PER_SECOND: f64 = 1.5e7;
/// The speed grows with this power of the number of threads: 1.84 times on two.
const SPEEDUP: f64 = 0.88;
/// Shorter solves get no estimate, seconds.
pub const LONG: f64 = 5.0;
/// A search of this time has a measured speed.
const OWN_SPEED: Duration = Duration::from_millis(200);
/// A search beyond its estimate is expected to take this many times its nodes so far.
const OVERDUE: f64 = 1.5;

/// The progress of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Before the search.
    Before,
    /// After a midgame iteration.
    Midgame,
    /// After a pass to the end of the game with this selectivity.
    Pass(Selectivity),
}

/// The constants of a stage: for all nodes, and for those before the last pass, if there are passes before it.
type Row = (Stage, [f64; TERMS], Option<[f64; TERMS]>);

/// The estimated cost of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Nodes in all.
    pub nodes: f64,
    /// Time in all.
    pub seconds: f64,
    /// The selectivity of the last pass before the proof and the time until its end, unless it has ended.
    pub nearly: Option<(Selectivity, f64)>,
}

impl Stage {
    /// The stage after the iteration of `info`.
    fn after(info: &Info, empties: u32) -> Self {
        match info.lines.first() {
            Some(line) if u32::from(line.depth) >= empties => Self::of_pass(line.selectivity),
            _ => Self::Midgame,
        }
    }

    /// The stage after a pass; 98 and 99 % are the same stage.
    fn of_pass(selectivity: Selectivity) -> Self {
        Self::Pass(if selectivity == Selectivity::P99 {
            Selectivity::P98
        } else {
            selectivity
        })
    }
}

/// The nodes of the whole solve, and those before the proof; `None` at a stage without constants. `count` is the number
/// of legal moves before the search, then the nodes so far.
fn estimate(stage: Stage, empties: u32, count: u64) -> Option<(f64, Option<f64>)> {
    let (_, whole, nearly) = MODEL.iter().find(|(known, ..)| *known == stage)?;
    let terms = [1.0, empties.into(), (count.max(1) as f64).ln()];
    let nodes = |weights: &[f64; TERMS]| {
        weights
            .iter()
            .zip(terms)
            .map(|(weight, term)| weight * term)
            .sum::<f64>()
            .exp()
    };
    Some((nodes(whole), nearly.as_ref().map(nodes)))
}

/// Least squares over 416 solves of WTHOR positions with 18 to 28 empties.
const MODEL: [Row; 7] = [
    (
        Stage::Before,
        [-1.410, 0.720, 0.444],
        Some([-2.110, 0.718, 0.053]),
    ),
    (
        Stage::Midgame,
        [0.696, 0.495, 0.486],
        Some([0.296, 0.344, 0.759]),
    ),
    (Stage::Pass(Selectivity::P52), [-5.926, 0.546, 0.767], None),
    (
        Stage::Pass(Selectivity::P73),
        [-3.455, 0.516, 0.569],
        Some([-5.898, 0.388, 0.851]),
    ),
    (
        Stage::Pass(Selectivity::P87),
        [-3.344, 0.459, 0.636],
        Some([0.626, 0.117, 0.850]),
    ),
    (
        Stage::Pass(Selectivity::P95),
        [-0.517, 0.333, 0.636],
        Some([-0.591, 0.085, 0.948]),
    ),
    (Stage::Pass(Selectivity::P98), [-0.280, 0.265, 0.697], None),
];

impl Cost {
    /// Whether the solve takes five seconds or more.
    pub fn is_long(&self) -> bool {
        self.seconds >= LONG
    }

    /// The cost of a search that ends with a proof; `info` is that of its last iteration. `None` without a proof to come.
    pub fn of(task: &Task, threads: usize, info: Option<&Info>) -> Option<Self> {
        let board = if task.board.moves().is_empty() {
            task.board.pass()
        } else {
            task.board
        };
        let allowed = board.moves()
            & if task.board.moves().is_empty() {
                crate::board::SquareSet::ALL
            } else {
                task.allowed
            };
        let moves = allowed.len();
        let empties = board.empty_count();
        let Limits {
            goal,
            exact_empties,
            nodes,
            clock,
            ..
        } = task.limits;
        let is_bounded = nodes.is_some() || clock != Clock::Unlimited;
        let solves = goal != Goal::Play || empties <= exact_empties.into() && !is_bounded;
        let searched = info.filter(|info| !info.lines.is_empty());
        let is_proven = searched.is_some_and(|info| info.lines[0].proof.is_proven());
        if !solves || moves == 0 || is_proven {
            return None;
        }
        let (stage, count) = searched.map_or((Stage::Before, moves.into()), |info| {
            (Stage::after(info, empties), info.nodes)
        });
        let (whole, nearly) = estimate(stage, empties, count)?;
        let factor = factor(stage, goal, moves.min(task.multi_pv as u32));
        let done = searched.map_or(0.0, |info| info.nodes as f64);
        let nodes = (whole * factor).max(done * OVERDUE);
        let own = searched.filter(|info| info.time >= OWN_SPEED);
        let speed = own.map_or(NODES_PER_SECOND * (threads as f64).powf(SPEEDUP), |info| {
            done / info.time.as_secs_f64()
        });
        let last = solve_passes(empties as u8)
            .last()
            .filter(|last| stage < Stage::of_pass(**last));
        let nearly = last
            .zip(nearly)
            .map(|(&last, nearly)| (last, (nearly * factor).clamp(done, nodes) / speed));
        Some(Self {
            nodes,
            seconds: nodes / speed,
            nearly,
        })
    }
}

/// The cost of several exact scores, or of the winner only, relative to one exact score.
///
/// Medians of 154 positions with 18 to 20 empties. The nodes of the first passes already include most of it; the winner
/// takes from a hundredth to all of the nodes.
fn factor(stage: Stage, goal: Goal, lines: u32) -> f64 {
    let (power, winner) = match stage {
        Stage::Before => (0.86, 0.06),
        Stage::Midgame => (0.4, 0.06),
        Stage::Pass(_) => (0.2, 0.6),
    };
    f64::from(lines.max(1)).powf(power)
        * if goal == Goal::WinLossDraw {
            winner
        } else {
            1.0
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Score};
    use crate::search::{Line, Proof};

    /// FFO #40: 20 empties.
    fn board() -> Board {
        let text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
        crate::text::parse_board(text).unwrap().board
    }

    fn info(depth: u8, selectivity: Selectivity, proof: Proof, nodes: u64, seconds: f64) -> Info {
        let line = Line {
            pv: Vec::new(),
            bound: Score::ZERO,
            depth,
            selectivity,
            proof,
        };
        Info {
            lines: vec![line],
            nodes,
            time: Duration::from_secs_f64(seconds),
        }
    }

    #[test]
    fn an_estimate_grows_with_what_is_asked_and_is_gone_when_it_is_known() {
        let board = board();
        let empties = board.empty_count() as u8;
        assert!(board.moves().len() > 2 && empties == 20);
        let exact = Task::new(board, Limits::exact());
        let cost = |task: &Task| Cost::of(task, 1, None).unwrap().nodes;
        assert!((2e5..2e7).contains(&cost(&exact)), "{}", cost(&exact));
        assert!(
            cost(&Task {
                multi_pv: 64,
                ..exact
            }) > 2.0 * cost(&exact)
        );
        let wld = Limits::win_loss_draw();
        assert!(
            cost(&Task {
                limits: wld,
                ..exact
            }) < cost(&exact)
        );
        assert!(
            Cost::of(&exact, 4, None).unwrap().seconds
                < Cost::of(&exact, 1, None).unwrap().seconds / 3.0
        );
        let none = |task: &Task, info: Option<&Info>| assert_eq!(Cost::of(task, 1, info), None);
        none(
            &exact,
            Some(&info(empties, Selectivity::Full, Proof::Exact, 1000, 0.1)),
        );
        none(
            &Task {
                limits: Limits::depth(15),
                ..exact
            },
            None,
        );
        none(
            &Task {
                limits: Limits {
                    nodes: Some(9),
                    ..Limits::depth(60)
                },
                ..exact
            },
            None,
        );
        none(
            &Task {
                board: Board {
                    player: !0,
                    opponent: 0,
                },
                ..exact
            },
            None,
        );
        let play = Task {
            limits: Limits::depth(16),
            ..exact
        };
        assert_eq!(Cost::of(&play, 1, None), Cost::of(&exact, 1, None));
    }

    #[test]
    fn what_has_been_searched_counts() {
        let task = Task::new(board(), Limits::exact());
        let after = |depth, selectivity, nodes, seconds| {
            Cost::of(
                &task,
                1,
                Some(&info(depth, selectivity, Proof::None, nodes, seconds)),
            )
            .unwrap()
        };
        let first = after(20, Selectivity::P73, 500_000, 1.0);
        // At its measured speed; the surer pass comes before the proof.
        assert!((first.seconds - first.nodes / 5e5).abs() < 1e-9);
        let (selectivity, seconds) = first.nearly.unwrap();
        assert!(selectivity == Selectivity::P87 && (1.0..first.seconds).contains(&seconds));
        assert!(after(20, Selectivity::P73, 5_000_000, 10.0).nodes > first.nodes);
        // More than was estimated.
        assert!(
            after(20, Selectivity::P73, 1_000_000_000, 10.0)
                .nearly
                .is_some()
        );
        assert_eq!(after(20, Selectivity::P87, 600_000, 1.0).nearly, None);
        assert!(after(7, Selectivity::P73, 5_000, 0.01).nearly.is_some());
        // It is never over before it ends.
        let late = after(20, Selectivity::P87, 1_000_000_000, 1.0);
        assert_eq!(late.nodes, 1.5e9);
    }
}
