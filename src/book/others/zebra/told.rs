//! What a node tells of its position.

use super::super::super::entry::Searched;
use super::super::super::level::{Origin, Program, SearchLevel};
use super::super::record::{Item, NONE, Record, Rule};
use super::hash::Hash;
use crate::board::{Board, Color, Score, Square};

/// The flags of a node.
const BLACK: u16 = 1;
const WHITE: u16 = 2;
const WLD: u16 = 4;
const EXACT: u16 = 16;

/// In the place of a deviation: all moves are in the book.
const ALL_IN: i16 = -2;
/// The rule that the flags of a node have the side to move by play.
const WRONG_SIDE: Rule = Rule::Form("wrong side: the flags name the side that is not to move");

/// No score, and those beyond all others.
const NO_SCORE: i16 = 9999;
const INFINITE: i16 = 32000;
/// A draw that a side wants to avoid.
const UNWANTED_DRAW: i16 = 29999;
/// Scores of results begin here: proven ones, and those of searches that ran into the end of the game.
const PROVEN: i16 = 30000;
const ENDED: i16 = 29000;

/// What a node tells besides its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub score: i16,
    pub deviation: i16,
    pub deviation_score: i16,
    pub flags: u16,
}

/// A score of a book.
#[derive(Clone, Copy)]
struct Meaning {
    /// For Black.
    score: Score,
    /// It is a result of the game.
    is_result: bool,
    /// It is won or lost, nobody knows by how much.
    is_bound: bool,
}

impl Told {
    /// What a score means; `None` for none.
    fn meaning(self, score: i16) -> Option<Meaning> {
        let discs = i32::from(score.unsigned_abs()) - i32::from(PROVEN);
        let sign = i32::from(score.signum());
        let proven = self.flags & (EXACT | WLD) != 0;
        let raw = score.unsigned_abs() as i16;
        let (score, is_result) = match raw {
            NO_SCORE | INFINITE.. => return None,
            0 => (Score::ZERO, proven),
            UNWANTED_DRAW => (Score::ZERO, true),
            PROVEN.. if self.flags & EXACT != 0 => (Score::from_discs(sign * discs.min(64)), true),
            // Won by nobody knows how much: by a disc at least.
            PROVEN.. => (Score::from_discs(sign), false),
            ENDED.. => (Score::from_discs(sign * (discs + 1000).min(64)), false),
            units => (Score::from_units(sign * i32::from(units)).clamp(Score::MIN, Score::MAX), false),
        };
        let is_bound = raw >= PROVEN && !is_result;
        Some(Meaning { score, is_result, is_bound })
    }

    /// Whether it says that all moves of the position are in the book.
    pub fn has_all(self) -> bool {
        self.deviation == ALL_IN
    }

    /// The record as an item, if the flags name its side to move; if not, a fault.
    pub fn item(self, record: Record, mover: Color, faults: &mut Vec<Rule>) -> Option<Item> {
        // At the end of a game no side has the move, for any flags.
        let is_of_other = record.board.moves() != 0 && self.side().is_some_and(|side| side != mover);
        if is_of_other {
            faults.push(WRONG_SIDE);
        }
        (!is_of_other).then_some(Item::Record(record))
    }

    /// The side to move; `None` at the end of a game, or if both are named.
    pub fn side(self) -> Option<Color> {
        match self.flags & (BLACK | WHITE) {
            BLACK => Some(Color::Black),
            WHITE => Some(Color::White),
            _ => None,
        }
    }

    /// The node as a record of `board`, whose side to move is `mover`; faults go to `tell`.
    ///
    /// `is_child` says whether a move leads to a node.
    pub fn record(
        self,
        at: u64,
        (board, mover, hash): (Board, Color, Hash),
        is_child: impl Fn(Square) -> bool,
        tell: &mut dyn FnMut(Rule),
    ) -> Record {
        let mut deviation = None;
        if self.deviation > 0 {
            let on_image = square(self.deviation);
            match on_image.map(|square| hash.image.inverse().apply_square(square)) {
                Some(square) if board.moves() & square.bit() != 0 && !is_child(square) => {
                    deviation = Some(square)
                }
                Some(_) => tell(Rule::Form("the deviation is no legal move that leads out of the book")),
                None => tell(Rule::Form("the deviation is no square")),
            }
        }
        let view = |meaning: Meaning| if mover == Color::Black { meaning.score } else { -meaning.score };
        let value = self.meaning(self.score);
        let leaf = deviation.and_then(|square| Some((square, self.meaning(self.deviation_score)?)));
        let told = leaf.map(|(_, meaning)| meaning).or(value);
        let empties = board.empty_count();
        // Games fed to the book's tool leave nodes marked exact one move early, with the empty square to the leader.
        let exact = told.is_some_and(|meaning| meaning.is_result) && empties > 1;
        let depth = (self.flags >> 10) as u8;
        let level = SearchLevel {
            depth: if exact { empties as u8 } else { depth },
            percent: if exact { 100 } else { 73 },
            exact,
            origin: Some(Origin { program: Program::Zebra, level: depth as i8 }),
        };
        let mut record = Record::of(at, board, level);
        // A bound is no value that those of the moves could be compared with.
        record.value = value.filter(|value| !value.is_bound).map(view);
        if board.moves() == 0 {
            // The end of a game: what a proven score says is its result.
            record.leaf = value.filter(|meaning| meaning.is_result).map(|meaning| (NONE, view(meaning)));
            return record;
        }
        record.leaf = leaf.map(|(square, meaning)| (square.index() as u8, view(meaning)));
        record.rest = match (record.leaf, self.deviation) {
            (Some((_, score)), _) => score,
            (None, ALL_IN) => Searched::UNTOLD,
            _ => value.map_or(Searched::UNTOLD, view),
        };
        record
    }
}

/// The square of 10 · row + column.
pub fn square(number: i16) -> Option<Square> {
    let (row, column) = (number / 10, number % 10);
    let on_board = (1..=8).contains(&row) && (1..=8).contains(&column);
    on_board.then(|| Square::at(column as u8 - 1, row as u8 - 1))
}
