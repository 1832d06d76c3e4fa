//! Nodes of five and more empties: null-window search with ordering and caches.

use super::cache::{Bounds, Cache, CacheSlot};
use super::last_empties::{self, final_count};
use super::order::{CORNER_NEIGHBORS, Order, in_order, singles};
use super::solver::{Child, Solver};
use crate::board::level::Level;
use crate::board::mobility::corner_weighted;
use crate::board::stability::{stable_border_count, stable_discs_at_end_at};
use crate::board::{Board, SquareSet};
use crate::search::params::{
    END_STABILITY_MARGIN, END_STABILITY_TARGET, FEW_REPLIES, LOOK_EMPTIES, NEAR_EMPTIES,
    PLAIN_ALL_EMPTIES, PLAIN_CUT_EMPTIES, PROBE_EMPTIES, RANK_CORNER_NEIGHBOR, RANK_REPLIES,
    RANK_SINGLE, RANK_STABLE, STABILITY_MARGIN, STABILITY_TARGET,
};

/// The expected result of a null-window node. A wrong guess costs time, never the score.
///
/// Source of the idea: Knuth and Moore, "An analysis of alpha-beta pruning" (1975): the
/// children of a cut node are all nodes, and the other way round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// A cut node: some move exceeds the target, usually the first.
    Cut,
    /// An all node: no move does.
    All,
}

impl Expected {
    /// The expectation for the other side, after a move or a pass.
    #[inline(always)]
    fn other_side(self) -> Self {
        if self == Self::Cut {
            Self::All
        } else {
            Self::Cut
        }
    }
}

impl Solver {
    /// The count of discs for the mover: above `target` a lower bound, else an upper bound.
    pub(super) fn nws<L: Level>(
        &mut self,
        level: L,
        board: Board,
        target: i32,
        expected: Expected,
    ) -> i32 {
        self.nws_knowing(level, board, 0, target, expected)
    }

    /// [`Self::nws`] where the moves may be known already; 0 if they are not.
    fn nws_knowing<L: Level>(
        &mut self,
        level: L,
        board: Board,
        known: u64,
        target: i32,
        expected: Expected,
    ) -> i32 {
        debug_assert!((0..64).contains(&target));
        debug_assert!(known == 0 || known == board.moves_at(level));
        let plain = if expected == Expected::Cut {
            PLAIN_CUT_EMPTIES
        } else {
            PLAIN_ALL_EMPTIES
        };
        match board.empty_count() {
            0..=4 => self.nws_last4(level, board, target),
            5 => self.nws_last5(level, board, target, expected),
            empties if empties <= plain => self.nws_shallow(level, board, known, target, expected),
            _ => self.nws_sorted(level, board, known, target, expected),
        }
    }

    /// At most four empties.
    fn nws_last4<L: Level>(&mut self, level: L, board: Board, target: i32) -> i32 {
        level.run(move || {
            let [a, b, c, d] = in_order(level, board.empties());
            let nodes = &mut self.meter.nodes;
            let more = match board.empty_count() {
                0 => final_count(board) > target,
                1 => last_empties::solve_1(level, board, target, a),
                2 => last_empties::solve_2(level, board, target, [a, b], nodes),
                3 => last_empties::solve_3(level, board, target, [a, b, c], nodes),
                _ => last_empties::solve_4(level, board, target, [a, b, c, d], nodes),
            };
            target + i32::from(more)
        })
    }

    /// Five empties: too quick for a cache.
    fn nws_last5<L: Level>(
        &mut self,
        level: L,
        board: Board,
        target: i32,
        mut expected: Expected,
    ) -> i32 {
        level.run(move || {
            self.meter.nodes += 1;
            if let Some(count) = stability_cut(board, target) {
                return count;
            }
            let legal = board.moves_at(level);
            if legal == 0 {
                return self.passed(level, board, target, expected);
            }
            for square in Order::new(board.empties(), legal) {
                let child = board.after(square, board.flip_at(level, square));
                // At expected cut nodes the stable discs decide for a third of the first moves.
                if expected == Expected::Cut && lost_by_stability(level, child, 63 - target) {
                    return target + 1;
                }
                let list = in_order(level, child.empties());
                if !last_empties::solve_4(level, child, 63 - target, list, &mut self.meter.nodes) {
                    return target + 1;
                }
                expected = Expected::All;
            }
            target
        })
    }

    /// Few empties: tried in a fixed order.
    fn nws_shallow<L: Level>(
        &mut self,
        level: L,
        board: Board,
        known: u64,
        target: i32,
        mut expected: Expected,
    ) -> i32 {
        level.run(move || {
            self.meter.nodes += 1;
            // Step 1. Cache, stability cutoff, pass; the moves.
            let (slot, legal) = match self.begin(level, board, known, target, expected) {
                Ok(begun) => begun,
                Err(count) => return count,
            };
            // Step 2. Search them.
            let mut best = -1;
            for square in Order::new(board.empties(), legal) {
                let child = board.after(square, board.flip_at(level, square));
                best = best.max(64 - self.nws(level, child, 63 - target, expected.other_side()));
                if best > target {
                    break;
                }
                expected = Expected::All;
            }
            // Step 3. Store.
            self.cache_mut(board.empty_count())
                .store(slot, Bounds::proven(best, target));
            best
        })
    }

    /// More empties: the move that leaves the fewest replies first.
    fn nws_sorted<L: Level>(
        &mut self,
        level: L,
        board: Board,
        known: u64,
        target: i32,
        mut expected: Expected,
    ) -> i32 {
        level.run(move || {
            self.meter.nodes += 1;
            let empties = board.empty_count();
            if empties >= LOOK_EMPTIES && self.meter.is_due() && self.look() {
                return target;
            }
            // Step 1. Cache, stability cutoff, pass; the moves.
            let (slot, legal) = match self.begin(level, board, known, target, expected) {
                Ok(begun) => begun,
                Err(count) => return count,
            };
            // Step 2. A move that leaves hardly a reply is searched at once.
            let singles = singles(board.empties());
            let row = empties as usize;
            let mut best = -1;
            let mut len = 0;
            for square in SquareSet(legal) {
                let after = board.after(square, board.flip_at(level, square));
                if after.player == 0 {
                    return 64;
                }
                let cache = self.cache(empties - 1);
                cache.prefetch(cache.slot(after));
                let known = after.moves_at(level);
                let replies = corner_weighted(known);
                let mut child = Child {
                    board: after,
                    known,
                    rank: 0,
                };
                if replies < FEW_REPLIES {
                    let count = 64 - self.nws_child(level, child, target, expected);
                    if self.stopped {
                        return target;
                    }
                    if count > target {
                        self.cache_mut(empties)
                            .store(slot, Bounds::proven(count, target));
                        return count;
                    }
                    best = best.max(count);
                    expected = Expected::All;
                    continue;
                }
                child.rank = rank(after, replies, square.bit(), singles);
                self.children[row][len] = child;
                len += 1;
            }
            // Step 3. A child that the cache refutes decides.
            if empties >= PROBE_EMPTIES
                && expected == Expected::Cut
                && let Some(count) = self.refuted_child(&self.children[row][..len], target, empties)
            {
                self.cache_mut(empties)
                    .store(slot, Bounds::proven(count, target));
                return count;
            }
            // Step 4. Search them, best first.
            for next in 0..len {
                let child = first_of(&mut self.children[row][next..len]);
                let count = 64 - self.nws_child(level, child, target, expected);
                if self.stopped {
                    return target;
                }
                best = best.max(count);
                if best > target {
                    break;
                }
                expected = Expected::All;
            }
            // Step 5. Store.
            self.cache_mut(empties)
                .store(slot, Bounds::proven(best, target));
            best
        })
    }

    /// [`Self::nws`] of a child; `target` is that of its parent.
    #[inline(always)]
    fn nws_child<L: Level>(
        &mut self,
        level: L,
        child: Child,
        target: i32,
        expected: Expected,
    ) -> i32 {
        self.nws_knowing(
            level,
            child.board,
            child.known,
            63 - target,
            expected.other_side(),
        )
    }

    /// A count above `target` by the cached bounds of a child.
    #[inline(always)]
    fn refuted_child(&self, children: &[Child], target: i32, empties: u32) -> Option<i32> {
        let cache = self.cache(empties - 1);
        let known = |child: &Child| cache.probe(cache.slot(child.board));
        children
            .iter()
            .filter_map(known)
            .map(|known| 64 - known.upper)
            .find(|&count| count > target)
    }

    /// A node's slot in the cache and its moves; or its count, if cache, stable discs or a pass decide.
    #[inline(always)]
    fn begin<L: Level>(
        &mut self,
        level: L,
        board: Board,
        known: u64,
        target: i32,
        expected: Expected,
    ) -> Result<(CacheSlot, u64), i32> {
        let cache = self.cache(board.empty_count());
        let slot = cache.slot(board);
        let bound = cache.probe(slot).and_then(|bounds| bounds.decides(target));
        if let Some(count) = bound.or_else(|| stability_cut(board, target)) {
            return Err(count);
        }
        let legal = if known != 0 {
            known
        } else {
            board.moves_at(level)
        };
        if legal == 0 {
            Err(self.passed(level, board, target, expected))
        } else {
            Ok((slot, legal))
        }
    }

    /// The cache for positions with this number of empties.
    #[inline(always)]
    fn cache(&self, empties: u32) -> &Cache {
        if empties <= NEAR_EMPTIES {
            &self.near
        } else {
            &self.far
        }
    }

    /// As [`Self::cache`], to store.
    #[inline(always)]
    fn cache_mut(&mut self, empties: u32) -> &mut Cache {
        if empties <= NEAR_EMPTIES {
            &mut self.near
        } else {
            &mut self.far
        }
    }

    /// The mover has no move.
    #[cold]
    fn passed<L: Level>(&mut self, level: L, board: Board, target: i32, expected: Expected) -> i32 {
        level.run(move || {
            if board.pass().moves_at(level) == 0 {
                return final_count(board);
            }
            64 - self.nws(level, board.pass(), 63 - target, expected.other_side())
        })
    }
}

impl Bounds {
    /// The bounds that a search with `target` and the result `count` proves.
    #[inline(always)]
    fn proven(count: i32, target: i32) -> Self {
        if count > target {
            Self {
                lower: count,
                upper: 64,
            }
        } else {
            Self {
                lower: 0,
                upper: count,
            }
        }
    }

    /// The bound that decides whether the count exceeds `target`, if one does.
    #[inline(always)]
    fn decides(self, target: i32) -> Option<i32> {
        if self.lower > target {
            Some(self.lower)
        } else if self.upper <= target {
            Some(self.upper)
        } else {
            None
        }
    }
}

/// Brings the child of the lowest rank, the first of equals, to the front.
#[inline(always)]
fn first_of(children: &mut [Child]) -> Child {
    let first = (0..children.len())
        .min_by_key(|&at| children[at].rank)
        .expect("the list is not empty");
    children.swap(0, first);
    children[0]
}

/// The order of the move that put a disc on `bit` and led to `board`; smaller is better.
///
/// Mostly the `replies` it leaves, corners counted twice. The weights were fitted to the nodes that each
/// move cost in 28,000 captured nodes of 7 to 12 empties; eleven more terms cost more time than they saved.
#[inline(always)]
fn rank(board: Board, replies: u32, bit: u64, singles: u64) -> i32 {
    let stable = stable_border_count(board.opponent, board.player) as i32;
    let mut rank = RANK_REPLIES * replies as i32 - RANK_STABLE * stable;
    if bit & singles != 0 {
        rank -= RANK_SINGLE;
    }
    if bit & CORNER_NEIGHBORS != 0 {
        rank += RANK_CORNER_NEIGHBOR;
    }
    rank
}

/// An upper bound from the opponent's stable discs, if it decides.
#[inline(always)]
fn stability_cut(board: Board, target: i32) -> Option<i32> {
    // Too few discs of the opponent: they are not all stable.
    let discs = board.opponent.count_ones() as i32;
    if (target < STABILITY_TARGET) | (discs < 64 - target + STABILITY_MARGIN) {
        return None;
    }
    let most = 64 - board.pass().stable_discs().count_ones() as i32;
    (most <= target).then_some(most)
}

/// Whether the opponent's stable discs keep the mover at `target` or below.
#[inline(always)]
fn lost_by_stability<L: Level>(level: L, board: Board, target: i32) -> bool {
    let discs = board.opponent.count_ones() as i32;
    (target >= END_STABILITY_TARGET) & (discs >= 64 - target + END_STABILITY_MARGIN)
        && stable_discs_at_end_at(level, board.opponent, board.player).count_ones() as i32
            >= 64 - target
}
