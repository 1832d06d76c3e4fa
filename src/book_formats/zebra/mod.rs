//! Zebra's books: `.bin`.
//!
//! ```text
//! 2718 i16 · 2818 i16 · nodes i32 · nodes × (hash 2 × i32 · score for Black, for White i16 · deviation i16
//! · its score i16 · flags u16)
//! ```
//!
//! There are no boards: play from the start finds the positions, so memory holds the nodes, 21 bytes each. A deviation is
//! the best move out of the book, 10 · row + column on the image of the hash. Scores are Black's.

mod hash;
mod node;

#[cfg(test)]
pub mod testing;

use std::collections::VecDeque;

use super::record::{Fault, Item, Items, after};
use super::source::Source;
use crate::board::{Board, Color, SquareSet};
use crate::book::BookError;
use hash::{Hash, hash};
use node::Node;

/// Bytes of the header, and of a node.
const HEADER: usize = 8;
const NODE: usize = 18;

pub fn items(source: &mut Source) -> Items<'static> {
    let mut walk = Walk::default();
    let mut count = 0;
    let error = walk.read(source, &mut count).err();
    let miscounted = Fault::count(4, count, walk.hashes.len() as u64);
    walk.begin();
    let items = std::iter::from_fn(move || walk.next()).flatten();
    Box::new(
        miscounted
            .into_iter()
            .chain(items)
            .map(Ok)
            .chain(error.map(Err)),
    )
}

/// The offset of a node in the file, in bytes.
pub fn place(node: usize) -> u64 {
    (HEADER + NODE * node) as u64
}

struct Reached {
    node: usize,
    board: Board,
    mover: Color,
    hash: Hash,
}

/// Visits the book ply by ply: each node once, for any flags and scores.
#[derive(Default)]
struct Walk {
    hashes: Vec<(i32, i32)>,
    nodes: Vec<Node>,
    /// Nodes by their hash.
    order: Vec<u32>,
    is_reached: Vec<bool>,
    frontier: VecDeque<Reached>,
    /// The next node to check after the walk.
    left: usize,
}

impl Walk {
    /// Reads the nodes up to an error, and their number in the header.
    fn read(&mut self, source: &mut Source, count: &mut i64) -> Result<(), BookError> {
        source.seek(4)?;
        *count = i32::from_le_bytes(source.need()?).into();
        while let Some(bytes) = source.array::<NODE>()? {
            let (longs, shorts) = bytes.split_at(8);
            let long = |at: usize| i32::from_le_bytes(longs.as_chunks::<4>().0[at]);
            let short = |at: usize| i16::from_le_bytes(shorts.as_chunks::<2>().0[at]);
            self.hashes.push((long(0), long(1)));
            // The score for White differs from that for Black only for draws.
            let score = short(0);
            let deviation = short(2);
            let deviation_score = short(3);
            self.nodes.push(Node {
                score,
                deviation,
                deviation_score,
                flags: short(4) as u16,
            });
        }
        Ok(())
    }

    fn begin(&mut self) {
        let count = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.order = (0..count).collect();
        self.order.sort_by_key(|&node| self.hashes[node as usize]);
        self.is_reached = vec![false; self.nodes.len()];
        self.reach(Board::START, Color::Black);
    }

    fn next(&mut self) -> Option<Vec<Item>> {
        if let Some(reached) = self.frontier.pop_front() {
            return Some(self.visit(&reached));
        }
        let node = self.left;
        self.left += 1;
        let is_reached = *self.is_reached.get(node)?;
        let is_first = self
            .find(self.hashes[node])
            .is_none_or(|first| first == node);
        let rule = if is_first {
            "no play from the start leads to this node"
        } else {
            "the position appears twice"
        };
        let fault = Item::Fault(Fault::new(place(node), None, rule));
        Some(Vec::from_iter((!is_reached).then_some(fault)))
    }

    fn find(&self, numbers: (i32, i32)) -> Option<usize> {
        let of = |node: u32| self.hashes[node as usize];
        let at = self.order.partition_point(|&node| of(node) < numbers);
        self.order
            .get(at)
            .filter(|&&node| of(node) == numbers)
            .map(|&node| node as usize)
    }

    /// Adds the node of a position to the frontier, if it exists; the side to move can move, or the game is over.
    fn reach(&mut self, board: Board, mover: Color) -> bool {
        let hash = hash(board, mover);
        let Some(node) = self.find(hash.numbers) else {
            return false;
        };
        if !std::mem::replace(&mut self.is_reached[node], true) {
            self.frontier.push_back(Reached {
                node,
                board,
                mover,
                hash,
            });
        }
        true
    }

    fn visit(
        &mut self,
        &Reached {
            node,
            board,
            mover,
            hash,
        }: &Reached,
    ) -> Vec<Item> {
        let mut children = 0u64;
        for square in board.moves() {
            if after(board, mover, square).is_some_and(|(board, mover)| self.reach(board, mover)) {
                children |= square.bit();
            }
        }
        let held = self.nodes[node];
        let mut faults = Vec::new();
        if held.side().is_none() && held.deviation > 0 && !board.moves().is_empty() {
            faults.push("wrong side: the flags name no side to move".to_owned());
        }
        if let Some(square) = SquareSet(board.moves().0 & !children)
            .first()
            .filter(|_| held.has_all())
        {
            faults.push(format!(
                "the leaf is missing, but {square} is not in the book"
            ));
        }
        held.items(place(node), (board, mover, hash), children, faults)
    }
}
