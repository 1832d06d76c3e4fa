//! The costs of midgame iterations, kept from one search to the next.

use std::time::Duration;

use crate::board::Board;
use crate::search::task::Limits;

/// Searches of positions at most this many plies apart share their costs.
const NEAR_PLIES: u32 = 4;
/// Trees of one depth shrink in the course of a game: this part of a cost is left after a ply.
const FADING: (u32, u32) = (7, 8);

/// The nodes and the time of a search from its start on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub nodes: u64,
    pub time: Duration,
}

impl Cost {
    /// The larger of each figure.
    pub fn max(self, other: Self) -> Self {
        Self {
            nodes: self.nodes.max(other.nodes),
            time: self.time.max(other.time),
        }
    }

    /// `times` as much.
    pub fn times(self, times: f64) -> Self {
        let seconds = self.time.as_secs_f64() * times;
        Self {
            nodes: (self.nodes as f64 * times) as u64,
            time: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
        }
    }
}

/// The costs of the midgame iterations at the last position, or at positions near it.
///
/// A table that knows a position answers its iterations at once, and their cost is not that of a solve. So
/// an iteration counts at least its cost in earlier searches.
#[derive(Debug)]
pub struct Costs {
    occupied: u64,
    /// By depth in plies, for one line: the cost from the start of the search to the end of the iteration.
    by_depth: [Cost; Limits::MAX_DEPTH as usize + 1],
}

impl Costs {
    pub const fn new() -> Self {
        let unknown = Cost {
            nodes: 0,
            time: Duration::ZERO,
        };
        Self {
            occupied: 0,
            by_depth: [unknown; Limits::MAX_DEPTH as usize + 1],
        }
    }

    /// Begins a search of `board`; forgets the costs of a position that is not near.
    pub fn begin(&mut self, board: Board) {
        let occupied = !board.empties();
        let before = std::mem::replace(&mut self.occupied, occupied);
        let common = before & occupied;
        let plies = (before ^ occupied).count_ones();
        if plies > NEAR_PLIES || common != before && common != occupied {
            self.by_depth = Self::new().by_depth;
        } else if common == before {
            let (part, whole) = FADING;
            let left = (f64::from(part) / f64::from(whole)).powi(plies as i32);
            self.by_depth
                .iter_mut()
                .for_each(|cost| *cost = cost.times(left));
        }
    }

    /// Notes the cost of the iterations up to `depth` in a search of this number of lines.
    pub fn note(&mut self, depth: u8, cost: Cost, lines: usize) {
        let known = &mut self.by_depth[usize::from(depth)];
        *known = known.max(cost.times(1.0 / lines as f64));
    }

    /// The least cost of the iterations up to `depth` from an empty table, as far as known.
    pub fn least(&self, depth: u8, lines: usize) -> Cost {
        let known = self.by_depth[..=usize::from(depth)].iter().rev();
        let cost = known.copied().find(|cost| cost.nodes > 0);
        cost.unwrap_or_default().times(lines as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_those_of_the_position_and_of_positions_near_it() {
        let start = Board::START;
        let line: Vec<Board> = std::iter::successors(Some(start), |board| {
            board.play(board.moves().iter().next()?)
        })
        .take(10)
        .collect();
        let cost = Cost {
            nodes: 4096,
            time: Duration::from_millis(64),
        };
        let nodes_at = |board: Board, depth, lines| {
            let mut costs = Costs::new();
            costs.begin(line[4]);
            costs.note(6, cost, 2);
            costs.note(6, Cost::default(), 1);
            costs.begin(board);
            costs.least(depth, lines).nodes
        };
        let same = [5, 6, 7].map(|depth| nodes_at(line[4], depth, 2));
        assert_eq!(same, [0, 4096, 4096]);
        assert_eq!(nodes_at(line[4], 6, 1), 2048);
        // Earlier positions cost at least as much, later ones a little less.
        let near = [0, 2, 4, 5, 6, 8, 9].map(|ply| nodes_at(line[ply], 6, 1));
        assert_eq!(near, [2048, 2048, 2048, 1792, 1568, 1200, 0]);
        let other = start
            .moves()
            .iter()
            .last()
            .and_then(|last| start.play(last));
        let mut costs = Costs::new();
        costs.begin(line[1]);
        costs.note(6, cost, 1);
        costs.begin(other.expect("a legal move"));
        assert_eq!(costs.least(60, 1), Cost::default(), "another line of play");
    }
}
