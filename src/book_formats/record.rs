//! A position of another program's book, and its rules.

use std::fmt;

use super::kind::Kind;
use super::source::Source;
use super::zebra;
use crate::board::{Board, Color, Position, Score, Square, SquareSet};
use crate::book::BookError;
use crate::book::SearchLevel;
use crate::book::{BookKey, Canonical, representative};
use crate::book::{Entry, MoveScore, Searched, Value};
use crate::notation::diagram::write_board;

/// The move number of a pass; lower numbers are squares.
pub const PASS: u8 = 64;
/// The move number of no move.
pub const NONE: u8 = 65;
/// The value of a position without one, and the score of no leaf.
pub const UNSET: i32 = -127;
/// The squares that are never empty.
const CENTER: u64 = 0x0000_0018_1800_0000;

/// A position of such a book; moves are squares of `board`, [`PASS`], [`NONE`] or invalid numbers.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its offset in the file, in bytes.
    pub at: u64,
    /// The stored board, from the side to move: the sides may overlap.
    pub board: Board,
    /// The value in the file, for the side to move.
    pub value: Option<Score>,
    pub bad_value: Option<i32>,
    /// The search of the leaf; without a leaf, of the value.
    pub level: SearchLevel,
    /// Moves to positions of the book, if the format has them.
    pub links: Vec<(u8, Score)>,
    /// The best other move, or [`NONE`] and the result at the end of a game.
    pub leaf: Option<(u8, Score)>,
    /// An upper bound on all other moves.
    pub rest: Option<Score>,
}

#[derive(Clone, Debug)]
pub enum Item {
    Record(Record),
    /// A skipped part of the file that breaks a rule of the format.
    Fault(Fault),
}

impl Item {
    /// Its offset in the file, in bytes.
    fn at(&self) -> u64 {
        match self {
            Self::Record(record) => record.at,
            Self::Fault(fault) => fault.at,
        }
    }
}

/// The part of a file that a reader has done, for progress.
pub struct Reach {
    kind: Kind,
    size: u64,
    items: usize,
    bytes: u64,
}

impl Reach {
    /// A file of `size` bytes.
    pub fn new(kind: Kind, size: u64) -> Self {
        Self {
            kind,
            size,
            items: 0,
            bytes: 0,
        }
    }

    /// The bytes done up to this item, the next one. They never decrease: the last fault may be in the header. A fault of a
    /// file that is cut off may be behind its end.
    pub fn take(&mut self, item: &Item) -> u64 {
        self.items += 1;
        let at = match self.kind {
            // Play finds the positions, in another order than that of the file.
            Kind::Zebra => zebra::place(self.items),
            _ => item.at(),
        };
        self.bytes = self.bytes.max(at.min(self.size));
        self.bytes
    }
}

pub struct Row<'a> {
    pub board: Board,
    pub value: i8,
    pub lower: i8,
    pub upper: i8,
    pub lines: u32,
    pub level: i8,
    pub links: &'a [(u8, i8)],
    /// Its move is [`NONE`] without a leaf; the score is then the result of a game that is over.
    pub leaf: (u8, i8),
}

#[derive(Clone, Debug)]
pub struct Fault {
    at: u64,
    board: Option<Board>,
    rule: String,
}

/// The items of a book, in order. It continues after an error if the next position can be found.
pub type Items<'a> = Box<dyn Iterator<Item = Result<Item, BookError>> + 'a>;

/// The items that `next` finds, up to the first error.
pub fn items<'a>(mut next: impl FnMut() -> Result<Option<Item>, BookError> + 'a) -> Items<'a> {
    let mut is_done = false;
    Box::new(std::iter::from_fn(move || {
        let item = if is_done { None } else { next().transpose() };
        is_done = !matches!(item, Some(Ok(_)));
        item
    }))
}

/// The records that `read` finds after the header, then a fault if the header's last number, at byte `at`, is another
/// count.
pub fn counted<'a>(
    source: &'a mut Source,
    at: u64,
    read: impl Fn(&mut Source) -> Result<Option<Record>, BookError> + 'a,
) -> Result<Items<'a>, BookError> {
    source.seek(at)?;
    let count = i32::from_le_bytes(source.need()?);
    let mut found = 0;
    let mut is_counted = false;
    Ok(items(move || {
        if let Some(record) = read(source)? {
            found += 1;
            return Ok(Some(Item::Record(record)));
        }
        let fault = Fault::count(at, count.into(), found).filter(|_| !is_counted);
        is_counted = true;
        Ok(fault)
    }))
}

/// The position after a legal move, and after a forced pass.
pub fn after(board: Board, mover: Color, square: Square) -> Option<(Board, Color)> {
    let after = board.play(square)?;
    let passes = after.moves().is_empty() && !after.pass().moves().is_empty();
    Some(if passes {
        (after.pass(), mover)
    } else {
        (after, mover.other())
    })
}

impl Fault {
    pub fn new(at: u64, board: Option<Board>, rule: impl Into<String>) -> Self {
        Self {
            at,
            board,
            rule: rule.into(),
        }
    }

    /// The fault of a header whose number of positions, at byte `at`, is not that of the file.
    pub fn count(at: u64, count: i64, found: u64) -> Option<Item> {
        let rule = format!("the header counts {count} positions, the file has {found}");
        (u64::try_from(count) != Ok(found)).then(|| Item::Fault(Self::new(at, None, rule)))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}", self.at)?;
        if let Some(board) = self.board {
            // The drawing shows one disc on a square: the side to move's.
            let board = Board {
                opponent: board.opponent & !board.player,
                ..board
            };
            write!(
                f,
                ", {}",
                write_board(&Position {
                    board,
                    ..Position::START
                })
            )?;
        }
        write!(f, ": {}", self.rule)
    }
}

pub fn name(mv: u8) -> String {
    match Square::new(mv) {
        Some(square) => square.to_string(),
        None if mv == PASS => "a pass".to_owned(),
        None => format!("move {mv}"),
    }
}

impl Record {
    pub fn of(at: u64, board: Board, level: SearchLevel) -> Self {
        Self {
            at,
            board,
            value: None,
            bad_value: None,
            level,
            links: Vec::new(),
            leaf: None,
            rest: None,
        }
    }

    pub fn set_value(&mut self, value: i32) {
        match value {
            -64..=64 => self.value = Some(Score::from_discs(value)),
            UNSET => {}
            _ => self.bad_value = Some(value),
        }
    }

    fn leaf_move(&self) -> Option<(u8, Score)> {
        self.leaf.filter(|(mv, _)| *mv != NONE)
    }

    fn moves(&self) -> impl Iterator<Item = (u8, Score)> + '_ {
        self.links.iter().copied().chain(self.leaf_move())
    }

    pub fn is_over(&self) -> bool {
        self.board.player & self.board.opponent == 0 && self.board.is_over()
    }

    /// The rules that the position breaks by itself.
    pub fn faults(&self, kind: Kind) -> Vec<String> {
        let Board { player, opponent } = self.board;
        if player & opponent != 0 {
            return vec!["a square holds discs of both sides".to_owned()];
        }
        if (player | opponent) & CENTER != CENTER {
            return vec!["a square of the center is empty".to_owned()];
        }
        let mut faults = Vec::new();
        let has_least = matches!(kind, Kind::Edax | Kind::EdaxText | Kind::Egaroucid);
        if has_least && self.board.canonical().0 != self.board {
            faults.push("not the least of the eight images of the position".to_owned());
        }
        let scores = self
            .links
            .iter()
            .chain(&self.leaf)
            .map(|(_, score)| score.round_discs());
        let bad = self
            .bad_value
            .into_iter()
            .chain(scores.filter(|discs| discs.abs() > 64));
        faults.extend(bad.map(|discs| format!("{discs} is no score in discs")));
        self.check_moves(kind, &mut faults);
        let best = self.moves().map(|(_, score)| score).max();
        if let Some((value, best)) = self.value.zip(best).filter(|(value, best)| value != best)
            && kind == Kind::Edax
        {
            faults.push(format!(
                "the value {value} is not that of the best move, {best}"
            ));
        }
        faults
    }

    fn check_moves(&self, kind: Kind, faults: &mut Vec<String>) {
        let legal = self.board.moves().0;
        let other = self.board.pass().moves().0;
        let must_pass = legal == 0 && other != 0;
        let mut seen = 0u64;
        let mut passes = 0;
        for (mv, _) in self.moves() {
            let bit = Square::new(mv).map_or(0, Square::bit);
            let is_pass = mv == PASS && must_pass;
            if seen & bit != 0 || is_pass && passes > 0 {
                faults.push(format!("{} appears twice", name(mv)));
            } else if must_pass && other & bit != 0 {
                faults.push(format!(
                    "wrong side: {} is legal for the other side only",
                    name(mv)
                ));
            } else if legal & bit == 0 && !is_pass {
                faults.push(format!("{} is illegal", name(mv)));
            }
            seen |= bit;
            passes += u32::from(is_pass);
        }
        // A text lists no links.
        if must_pass && passes == 0 && kind != Kind::EdaxText {
            faults.push("the side to move has no move, and the pass is missing".to_owned());
        }
        if let Some(left) = SquareSet(legal & !seen).first()
            && kind == Kind::Edax
            && self.leaf_move().is_none()
        {
            faults.push(format!(
                "the leaf is missing, but {left} is not in the book"
            ));
        }
        if let Some((NONE, score)) = self.leaf.filter(|_| self.is_over()) {
            let is = self.board.final_score();
            let stored = score.round_discs();
            if is != stored {
                faults.push(format!("the game is over with {is} discs, not {stored}"));
            }
        }
    }

    /// The entry of Emilia's book, without illegal moves; `None` if the position has no move, or the record no score.
    pub fn entry(&self) -> Option<(BookKey, Entry)> {
        let Board { player, opponent } = self.board;
        let is_board = player & opponent == 0 && (player | opponent) & CENTER == CENTER;
        let canonical = Some(self.board)
            .filter(|_| is_board)
            .and_then(Canonical::of)?;
        let is_score = |score: &Score| (Score::MIN..=Score::MAX).contains(score);
        let mut entry = Entry::default();
        let mut rest = self.rest;
        if canonical.passed {
            // The score of a pass is the value of the next position; a link has its own record.
            rest = self
                .leaf
                .filter(|(mv, _)| *mv == PASS)
                .map(|(_, score)| Some(-score))?;
        } else {
            let legal = self.board.moves();
            for (mv, score) in self.moves().filter(|(_, score)| is_score(score)) {
                let square = Square::new(mv).filter(|square| legal.contains(*square));
                // The bound on the rest covers a score below it.
                if let Some(square) = square.filter(|_| rest.is_none_or(|rest| score >= rest)) {
                    let square =
                        representative(canonical.board, canonical.symmetry.apply_square(square));
                    entry.move_mut(square).score = Some(MoveScore::Searched(score));
                }
            }
        }
        rest = rest.filter(is_score);
        if entry.moves.is_empty() {
            rest = rest.or(self.value);
        }
        entry.searched = Some(Searched {
            level: self.level,
            rest,
            is_looked: false,
        });
        let best = entry.best_score().or(rest);
        entry.value = best.map(|best| Value::around(best, self.level.error()));
        Some((canonical.key(), entry))
    }
}

pub fn legal_moves(board: Board) -> impl Iterator<Item = u8> {
    board.moves().iter().map(|square| square.index() as u8)
}
