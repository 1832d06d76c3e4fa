//! `.cmp`: the tree of moves in place of the hashes; a position that several moves lead to stands below the first.

use super::super::super::BookError;
use super::super::record::{Fault, Item, Rule};
use super::super::source::Source;
use super::hash::hash;
use super::told::{Told, square};
use crate::board::{Board, Color, Square};

/// Where the numbers of children begin.
const HEADER: u64 = 8;
/// What is wrong where nobody knows which position a node is of.
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
#[derive(Default)]
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
    /// What can be saved, if that is asked for.
    saved: Option<Tree>,
}

/// All items of a `.cmp`.
pub fn packed_items(
    source: &mut Source,
) -> Result<impl Iterator<Item = Result<Item, BookError>> + use<>, BookError> {
    let mut packed = Packed::new(Tree::read(source)?, None);
    Ok(std::iter::from_fn(move || packed.next()).map(Ok))
}

/// What can be saved of a `.cmp`: the nodes that legal moves lead to, with the side to move by these moves, and without
/// deviations that break a rule.
///
/// # Errors
/// When it cannot be read, or not told which positions its nodes are of.
pub fn packed_saved(source: &mut Source) -> Result<(usize, Vec<u8>), BookError> {
    let mut packed = Packed::new(Tree::read(source)?, Some(Tree::default()));
    while packed.next().is_some() {}
    let saved = packed.saved.unwrap_or_default();
    Ok((saved.told.len(), saved.bytes()))
}

impl Tree {
    fn bytes(&self) -> Vec<u8> {
        let Self { children, moves, told } = self;
        let counts = [children.len(), moves.len()].map(|count| count as u32);
        let mut bytes: Vec<u8> = counts.into_iter().flat_map(u32::to_le_bytes).collect();
        let scores = told.iter().flat_map(|told| [told.score, told.white_score]);
        let shorts = children.iter().chain(moves).copied().chain(scores);
        let shorts = shorts.chain(told.iter().map(|told| told.deviation));
        let shorts = shorts.chain(told.iter().map(|told| told.deviation_score));
        bytes.extend(shorts.flat_map(i16::to_le_bytes));
        bytes.extend(told.iter().flat_map(|told| told.flags.to_le_bytes()));
        bytes
    }

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
            white_score: scores[2 * node + 1],
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
    fn new(tree: Tree, saved: Option<Tree>) -> Self {
        let mut packed = Self { tree, open: Vec::new(), node: 0, given: 0, pending: Vec::new(), saved };
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
        let mut told = self.tree.told[self.node];
        self.node += 1;
        if let Some((board, mover)) = board {
            let numbers = &self.tree.moves[moves.clone()];
            let (mut children, mut kept) = (0, Vec::with_capacity(numbers.len()));
            for &number in numbers {
                if let Some(square) = next_of(board, children, number) {
                    children |= square.bit();
                    kept.push(number);
                }
            }
            let mut faults = Vec::new();
            let record = told.record(
                at,
                (board, mover, hash(board, mover)),
                |square| children & square.bit() != 0,
                &mut |rule| faults.push(rule),
            );
            if told.has_all() && kept.len() < numbers.len() {
                told.drop_deviation();
            }
            if told.mend(board, mover, &mut faults) {
                self.pending.push(Item::Record(record));
            }
            self.pending
                .extend(faults.into_iter().map(|rule| Item::Fault(Fault { at, board: Some(board), rule })));
            if let Some(saved) = &mut self.saved {
                saved.children.push(kept.len() as i16);
                saved.moves.extend(kept);
                saved.told.push(told);
            }
        }
        self.open.push(Open { board, moves, seen: 0 });
    }
}

/// The square of a child's number, if it is a legal move that did not stand before it.
fn next_of(board: Board, seen: u64, number: i16) -> Option<Square> {
    square(number).filter(|square| board.moves() & !seen & square.bit() != 0)
}
