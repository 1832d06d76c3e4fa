//! The last plies before a leaf: no table, no list of moves.

use super::node::{DISC, INFINITY, Node, NonPv, Window};
use super::ordering::killers_first;
use super::phase::{Midgame, Phase};
use super::worker::Worker;
use crate::board::Board;
use crate::search::params::SHALLOW_DEPTH;

impl Worker<'_> {
    /// The score of `node` searched `depth` plies deep, or a bound outside `window`.
    ///
    /// Equals the full search: passes and forced moves cost no depth.
    pub fn shallow(&mut self, node: &Node, depth: i32, window: Window) -> i32 {
        let Window { mut alpha, beta } = window;
        debug_assert!((0..=SHALLOW_DEPTH).contains(&depth));
        self.meter.nodes += 1;
        if depth == 0 {
            return self.evaluate(node);
        }
        let moves = node.board.moves().0;
        if moves == 0 {
            if node.board.opponent_moves().is_empty() {
                return node.board.final_score() * DISC;
            }
            self.meter.nodes -= 1;
            self.killers.play(node.ply, None);
            return -self.shallow(&node.passed(), depth, window.turned());
        }
        // A forced move costs no depth; it may then reach the end of the game.
        let forced = depth <= Midgame::FORCED_DEPTH.get() && moves & (moves - 1) == 0;
        let child_depth = if forced { depth } else { depth - 1 };
        // One evaluation may replace all below it: -29 % nodes at 18 plies by a cut one ply above the leaves too; at
        // 40,000 nodes a move +968 =320 -712 of 2,000 games, Elo +45 [+30, +59].
        if let Some(value) = self.static_probcut(node, depth, alpha) {
            return value;
        }
        if child_depth == 0 {
            return self.leaves(node, moves, beta);
        }
        let mut best = -INFINITY;
        for square in killers_first(moves, self.killers.at(node.ply)) {
            self.killers.play(node.ply, Some(square));
            let child = node.child(self.evaluator, square, node.board.flip(square));
            let value = if child_depth >= child.board.empty_count() as i32 {
                -self.solve_to_the_end::<NonPv>(&child, Window { alpha, beta }.turned())
            } else {
                -self.shallow(&child, child_depth, Window { alpha, beta }.turned())
            };
            if value > best {
                best = value;
                if value >= beta {
                    self.killers.cut(node.ply, square);
                    break;
                }
                alpha = alpha.max(value);
            }
        }
        best
    }

    /// The best of the children's static scores, or the first one that reaches `beta`.
    fn leaves(&mut self, node: &Node, moves: u64, beta: i32) -> i32 {
        let children = node.features.children();
        let mut best = -INFINITY;
        for square in killers_first(moves, self.killers.at(node.ply)) {
            self.meter.nodes += 1;
            let flipped = node.board.flip(square);
            let key = node.board.after(square, flipped).hash();
            let evaluator = self.evaluator;
            let evaluate = || node.evaluate_child(evaluator, &children, square, flipped);
            let score = self.eval_cache.get(key, evaluate);
            best = best.max(-score);
            if best >= beta {
                self.killers.cut(node.ply, square);
                break;
            }
        }
        best
    }

    /// A bound that decides whether the exact score of `board` exceeds `alpha`, an even number of discs.
    pub fn solve_null(&mut self, board: Board, alpha: i32) -> i32 {
        debug_assert!(alpha % (2 * DISC) == 0);
        if self.meter.is_due() && self.has_ended() {
            return alpha;
        }
        let discs = self.solver.metered(&mut self.meter, |solver| {
            solver.null_window(board, alpha / DISC)
        });
        self.stopped |= self.solver.was_stopped();
        discs * DISC
    }
}
