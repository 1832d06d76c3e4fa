//! The positions of the nodes, found by play from the start.

use std::collections::VecDeque;

use super::super::super::BookError;
use super::super::kind::Kind;
use super::super::record::{Fault, Item, Name, Rule};
use super::super::source::Source;
use super::hash::{Hash, hash};
use super::nodes::Nodes;
use crate::board::{Board, Color, Square, squares};

/// All items of a `.bin` or its text.
pub fn items(source: &mut Source, kind: Kind) -> impl Iterator<Item = Result<Item, BookError>> + use<> {
    let (nodes, told, error) = Nodes::read(source, kind);
    let found = nodes.hashes.len() as u64;
    let fault = Fault { at: 4, board: None, rule: Rule::Count { told, found } };
    let miscounted = (u64::try_from(told) != Ok(found)).then_some(Item::Fault(fault));
    let mut walk = Walk::new(nodes);
    let items = std::iter::from_fn(move || walk.next());
    miscounted.into_iter().chain(items).map(Ok).chain(error.map(Err))
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
    pending: VecDeque<Item>,
    /// The next node to be asked whether it was reached.
    left: usize,
}

impl Walk {
    fn new(nodes: Nodes) -> Self {
        let count = u32::try_from(nodes.hashes.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(|&node| nodes.hashes[node as usize]);
        let is_reached = vec![false; nodes.hashes.len()];
        let mut walk =
            Self { nodes, order, is_reached, frontier: VecDeque::new(), pending: VecDeque::new(), left: 0 };
        walk.reach(Board::START, Color::Black);
        walk
    }

    /// The next item.
    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.pending.pop_front() {
                return Some(item);
            }
            if let Some(reached) = self.frontier.pop_front() {
                self.visit(&reached);
            } else if self.left < self.order.len() {
                self.ask_left();
            } else {
                return None;
            }
        }
    }

    fn fault(&mut self, node: usize, board: Option<Board>, rule: Rule) {
        self.pending.push_back(Item::Fault(Fault { at: self.nodes.place(node), board, rule }));
    }

    /// Nodes that no play leads to, or that have the hash of another.
    fn ask_left(&mut self) {
        let node = self.left;
        self.left += 1;
        if !self.is_reached[node] {
            let first = self.find(self.nodes.hashes[node]).unwrap_or(node);
            self.fault(
                node,
                None,
                if first == node {
                    Rule::Form("no play from the start leads to this node")
                } else {
                    Rule::Double
                },
            );
        }
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

    fn visit(&mut self, reached: &Reached) {
        let &Reached { node, board, mover, hash } = reached;
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
        let is_child = |square: Square| children & square.bit() != 0;
        let record = told
            .record(self.nodes.place(node), (board, mover, hash), is_child, &mut |rule| faults.push(rule));
        if told.side().is_none() && told.deviation > 0 && board.moves() != 0 {
            faults.push(Rule::Form("wrong side: the flags name no side to move"));
        }
        if let Some(square) = squares(board.moves() & !children).next().filter(|_| told.has_all()) {
            faults.push(Rule::NoLeaf(Name(square.index() as u8)));
        }
        self.pending.extend(told.item(record, mover, &mut faults));
        for rule in faults {
            self.fault(node, Some(board), rule);
        }
    }
}
