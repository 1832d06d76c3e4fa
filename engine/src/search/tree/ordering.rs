//! The order in which the moves of a node are tried.

use std::cmp::Reverse;

use crate::board::bitboard::neighbors;
use crate::board::mobility::corner_weighted;
use crate::board::stability::stable_border_count;
use crate::board::{Board, Square, SquareSet};

use super::node::Node;
use super::phase::Phase;
use crate::eval::{Children, Evaluator};
use crate::search::endgame::MAX_MOVES;
use crate::search::memory::EvalCache;
use crate::search::params::{self, ORDER_MOBILITY};

/// Value of a move that wins all discs.
const WINNER: i32 = 1 << 30;
/// Value of the second move of the table.
const SECOND: i32 = 1 << 29;

/// Static value of each square.
const SQUARE_CLASS: [u8; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let file = square % 8;
        let rank = square / 8;
        let column = if file < 4 { file } else { 7 - file };
        let row = if rank < 4 { rank } else { 7 - rank };
        table[square] = params::SQUARE_CLASS[row][column];
        square += 1;
    }
    table
};

/// Squares in groups of falling class, for nodes too shallow to score their moves.
const CLASS_GROUPS: [u64; 4] = {
    let mut groups = [0; 4];
    let mut square = 0;
    while square < 64 {
        let group = match SQUARE_CLASS[square] {
            18.. => 0,
            10..=16 => 1,
            6..=8 => 2,
            _ => 3,
        };
        groups[group] |= 1 << square;
        square += 1;
    }
    groups
};

/// A legal move with its flips and its value in the order.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Candidate {
    pub square: Square,
    pub flipped: u64,
    pub value: i32,
}

/// The moves of a node, handed out best first.
#[cfg_attr(test, derive(Clone))]
pub(in crate::search) struct Moves {
    list: [Candidate; MAX_MOVES],
    len: usize,
    next: usize,
}

impl Moves {
    /// The moves of `legal` on `board`, in no order yet.
    pub fn new(board: Board, legal: u64) -> Self {
        let nothing = Candidate {
            square: Square::lowest(1),
            flipped: 0,
            value: 0,
        };
        let mut list = [nothing; MAX_MOVES];
        let mut len = 0;
        for square in SquareSet(legal) {
            list[len] = Candidate {
                square,
                flipped: board.flip(square),
                value: 0,
            };
            len += 1;
        }
        Self { list, len, next: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub fn taken(&self) -> usize {
        self.next
    }

    #[inline(always)]
    pub fn left(&self) -> usize {
        self.len - self.next
    }

    /// Becomes `other` with the moves not yet handed out in their order too: [`Self::get`] is right for all.
    pub fn copy_sorted(&mut self, other: &Self) {
        self.len = other.len;
        self.next = other.next;
        self.list[..self.len].copy_from_slice(&other.list[..other.len]);
        // A stable sort keeps equal moves in square order.
        self.list[self.next..self.len].sort_by_key(|candidate| Reverse(candidate.value));
    }

    /// The move with this place in the order.
    pub fn get(&self, index: usize) -> &Candidate {
        &self.list[..self.len][index]
    }

    /// All moves, in their present order.
    pub fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.list[..self.len].iter()
    }

    /// Adds `bonus` to the value of a move, unless the table has it.
    pub fn raise(&mut self, code: u8, bonus: i32) {
        let is_it = |candidate: &&mut Candidate| candidate.square.index() == usize::from(code);
        if let Some(candidate) = self.list[..self.len].iter_mut().find(is_it)
            && candidate.value < SECOND
        {
            candidate.value += bonus;
        }
    }

    /// Puts the move of the table before all others, which are not scored yet; whether it is legal.
    pub fn lead(&mut self, square: Option<Square>) -> bool {
        let moves = &mut self.list[..self.len];
        let found = moves
            .iter()
            .position(|candidate| Some(candidate.square) == square);
        // A rotation keeps the others in square order.
        found.is_some_and(|at| {
            moves[..=at].rotate_right(1);
            true
        })
    }

    /// Values the moves not yet handed out: the `second` of the table first, then by the opponent's mobility; with an
    /// evaluator also by the scores of the children.
    pub fn score<P: Phase>(
        &mut self,
        node: &Node,
        second: Option<Square>,
        mut evaluator: Option<(&Evaluator, &mut EvalCache)>,
    ) {
        let children = node.features.children();
        for candidate in &mut self.list[self.next..self.len] {
            candidate.value = if Some(candidate.square) == second {
                SECOND
            } else {
                let evaluator = evaluator
                    .as_mut()
                    .map(|(evaluator, cache)| (*evaluator, &mut **cache));
                value::<P>(node, &children, candidate, evaluator)
            };
        }
    }
}

impl Iterator for Moves {
    type Item = Candidate;

    /// The best of the moves not yet handed out; of equals the one on the lowest square.
    fn next(&mut self) -> Option<Candidate> {
        let rest = &mut self.list[self.next..self.len];
        let mut best = 0;
        for at in 1..rest.len() {
            if rest[at].value > rest[best].value {
                best = at;
            }
        }
        // A rotation keeps the others in square order.
        rest.get_mut(..=best)?.rotate_right(1);
        self.next += 1;
        Some(rest[0])
    }
}

#[inline(always)]
fn value<P: Phase>(
    node: &Node,
    children: &Children,
    candidate: &Candidate,
    evaluator: Option<(&Evaluator, &mut EvalCache)>,
) -> i32 {
    let child = node.board.after(candidate.square, candidate.flipped);
    if child.player == 0 {
        return WINNER;
    }
    let frontier = (neighbors(child.opponent) & child.empties()).count_ones() as i32;
    let stable = stable_border_count(child.opponent, child.player) as i32;
    let mut value = P::ORDER_SQUARE.get() * i32::from(SQUARE_CLASS[candidate.square.index()])
        + P::ORDER_STABLE.get() * stable
        - ORDER_MOBILITY.get() * corner_weighted(child.moves().0) as i32
        - P::ORDER_POTENTIAL.get() * frontier;
    if let Some((evaluator, cache)) = evaluator {
        let Candidate {
            square, flipped, ..
        } = *candidate;
        let evaluate = || node.evaluate_child(evaluator, children, square, flipped);
        let score = if P::ORDER_CACHED {
            cache.get(child.hash(), evaluate)
        } else {
            evaluate()
        };
        value -= score * P::ORDER_EVAL.get() / 16;
    }
    value
}

/// The squares of `moves`: those of `killers` first, then better classes first; for the last plies before a leaf.
#[inline(always)]
pub(in crate::search) fn killers_first(
    mut moves: u64,
    killers: [u8; 4],
) -> impl Iterator<Item = Square> {
    let killers = killers.map(|code| 1u64.checked_shl(code.into()).unwrap_or(0));
    // Selecting the best group without a branch spares loops over groups that end unforeseeably.
    let prefer = |best, group, moves| {
        let members = moves & group;
        std::hint::select_unpredictable(members != 0, members, best)
    };
    std::iter::from_fn(move || {
        if moves == 0 {
            return None;
        }
        let best = CLASS_GROUPS[..3]
            .iter()
            .rev()
            .fold(moves, |best, group| prefer(best, *group, moves));
        let best = killers
            .iter()
            .rev()
            .fold(best, |best, killer| prefer(best, *killer, moves));
        let square = Square::lowest(best);
        moves ^= square.bit();
        Some(square)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::Rng;

    #[test]
    fn moves_come_out_by_falling_value_then_by_square() {
        let mut rng = Rng::new(3);
        for _ in 0..1000 {
            let mut moves = Moves::new(Board::START, Board::START.moves().0);
            moves.len = 20;
            for at in 0..20 {
                moves.list[at].square = Square::lowest(1 << at);
                moves.list[at].value = rng.below(6) as i32;
            }
            let order: Vec<_> = moves.map(|m| (-m.value, m.square)).collect();
            assert!(order.is_sorted() && order.len() == 20);
        }
    }

    #[test]
    fn shared_moves_have_the_order_of_the_loop() {
        let mut rng = Rng::new(4);
        let mut copy = Moves::new(Board::START, 0);
        for taken in 0..20 {
            let mut moves = Moves::new(Board::START, Board::START.moves().0);
            moves.len = 20;
            for at in 0..20 {
                moves.list[at].square = Square::lowest(1 << at);
                moves.list[at].value = rng.below(6) as i32;
            }
            let whole: Vec<_> = moves.clone().map(|m| m.square).collect();
            moves.by_ref().take(taken).for_each(drop);
            copy.copy_sorted(&moves);
            let copied: Vec<_> = (0..20).map(|index| copy.get(index).square).collect();
            assert_eq!((copied, copy.taken()), (whole, taken));
        }
    }

    #[test]
    fn the_move_of_the_table_comes_before_the_others_are_scored() {
        let moves = Moves::new(Board::START, Board::START.moves().0);
        let squares = |moves: Moves| moves.map(|candidate| candidate.square).collect::<Vec<_>>();
        let order = squares(moves.clone());
        for (led, expected) in [(2, [2, 0, 1, 3]), (0, [0, 1, 2, 3])] {
            let mut moves = moves.clone();
            assert!(moves.lead(Some(order[led])));
            assert_eq!(squares(moves), expected.map(|at| order[at]));
        }
        let mut same = moves;
        assert!(!same.lead(None) && !same.lead(Some(Square::lowest(1))));
        assert_eq!(squares(same), order);
    }

    #[test]
    fn classes_cover_the_board_once() {
        assert_eq!(CLASS_GROUPS.iter().fold(0, |all, group| all | group), !0);
        assert_eq!(
            CLASS_GROUPS
                .iter()
                .map(|group| group.count_ones())
                .sum::<u32>(),
            64
        );
        assert_eq!(CLASS_GROUPS[0], crate::board::bitboard::CORNERS);
        let classes = killers_first(!0, [64; 4])
            .map(|square| CLASS_GROUPS.iter().position(|g| g & square.bit() != 0));
        let classes: Vec<_> = classes.collect();
        assert!(classes.is_sorted() && classes.len() == 64);
    }
}
