//! The scores, deviation and flags of a node.

use super::super::record::{Fault, Item, NONE, Record};
use super::hash::Hash;
use crate::board::{Board, Color, Score, Square};
use crate::book::{Origin, Program, SearchLevel};

const BLACK: u16 = 1;
const WHITE: u16 = 2;
const WLD: u16 = 4;
const EXACT: u16 = 16;

/// The deviation of a node whose moves are all in the book.
const ALL_IN: i16 = -2;
/// No score, and infinite scores.
const NO_SCORE: i16 = 9999;
const INFINITE: i16 = 32000;
/// A draw that a side wants to avoid.
const UNWANTED_DRAW: i16 = 29999;
/// The least scores of results: of proven ones, and of searches to the end of the game.
const PROVEN: i16 = 30000;
const ENDED: i16 = 29000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub score: i16,
    pub deviation: i16,
    pub deviation_score: i16,
    pub flags: u16,
}

#[derive(Clone, Copy)]
struct Meaning {
    /// For Black.
    score: Score,
    is_result: bool,
    /// It is won or lost by an unknown margin.
    is_bound: bool,
}

impl Node {
    /// The meaning of a score; `None` for no score.
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
            // Won by an unknown margin: by a disc at least.
            PROVEN.. => (Score::from_discs(sign), false),
            ENDED.. => (Score::from_discs(sign * (discs + 1000).min(64)), false),
            units => (
                Score::from_units(sign * i32::from(units)).clamp(Score::MIN, Score::MAX),
                false,
            ),
        };
        let is_bound = raw >= PROVEN && !is_result;
        Some(Meaning {
            score,
            is_result,
            is_bound,
        })
    }

    /// Whether all moves of the position are in the book.
    pub fn has_all(self) -> bool {
        self.deviation == ALL_IN
    }

    /// The side to move; `None` at the end of a game, or if the flags have both.
    pub fn side(self) -> Option<Color> {
        match self.flags & (BLACK | WHITE) {
            BLACK => Some(Color::Black),
            WHITE => Some(Color::White),
            _ => None,
        }
    }

    /// The node's record, unless the flags name the wrong side to move, and its faults, those of `faults` first.
    ///
    /// `board` has `mover` to move; `children` are the moves that lead to nodes.
    pub fn items(
        self,
        at: u64,
        (board, mover, hash): (Board, Color, Hash),
        children: u64,
        mut faults: Vec<String>,
    ) -> Vec<Item> {
        let mut deviation = None;
        if self.deviation > 0 {
            let square =
                square(self.deviation).map(|square| hash.image.inverse().apply_square(square));
            deviation = square.filter(|square| board.moves().0 & !children & square.bit() != 0);
            if square.is_none() {
                faults.push("the deviation is no square".to_owned());
            } else if deviation.is_none() {
                faults.push("the deviation is no legal move that leads out of the book".to_owned());
            }
        }
        let record = self.record(at, board, mover, deviation);
        // The flags do not matter at the end of a game.
        let is_wrong = !board.moves().is_empty() && self.side().is_some_and(|side| side != mover);
        if is_wrong {
            faults.push("wrong side: the flags name the side that is not to move".to_owned());
        }
        let faults = faults
            .into_iter()
            .map(|rule| Item::Fault(Fault::new(at, Some(board), rule)));
        (!is_wrong)
            .then_some(Item::Record(record))
            .into_iter()
            .chain(faults)
            .collect()
    }

    fn record(self, at: u64, board: Board, mover: Color, deviation: Option<Square>) -> Record {
        let view = |meaning: Meaning| {
            if mover == Color::Black {
                meaning.score
            } else {
                -meaning.score
            }
        };
        let value = self.meaning(self.score);
        let leaf = deviation.and_then(|square| Some((square, self.meaning(self.deviation_score)?)));
        let told = leaf.map(|(_, meaning)| meaning).or(value);
        let empties = board.empty_count();
        // Zebra marks nodes of added games as exact one move early, with the empty square counted for the leader.
        let exact = told.is_some_and(|meaning| meaning.is_result) && empties > 1;
        let depth = (self.flags >> 10) as u8;
        let level = SearchLevel {
            depth: if exact { empties as u8 } else { depth },
            percent: if exact { 100 } else { 73 },
            exact,
            origin: Some(Origin {
                program: Program::Zebra,
                level: depth as i8,
            }),
        };
        let mut record = Record::of(at, board, level);
        // A bound cannot be compared with the values of moves.
        record.value = value.filter(|value| !value.is_bound).map(view);
        if board.moves().is_empty() {
            // The end of a game: a proven score is its result.
            record.leaf = value
                .filter(|meaning| meaning.is_result)
                .map(|meaning| (NONE, view(meaning)));
            return record;
        }
        record.leaf = leaf.map(|(square, meaning)| (square.index() as u8, view(meaning)));
        let bound = value.filter(|_| !self.has_all()).map(view);
        record.rest = record.leaf.map(|(_, score)| score).or(bound);
        record
    }
}

/// The square of 10 · row + column.
fn square(number: i16) -> Option<Square> {
    let row = number / 10;
    let column = number % 10;
    let on_board = (1..=8).contains(&row) && (1..=8).contains(&column);
    on_board.then(|| Square::at(column as u8 - 1, row as u8 - 1))
}
