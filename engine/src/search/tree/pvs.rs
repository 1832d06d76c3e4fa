//! Principal variation search, one text for both phases.
//!
//! Sources: Marsland and Campbell, "Parallel search of strongly ordered game trees" (1982) and
//! Reinefeld, "An improvement to the Scout tree search algorithm" (1983) for the null windows;
//! Plaat et al., "Nearly optimal minimax tree search?" (1996) for the cuts by transposed children.

use super::node::{DISC, INFINITY, Node, NodeType, NonPv, Path, Pv, Root, Window};
use super::ordering::{Candidate, Moves};
use super::phase::{Midgame, Phase, Solving};
use super::worker::{Best, Worker};
use crate::board::{Board, Square};
use crate::search::memory::TableEntry;
use crate::search::params::{
    EXTENSION_EMPTIES, EXTENSION_PLY, ORDER_KILLER, REDUCTION_MOVES, REDUCTION_PLIES,
    SHALLOW_DEPTH, SOLVER_EMPTIES, STABILITY_DISCS,
};
use crate::search::task::Selectivity;

impl Worker<'_> {
    /// The score of `node` if inside `window`, else a bound on it on the same side of the window (fail-soft).
    ///
    /// Scores count 1/128 disc for the side to move. `depth` is in plies; that of a solving search is the
    /// number of empties. When the search has ended meanwhile (`stopped`) the value is void.
    ///
    /// Each step states its idea and its gain. Gains are the nodes that it saves, found by switching it off in the source:
    /// of 30 XOT positions (`emilia bench --input xot-small.txt --limit 30 --depth 14 --solve-from 0`), and of 8 exact solves
    /// of 20 empties (`emilia bench --input hard-20.obf --limit 8 --exact`).
    pub fn pvs<N: NodeType, P: Phase>(&mut self, node: &Node, depth: i32, window: Window) -> i32 {
        let Window { mut alpha, beta } = window;
        let board = node.board;
        let empties = board.empty_count() as i32;
        debug_assert!(alpha < beta && (N::PV || beta - alpha == P::STEP));
        debug_assert!(!P::SOLVING || depth == empties);

        // Step 1. Other searches (the extension: +11 ± 20 Elo). A midgame node near the end of the game is solved instead of
        // evaluated. The last plies and positions of few empties have searches of their own, without the costly steps below.
        if !P::SOLVING {
            if depth >= empties || endgame_extension(node, empties) {
                return self.solve_to_the_end::<N>(node, window);
            }
            if !N::PV && depth <= SHALLOW_DEPTH {
                return self.shallow(node, depth, window);
            }
        } else if !N::PV && empties <= SOLVER_EMPTIES.get() {
            return self.solver_cutoff(node, depth, window);
        }

        // Step 2. Limits. The node is counted, and now and then the clock, the stop flag and the limit of nodes are looked at.
        if self.has_ended() {
            return 0;
        }
        self.meter.nodes += 1;
        if N::PV {
            self.paths[node.ply].clear();
            if !P::SOLVING && depth == 0 {
                return self.evaluate(node);
            }
        }

        // Step 3. No move. The game is over and its result known, or the side passes: the other side moves at the same depth.
        let mut legal = board.moves().0;
        if legal == 0 {
            if board.opponent_moves().is_empty() {
                return board.final_score() * DISC;
            }
            self.killers.play(node.ply, None);
            let value = -self.pvs::<N::Passed, P>(&node.passed(), depth, window.turned());
            if N::PV && value > alpha && !self.stopped {
                self.set_path(node.ply, None);
            }
            return value;
        }
        let is_whole = !N::ROOT || legal & !self.root.covered == 0;
        if N::ROOT {
            legal &= self.root.searched;
        }

        // Step 4. Stability cutoff (rare: 0 % here, but number 59 of FFO needs it). The opponent keeps its stable discs to the
        // end, so they bound the score. A bound below the window ends the node.
        if P::SOLVING
            && !N::PV
            && let Some(most) = stability_bound(board, alpha)
        {
            return most;
        }

        // Step 5. Transposition table (8 % in the midgame, 0 % in solves, whose solver has caches). Other orders of moves lead to
        // the same position. Bounds of a search as good as this one decide a null window.
        let key = board.hash();
        let uses_table = depth >= P::TABLE_DEPTH.get();
        let known = if uses_table {
            self.probe(key, board)
        } else {
            None
        };
        if let (false, Some(entry)) = (N::PV, known)
            && self.can_cut(&entry, depth)
            && let Some(bound) = entry.decides(alpha, beta)
        {
            return bound;
        }

        // Step 6. ProbCut (93 % in the midgame, 39 % in solves with their bold passes). A shallow search predicts the deep one
        // with a known error. If it is far enough outside the window, its bound counts; margins by mobility gain 18 Elo [-1, +38].
        if !N::PV && depth >= P::PROBCUT_DEPTH.get() && self.selectivity != Selectivity::Full {
            if let Some(value) = self.probcut::<P>(node, depth, beta) {
                self.store(
                    node,
                    depth,
                    window,
                    Best {
                        value,
                        square: None,
                    },
                );
                return value;
            }
            if self.stopped {
                return 0;
            }
        }

        // Step 7. Forced moves (0 %). A single move is no choice, so near the leaves it costs no depth. A root
        // move that represents its images is none.
        let mut moves = Moves::new(board, legal);
        let alone = !N::ROOT || self.root.searched == self.root.covered;
        let forced = moves.len() == 1 && depth <= P::FORCED_DEPTH.get() && alone;
        let child_depth = if forced { depth } else { depth - 1 };

        // Step 8. Enhanced transposition cutoff (0.4 % in the midgame, 5 % in solves). The table may know a child well enough to
        // refute the window. Then no move needs a search.
        if !N::PV
            && depth >= P::ETC_DEPTH.get()
            && moves.len() > 1
            && let Some(best) = self.etc_cut(node, &moves, child_depth, beta)
        {
            self.store(node, depth, window, best);
            return best.value;
        }

        // Step 9. Order (the table's move: 45 % in the midgame, 17 % in solves; evaluations: 2 % and 32 %; killer squares: 0.6 %
        // and 1 %). The table's move comes first, then few replies and a good static score. It cuts half of the nodes that have
        // one, so the others are ordered only when it has not (2.9 % fewer evaluations).
        let [first, second] = known.map_or([None; 2], |entry| entry.best);
        let is_led = moves.lead(first);
        if !is_led {
            self.order::<P>(node, depth, second, &mut moves);
        }

        // Step 10. Principal variation search. The first move gets the whole window. A null window asks of each other move only
        // whether it is better; late ones are first asked less deep (reductions: 10 % in the midgame).
        let mut best = Best {
            value: -INFINITY,
            square: None,
        };
        let nodes_before = self.meter.nodes;
        while let Some(candidate) = moves.next() {
            let index = moves.taken() - 1;
            let value =
                self.try_move::<N, P>(node, &candidate, index, child_depth, Window { alpha, beta });
            if self.stopped {
                return 0;
            }
            if N::ROOT && index == 0 {
                self.root.first = Some(candidate.square);
            }
            if value > best.value {
                best = Best {
                    value,
                    square: Some(candidate.square),
                };
                if value > alpha {
                    if N::PV {
                        self.set_path(node.ply, best.square);
                    }
                    if N::ROOT {
                        self.set_root_best(value, beta);
                    }
                    if value >= beta {
                        self.killers.cut(node.ply, candidate.square);
                        break;
                    }
                    alpha = value;
                } else if N::ROOT {
                    self.name_least_loss(best.square);
                }
            }
            if is_led && index == 0 {
                self.order::<P>(node, depth, second, &mut moves);
            }
            // Step 11. Split (two threads +49 Elo). The first move has set the window, so the others can be searched side by side.
            // Idle threads take some of them.
            if self.should_split::<P>(depth, moves.left()) {
                let move_nodes = (self.meter.nodes - nodes_before) / moves.taken() as u64;
                best = self.split::<N, P>(
                    node,
                    child_depth,
                    Window { alpha, beta },
                    best,
                    &moves,
                    move_nodes,
                );
                if self.stopped {
                    return 0;
                }
                break;
            }
        }

        // Step 12. Store. The table gets the bound and the best move, unless the root searched only some of its moves.
        if uses_table && is_whole {
            self.store(node, depth, window, best);
        }
        best.value
    }

    /// Orders the moves left: by the table, the opponent's mobility and the evaluation (its weight saves 3.6 % nodes).
    fn order<P: Phase>(
        &mut self,
        node: &Node,
        depth: i32,
        second: Option<Square>,
        moves: &mut Moves,
    ) {
        if moves.left() < 2 {
            return;
        }
        let by_evaluation = depth >= P::EVAL_ORDER_DEPTH.get();
        let evaluator = by_evaluation.then_some((self.evaluator, &mut *self.eval_cache));
        moves.score::<P>(node, second, evaluator);
        if !by_evaluation && !P::SOLVING {
            moves.raise(self.killers.at(node.ply)[0], ORDER_KILLER.get());
        }
    }

    /// The value of one move of `node`: its null-window bound, or its score if that may raise `alpha`.
    ///
    /// `index` counts the moves before it; `depth` is the child's.
    pub fn try_move<N: NodeType, P: Phase>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        index: usize,
        depth: i32,
        window: Window,
    ) -> i32 {
        let Window { alpha, beta } = window;
        self.killers.play(node.ply, Some(candidate.square));
        let child = node.child(self.evaluator, candidate.square, candidate.flipped);
        // Late move reduction: a late move is first asked less deep whether it might be better at all.
        if self.reduces::<N, P>(depth, index) {
            let value = -self.pvs::<NonPv, P>(&child, depth - REDUCTION_PLIES, window.turned());
            if value <= alpha || self.stopped {
                return value;
            }
        }
        if index > 0 || !N::PV {
            let value =
                -self.pvs::<NonPv, P>(&child, depth, Window::above(alpha, P::STEP).turned());
            if !N::PV || value <= alpha || value >= beta || self.stopped {
                // A fail high at the edge of an open window still owes the root its move.
                if N::PV && value > alpha {
                    self.paths[child.ply].clear();
                }
                return value;
            }
        }
        -self.pvs::<Pv, P>(&child, depth, window.turned())
    }

    /// Whether to reduce this late move; `depth` is the child's. Other depths and numbers of moves gain nothing.
    fn reduces<N: NodeType, P: Phase>(&self, depth: i32, index: usize) -> bool {
        let selective = !N::PV && self.selectivity != Selectivity::Full;
        selective && depth >= P::REDUCTION_DEPTH.get() - 1 && index as i32 >= REDUCTION_MOVES.get()
    }

    /// Sets the line of a root that fails low: the move with the best bound.
    pub fn name_least_loss(&mut self, square: Option<Square>) {
        if let Some(square) = square {
            self.paths[0].set(square.index() as u8, &Path::EMPTY);
        }
    }

    /// Solves a midgame node near the end of the game, on the grid of even discs.
    pub fn solve_to_the_end<N: NodeType>(
        &mut self,
        node: &Node,
        Window { alpha, beta }: Window,
    ) -> i32 {
        let low = alpha.div_euclid(Solving::STEP) * Solving::STEP;
        let high = -(-beta).div_euclid(Solving::STEP) * Solving::STEP;
        let window = Window {
            alpha: low,
            beta: high,
        };
        self.pvs::<N, Solving>(node, node.board.empty_count() as i32, window)
    }

    /// Whether the score of a node of few empties exceeds `window.alpha`: a null window of the solver.
    ///
    /// The largest ones are stored in the table, where they outlive the solver's cache: the passes of a solve need them
    /// again (-4 % nodes at 24 empties).
    fn solver_cutoff(&mut self, node: &Node, depth: i32, window: Window) -> i32 {
        let Window { alpha, beta } = window;
        if depth < SOLVER_EMPTIES.get() {
            return self.solve_null(node.board, alpha);
        }
        if let Some(entry) = self.probe(node.board.hash(), node.board)
            && self.can_cut(&entry, depth)
            && let Some(bound) = entry.decides(alpha, beta)
        {
            return bound;
        }
        let value = self.solve_null(node.board, alpha);
        if !self.stopped {
            // The solver's result is exact at any selectivity.
            let selectivity = std::mem::replace(&mut self.selectivity, Selectivity::Full);
            self.store(
                node,
                depth,
                window,
                Best {
                    value,
                    square: None,
                },
            );
            self.selectivity = selectivity;
        }
        value
    }

    /// A move whose child is known to be worth `beta` or more to us.
    fn etc_cut(&mut self, node: &Node, moves: &Moves, depth: i32, beta: i32) -> Option<Best> {
        for candidate in moves.iter() {
            self.shared
                .table
                .prefetch(node.board.after(candidate.square, candidate.flipped).hash());
        }
        for candidate in moves.iter() {
            let child = node.board.after(candidate.square, candidate.flipped);
            if let Some(entry) = self.probe(child.hash(), child)
                && -entry.upper >= beta
                && self.can_cut(&entry, depth)
            {
                return Some(Best {
                    value: -entry.upper,
                    square: Some(candidate.square),
                });
            }
        }
        None
    }

    /// Stores the outcome of searching `node` with `window`.
    fn store(&self, node: &Node, depth: i32, window: Window, best: Best) {
        let Best { value, square } = best;
        let entry = TableEntry {
            lower: if value > window.alpha {
                value
            } else {
                -INFINITY
            },
            upper: if value < window.beta { value } else { INFINITY },
            depth: depth as u8,
            selectivity: self.selectivity,
            best: [square, None],
        };
        self.shared
            .table
            .store(node.board.hash(), node.board, entry);
    }

    /// Searches the root: to `depth` plies, or to the end if `solving`.
    pub fn search_root(&mut self, node: &Node, solving: bool, depth: i32, window: Window) -> i32 {
        if solving {
            self.pvs::<Root, Solving>(node, depth, window)
        } else {
            self.pvs::<Root, Midgame>(node, depth, window)
        }
    }
}

/// Whether a midgame node is solved though its depth does not reach the end of the game.
///
/// At 10 empties the static score has an error of 7 discs (RMSE), and a solve costs no more than the last plies of a
/// search: at 0.1 s a move the error of scores falls from 1.42 discs to 1.0. A search of few plies never solves.
fn endgame_extension(node: &Node, empties: i32) -> bool {
    empties <= EXTENSION_EMPTIES.get() && node.ply as i32 >= EXTENSION_PLY.get()
}

/// The mover's greatest score by the opponent's stable discs, if it does not exceed `alpha`.
///
/// Rare at this height, but necessary: number 59 of the FFO test set, a win of all discs, was otherwise not proven in
/// eight minutes.
fn stability_bound(board: Board, alpha: i32) -> Option<i32> {
    let stable_needed = (64 * DISC - alpha) / (2 * DISC);
    if alpha < STABILITY_DISCS.get() * DISC || (board.opponent.count_ones() as i32) < stable_needed
    {
        return None;
    }
    let most = (64 - 2 * board.pass().stable_discs().count_ones() as i32) * DISC;
    (most <= alpha).then_some(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::testing::evaluator;
    use crate::search::{Limits, Options, Proof, Search, Task};

    #[test]
    fn a_win_of_all_discs_is_proven_with_29_empties() {
        // Six plies into number 59 of the FFO test set: a million nodes, if stable discs cut.
        let board = Board {
            player: 0xFCE0_F0C0_8080_8000,
            opponent: 0x001E_0F3C_7C00_0000,
        };
        assert_eq!(board.empty_count(), 29);
        let mut search = Search::new(
            &Options {
                threads: 1,
                hash_mib: 16,
            },
            evaluator(),
        );
        let limits = Limits {
            nodes: Some(5_000_000),
            ..Limits::exact()
        };
        let result = search.run(&Task::new(board, limits));
        assert_eq!(result.info.lines[0].bound.units(), 64 * DISC);
        assert_eq!(result.info.lines[0].proof, Proof::Exact);
    }
}
