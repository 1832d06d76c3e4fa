//! Split points in the tree: the work of owners and helpers.

use super::node::{Node, NodeType, NonPv, Path, Pv, Window};
use super::ordering::Moves;
use super::phase::{Midgame, Phase, Solving};
use super::worker::{Best, SplitPoint, Worker};

impl Worker<'_> {
    /// Whether to open a split point: the node is large enough and a thread is idle. Two threads gain 49 [+11, +87] Elo
    /// at 100 ms a move.
    #[inline(always)]
    pub fn should_split<P: Phase>(&self, depth: i32, moves_left: usize) -> bool {
        depth >= P::SPLIT_DEPTH && moves_left > 1 && self.grace == 0 && self.shared.pool.has_idle()
    }

    /// Searches the remaining moves of a node together with idle threads; `None` without a free slot.
    ///
    /// `depth` is the children's. Out of line: a split point is large and rare.
    #[cold]
    #[inline(never)]
    pub fn split<N: NodeType, P: Phase>(
        &mut self,
        node: &Node,
        depth: i32,
        window: Window,
        best: Best,
        moves: &Moves,
    ) -> Option<Best> {
        let point = SplitPoint {
            node: *node,
            pv: N::PV,
            solving: P::SOLVING,
            depth,
            window,
            best,
            moves: moves.clone(),
            path: Path::EMPTY,
            selectivity: self.selectivity,
            probcut_level: self.probcut_level,
        };
        let above = self.split_point;
        let slot = self.shared.pool.open(self.id, above, point)?;
        self.split_point = Some(slot);
        self.work(slot, (N::PV, P::SOLVING));
        let SplitPoint { best: found, path, .. } = self.close(slot);
        self.split_point = above;
        self.refresh();
        if N::PV && !path.codes().is_empty() {
            self.paths[node.ply] = path;
        }
        if N::ROOT && found.value > window.alpha {
            self.set_root_best(found.value, window.beta);
        } else if N::ROOT && found.square != best.square {
            self.name_least_loss(found.square);
        }
        Some(found)
    }

    /// Closes `slot`, helps below it until its helpers have left, and takes the split point out.
    fn close(&mut self, slot: usize) -> SplitPoint {
        let pool = self.shared.pool;
        pool.close(slot);
        if self.stopped && !pool.is_cut(slot) {
            pool.cut(slot);
        }
        // Others may split their nodes for the owner, too.
        let _idle = pool.idle();
        let mut spins = 0;
        loop {
            if let Some(point) = pool.take(slot) {
                return point;
            }
            if self.join(Some(slot)) {
                spins = 0;
            } else {
                spins += 1;
                pool.pause(spins);
            }
        }
    }

    /// Runs a helper thread: joins open split points until the search ends.
    pub fn help(&mut self) {
        let pool = self.shared.pool;
        let _idle = pool.idle();
        let mut spins = 0;
        while !pool.is_done() {
            spins = if self.join(None) { 0 } else { spins + 1 };
            if spins > 0 {
                pool.wait(spins);
            }
        }
        self.report();
    }

    /// Joins an open split point below `above` (or any) and works there; whether there was one.
    fn join(&mut self, above: Option<usize>) -> bool {
        let pool = self.shared.pool;
        let state = |point: &SplitPoint| (point.selectivity, point.probcut_level, (point.pv, point.solving));
        let Some((slot, (selectivity, probcut_level, kind))) = pool.join(above, state) else { return false };
        let before = (self.split_point, self.selectivity, self.probcut_level);
        (self.split_point, self.selectivity, self.probcut_level) = (Some(slot), selectivity, probcut_level);
        self.stopped = false;
        self.work(slot, kind);
        (self.split_point, self.selectivity, self.probcut_level) = before;
        pool.leave(slot);
        true
    }

    /// Searches moves of the split point at `slot`, which is of this kind, until all are taken or it is cut.
    fn work(&mut self, slot: usize, (pv, solving): (bool, bool)) {
        match (pv, solving) {
            (true, true) => self.work_at::<Pv, Solving>(slot),
            (true, false) => self.work_at::<Pv, Midgame>(slot),
            (false, true) => self.work_at::<NonPv, Solving>(slot),
            (false, false) => self.work_at::<NonPv, Midgame>(slot),
        }
    }

    /// As [`Self::work`].
    fn work_at<N: NodeType, P: Phase>(&mut self, slot: usize) {
        let pool = self.shared.pool;
        loop {
            let mut guard = pool.lock(slot);
            let Some(point) = guard.as_mut() else { return };
            // The thread that found the cut may not have marked it yet.
            if pool.is_cut(slot) || point.window.alpha >= point.window.beta {
                return;
            }
            let Some(candidate) = point.moves.next() else {
                pool.close(slot);
                return;
            };
            let index = point.moves.taken() - 1;
            let (node, depth, window) = (point.node, point.depth, point.window);
            drop(guard);

            let value = self.try_move::<N, P>(&node, &candidate, index, depth, window);
            if self.stopped {
                return;
            }

            let mut guard = pool.lock(slot);
            let Some(point) = guard.as_mut() else { return };
            if value > point.best.value {
                point.best = Best { value, square: Some(candidate.square) };
                if value > point.window.alpha {
                    point.window.alpha = value;
                    if N::PV {
                        self.set_path(node.ply, point.best.square);
                        point.path = self.paths[node.ply];
                    }
                    if value >= point.window.beta {
                        drop(guard);
                        pool.cut(slot);
                        return;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::Board;
    use crate::board::testing::random_positions;
    use crate::eval::Evaluator;
    use crate::search::memory::TranspositionTable;
    use crate::search::task::{Budget, Selectivity, Stop};
    use crate::search::threads::Pool;
    use crate::search::tree::node::DISC;
    use crate::search::tree::worker::{SearchState, ThreadMemory};

    /// Runs `check` with the first of two workers, whose other one never helps, and with their pool.
    fn with_worker<T>(check: impl FnOnce(&mut Worker, &Pool<SplitPoint>) -> T) -> T {
        let (evaluator, table, pool) = (Evaluator::Classic, TranspositionTable::new(1), Pool::new(2));
        let budget = Arc::new(Budget::unlimited(&Stop::new()));
        let shared = SearchState { evaluator: &evaluator, table: &table, budget, pool: &pool };
        check(&mut Worker::new(0, &shared, &mut ThreadMemory::new()), &pool)
    }

    /// A thread may join between a cutoff and its mark: it must not search the empty window.
    #[test]
    fn no_move_is_taken_once_the_window_is_empty() {
        let taken = with_worker(|worker, pool| {
            let point = SplitPoint {
                node: Node::root(worker.evaluator, Board::START),
                pv: false,
                solving: false,
                depth: 5,
                window: Window { alpha: 1, beta: 1 },
                best: Best { value: 0, square: None },
                moves: Moves::new(Board::START, Board::START.moves().0),
                path: Path::EMPTY,
                selectivity: Selectivity::Full,
                probcut_level: 0,
            };
            let slot = pool.open(0, None, point).unwrap();
            worker.work(slot, (false, false));
            pool.take(slot).map(|point| point.moves.taken())
        });
        assert_eq!(taken, Some(0));
    }

    #[test]
    fn a_shared_root_that_fails_low_names_the_move_that_lost_least() {
        let high = Window { alpha: 60 * DISC, beta: 61 * DISC };
        let mut others = 0;
        for board in random_positions(9, 200).into_iter().filter(|b| b.moves().len() > 2).step_by(20) {
            let named = |is_shared: bool| {
                with_worker(|worker, pool| {
                    let _idle = is_shared.then(|| pool.idle());
                    let root = Node::root(worker.evaluator, board);
                    let value = worker.search_root(&root, false, 6, high);
                    let first = worker.root.first.map(|first| first.index() as u8);
                    (value, worker.paths[0].codes().to_vec(), first)
                })
            };
            let (value, path, first) = named(true);
            assert_eq!((value, path.clone(), first), named(false), "{board}");
            assert!(value <= high.alpha && board.moves().0 >> path[0] & 1 == 1, "{board}");
            others += usize::from(Some(path[0]) != first);
        }
        assert!(others > 0, "the first move never lost least");
    }
}
