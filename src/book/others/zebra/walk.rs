//! The positions of the nodes, found by play from the start.

use std::collections::VecDeque;

use super::super::record::{Fault, Item, Items};
use super::super::source::Source;
use super::hash::{Hash, hash};
use super::nodes::{Nodes, place};
use crate::board::{Board, Color, squares};

/// All items of a `.bin`.
pub fn items(source: &mut Source) -> Items<'static> {
    let (nodes, told, error) = Nodes::read(source);
    let miscounted = Fault::count(4, told, nodes.hashes.len() as u64);
    let mut walk = Walk::new(nodes);
    let items = std::iter::from_fn(move || walk.next()).flatten();
    Box::new(miscounted.into_iter().chain(items).map(Ok).chain(error.map(Err)))
}

/// A position of the book.
struct Reached {
    node: usize,
    board: Board,
    mover: Color,
    hash: Hash,
}

/// Goes through the book ply by ply: every node is reached once, for any flags and scores.
struct Walk {
    nodes: Nodes,
    /// Nodes by their hash.
    order: Vec<u32>,
    is_reached: Vec<bool>,
    frontier: VecDeque<Reached>,
    /// The next node to check for having been reached.
    left: usize,
}

impl Walk {
    fn new(nodes: Nodes) -> Self {
        let count = u32::try_from(nodes.hashes.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(|&node| nodes.hashes[node as usize]);
        let is_reached = vec![false; nodes.hashes.len()];
        let mut walk = Self { nodes, order, is_reached, frontier: VecDeque::new(), left: 0 };
        walk.reach(Board::START, Color::Black);
        walk
    }

    /// The items of the next node.
    fn next(&mut self) -> Option<Vec<Item>> {
        if let Some(reached) = self.frontier.pop_front() {
            return Some(self.visit(&reached));
        }
        let node = self.left;
        self.left += 1;
        let is_reached = *self.is_reached.get(node)?;
        let is_first = self.find(self.nodes.hashes[node]).is_none_or(|first| first == node);
        let rule =
            if is_first { "no play from the start leads to this node" } else { "the position is told twice" };
        let fault = Item::Fault(Fault::new(place(node), None, rule));
        Some(Vec::from_iter((!is_reached).then_some(fault)))
    }

    /// The first node with a hash.
    fn find(&self, numbers: (i32, i32)) -> Option<usize> {
        let of = |node: u32| self.nodes.hashes[node as usize];
        let at = self.order.partition_point(|&node| of(node) < numbers);
        self.order.get(at).filter(|&&node| of(node) == numbers).map(|&node| node as usize)
    }

    /// Puts the node of a position on the list, if there is one; the side to move can move, or the game is over.
    fn reach(&mut self, board: Board, mover: Color) -> bool {
        let hash = hash(board, mover);
        let Some(node) = self.find(hash.numbers) else { return false };
        if !std::mem::replace(&mut self.is_reached[node], true) {
            self.frontier.push_back(Reached { node, board, mover, hash });
        }
        true
    }

    fn visit(&mut self, &Reached { node, board, mover, hash }: &Reached) -> Vec<Item> {
        let mut children = 0u64;
        for square in squares(board.moves()) {
            let after = board.play(square).expect("the move is legal");
            let passes = after.moves() == 0 && after.pass().moves() != 0;
            let (after, side) = if passes { (after.pass(), mover) } else { (after, mover.other()) };
            if self.reach(after, side) {
                children |= square.bit();
            }
        }
        let told = self.nodes.told[node];
        let mut faults = Vec::new();
        if told.side().is_none() && told.deviation > 0 && board.moves() != 0 {
            faults.push("wrong side: the flags name no side to move".to_owned());
        }
        if let Some(square) = squares(board.moves() & !children).next().filter(|_| told.has_all()) {
            faults.push(format!("no leaf is told, but {square} is not in the book"));
        }
        told.items(place(node), (board, mover, hash), children, faults)
    }
}
