//! `emilia bench kernels`: nanoseconds per call of the kernels, on the same positions every time.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use crate::board::{Board, Square, SquareSet, flip, mobility};
use crate::eval::patterns::features::Features;
use crate::eval::{EvalKind, Evaluator};
use crate::search::endgame::{CacheSizes, Solver};
use crate::search::split_costs;
use crate::util::rng::Rng;

/// Positions per kernel; tests look at no times.
const POSITIONS: usize = if cfg!(test) { 64 } else { 1024 };
/// Each kernel runs this many times over its positions; the fastest run counts.
const RUNS: usize = if cfg!(test) { 2 } else { 25 };

/// A table of kernels with nanoseconds per call, and the checksum of all their results.
pub fn report() -> String {
    let midgame = captured(20);
    let mut text = String::from("kernel                ns per call\n");
    let mut sum = 0;
    let mut row = |name: &str, calls: usize, run: &mut dyn FnMut() -> u64| {
        let (best, result) = fastest(run);
        sum = u64::wrapping_add(sum, result);
        writeln!(text, "{name:20}  {:11.2}", best / calls as f64).expect("a string takes all text");
    };
    let moves: Vec<(u8, Board)> = midgame
        .iter()
        .flat_map(|&board| {
            SquareSet(board.empties())
                .iter()
                .map(move |square| (square.index() as u8, board))
        })
        .collect();
    row("flip", moves.len(), &mut || {
        add(&moves, |&(square, board)| {
            flip::flip(square, board.player, board.opponent)
        })
    });
    row("mobility", midgame.len(), &mut || {
        add(&midgame, |board| {
            mobility::moves(board.player, board.opponent)
        })
    });
    let mut solver = Solver::new(CacheSizes::default());
    for empties in 1..=4 {
        let boards = captured(empties);
        row(
            &format!("solve {empties} empties"),
            boards.len(),
            &mut || add(&boards, |&board| solver.null_window(board, 0) as u64),
        );
    }
    for evaluator in EvalKind::ALL
        .into_iter()
        .filter_map(|kind| Evaluator::load(Some(kind), None).ok())
    {
        let (nodes, moves) = &nodes(&evaluator, &midgame);
        row(
            &format!("eval {}", evaluator.kind()),
            moves.len(),
            &mut evaluations(&evaluator, nodes, moves),
        );
        if evaluator.kind() == EvalKind::Network {
            row("features of a node", moves.len(), &mut || {
                add(moves, |&(at, square)| {
                    let (board, features) = &nodes[at];
                    black_box(evaluator.play(features, square, board.flip(square)));
                    0
                })
            });
        }
    }
    for (name, time) in split_costs() {
        writeln!(text, "{name:20}  {time:11.2}").expect("a string takes all text");
    }
    writeln!(text, "checksum {sum:016x}").expect("a string takes all text");
    text
}

/// Nanoseconds of a static evaluation, as in the table.
pub fn evaluation_ns(evaluator: &Evaluator) -> f64 {
    let (nodes, moves) = &nodes(evaluator, &captured(20));
    fastest(&mut evaluations(evaluator, nodes, moves)).0 / moves.len() as f64
}

/// Boards with their features.
type Nodes = Vec<(Board, Features)>;

/// The boards with their features, and all moves, each with the number of its board.
fn nodes(evaluator: &Evaluator, boards: &[Board]) -> (Nodes, Vec<(usize, Square)>) {
    let nodes = boards
        .iter()
        .map(|&board| (board, evaluator.features(board)))
        .collect();
    let moves = |(at, board): (usize, &Board)| board.moves().iter().map(move |square| (at, square));
    (nodes, boards.iter().enumerate().flat_map(moves).collect())
}

/// A run over the static scores after all moves.
fn evaluations(
    evaluator: &Evaluator,
    nodes: &[(Board, Features)],
    moves: &[(usize, Square)],
) -> impl FnMut() -> u64 {
    let children: Vec<_> = nodes
        .iter()
        .map(|(_, features)| features.children())
        .collect();
    move || {
        add(moves, |&(at, square)| {
            let board = nodes[at].0;
            evaluator
                .evaluate_child(board, &children[at], square, board.flip(square))
                .units() as u64
        })
    }
}

fn add<T>(items: &[T], mut call: impl FnMut(&T) -> u64) -> u64 {
    items
        .iter()
        .fold(0, |sum: u64, item| sum.wrapping_add(call(black_box(item))))
}

/// Nanoseconds of the fastest run, and its result.
fn fastest(run: &mut dyn FnMut() -> u64) -> (f64, u64) {
    let mut best = f64::INFINITY;
    let mut result = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        result = black_box(run());
        best = best.min(start.elapsed().as_secs_f64() * 1e9);
    }
    (best, result)
}

/// Positions as a search meets them: mostly the move that leaves the fewest replies, at times another.
fn captured(empties: u32) -> Vec<Board> {
    let mut rng = Rng::new(u64::from(empties));
    let mut found = Vec::with_capacity(POSITIONS);
    while found.len() < POSITIONS {
        let mut board = Board::START;
        while board.empty_count() > empties && !board.is_over() {
            let legal = board.moves().0;
            if legal == 0 {
                board = board.pass();
                continue;
            }
            let pick = rng.below(legal.count_ones()) as usize;
            let mut children = SquareSet(legal)
                .iter()
                .map(|square| board.after(square, board.flip(square)));
            let next = if rng.below(3) == 0 {
                children.nth(pick)
            } else {
                children.min_by_key(|child| child.moves().len())
            };
            board = next.expect("there is a legal move");
        }
        if board.empty_count() == empties && !board.is_over() {
            found.push(board);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_the_same_every_time() {
        let boards = captured(3);
        assert_eq!(boards, captured(3));
        assert!(
            boards
                .iter()
                .all(|board| board.empty_count() == 3 && !board.is_over())
        );
    }

    #[test]
    fn every_kernel_has_its_row() {
        let text = report();
        for name in [
            "flip",
            "mobility",
            "solve 1",
            "solve 4",
            "eval network",
            "features",
            "checksum",
        ] {
            assert!(text.contains(name), "{text}");
        }
    }
}
