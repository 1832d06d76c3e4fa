//! `.cmp`: the tree of moves in place of the hashes; a position of several moves is below the first.

use super::super::super::BookError;
use super::super::record::{Fault, Item, Items, after};
use super::super::source::Source;
use super::hash::hash;
use super::node::{Node, square};
use crate::board::{Board, Color, Square};

/// The offset of the numbers of children.
const HEADER: u64 = 8;
/// The fault of numbers of children that do not determine the positions.
const NO_TREE: &str = "the numbers of children do not form a tree of all nodes";

/// A node with children that follow in the file.
struct Open {
    board: Option<(Board, Color)>,
    /// Its next moves.
    moves: std::ops::Range<usize>,
    /// The squares of its earlier moves.
    seen: u64,
}

/// Nodes in the order of the file, and the moves to them.
struct Tree {
    children: Vec<i16>,
    moves: Vec<i16>,
    nodes: Vec<Node>,
}

struct Packed {
    tree: Tree,
    open: Vec<Open>,
    /// The next node, and the next move without a node.
    node: usize,
    given: usize,
}

pub fn packed_items(source: &mut Source) -> Result<Items<'static>, BookError> {
    let mut packed = Packed { tree: Tree::read(source)?, open: Vec::new(), node: 0, given: 0 };
    let first = packed.begin(Some((Board::START, Color::Black)));
    let others = std::iter::from_fn(move || packed.next()).flatten();
    Ok(Box::new(first.into_iter().chain(others).map(Ok)))
}

impl Tree {
    fn read(source: &mut Source) -> Result<Self, BookError> {
        let [nodes, moves] = [i32::from_le_bytes(source.need()?), i32::from_le_bytes(source.need()?)];
        // `kind_of` checked the length of the file against these counts.
        let mut shorts = |count: i32| -> Result<Vec<i16>, BookError> {
            (0..count).map(|_| Ok(i16::from_le_bytes(source.need()?))).collect()
        };
        let children = shorts(nodes)?;
        let moves = shorts(moves)?;
        let scores = shorts(nodes.saturating_mul(2))?;
        let [deviations, deviation_scores, flags] = [shorts(nodes)?, shorts(nodes)?, shorts(nodes)?];
        let nodes = (0..children.len()).map(|node| Node {
            score: scores[2 * node],
            deviation: deviations[node],
            deviation_score: deviation_scores[node],
            flags: flags[node] as u16,
        });
        let tree = Self { nodes: nodes.collect(), children, moves };
        if tree.is_whole() { Ok(tree) } else { Err(source.damaged(HEADER, NO_TREE)) }
    }

    /// Whether every node but the first is the child of one before it.
    fn is_whole(&self) -> bool {
        let mut to_come = 1i64;
        self.children.iter().all(|&count| {
            let is_child = to_come > 0;
            to_come += i64::from(count) - 1;
            is_child && count >= 0
        }) && to_come == 0
            && self.moves.len() + 1 == self.children.len()
    }
}

impl Packed {
    fn next(&mut self) -> Option<Vec<Item>> {
        let open = self.open.last_mut()?;
        let Some(at) = open.moves.next() else {
            self.open.pop();
            return Some(Vec::new());
        };
        let (board, number) = (open.board, self.tree.moves[at]);
        let child = board.and_then(|(board, mover)| {
            let square = next_of(board, open.seen, number)?;
            open.seen |= square.bit();
            after(board, mover, square)
        });
        let mut items = self.begin(child);
        if let (Some((board, _)), None) = (board, child) {
            let place = HEADER + 2 * (self.tree.children.len() + at) as u64;
            let rule = "a move of the tree is illegal or repeated: its positions are skipped";
            items.push(Item::Fault(Fault::new(place, Some(board), rule)));
        }
        Some(items)
    }

    /// The items of the next node, which has this position; without one its children are skipped.
    fn begin(&mut self, board: Option<(Board, Color)>) -> Vec<Item> {
        let at = HEADER + 2 * self.node as u64;
        let moves = self.given..self.given + self.tree.children[self.node] as usize;
        self.given = moves.end;
        let held = self.tree.nodes[self.node];
        self.node += 1;
        self.open.push(Open { board, moves: moves.clone(), seen: 0 });
        let Some((board, mover)) = board else { return Vec::new() };
        let numbers = self.tree.moves[moves].iter();
        let children =
            numbers.fold(0, |seen, &number| seen | next_of(board, seen, number).map_or(0, Square::bit));
        held.items(at, (board, mover, hash(board, mover)), children, Vec::new())
    }
}

/// The square of a child's number, if it is a legal move and the first of its kind.
fn next_of(board: Board, seen: u64, number: i16) -> Option<Square> {
    square(number).filter(|square| board.moves() & !seen & square.bit() != 0)
}
