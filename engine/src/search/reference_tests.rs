//! Plain searchers that define the results of the production search: minimax and alpha-beta, without tables or ordering.
//!
//! Source: Knuth and Moore, "An analysis of alpha-beta pruning" (1975).

use std::sync::Arc;

use crate::board::testing::{random_position, samples};
use crate::board::{Board, Score};
use crate::eval::Evaluator;
use crate::util::rng::Rng;

use super::params::FORCED_DEPTH;
use super::{Limits, Options, Proof, Search, Selectivity, Task};

const INFINITY: i32 = Score::INF.units();

/// How a node is to be continued.
enum Rule {
    /// It is a leaf of this value.
    Leaf(i32),
    /// The other side goes on at the same depth.
    Pass,
    /// The children are searched this deep.
    Children(i32),
}

/// A reference searcher that counts its nodes.
pub(super) struct Reference<'a> {
    evaluator: &'a Evaluator,
    pub nodes: u64,
}

impl<'a> Reference<'a> {
    pub fn new(evaluator: &'a Evaluator) -> Self {
        Self {
            evaluator,
            nodes: 0,
        }
    }

    /// The rules of depth: passes and forced moves near the leaves cost no depth. A search that reaches the end of the
    /// game counts discs only.
    fn rule(&mut self, board: Board, depth: i32) -> Rule {
        self.nodes += 1;
        let ending = depth >= board.empty_count() as i32;
        if depth == 0 && !ending {
            let lost = -64 * Score::DISC;
            let value = || {
                self.evaluator
                    .evaluate(board, &self.evaluator.features(board))
                    .units()
            };
            return Rule::Leaf(if board.player == 0 { lost } else { value() });
        }
        match board.moves().len() {
            0 if board.opponent_moves().is_empty() => Rule::Leaf(board.final_score() * Score::DISC),
            0 => Rule::Pass,
            1 if depth <= FORCED_DEPTH.get() && !ending => Rule::Children(depth),
            _ => Rule::Children(depth - 1),
        }
    }

    fn children(board: Board) -> impl Iterator<Item = Board> {
        board
            .moves()
            .iter()
            .filter_map(move |square| board.play(square))
    }

    pub fn minimax(&mut self, board: Board, depth: i32) -> i32 {
        match self.rule(board, depth) {
            Rule::Leaf(value) => value,
            Rule::Pass => -self.minimax(board.pass(), depth),
            Rule::Children(depth) => {
                let values = Self::children(board).map(|child| -self.minimax(child, depth));
                values.max().expect("there is a move")
            }
        }
    }

    pub fn alpha_beta(&mut self, board: Board, depth: i32, mut alpha: i32, beta: i32) -> i32 {
        match self.rule(board, depth) {
            Rule::Leaf(value) => value,
            Rule::Pass => -self.alpha_beta(board.pass(), depth, -beta, -alpha),
            Rule::Children(depth) => {
                let mut best = -INFINITY;
                for child in Self::children(board) {
                    best = best.max(-self.alpha_beta(child, depth, -beta, -alpha));
                    alpha = alpha.max(best);
                    if alpha >= beta {
                        break;
                    }
                }
                best
            }
        }
    }
}

/// A searcher whose every result equals minimax of the same depth.
pub(super) fn strict_search() -> Search {
    let options = Options {
        threads: 1,
        hash_mib: 1,
    };
    let mut search = Search::new(&options, Arc::new(Evaluator::Classic));
    search.strict = true;
    search
}

/// The production search's score of `board` at 100 %.
pub(super) fn production(search: &mut Search, board: Board, depth: u8) -> i32 {
    let limits = Limits {
        selectivity: Selectivity::Full,
        ..Limits::depth(depth)
    };
    let result = search.run(&Task::new(board, limits));
    result.info.lines[0].bound.units()
}

/// Runs `check` for the numbers `0..count` on two threads, each with a searcher and a random stream.
fn on_two_threads(count: u32, check: impl Fn(u32, &mut Search, &mut Rng) + Sync) {
    std::thread::scope(|scope| {
        for half in 0..2 {
            let check = &check;
            scope.spawn(move || {
                let mut search = strict_search();
                let mut rng = Rng::new(u64::from(half));
                for number in (half..count).step_by(2) {
                    check(number, &mut search, &mut rng);
                }
            });
        }
    });
}

#[test]
fn every_searcher_agrees_to_depth_5() {
    let evaluator = Evaluator::Classic;
    on_two_threads(samples(300), |number, search, rng| {
        let plies = rng.below(56);
        let board = random_position(rng, plies);
        let depth = 1 + (number / 2 % 5) as i32;
        let mut reference = Reference::new(&evaluator);
        let value = reference.alpha_beta(board, depth, -INFINITY, INFINITY);
        let alpha_beta_nodes = reference.nodes;
        assert_eq!(
            production(search, board, depth as u8),
            value,
            "{board:?} depth {depth}"
        );
        if depth <= 3 || number % 40 == 3 {
            let mut plain = Reference::new(&evaluator);
            assert_eq!(
                plain.minimax(board, depth),
                value,
                "{board:?} depth {depth}"
            );
            assert!(alpha_beta_nodes <= plain.nodes);
        }
    });
}

#[test]
fn endings_are_solved_like_minimax() {
    let evaluator = Evaluator::Classic;
    on_two_threads(samples(300), |number, search, rng| {
        let empties = 1 + (number / 2 % 9) as i32;
        let board = random_position(rng, 60 - empties as u32);
        let mut reference = Reference::new(&evaluator);
        let value = reference.alpha_beta(board, empties, -INFINITY, INFINITY);
        if empties <= 7 {
            assert_eq!(reference.minimax(board, empties), value, "{board:?}");
        }
        let result = search.run(&Task::new(board, Limits::exact()));
        let line = &result.info.lines[0];
        assert_eq!(line.bound.units(), value, "{board:?}");
        assert_eq!(line.proof, Proof::Exact);
    });
}

#[test]
fn symmetric_and_color_swapped_positions_have_the_same_score() {
    on_two_threads(samples(80), |number, search, rng| {
        let plies = 10 + rng.below(30);
        let board = random_position(rng, plies);
        let depth = 1 + (number / 2 % 5) as u8;
        let score = production(search, board, depth);
        for symmetry in crate::board::Symmetry::all() {
            assert_eq!(
                production(search, symmetry.apply(board), depth),
                score,
                "{board:?} depth {depth}"
            );
        }
    });
}
