//! Split points in the tree: the work of owners and helpers.

use std::sync::{Arc, PoisonError};

use super::node::{Node, NodeType, NonPv, Pv, Window};
use super::ordering::Moves;
use super::phase::{Midgame, Phase, Solving};
use super::worker::{Best, Frame, SearchState, SplitPoint, ThreadMemory, Worker};
use crate::search::params::CALL_NODES;
use crate::search::threads::{JOIN_COST, OPEN_COST, Split};

impl Worker<'_> {
    /// Whether other threads may take the remaining moves of a node. Two threads gain 49 [+11, +87] Elo at 100 ms a move.
    #[inline(always)]
    pub fn should_split<P: Phase>(&self, depth: i32, moves_left: usize) -> bool {
        depth >= P::SPLIT_DEPTH && moves_left > 1 && self.grace == 0 && self.shared.pool.is_shared()
    }

    /// Searches the remaining moves of a node, of which idle threads may take some.
    ///
    /// `depth` is the children's, `move_nodes` the mean cost of the moves so far. Out of line: a split point is large and rare.
    #[cold]
    #[inline(never)]
    pub fn split<N: NodeType, P: Phase>(
        &mut self,
        node: &Node,
        depth: i32,
        window: Window,
        best: Best,
        moves: &Moves,
        move_nodes: u64,
    ) -> Best {
        let shared = self.shared;
        let frame = Frame {
            node: *node,
            pv: N::PV,
            solving: P::SOLVING,
            depth,
            window,
            selectivity: self.selectivity,
            probcut_level: self.probcut_level,
            moves_before: self.killers.moves_before(node.ply),
        };
        let above = self.split.take();
        let mut split = self
            .spare
            .pop()
            .unwrap_or_else(|| Arc::new(Split::new(SplitPoint::new(frame))));
        let unused = Arc::get_mut(&mut split).expect("no thread uses a spare split point");
        unused.point.begin(frame, moves, best);
        let rest = moves.taken()..moves.len();
        unused.begin(self.id, above.clone(), rest, move_nodes.max(1));
        self.advance(OPEN_COST);
        shared.pool.open(self.id, &split);
        self.wake();
        if move_nodes * moves.left() as u64 >= CALL_NODES && shared.crew.is_wanted() {
            shared.crew.call();
        }
        self.split = Some(Arc::clone(&split));
        self.work(&split);
        self.finish(&split);
        shared.pool.close(self.id);
        self.split = above;
        self.refresh();

        let mut found = split.point.best.get();
        if N::PV {
            // A helper that has not left yet changes both only together.
            let path = split.point.path.lock();
            let path = path.unwrap_or_else(PoisonError::into_inner);
            found = split.point.best.get();
            if !path.codes().is_empty() {
                self.paths[node.ply] = *path;
            }
        }
        if let Some(unused) = Arc::get_mut(&mut split) {
            unused.end();
            self.spare.push(split);
        }
        if N::ROOT && found.value > window.alpha {
            self.set_root_best(found.value, window.beta);
        } else if N::ROOT && found.square != best.square {
            self.name_least_loss(found.square);
        }
        found
    }

    /// Helps below `split` until all its moves have results; a helper that takes long gets no more time than the move.
    ///
    /// The owner joins only later plies than that of `split`, so its stack holds each ply once. A ply takes 6.8 KiB in a
    /// release build for x86-64, and 128 plies take 0.9 MiB: the usual 2 MiB of a library's caller suffice.
    fn finish(&mut self, split: &Split<SplitPoint>) {
        let mut spins = 0;
        loop {
            self.refresh();
            let window = split.point.window();
            if self.stopped || split.is_done() || window.alpha >= window.beta {
                return;
            }
            if self.join(Some(split)) {
                spins = 0;
            } else if !self.shared.pool.pause(self.id, &mut spins)
                && let Some(index) = split.retake()
            {
                spins = 0;
                self.refresh();
                self.work_on(split, index);
            }
        }
    }

    /// Runs a helper thread in one search: joins open split points until it finds none.
    pub fn help(shared: &SearchState, id: usize, memory: &mut ThreadMemory) {
        let mut worker = Worker::new(id, shared, memory);
        let mut spins = 0;
        while !shared.pool.is_done() {
            if worker.join(None) {
                spins = 0;
            } else if !shared.pool.pause(id, &mut spins) {
                break;
            }
        }
        worker.report();
        *shared.helped.lock().unwrap_or_else(PoisonError::into_inner) += worker.counters();
    }

    /// Joins an open split point below `above` (or any) and works there; whether there was one.
    fn join(&mut self, above: Option<&Split<SplitPoint>>) -> bool {
        let shared = self.shared;
        let Some((split, index)) = shared.pool.join(self.id, above) else {
            return false;
        };
        let frame = &split.point.frame;
        let is_later = |above: &Split<SplitPoint>| frame.node.ply > above.point.frame.node.ply;
        debug_assert!(above.is_none_or(is_later), "the stack holds no ply twice");
        let _found = above.is_none().then(|| shared.crew.found());
        self.advance(JOIN_COST);
        let before = (self.split.take(), self.selectivity, self.probcut_level);
        self.selectivity = frame.selectivity;
        self.probcut_level = frame.probcut_level;
        self.killers.enter(frame.node.ply, frame.moves_before);
        self.split = Some(Arc::clone(&split));
        self.refresh();
        if !self.stopped {
            self.work_on(&split, index);
            self.work(&split);
        }
        (self.split, self.selectivity, self.probcut_level) = before;
        shared.pool.leave(&split);
        self.wake();
        true
    }

    /// Searches moves of `split` until all are taken or it is cut.
    fn work(&mut self, split: &Split<SplitPoint>) {
        while !self.stopped
            && let Some(index) = split.take()
        {
            self.work_on(split, index);
        }
    }

    /// Searches the move of `split` with this index.
    fn work_on(&mut self, split: &Split<SplitPoint>, index: usize) {
        match (split.point.frame.pv, split.point.frame.solving) {
            (true, true) => self.work_as::<Pv, Solving>(split, index),
            (true, false) => self.work_as::<Pv, Midgame>(split, index),
            (false, true) => self.work_as::<NonPv, Solving>(split, index),
            (false, false) => self.work_as::<NonPv, Midgame>(split, index),
        }
    }

    /// As [`Self::work_on`].
    fn work_as<N: NodeType, P: Phase>(&mut self, split: &Split<SplitPoint>, index: usize) {
        let pool = &self.shared.pool;
        let point = &split.point;
        let frame = &point.frame;
        let window = point.window();
        // The thread that found a cutoff may not have marked it yet.
        if window.alpha >= window.beta {
            return;
        }
        let candidate = point.moves.get(index);
        let value = self.try_move::<N, P>(&frame.node, candidate, index, frame.depth, window);
        self.advance(0);
        if self.stopped {
            return;
        }
        let best = Best {
            value,
            square: Some(candidate.square),
        };
        if N::PV && value > window.alpha {
            self.set_path(frame.node.ply, best.square);
            let mut path = point.path.lock().unwrap_or_else(PoisonError::into_inner);
            if value > point.best.get().value {
                *path = self.paths[frame.node.ply];
                point.best.raise(best);
            }
        } else {
            point.best.raise(best);
        }
        if value >= window.beta {
            self.killers.cut(frame.node.ply, candidate.square);
            pool.cut(split);
        } else {
            pool.resolve(split, index);
        }
        self.wake();
    }

    /// Sets the thread's simulated clock, after something that took the time `cost`.
    fn advance(&self, cost: u64) {
        if let Some(simulation) = self.shared.pool.simulation() {
            simulation.advance(self.id, self.meter.nodes, cost);
        }
    }

    /// Wakes those who wait in simulated time.
    fn wake(&self) {
        if let Some(simulation) = self.shared.pool.simulation() {
            simulation.wake(self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::board::testing::random_positions;
    use crate::search::task::Budget;
    use crate::search::tree::node::DISC;
    use crate::search::{Options, Search, Stop, threads::Pool};

    /// Runs `check` with the first of this number of workers, whose others never help.
    fn with_worker<T>(threads: usize, check: impl FnOnce(&mut Worker) -> T) -> T {
        let search = Search::new(
            &Options {
                threads: 1,
                hash_mib: 1,
            },
            crate::eval::testing::evaluator(),
        );
        let shared = search.state(Budget::unlimited(&Stop::new()), Pool::new(threads, None));
        check(&mut Worker::new(0, &shared, &mut ThreadMemory::default()))
    }

    /// A thread may take a move between a cutoff and its mark: it must not search the empty window.
    #[test]
    fn no_move_is_searched_once_the_window_is_empty() {
        let nodes = |value| {
            with_worker(2, |worker| {
                let node = Node::root(worker.evaluator, Board::START);
                let moves = Moves::new(Board::START, Board::START.moves().0);
                let frame = Frame {
                    moves_before: worker.killers.moves_before(0),
                    ..Frame::null_window(node)
                };
                let best = Best {
                    value,
                    square: None,
                };
                let mut split = Split::new(SplitPoint::new(frame));
                split.point.begin(frame, &moves, best);
                split.begin(0, None, 1..moves.len(), 1);
                worker.work(&split);
                worker.meter.nodes
            })
        };
        assert_eq!((nodes(0), nodes(-1) > 0), (0, true));
    }

    #[test]
    fn a_shared_root_that_fails_low_names_the_move_that_lost_least() {
        let high = Window {
            alpha: 60 * DISC,
            beta: 61 * DISC,
        };
        let mut others = 0;
        for board in random_positions(9, 200)
            .into_iter()
            .filter(|b| b.moves().len() > 2)
            .step_by(20)
        {
            let named = |threads| {
                with_worker(threads, |worker| {
                    let root = Node::root(worker.evaluator, board);
                    let value = worker.search_root(&root, false, 6, high);
                    let first = worker.root.first.map(|first| first.index() as u8);
                    (value, worker.paths[0].codes().to_vec(), first)
                })
            };
            let (value, path, first) = named(2);
            assert_eq!((value, path.clone(), first), named(1), "{board}");
            assert!(
                value <= high.alpha && board.moves().0 >> path[0] & 1 == 1,
                "{board}"
            );
            others += usize::from(Some(path[0]) != first);
        }
        assert!(others > 0, "the first move never lost least");
    }
}
