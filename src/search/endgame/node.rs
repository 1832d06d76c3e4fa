//! Nodes of five and more empties: null-window search with ordering and caches.

use super::cache::Bounds;
use super::{Solver, final_count, last_empties};
use crate::board::flip::flip;
use crate::board::mobility::moves;
use crate::board::{Square, squares};

/// No Othello position has more legal moves than this.
pub(super) const MAX_MOVES: usize = 34;
/// Up to here empties are tried without looking at mobility.
const PLAIN_EMPTIES: u32 = 6;
/// From here on the stop flag is read.
const STOP_EMPTIES: u32 = 12;

const CORNERS: u64 = 0x8100_0000_0000_0081;

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

    /// At most four empties, in any order.
    fn tail(&mut self, player: u64, opponent: u64, target: i32) -> i32 {
        let mut list = [0; 4];
        let empties = !(player | opponent);
        for (slot, square) in list.iter_mut().zip(squares(empties)) {
            *slot = square.index() as u8;
        }
        let [a, b, c, d] = list;
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

    /// Five or six empties: tried in order of parity.
    fn plain(&mut self, player: u64, opponent: u64, target: i32) -> i32 {
        self.nodes += 1;
        let slot = self.near.slot(player, opponent);
        if let Some(known) = self.near.probe(player, slot) {
            if known.lower > target {
                return known.lower;
            }
            if known.upper <= target {
                return known.upper;
            }
        }
        let mut best = -1;
        for square in squares(!(player | opponent)) {
            let flips = flip(square.index() as u8, player, opponent);
            if flips == 0 {
                continue;
            }
            let count = 64 - self.count_bound(opponent ^ flips, player ^ flips | square.bit(), 63 - target);
            best = best.max(count);
            if best > target {
                break;
            }
        }
        if best < 0 {
            return self.passed(player, opponent, target);
        }
        self.near.store(player, slot, bounds(best, target));
        best
    }

    /// Seven and more empties: the move that leaves the fewest replies first.
    fn ordered(&mut self, player: u64, opponent: u64, target: i32, empties: u32) -> i32 {
        self.nodes += 1;
        if empties >= STOP_EMPTIES && self.stop.is_requested() {
            self.stopped = true;
            return target;
        }
        // Step 1. What the cache knows.
        let slot = self.far.slot(player, opponent);
        if let Some(known) = self.far.probe(player, slot) {
            if known.lower > target {
                return known.lower;
            }
            if known.upper <= target {
                return known.upper;
            }
        }
        // Step 2. The moves.
        let legal = moves(player, opponent);
        if legal == 0 {
            return self.passed(player, opponent, target);
        }
        let level = empties as usize;
        let mut len = 0;
        for square in squares(legal) {
            let flips = flip(square.index() as u8, player, opponent);
            let child = (opponent ^ flips, player ^ flips | square.bit());
            if child.0 == 0 {
                return 64;
            }
            self.children[level][len] =
                Child { player: child.0, opponent: child.1, rank: rank(child, square) };
            len += 1;
        }
        // Step 3. Search them, best first.
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
        // Step 4. Remember.
        self.far.store(player, slot, bounds(best, target));
        best
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

/// What a search with `target` that came to `count` has proven.
#[inline(always)]
fn bounds(count: i32, target: i32) -> Bounds {
    if count > target { Bounds { lower: count, upper: 64 } } else { Bounds { lower: 0, upper: count } }
}

/// The order of a move: the replies it leaves, corners counted twice.
#[inline(always)]
fn rank(child: (u64, u64), _square: Square) -> i32 {
    let replies = moves(child.0, child.1);
    (replies.count_ones() + (replies & CORNERS).count_ones()) as i32
}
