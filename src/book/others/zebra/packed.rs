//! `.cmp`: the tree of moves in place of the hashes; a position that several moves lead to stands below the first.

use super::super::super::BookError;
use super::super::record::{Fault, Item, Rule};
use super::super::source::Source;
use super::hash::hash;
use super::told::{Told, square};
use crate::board::{Board, Color, Square};

/// Where the numbers of children begin.
const HEADER: u64 = 8;
/// The fault of a file whose numbers of children leave the positions of its nodes open.
const UNSETTLED: &str = "the numbers of children are not those of a tree of so many nodes";

/// A node whose children are still to come.
struct Open {
    board: Option<(Board, Color)>,
    /// The next of its moves, and the end of them.
    moves: std::ops::Range<usize>,
    /// The squares of those that came.
    seen: u64,
}

/// Nodes in the order of the file, and the moves to them.
struct Tree {
    children: Vec<i16>,
    moves: Vec<i16>,
    told: Vec<Told>,
}

struct Packed {
    tree: Tree,
    open: Vec<Open>,
    /// The next node and the next move that no node has yet.
    node: usize,
    given: usize,
    pending: Vec<Item>,
}

/// All items of a `.cmp`.
pub fn packed_items(
    source: &mut Source,
) -> Result<impl Iterator<Item = Result<Item, BookError>> + use<>, BookError> {
    let mut packed = Packed::new(Tree::read(source)?);
    Ok(std::iter::from_fn(move || packed.next()).map(Ok))
}

impl Tree {
    fn read(source: &mut Source) -> Result<Self, BookError> {
        let [nodes, moves] = [i32::from_le_bytes(source.need()?), i32::from_le_bytes(source.need()?)];
        // The file is as long as these counts say, or it would not have been taken for such a book.
        let mut shorts = |count: i32| -> Result<Vec<i16>, BookError> {
            (0..count).map(|_| Ok(i16::from_le_bytes(source.need()?))).collect()
        };
        let children = shorts(nodes)?;
        let moves = shorts(moves)?;
        let scores = shorts(nodes.saturating_mul(2))?;
        let [deviations, deviation_scores, flags] = [shorts(nodes)?, shorts(nodes)?, shorts(nodes)?];
        let told = (0..children.len()).map(|node| Told {
            score: scores[2 * node],
            deviation: deviations[node],
            deviation_score: deviation_scores[node],
            flags: flags[node] as u16,
        });
        let tree = Self { told: told.collect(), children, moves };
        if tree.is_whole() { Ok(tree) } else { Err(source.damaged(HEADER, UNSETTLED)) }
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
    fn new(tree: Tree) -> Self {
        let mut packed = Self { tree, open: Vec::new(), node: 0, given: 0, pending: Vec::new() };
        packed.begin(Some((Board::START, Color::Black)));
        packed
    }

    fn next(&mut self) -> Option<Item> {
        while self.pending.is_empty() {
            let open = self.open.last_mut()?;
            let Some(at) = open.moves.next() else {
                self.open.pop();
                continue;
            };
            let (board, number) = (open.board, self.tree.moves[at]);
            let after = board.and_then(|(board, mover)| {
                let square = next_of(board, open.seen, number)?;
                open.seen |= square.bit();
                let after = board.play(square)?;
                let passes = after.moves() == 0 && after.pass().moves() != 0;
                Some(if passes { (after.pass(), mover) } else { (after, mover.other()) })
            });
            if board.is_some() && after.is_none() {
                let rule =
                    Rule::Form("a move of the tree is illegal or told twice: what follows it is left out");
                let place = HEADER + 2 * (self.tree.children.len() + at) as u64;
                self.pending.push(Item::Fault(Fault {
                    at: place,
                    board: board.map(|(board, _)| board),
                    rule,
                }));
            }
            self.begin(after);
        }
        self.pending.pop()
    }

    /// Takes the next node for a position; without one its children are passed over.
    fn begin(&mut self, board: Option<(Board, Color)>) {
        let at = HEADER + 2 * self.node as u64;
        let moves = self.given..self.given + self.tree.children[self.node] as usize;
        self.given = moves.end;
        let told = self.tree.told[self.node];
        self.node += 1;
        if let Some((board, mover)) = board {
            let numbers = &self.tree.moves[moves.clone()];
            let add = |seen, &number: &i16| seen | next_of(board, seen, number).map_or(0, Square::bit);
            let children = numbers.iter().fold(0, add);
            let mut faults = Vec::new();
            let record = told.record(
                at,
                (board, mover, hash(board, mover)),
                |square| children & square.bit() != 0,
                &mut |rule| faults.push(rule),
            );
            self.pending.extend(told.item(record, mover, &mut faults));
            self.pending
                .extend(faults.into_iter().map(|rule| Item::Fault(Fault { at, board: Some(board), rule })));
        }
        self.open.push(Open { board, moves, seen: 0 });
    }
}

/// The square of a child's number, if it is a legal move that did not stand before it.
fn next_of(board: Board, seen: u64, number: i16) -> Option<Square> {
    square(number).filter(|square| board.moves() & !seen & square.bit() != 0)
}
