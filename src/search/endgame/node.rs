//! Nodes of five and more empties: null-window search with ordering and caches.

use super::cache::{Bounds, Cache};
use super::{Solver, final_count, last_empties, parity};
use crate::board::flip::flip;
use crate::board::mobility::moves;
use crate::board::squares;
use crate::board::stability::{stable_border, stable_discs};

/// Room for the legal moves of any board: drawn ones can have more than the 33 or so of real games.
pub(super) const MAX_MOVES: usize = 64;
/// Up to here moves are tried in a fixed order; from here on sorting them pays.
const PLAIN_EMPTIES: u32 = 7;
/// From here on the stop flag is read.
const STOP_EMPTIES: u32 = 12;
/// Below this target too many discs would have to be stable for a cut.
const STABILITY_TARGET: i32 = 33;

/// Discs of the opponent that are expected not to be stable in any case.
const STABILITY_MARGIN: i32 = 8;

const CORNERS: u64 = 0x8100_0000_0000_0081;
/// The squares next to corners, which tend to give them away.
const CORNER_NEIGHBOURS: u64 = 0x42C3_0000_0000_C342;

/// A move of a node, with the position it leads to.
#[derive(Clone, Copy, Default)]
pub(super) struct Child {
    player: u64,
    opponent: u64,
    /// Smaller is tried earlier.
    rank: i32,
}

impl Solver {
    /// The count of discs for the mover: above `target` a lower bound, else an upper bound.
    pub(super) fn count_bound(&mut self, player: u64, opponent: u64, target: i32) -> i32 {
        debug_assert!((0..64).contains(&target));
        match (!(player | opponent)).count_ones() {
            0..=4 => self.tail(player, opponent, target),
            5..=PLAIN_EMPTIES => self.plain(player, opponent, target),
            empties => self.ordered(player, opponent, target, empties),
        }
    }

    /// At most four empties.
    fn tail(&mut self, player: u64, opponent: u64, target: i32) -> i32 {
        let empties = !(player | opponent);
        let [a, b, c, d] = in_order(empties);
        let nodes = &mut self.nodes;
        let more = match empties.count_ones() {
            0 => final_count(player, opponent) > target,
            1 => last_empties::solve_1(player, opponent, target, a),
            2 => last_empties::solve_2(player, opponent, target, [a, b], nodes),
            3 => last_empties::solve_3(player, opponent, target, [a, b, c], nodes),
            _ => last_empties::solve_4(player, opponent, target, [a, b, c, d], nodes),
        };
        target + i32::from(more)
    }

    /// Few empties: tried in a fixed order.
    fn plain(&mut self, player: u64, opponent: u64, target: i32) -> i32 {
        self.nodes += 1;
        // Step 1. What the cache knows.
        let last = (player | opponent).count_ones() == 59;
        let slot = self.near.slot(player, opponent);
        if !last && let Some(count) = self.near.probe(player, slot).and_then(|known| known.decides(target)) {
            return count;
        }
        // Step 2. Discs that cannot be turned.
        if let Some(count) = stability_cut(player, opponent, target) {
            return count;
        }
        // Step 3. The moves.
        let empties = !(player | opponent);
        let legal = moves(player, opponent);
        if legal == 0 {
            return self.passed(player, opponent, target);
        }
        let mut order = Order::new(empties, legal);
        let mut best = -1;
        while let Some(bit) = order.next() {
            let flips = flip(bit.trailing_zeros() as u8, player, opponent);
            let (next_player, next_opponent) = (opponent ^ flips, player ^ flips | bit);
            let count = if last {
                let list = in_order(empties ^ bit);
                let more =
                    last_empties::solve_4(next_player, next_opponent, 63 - target, list, &mut self.nodes);
                target + i32::from(!more)
            } else {
                64 - self.plain(next_player, next_opponent, 63 - target)
            };
            best = best.max(count);
            if best > target {
                break;
            }
        }
        // Step 4. Remember.
        if !last {
            self.near.store(player, slot, Bounds::proven(best, target));
        }
        best
    }

    /// More empties: the move that leaves the fewest replies first.
    fn ordered(&mut self, player: u64, opponent: u64, target: i32, empties: u32) -> i32 {
        self.nodes += 1;
        if empties >= STOP_EMPTIES && self.stop.is_requested() {
            self.stopped = true;
            return target;
        }
        // Step 1. What the cache knows.
        let slot = self.far.slot(player, opponent);
        if let Some(count) = self.far.probe(player, slot).and_then(|known| known.decides(target)) {
            return count;
        }
        // Step 2. Discs that cannot be turned.
        if let Some(count) = stability_cut(player, opponent, target) {
            return count;
        }
        // Step 3. The moves; a child that the cache refutes decides.
        let legal = moves(player, opponent);
        if legal == 0 {
            return self.passed(player, opponent, target);
        }
        let singles = parity::singles(!(player | opponent));
        let level = empties as usize;
        let mut len = 0;
        for square in squares(legal) {
            let flips = flip(square.index() as u8, player, opponent);
            let bit = square.bit();
            let (next_player, next_opponent) = (opponent ^ flips, player ^ flips | bit);
            if next_player == 0 {
                return 64;
            }
            let child_slot = self.cache(empties - 1).slot(next_player, next_opponent);
            self.cache(empties - 1).prefetch(child_slot);
            let rank = rank(next_player, next_opponent, bit, singles);
            self.children[level][len] = Child { player: next_player, opponent: next_opponent, rank };
            len += 1;
        }
        for child in &self.children[level][..len] {
            let cache = self.cache(empties - 1);
            let known = cache.probe(child.player, cache.slot(child.player, child.opponent));
            if let Some(count) = known.map(|known| 64 - known.upper).filter(|&count| count > target) {
                self.far.store(player, slot, Bounds::proven(count, target));
                return count;
            }
        }
        // Step 4. Search them, best first.
        let mut best = -1;
        for next in 0..len {
            let list = &mut self.children[level][next..len];
            let first = (0..list.len()).min_by_key(|&at| list[at].rank).expect("the list is not empty");
            list.swap(0, first);
            let child = list[0];
            let count = 64 - self.count_bound(child.player, child.opponent, 63 - target);
            if self.stopped {
                return target;
            }
            best = best.max(count);
            if best > target {
                break;
            }
        }
        // Step 5. Remember.
        self.far.store(player, slot, Bounds::proven(best, target));
        best
    }

    /// The cache for positions of so many empties.
    #[inline(always)]
    fn cache(&self, empties: u32) -> &Cache {
        if empties <= PLAIN_EMPTIES { &self.near } else { &self.far }
    }

    /// The mover has no move.
    #[cold]
    fn passed(&mut self, player: u64, opponent: u64, target: i32) -> i32 {
        if moves(opponent, player) == 0 {
            return final_count(player, opponent);
        }
        64 - self.count_bound(opponent, player, 63 - target)
    }
}

impl Bounds {
    /// What a search with `target` that came to `count` has proven.
    #[inline(always)]
    fn proven(count: i32, target: i32) -> Self {
        if count > target { Self { lower: count, upper: 64 } } else { Self { lower: 0, upper: count } }
    }

    /// The bound that answers whether the count exceeds `target`, if one does.
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

/// The order of the move that put a disc on `bit` and left `player` to move; smaller is better.
///
/// Mostly the replies it leaves, corners counted twice. The other terms together saved 13 % of the
/// nodes of captured positions of 13 empties.
#[inline(always)]
fn rank(player: u64, opponent: u64, bit: u64, singles: u64) -> i32 {
    let replies = moves(player, opponent);
    let mut rank = 16 * (replies.count_ones() + (replies & CORNERS).count_ones()) as i32;
    rank -= 3 * stable_border(opponent, player).count_ones() as i32;
    if bit & singles != 0 {
        rank -= 8;
    }
    if bit & CORNER_NEIGHBOURS != 0 {
        rank += 4;
    }
    rank
}

/// Walks through empties: the isolated ones, then those away from corners, then the rest.
struct Order {
    singles: u64,
    safe: u64,
    left: u64,
}

impl Order {
    #[inline(always)]
    fn new(empties: u64, among: u64) -> Self {
        Self { singles: parity::singles(empties) & among, safe: among & !CORNER_NEIGHBOURS, left: among }
    }

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.left == 0 {
            return None;
        }
        let others = if self.safe != 0 { self.safe } else { self.left };
        let from = if self.singles != 0 { self.singles } else { others };
        let bit = from & from.wrapping_neg();
        self.singles &= !bit;
        self.safe &= !bit;
        self.left &= !bit;
        Some(bit)
    }
}

/// Up to four empties in the order of trial.
#[inline(always)]
fn in_order(empties: u64) -> [u8; 4] {
    let mut order = Order::new(empties, empties);
    std::array::from_fn(|_| order.next().map_or(0, |bit| bit.trailing_zeros() as u8))
}

/// A bound from discs of the opponent that can never be turned, if it answers for `target`.
#[inline(always)]
fn stability_cut(player: u64, opponent: u64, target: i32) -> Option<i32> {
    // So few of the opponent's discs are not all stable.
    if target < STABILITY_TARGET || (opponent.count_ones() as i32) < 64 - target + STABILITY_MARGIN {
        return None;
    }
    let most = 64 - stable_discs(opponent, player).count_ones() as i32;
    (most <= target).then_some(most)
}
