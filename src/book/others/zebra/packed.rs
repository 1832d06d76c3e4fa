//! `.cmp`: the tree of moves in place of the hashes; a position that several moves lead to stands below the first.

use super::super::super::BookError;
use super::super::record::{Fault, Item, Rule};
use super::super::source::Source;
use super::hash::hash;
use super::told::{Told, square};
use crate::board::{Board, Color};

/// Where the numbers of children begin.
const HEADER: u64 = 8;

/// A node whose children are still to come.
struct Open {
    board: Option<(Board, Color)>,
    /// The next of its moves, and the end of them.
    moves: std::ops::Range<usize>,
}

struct Packed {
    children: Vec<i16>,
    moves: Vec<i16>,
    told: Vec<Told>,
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
    let told = told.collect();
    let mut packed =
        Packed { children, moves, told, open: Vec::new(), node: 0, given: 0, pending: Vec::new() };
    packed.begin(Some((Board::START, Color::Black)));
    Ok(std::iter::from_fn(move || packed.next()).map(Ok))
}

impl Packed {
    fn next(&mut self) -> Option<Item> {
        while self.pending.is_empty() {
            let open = self.open.last_mut()?;
            let Some(at) = open.moves.next() else {
                self.open.pop();
                continue;
            };
            let (board, number) = (open.board, self.moves.get(at).copied()?);
            let after = board.and_then(|(board, mover)| {
                let square = square(number).filter(|square| board.moves() & square.bit() != 0)?;
                let after = board.play(square)?;
                let passes = after.moves() == 0 && after.pass().moves() != 0;
                Some(if passes { (after.pass(), mover) } else { (after, mover.other()) })
            });
            if board.is_some() && after.is_none() {
                let rule = Rule::Form("a move of the tree is illegal: what follows it is left out");
                let place = HEADER + 2 * (self.children.len() + at) as u64;
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

    /// Takes the next node, if there is one, for a position; without one its children are passed over.
    fn begin(&mut self, board: Option<(Board, Color)>) {
        let Some(&count) = self.children.get(self.node) else { return };
        let at = HEADER + 2 * self.node as u64;
        let moves = self.given..self.given + usize::try_from(count).unwrap_or(0);
        self.given = moves.end;
        let told = self.told[self.node];
        self.node += 1;
        if let Some((board, mover)) = board {
            let numbers = &self.moves[moves.start.min(self.moves.len())..moves.end.min(self.moves.len())];
            let children =
                numbers.iter().filter_map(|&number| square(number)).fold(0, |bits, to| bits | to.bit());
            let mut faults = Vec::new();
            let record = told.record(
                at,
                (board, mover, hash(board, mover)),
                |square| children & square.bit() != 0,
                &mut |rule| faults.push(rule),
            );
            self.pending
                .extend(faults.into_iter().map(|rule| Item::Fault(Fault { at, board: Some(board), rule })));
            self.pending.push(Item::Record(record));
        }
        self.open.push(Open { board, moves });
    }
}
