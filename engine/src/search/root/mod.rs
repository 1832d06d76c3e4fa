//! The root: iterative deepening, aspiration windows, several lines, the way from midgame to solving.

mod costs;
mod plan;

use std::mem;
use std::time::Duration;

use crate::board::{Board, Move, Score, Square, SquareSet};

use super::params::{
    ASPIRATION, ASPIRATION_DEPTH, ASPIRATION_END, ASPIRATION_GROWTH, FIRST_GRACE_NODES, Number,
    SOLVE_COST_NODES, SOLVE_COST_TIME,
};
use super::task::{Info, Line, Observer, Proof, SearchResult, Selectivity, Task};
use super::tree::node::{DISC, INFINITY, Node, Path, Window};
use super::tree::phase::{Phase, Solving};
use super::tree::worker::{RootMoves, Worker};
use costs::Cost;
pub use costs::Costs;
pub use plan::passes;
use plan::{Aim, Iteration, ONE_PLY, plan, solve_cost_growth};

/// A search that the end of a slice interrupted, see [`super::Slices`].
#[derive(Debug, Default)]
pub(super) struct Paused {
    /// The iteration to go on with, and its lines so far with the squares left.
    index: usize,
    begun: Option<(Vec<Line>, u64)>,
    lines: Vec<Line>,
    expected: Vec<i32>,
    settled_at: u8,
    /// See [`RootSearch::falls_back`].
    falls_back: Option<bool>,
    pub nodes: u64,
    pub time: Duration,
}

/// One task being searched at a position with a legal move.
pub(super) struct RootSearch<'s, 'w> {
    worker: &'s mut Worker<'w>,
    task: &'s Task,
    costs: &'s mut Costs,
    root: Node,
    /// Squares to consider, at least one.
    candidates: u64,
    /// The lowest candidate of each set of symmetric squares.
    distinct: u64,
    lines: Vec<Line>,
    /// The lines of the interrupted iteration, and the squares left.
    begun: Option<(Vec<Line>, u64)>,
    /// Where earlier slices came to.
    before: Paused,
    /// The scores to expect, 1/128 disc, line by line: those of the last iteration that asked for scores.
    expected: Vec<i32>,
    /// The depth from which on all iterations have named the same best move.
    settled_at: u8,
    /// Whether fallback iterations run, once that is decided.
    falls_back: Option<bool>,
}

impl<'s, 'w> RootSearch<'s, 'w> {
    pub fn new(
        worker: &'s mut Worker<'w>,
        task: &'s Task,
        costs: &'s mut Costs,
        mut before: Paused,
    ) -> Self {
        let moves = task.board.moves().0;
        debug_assert!(moves != 0);
        let allowed = moves & task.allowed.0;
        let candidates = if allowed == 0 { moves } else { allowed };
        let root = Node::root(worker.evaluator, task.board);
        let distinct = distinct(task.board, candidates);
        let (lines, expected) = (
            mem::take(&mut before.lines),
            mem::take(&mut before.expected),
        );
        let (begun, settled_at) = (before.begun.take(), before.settled_at);
        let falls_back = before.falls_back;
        Self {
            worker,
            task,
            costs,
            root,
            candidates,
            distinct,
            lines,
            begun,
            before,
            expected,
            settled_at,
            falls_back,
        }
    }

    /// Searches iteration after iteration until the plan, the limits or the slice end.
    pub fn run(mut self, observer: &mut dyn Observer) -> (SearchResult, Option<Paused>) {
        let plan = plan(self.task);
        let mut stopped = false;
        for (index, &iteration) in plan.iter().enumerate().skip(self.before.index) {
            if iteration.is_fallback && !self.falls_back() {
                continue;
            }
            self.worker
                .set_grace(if index > 0 { 0 } else { first_grace(iteration) });
            let Some(lines) = self.iterate(iteration) else {
                if self.worker.shared.budget.stop.is_slice_over() {
                    return self.pause(index);
                }
                stopped = true;
                self.take_progress();
                break;
            };
            if !iteration.is_solving() && !iteration.is_fallback {
                let cost = self.cost();
                self.costs.note(iteration.depth, cost, self.wanted());
            }
            if iteration.aim != Aim::WinLossDraw {
                self.expected = lines.iter().map(|line| line.bound.units()).collect();
            }
            if best_of(&lines) != best_of(&self.lines) {
                self.settled_at = iteration.depth;
            }
            self.lines = lines;
            observer.iteration(&self.info());
            if index + 1 < plan.len() && self.is_enough(iteration.depth) {
                break;
            }
        }
        if self.lines.is_empty() {
            // The first iteration was a solve that took too many nodes.
            self.worker.set_grace(first_grace(ONE_PLY));
            self.begun = None;
            self.lines = self
                .iterate(ONE_PLY)
                .expect("nothing ends a search of one ply");
            observer.iteration(&self.info());
        }
        let best = best_of(&self.lines);
        let stopped = stopped && self.worker.shared.budget.stop.is_requested();
        (
            SearchResult {
                best,
                stopped,
                info: self.info(),
            },
            None,
        )
    }

    /// The state for the next slice, which goes on with the iteration `index`.
    fn pause(mut self, index: usize) -> (SearchResult, Option<Paused>) {
        let (best, info) = (best_of(&self.lines), self.info());
        let Self {
            begun,
            lines,
            expected,
            settled_at,
            falls_back,
            ..
        } = self;
        let (nodes, time) = (info.nodes, info.time);
        let paused = Paused {
            index,
            begun,
            lines,
            expected,
            settled_at,
            falls_back,
            nodes,
            time,
        };
        (
            SearchResult {
                best,
                stopped: true,
                info,
            },
            Some(paused),
        )
    }

    fn info(&mut self) -> Info {
        let Cost { nodes, time } = self.cost();
        Info {
            lines: self.lines.clone(),
            nodes,
            time,
        }
    }

    /// Whether the fallback iterations run: the first one decides.
    fn falls_back(&mut self) -> bool {
        let decided = self.falls_back;
        let falls_back = decided.unwrap_or_else(|| self.is_solve_out_of_reach());
        self.falls_back = Some(falls_back);
        falls_back
    }

    /// Whether a solve that begins now would hardly end within the limits, estimated from the cost of the iterations.
    fn is_solve_out_of_reach(&mut self) -> bool {
        let growth = solve_cost_growth(self.root.board.empty_count());
        let times = |cost: Number| f64::from(cost.get()) * growth;
        let depth = self.lines.first().map_or(0, |line| line.depth);
        let cost = self.cost().max(self.costs.least(depth, self.wanted()));
        let budget = &self.worker.shared.budget;
        cost.times(times(SOLVE_COST_NODES)).nodes > budget.nodes
            || budget
                .timer
                .ends_within(cost.times(times(SOLVE_COST_TIME)).time)
    }

    /// The cost so far.
    fn cost(&mut self) -> Cost {
        Cost {
            nodes: self.worker.report(),
            time: self.worker.shared.budget.timer.elapsed(),
        }
    }

    /// The number of lines to find.
    fn wanted(&self) -> usize {
        let candidates = self.candidates.count_ones() as usize;
        self.task.multi_pv.clamp(1, candidates)
    }

    /// Whether another iteration after one of `depth` is not worth its time.
    fn is_enough(&self, depth: u8) -> bool {
        let steady =
            u32::from(depth.saturating_sub(self.settled_at)) * 1000 / u32::from(depth.max(1));
        self.worker.shared.budget.timer.is_enough(steady)
    }

    /// The best lines of one iteration, or `None` if the search ended meanwhile.
    fn iterate(&mut self, iteration: Iteration) -> Option<Vec<Line>> {
        let wanted = self.wanted();
        let begin = || (Vec::with_capacity(wanted), self.candidates);
        let (mut lines, mut left) = self.begun.take().unwrap_or_else(begin);
        self.worker.selectivity = iteration.selectivity;
        while lines.len() < wanted {
            self.worker.root = RootMoves::new(left & self.distinct, left);
            let Some(value) = self.aspiration_search(iteration, lines.len()) else {
                self.begun = Some((lines, left));
                return None;
            };
            let pv = self.moves(&self.worker.paths[0]);
            let Some(&Move::Place(first)) = pv.first() else {
                break;
            };
            let line = self.line(iteration, value, pv);
            // Symmetric moves have the same line, mapped.
            for symmetry in self.root.board.own_symmetries() {
                let image = symmetry.apply_square(first).bit();
                if left & image != 0 && lines.len() < wanted {
                    let pv = line.pv.iter().map(|mv| mv.mapped(symmetry)).collect();
                    lines.push(Line { pv, ..line });
                }
                left &= !image;
            }
        }
        // A later line may have a better score than an earlier one.
        lines.sort_by_key(|line| -line.bound);
        Some(lines)
    }

    fn line(&self, iteration: Iteration, value: i32, pv: Vec<Move>) -> Line {
        let Iteration {
            depth,
            selectivity,
            aim,
            ..
        } = iteration;
        let proof = match aim {
            Aim::WinLossDraw if selectivity == Selectivity::Full => Proof::WinLossDraw,
            Aim::Exact if selectivity == Selectivity::Full => Proof::Exact,
            // A search for the winner gives only a bound of the score.
            Aim::WinLossDraw if value > 0 || value == 0 && self.task.draw_value > 0 => {
                Proof::AtLeast
            }
            Aim::WinLossDraw if value < 0 || self.task.draw_value < 0 => Proof::AtMost,
            _ => Proof::None,
        };
        // A solved draw belongs to the side that draws count for.
        let drawn = iteration.is_solving() && value == 0;
        let units = if drawn {
            i32::from(self.task.draw_value.signum()) * DISC
        } else {
            value
        };
        Line {
            pv,
            bound: Score::from_units(units),
            depth,
            selectivity,
            proof,
        }
    }

    /// Searches the root with a narrow window around the expected score, widened until the score is inside.
    fn aspiration_search(&mut self, iteration: Iteration, index: usize) -> Option<i32> {
        let solving = iteration.is_solving();
        let (mut window, mut width) = self.window(iteration, index);
        let step = if solving { ASPIRATION_END.get() } else { 1 };
        let (mut failed_low, mut failed_high) = (false, false);
        loop {
            let value =
                self.worker
                    .search_root(&self.root, solving, i32::from(iteration.depth), window);
            if self.worker.stopped {
                return None;
            }
            if iteration.aim == Aim::WinLossDraw || window.contains(value) {
                return Some(value);
            }
            failed_low |= value <= window.alpha;
            failed_high |= value >= window.beta;
            width *= ASPIRATION_GROWTH;
            window = if failed_low && failed_high {
                // The table has scores of several depths, so two windows may contradict each other.
                Window::OPEN
            } else if failed_low {
                Window {
                    alpha: below(value - width),
                    beta: window.alpha + step,
                }
            } else {
                Window {
                    alpha: window.beta - step,
                    beta: above(value + width),
                }
            };
        }
    }

    /// The first window of an iteration, and its half-width.
    fn window(&self, iteration: Iteration, index: usize) -> (Window, i32) {
        let around = |score: i32, width: i32| {
            (
                Window {
                    alpha: below(score - width),
                    beta: above(score + width),
                },
                width,
            )
        };
        if iteration.aim == Aim::WinLossDraw {
            // Loss, draw and win; or only two of them, if draws count for one side.
            let step = Solving::STEP;
            let (alpha, beta) = match self.task.draw_value.signum() {
                1 => (-step, 0),
                -1 => (0, step),
                _ => (-step, step),
            };
            return (Window { alpha, beta }, step);
        }
        match self.expected.get(index) {
            Some(&score) if iteration.is_solving() => {
                let grid = ASPIRATION_END.get();
                around((score + grid / 2).div_euclid(grid) * grid, grid)
            }
            Some(&score) if i32::from(iteration.depth) >= ASPIRATION_DEPTH.get() => {
                around(score, ASPIRATION.get())
            }
            _ => (Window::OPEN, INFINITY),
        }
    }

    /// Plays a better move of an unfinished iteration, if that has searched the best move so far.
    ///
    /// Idea: Stockfish's root moves. The line keeps the depth of the last finished iteration, and proves nothing.
    fn take_progress(&mut self) {
        let root = &self.worker.root;
        let (Some(first), Some((value, path, is_bound))) = (root.first, root.best) else {
            return;
        };
        let pv = self.moves(&path);
        if let ([line], 1) = (&mut self.lines[..], self.task.multi_pv)
            && line.pv.first() == Some(&Move::Place(first))
            && pv.first() != line.pv.first()
        {
            let proof = if is_bound {
                Proof::AtLeast
            } else {
                Proof::None
            };
            *line = Line {
                pv,
                bound: Score::from_units(value),
                proof,
                ..line.clone()
            };
        }
    }

    /// A line of the root as moves, cut off before anything illegal.
    fn moves(&self, path: &Path) -> Vec<Move> {
        let mut board = self.task.board;
        let mut moves = Vec::new();
        for &code in path.codes() {
            let Some((next, played)) = replay(board, code) else {
                debug_assert!(false, "the search gave an illegal line");
                break;
            };
            moves.push(played);
            board = next;
        }
        moves
    }
}

/// Nodes over the limit that the first iteration may take: one of a single ply is never aborted.
fn first_grace(iteration: Iteration) -> u64 {
    if iteration.is_solving() {
        FIRST_GRACE_NODES
    } else {
        u64::MAX
    }
}

/// One of each set of squares that the symmetry of the board makes equal: the lowest.
fn distinct(board: Board, candidates: u64) -> u64 {
    let images = |square: Square| {
        board
            .own_symmetries()
            .map(move |symmetry| symmetry.apply_square(square))
    };
    let is_lowest = |&square: &Square| {
        images(square).all(|image| image >= square || candidates & image.bit() == 0)
    };
    SquareSet(candidates)
        .iter()
        .filter(is_lowest)
        .collect::<SquareSet>()
        .0
}

/// The move that leads the best line.
fn best_of(lines: &[Line]) -> Option<Move> {
    lines.first().and_then(|line| line.pv.first().copied())
}

/// The lower end of a window: a bound that no score can miss is infinite.
fn below(value: i32) -> i32 {
    if value <= Score::MIN.units() {
        -INFINITY
    } else {
        value
    }
}

/// The upper end of a window.
fn above(value: i32) -> i32 {
    if value >= Score::MAX.units() {
        INFINITY
    } else {
        value
    }
}

/// Plays the move with this code, if it is legal.
fn replay(board: Board, code: u8) -> Option<(Board, Move)> {
    let mv = if code == Path::PASS {
        Move::Pass
    } else {
        Move::Place(Square::new(code)?)
    };
    Some((board.play_move(mv)?, mv))
}

#[cfg(test)]
mod tests;
