//! A position as another program's book tells it, and the rules that it must keep by itself.

use std::{fmt, io};

use super::super::BookError;
use super::super::entry::{Entry, MoveScore, Searched, Value};
use super::super::key::{BookKey, Canonical, representative};
use super::super::level::SearchLevel;
use super::kind::Kind;
use super::source::Source;
use crate::board::{Board, Position, Score, Square, squares};
use crate::notation::diagram::write_board;

/// The number of a pass where others are of squares.
pub const PASS: u8 = 64;
/// The number of no move.
pub const NONE: u8 = 65;
/// The squares that are never empty.
const CENTRE: u64 = 0x0000_0018_1800_0000;

/// A position of such a book; moves are squares of `board`, [`PASS`], [`NONE`] or worse.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Where it begins in the file, in bytes.
    pub at: u64,
    /// From the side to move, as it is stored: the sides may overlap.
    pub board: Board,
    /// The value as the file tells it, for the side to move; `None` where it does not.
    pub value: Option<Score>,
    /// The value as the form writes it, where that is no score.
    pub bad_value: Option<i32>,
    /// The search behind the leaf, or the value where there is none.
    pub level: SearchLevel,
    /// Moves that lead to positions of the book, as far as the form lists them.
    pub links: Vec<(u8, Score)>,
    /// The best of the other moves, or at the end of a game [`NONE`] and the result.
    pub leaf: Option<(u8, Score)>,
    /// No move that is neither is better than this; [`Searched::UNTOLD`] where there is none.
    pub rest: Score,
}

/// What a reader finds next.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A position.
    Record(Record),
    /// Something that breaks a rule of the form, and is left out.
    Fault(Fault),
}

/// What `read` finds until it finds no more, then a fault if the header, which tells of `told` positions at byte `at`,
/// counts others.
pub fn counted<'a>(
    source: &'a mut Source,
    (at, told): (u64, i32),
    read: impl Fn(&mut Source) -> Result<Option<Record>, BookError> + 'a,
) -> impl Iterator<Item = Result<Item, BookError>> + 'a {
    let (mut found, mut is_done) = (0u64, false);
    std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        let record = read(source);
        is_done = !matches!(record, Ok(Some(_)));
        match record.transpose() {
            Some(record) => {
                found += 1;
                Some(record.map(Item::Record))
            }
            None => {
                let fault = Fault { at, board: None, rule: Rule::Count { told: told.into(), found } };
                (u64::try_from(told) != Ok(found)).then_some(Ok(Item::Fault(fault)))
            }
        }
    })
}

/// The number of positions as headers have it.
///
/// # Errors
/// When it is larger than they can tell.
pub fn count_bytes(positions: u32) -> io::Result<[u8; 4]> {
    let count = i32::try_from(positions);
    let count = count.map_err(|_| io::Error::other("more positions than the header can count"))?;
    Ok(count.to_le_bytes())
}

/// A broken rule and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Bytes from the start of the file.
    pub at: u64,
    /// The position as it is stored.
    pub board: Option<Board>,
    /// The rule.
    pub rule: Rule,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Rule {
    #[error("a square holds discs of both sides")]
    Overlap,
    #[error("a square of the centre is empty")]
    EmptyCentre,
    #[error("not the least of the eight images of the position")]
    NotCanonical,
    #[error("{0} is no score in discs")]
    NoScore(i32),
    #[error("{0} is illegal")]
    Illegal(Name),
    #[error("wrong side: {0} is legal for the other side only")]
    WrongSide(Name),
    #[error("{0} is told twice")]
    Twice(Name),
    #[error("the side to move has no move, and no pass is told")]
    NoPass,
    #[error("no leaf is told, but {0} is not in the book")]
    NoLeaf(Name),
    #[error("the game is over with {is} discs, not {told}")]
    Result { is: i32, told: i32 },
    #[error("the value {value} is not that of the best move, {best}")]
    NotBest { value: Score, best: Score },
    #[error("{0} leads to a position that is not in the book")]
    Missing(Name),
    #[error("{mv} is told to be worth {told}, but the position it leads to says {is}")]
    LinkScore { mv: Name, told: Score, is: Score },
    #[error("the value {value} is less than that of {mv}, {is}")]
    Less { value: Score, mv: Name, is: Score },
    #[error("the position is told twice")]
    Double,
    #[error("the header tells of {told} positions, the file has {found}")]
    Count { told: i64, found: u64 },
    #[error("{0}")]
    Form(&'static str),
}

/// A move by its number, as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name(pub u8);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (Square::new(self.0), self.0) {
            (Some(square), _) => square.fmt(f),
            (None, PASS) => f.write_str("a pass"),
            (None, number) => write!(f, "move {number}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}", self.at)?;
        if let Some(board) = self.board {
            // Where both sides have a disc there is no drawing: the side to move is shown.
            let board = Board { opponent: board.opponent & !board.player, ..board };
            write!(f, ", {}", write_board(&Position { board, ..Position::START }))?;
        }
        write!(f, ": {}", self.rule)
    }
}

impl Record {
    /// A position of which only the board is known yet.
    pub fn of(at: u64, board: Board, level: SearchLevel) -> Self {
        Self {
            at,
            board,
            value: None,
            bad_value: None,
            level,
            links: Vec::new(),
            leaf: None,
            rest: Searched::UNTOLD,
        }
    }

    /// The leaf, if it is a move.
    fn leaf_move(&self) -> Option<(u8, Score)> {
        self.leaf.filter(|(mv, _)| *mv != NONE)
    }

    /// Links and leaf.
    pub fn moves(&self) -> impl Iterator<Item = (u8, Score)> + '_ {
        self.links.iter().copied().chain(self.leaf_move())
    }

    fn has_board(&self) -> bool {
        let Board { player, opponent } = self.board;
        player & opponent == 0 && (player | opponent) & CENTRE == CENTRE
    }

    /// Whether the game is over there.
    pub fn is_over(&self) -> bool {
        let Board { player, opponent } = self.board;
        player & opponent == 0 && self.board.is_over()
    }

    /// Gives every rule that the position breaks by itself to `tell`.
    pub fn check(&self, kind: Kind, tell: &mut dyn FnMut(Rule)) {
        let Board { player, opponent } = self.board;
        if player & opponent != 0 {
            return tell(Rule::Overlap);
        }
        if (player | opponent) & CENTRE != CENTRE {
            return tell(Rule::EmptyCentre);
        }
        let has_least = matches!(kind, Kind::Edax | Kind::EdaxText | Kind::Egaroucid | Kind::EgaroucidOld);
        if has_least && self.board.canonical().0 != self.board {
            tell(Rule::NotCanonical);
        }
        if let Some(value) = self.bad_value {
            tell(Rule::NoScore(value));
        }
        let scores = self.links.iter().chain(&self.leaf).map(|(_, score)| score.round_discs());
        scores.filter(|discs| discs.abs() > 64).for_each(|discs| tell(Rule::NoScore(discs)));
        self.check_moves(kind, tell);
        let best = self.moves().map(|(_, score)| score).max();
        if let Some((value, best)) = self.value.zip(best).filter(|(value, best)| value != best)
            && kind == Kind::Edax
        {
            tell(Rule::NotBest { value, best });
        }
    }

    fn check_moves(&self, kind: Kind, tell: &mut dyn FnMut(Rule)) {
        let (legal, other) = (self.board.moves(), self.board.pass().moves());
        let (mut seen, mut passes) = (0u64, false);
        for (mv, _) in self.moves() {
            let rule = match Square::new(mv) {
                Some(square) if seen & square.bit() != 0 => Some(Rule::Twice(Name(mv))),
                Some(square) => {
                    seen |= square.bit();
                    let is_legal = legal & square.bit() != 0;
                    let is_theirs = other & square.bit() != 0;
                    (!is_legal).then_some(if is_theirs && legal == 0 {
                        Rule::WrongSide(Name(mv))
                    } else {
                        Rule::Illegal(Name(mv))
                    })
                }
                None if mv == PASS && legal == 0 && other != 0 => {
                    let twice = std::mem::replace(&mut passes, true);
                    twice.then_some(Rule::Twice(Name(mv)))
                }
                None => Some(Rule::Illegal(Name(mv))),
            };
            rule.into_iter().for_each(&mut *tell);
        }
        // A text lists no links.
        if legal == 0 && other != 0 && !passes && kind != Kind::EdaxText {
            tell(Rule::NoPass);
        }
        if kind == Kind::Edax && self.leaf_move().is_none() {
            let left = squares(legal & !seen).next();
            left.into_iter().for_each(|square| tell(Rule::NoLeaf(Name(square.index() as u8))));
        }
        if self.is_over() {
            let is = self.board.final_score();
            let told = self.leaf.filter(|(mv, _)| *mv == NONE).map(|(_, score)| score.round_discs());
            told.filter(|told| *told != is).into_iter().for_each(|told| tell(Rule::Result { is, told }));
        }
    }

    /// What our book takes of it; `None` if there is no position with a move, or nothing is told of it.
    ///
    /// Moves that are illegal are passed over.
    pub fn entry(&self) -> Option<(BookKey, Entry)> {
        let canonical = Some(self.board).filter(|_| self.has_board()).and_then(Canonical::of)?;
        let level = self.level;
        let mut entry = Entry::default();
        let mut rest = self.rest;
        if canonical.passed {
            // The score of a pass is the value of the position after it; behind a link that has a record of its own.
            let (_, score) = self.leaf.filter(|(mv, _)| *mv == PASS)?;
            rest = -score;
        } else {
            let legal = self.board.moves();
            let score_of = |(mv, score): (u8, Score)| {
                Square::new(mv).filter(|square| legal & square.bit() != 0).zip(Some(score))
            };
            for (square, score) in self.moves().filter_map(score_of).filter(|(_, score)| is_score(*score)) {
                let square = representative(canonical.board, canonical.symmetry.apply_square(square));
                // What is below the rest says no more than that.
                if score >= rest {
                    entry.move_mut(square).score = Some(MoveScore { score, linked: false });
                }
            }
        }
        if !is_score(rest) {
            rest = Searched::UNTOLD;
        }
        if entry.moves.is_empty() && rest == Searched::UNTOLD {
            rest = self.value.unwrap_or(rest);
        }
        entry.searched = Some(Searched { level, rest, looked: false });
        let best = entry.best().and_then(|mv| mv.score).map_or(rest, |score| score.score);
        entry.value = (best != Searched::UNTOLD).then(|| Value::around(best, level.error()));
        Some((canonical.key(), entry))
    }
}

/// Whether a score is one that a game can end in or near.
fn is_score(score: Score) -> bool {
    (Score::MIN..=Score::MAX).contains(&score)
}

/// The legal moves of a board as numbers.
pub fn legal_moves(board: Board) -> impl Iterator<Item = u8> {
    squares(board.moves()).map(|square| square.index() as u8)
}
