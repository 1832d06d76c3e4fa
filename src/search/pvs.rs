//! Principal variation search, one text for midgame and solving.
//!
//! Sources: Marsland and Campbell, "Parallel search of strongly ordered game trees" (1982) and
//! Reinefeld, "An improvement to the Scout tree search algorithm" (1983) for the null windows;
//! Plaat et al., "Nearly optimal minimax tree search?" (1996) for the cuts by transposed children.

use crate::board::{Board, Square};

use super::Selectivity;
use super::node::{DISC, INFINITY, Kind, Midgame, Node, Null, Path, Pv, Solving, Stage};
use super::ordering::{Candidate, Moves};
use super::params::{
    ETC_DEPTH, EVAL_ORDER_DEPTH, EVAL_ORDER_EMPTIES, FORCED_DEPTH, PROBCUT_DEPTH, PROBCUT_EMPTIES,
    REDUCTION_DEPTH, REDUCTION_MOVES, STABILITY_DISCS, TABLE_DEPTH,
};
use super::shallow::SHALLOW_DEPTH;
use super::thread::Worker;
use super::transposition::Entry;

/// Fewest empties that are still searched here; below, the endgame solver is faster.
const SOLVER_EMPTIES: i32 = 13;

impl Worker<'_> {
    /// The score of `node` if inside `alpha..beta`, else a bound on it on the same side of the window.
    ///
    /// Scores count 1/128 disc for the side to move. `depth` is in plies; a solving search goes to the
    /// end of the game. When the search has ended meanwhile (`self.stopped`) the value means nothing.
    pub fn pvs<K: Kind, S: Stage>(&mut self, node: &Node, depth: i32, mut alpha: i32, beta: i32) -> i32 {
        let board = node.board;
        let empties = board.empty_count() as i32;
        debug_assert!(alpha < beta && (K::PV || beta - alpha == S::STEP));

        // Step 1. Leave what others do better: the end of the game, the last plies, the solver.
        if !S::SOLVING {
            if depth >= empties {
                return self.solve_to_the_end::<K>(node, alpha, beta);
            }
            if !K::PV && depth <= SHALLOW_DEPTH {
                return self.shallow(node, depth, alpha, beta);
            }
        } else if !K::PV && empties <= SOLVER_EMPTIES {
            return self.solve_null(board, alpha);
        }

        // Step 2. Count the node; end when the time has come.
        if self.has_ended() {
            return 0;
        }
        self.counters.nodes += 1;
        if K::PV {
            self.paths[node.ply].clear();
            if !S::SOLVING && depth == 0 {
                return self.evaluate(node);
            }
        }

        // Step 3. Without a move the game is over, or the other side goes on at the same depth.
        let mut legal = board.moves();
        if legal == 0 {
            if board.opponent_moves() == 0 {
                return board.final_score() * DISC;
            }
            let value = -self.pvs::<K, S>(&node.passed(self.evaluator), depth, -beta, -alpha);
            if K::PV && value > alpha && !self.stopped {
                self.set_path(node.ply, None);
            }
            return value;
        }
        let whole = node.ply > 0 || legal & !self.root_mask == 0;
        if node.ply == 0 {
            legal &= self.root_mask;
        }

        // Step 4. Stable discs of the opponent bound what is left for the mover.
        if S::SOLVING
            && !K::PV
            && let Some(most) = stability_bound(board, alpha)
        {
            return most;
        }

        // Step 5. The table: bounds of an earlier search as good as this one decide a null window.
        let key = board.hash();
        let uses_table = S::SOLVING || depth >= TABLE_DEPTH;
        let known = if uses_table { self.probe(key, board) } else { None };
        if let (false, Some(entry)) = (K::PV, known)
            && self.serves(&entry, depth)
        {
            if entry.lower >= beta {
                return entry.lower;
            }
            if entry.upper <= alpha {
                return entry.upper;
            }
        }

        // Step 6. ProbCut: a shallow search far outside the window is believed.
        let high_enough = if S::SOLVING { empties >= PROBCUT_EMPTIES } else { depth >= PROBCUT_DEPTH };
        if !K::PV && high_enough && self.selectivity != Selectivity::Full {
            if let Some(value) = self.probcut::<S>(node, depth, beta) {
                self.remember(node, depth, alpha, beta, value, None);
                return value;
            }
            if self.stopped {
                return 0;
            }
        }

        // Step 7. List the moves. A single one costs no depth near the leaves.
        let mut moves = Moves::new(board, legal);
        let forced = !S::SOLVING && moves.len() == 1 && depth <= FORCED_DEPTH;
        let child_depth = if forced { depth } else { depth - 1 };

        // Step 8. A child whose stored bound already refutes the window spares the search.
        if !K::PV
            && depth >= ETC_DEPTH
            && moves.len() > 1
            && let Some((square, value)) = self.transposed_cut(node, &moves, child_depth, beta)
        {
            self.remember(node, depth, alpha, beta, value, Some(square));
            return value;
        }

        // Step 9. Order the moves: by the table, by what they leave the opponent, by evaluation.
        if moves.len() > 1 {
            let by_evaluation =
                if S::SOLVING { empties >= EVAL_ORDER_EMPTIES } else { depth >= EVAL_ORDER_DEPTH };
            let best = known.map_or([None; 2], |entry| entry.best);
            let evaluator = by_evaluation.then_some((self.evaluator, &mut *self.scores));
            moves.score::<S>(node, best, evaluator);
        }

        // Step 10. Try the moves: the first with the whole window, the others with a null window that
        // asks whether they are better at all.
        let alpha_before = alpha;
        let mut best = -INFINITY;
        let mut best_square = None;
        let mut index = 0;
        while let Some(candidate) = moves.next() {
            let value = self.try_move::<K, S>(node, &candidate, index, child_depth, alpha, beta);
            if self.stopped {
                return 0;
            }
            if value > best {
                best = value;
                best_square = Some(candidate.square);
                if value > alpha {
                    if K::PV {
                        self.set_path(node.ply, best_square);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                } else if K::PV && node.ply == 0 {
                    // Even a root that fails low names the move that lost least.
                    self.paths[0].set(candidate.square.index() as u8, &Path::EMPTY);
                }
            }
            index += 1;
            // Step 11. The first move has set the window: idle threads may take a share of the rest.
            if self.wants_help::<S>(depth, moves.left())
                && let Some(found) =
                    self.split::<K, S>(node, &moves, index, child_depth, alpha, beta, (best, best_square))
            {
                if self.stopped {
                    return 0;
                }
                (best, best_square) = found;
                break;
            }
        }

        // Step 12. Remember what was found, unless some root moves were left out.
        if uses_table && whole {
            self.remember(node, depth, alpha_before, beta, best, best_square);
        }
        best
    }

    /// The value of one move of `node`: its null-window bound, or its score if that may raise `alpha`.
    pub fn try_move<K: Kind, S: Stage>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        index: usize,
        depth: i32,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let child = node.child(self.evaluator, candidate.square, candidate.flipped);
        // A late move is first asked at a depth two plies less, the parity kept, whether it might be
        // better at all.
        if self.reduces::<K, S>(depth, index) {
            let value = -self.pvs::<Null, S>(&child, depth - 2, -beta, -alpha);
            if value <= alpha || self.stopped {
                return value;
            }
        }
        if index > 0 || !K::PV {
            let value = -self.pvs::<Null, S>(&child, depth, -alpha - S::STEP, -alpha);
            if !K::PV || value <= alpha || value >= beta || self.stopped {
                // A fail high at the edge of an open window still owes the root its move.
                if K::PV && value > alpha {
                    self.paths[child.ply].clear();
                }
                return value;
            }
        }
        -self.pvs::<Pv, S>(&child, depth, -beta, -alpha)
    }

    /// Whether a move that leads to `depth` plies is first searched two plies less deep.
    fn reduces<K: Kind, S: Stage>(&self, depth: i32, index: usize) -> bool {
        let selective = !K::PV && !S::SOLVING && self.selectivity != Selectivity::Full;
        selective && depth + 1 >= REDUCTION_DEPTH && index as i32 >= REDUCTION_MOVES
    }

    /// Solves a midgame node whose depth reaches the end of the game, on the grid of even discs.
    fn solve_to_the_end<K: Kind>(&mut self, node: &Node, alpha: i32, beta: i32) -> i32 {
        let low = alpha.div_euclid(Solving::STEP) * Solving::STEP;
        let high = -(-beta).div_euclid(Solving::STEP) * Solving::STEP;
        self.pvs::<K, Solving>(node, node.board.empty_count() as i32, low, high)
    }

    /// A move whose child is known to be worth `beta` or more to us.
    fn transposed_cut(&mut self, node: &Node, moves: &Moves, depth: i32, beta: i32) -> Option<(Square, i32)> {
        for candidate in moves.iter() {
            self.table.prefetch(node.board.after(candidate.square, candidate.flipped).hash());
        }
        for candidate in moves.iter() {
            let child = node.board.after(candidate.square, candidate.flipped);
            if let Some(entry) = self.probe(child.hash(), child)
                && -entry.upper >= beta
                && self.serves(&entry, depth)
            {
                return Some((candidate.square, -entry.upper));
            }
        }
        None
    }

    /// Stores the outcome of searching `node` with the window `alpha..beta`.
    fn remember(&self, node: &Node, depth: i32, alpha: i32, beta: i32, value: i32, best: Option<Square>) {
        let entry = Entry {
            lower: if value > alpha { value } else { -INFINITY },
            upper: if value < beta { value } else { INFINITY },
            depth: depth as u8,
            selectivity: self.selectivity,
            best: [best, None],
        };
        self.table.store(node.board.hash(), node.board, entry);
    }

    /// Searches the root: `Midgame` to `depth` plies, `Solving` to the end.
    pub fn search_root(&mut self, node: &Node, solving: bool, depth: i32, alpha: i32, beta: i32) -> i32 {
        if solving {
            self.pvs::<Pv, Solving>(node, depth, alpha, beta)
        } else {
            self.pvs::<Pv, Midgame>(node, depth, alpha, beta)
        }
    }
}

/// The most that the mover of `board` can end with, if discs of the opponent that can never be turned
/// keep that from exceeding `alpha`.
///
/// Rare at this height, but without it number 59 of the FFO test set, a win of all discs, was not
/// proven in eight minutes.
fn stability_bound(board: Board, alpha: i32) -> Option<i32> {
    let stable_needed = (64 * DISC - alpha) / (2 * DISC);
    if alpha < STABILITY_DISCS * DISC || (board.opponent.count_ones() as i32) < stable_needed {
        return None;
    }
    let most = (64 - 2 * board.pass().stable_discs().count_ones() as i32) * DISC;
    (most <= alpha).then_some(most)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::eval::Evaluator;
    use crate::search::{Limits, Options, Proof, Search, Silent, Stop, Task};

    #[test]
    fn a_win_of_all_discs_is_proven_with_34_empties() {
        // Number 59 of the FFO test set: a second, if stable discs cut.
        let board = Board { player: 0x8CCC_F080_0000_0000, opponent: 0x2030_0F7C_7C80_0000 };
        assert_eq!(board.empty_count(), 34);
        let mut search = Search::new(&Options { threads: 1, hash_mib: 64 }, Arc::new(Evaluator::default()));
        let limits = Limits { nodes: Some(60_000_000), ..Limits::exact() };
        let result = search.run(&Task::new(board, limits), &Stop::new(), &mut Silent);
        assert_eq!(result.info.lines[0].score.units(), 64 * DISC);
        assert_eq!(result.info.lines[0].proof, Proof::Exact);
    }
}
