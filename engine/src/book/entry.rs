//! The entry of a position, and its form in bytes.
//!
//! ```text
//! flags      1  bit 0 searched · 1 level follows · 2 rest follows · 3 value and bounds follow
//!               bits 4-7 number of moves, 15: a number follows
//! [number]   varint, plus 64 where a look compared all moves
//! [level]    2  depth in plies, then percent with bit 7 for an exact score; 4 where `level` says so
//! [rest]     2  i16, 1/128 disc; one unit below -64 discs for no bound
//! [value]    2  i16, then varints: value - lower, upper - value
//! moves         square with bit 6 for a score and bit 7 for games
//!               [score] 2: zigzag, shifted left by one, bit 0 for a move within the book
//!               [games] varints: won, drawn, lost by the side to move
//! ```
//!
//! A score outside the book is from a look if it is below `rest`, else from the search of the position.
//! A plain position has one search at the book's usual level: four bytes.

use std::collections::HashMap;

use super::level::{SearchLevel, USUAL_LEVEL, get_level, put_level};
use crate::board::{Board, Score, Square};
use crate::util::bytes::{self, Cursor};

/// In the flags: the number of moves follows.
const MANY: u8 = 15;
/// The bit of that number for a look that compared the moves. No position has 64 moves.
const LOOKED_BIT: u32 = 6;
/// The bytes of no bound.
const NO_REST: Score = Score::from_units(Score::MIN.units() - 1);

/// How far behind the best a look still keeps a move, in discs.
pub const LOOK_REACH: i32 = 3;
/// How far a move without a score is estimated below the scores of the search, in discs, before a look.
const UNSEEN_LOSS: i32 = 1;

/// The search of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// The level of the search.
    pub level: SearchLevel,
    /// An upper bound on the moves without a score; `None` where another program had all moves in its book.
    pub rest: Option<Score>,
    /// A look compared all moves: those within [`LOOK_REACH`] of the best have a [`MoveScore::Look`].
    pub is_looked: bool,
}

/// A value with bounds, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The score of the best move, or a better estimate of a move without a position.
    pub value: Score,
    /// At least this.
    pub lower: Score,
    /// At most this.
    pub upper: Score,
}

/// Results of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Games {
    /// Won by the side to move.
    pub wins: u32,
    /// Drawn.
    pub draws: u32,
    /// Lost by the side to move.
    pub losses: u32,
}

/// A move of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// On the canonical board; the lowest of squares that its symmetry makes equal.
    pub square: Square,
    /// `None` for a move that only games contain.
    pub score: Option<MoveScore>,
    /// Games in which it was played.
    pub games: Games,
}

/// A move's score by its source, for the side that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveScore {
    /// The value of the book position that the move leads to.
    Linked(Score),
    /// From the search of the position before the move.
    Searched(Score),
    /// From a much shallower search: selects the moves that become positions; play ignores it.
    Look(Score),
}

/// The entry of a position, from the side to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The search of the position itself.
    pub searched: Option<Searched>,
    /// `None` until a search, or a score for every move.
    pub value: Option<Value>,
    /// By square, each at most once.
    pub moves: Vec<BookMove>,
}

/// The commonest values of a file's entries, which those omit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usual {
    pub level: SearchLevel,
    /// Distance of the bounds from the value of a plain position.
    pub error: Score,
}

#[derive(Default)]
pub(super) struct Levels(HashMap<SearchLevel, u64>);

impl Levels {
    pub fn add(&mut self, entry: &Entry) {
        if let Some(searched) = entry.searched {
            *self.0.entry(searched.level).or_default() += 1;
        }
    }

    /// The level of most searches; of equals the worthiest.
    pub fn commonest(self) -> SearchLevel {
        let counts = self.0.into_iter();
        let most = counts.max_by_key(|(level, count)| (*count, level.worth(), level.origin));
        most.map_or(USUAL_LEVEL, |(level, _)| level)
    }
}

impl Usual {
    pub fn of(level: SearchLevel) -> Self {
        Self {
            level,
            error: level.error(),
        }
    }
}

impl Games {
    fn counter(&mut self, result: i32) -> &mut u32 {
        match result {
            1.. => &mut self.wins,
            0 => &mut self.draws,
            _ => &mut self.losses,
        }
    }

    /// Whether one of them had this winner: `result` is in discs for the side to move.
    pub fn include(mut self, result: i32) -> bool {
        *self.counter(result) > 0
    }

    /// Their number.
    pub fn count(self) -> u64 {
        u64::from(self.wins) + u64::from(self.draws) + u64::from(self.losses)
    }

    /// Adds a game that ended in `result` discs for the side to move.
    pub fn add(&mut self, result: i32) {
        let counter = self.counter(result);
        *counter = counter.saturating_add(1);
    }

    /// Adds all games of `other`.
    pub fn add_all(&mut self, other: Self) {
        self.wins = self.wins.saturating_add(other.wins);
        self.draws = self.draws.saturating_add(other.draws);
        self.losses = self.losses.saturating_add(other.losses);
    }

    /// Points won, a draw counting half.
    pub fn points(self) -> f64 {
        f64::from(self.wins) + 0.5 * f64::from(self.draws)
    }
}

impl Searched {
    /// The estimate of a move without a score. Another program's bound counts unchanged.
    pub fn unscored(self) -> Option<Score> {
        let loss = match self.level.origin {
            _ if self.is_looked => LOOK_REACH,
            Some(_) => 0,
            None => UNSEEN_LOSS,
        };
        self.rest.map(|bound| bound - Score::from_discs(loss))
    }
}

impl MoveScore {
    /// The score.
    pub fn score(self) -> Score {
        match self {
            Self::Linked(score) | Self::Searched(score) | Self::Look(score) => score,
        }
    }
}

impl BookMove {
    /// The score for play, which ignores looks.
    pub fn known(&self) -> Option<Score> {
        self.score
            .filter(|score| !matches!(score, MoveScore::Look(_)))
            .map(MoveScore::score)
    }

    /// The score of a move that leads out of the book.
    pub fn outside(&self) -> Option<Score> {
        self.score
            .filter(|_| !self.is_linked())
            .map(MoveScore::score)
    }

    /// Orders moves: the best score first, then moves without a score, the most played first.
    pub fn rank(&self) -> impl Ord + use<> {
        std::cmp::Reverse((self.score.map(MoveScore::score), self.games.count()))
    }

    /// Whether the move leads to a position of the book with a value.
    pub fn is_linked(&self) -> bool {
        matches!(self.score, Some(MoveScore::Linked(_)))
    }
}

impl Value {
    /// A score with its error either way.
    pub fn around(score: Score, error: Score) -> Self {
        let clamp = |score: Score| score.clamp(Score::MIN, Score::MAX);
        Self {
            value: score,
            lower: clamp(score - error),
            upper: clamp(score + error),
        }
    }

    /// The same seen from the other side.
    #[must_use]
    pub fn turned(self) -> Self {
        Self {
            value: -self.value,
            lower: -self.upper,
            upper: -self.lower,
        }
    }
}

impl Entry {
    /// The move on `square`, inserted if it is missing.
    pub fn move_mut(&mut self, square: Square) -> &mut BookMove {
        let at = self
            .moves
            .binary_search_by_key(&square, |mv| mv.square)
            .unwrap_or_else(|at| {
                self.moves.insert(
                    at,
                    BookMove {
                        square,
                        score: None,
                        games: Games::default(),
                    },
                );
                at
            });
        &mut self.moves[at]
    }

    /// The move on `square`.
    pub fn move_at(&self, square: Square) -> Option<&BookMove> {
        self.moves
            .binary_search_by_key(&square, |mv| mv.square)
            .ok()
            .map(|at| &self.moves[at])
    }

    /// The best of the moves to play by: of equals the lowest square.
    pub fn best(&self) -> Option<BookMove> {
        let known = self.moves.iter().filter(|mv| mv.known().is_some());
        known.rev().max_by_key(|mv| mv.known()).copied()
    }

    /// The score of [`Entry::best`].
    pub fn best_score(&self) -> Option<Score> {
        self.moves.iter().filter_map(BookMove::known).max()
    }

    /// The scored moves that lead out of the book.
    pub fn outside(&self) -> impl Iterator<Item = (Square, Score)> + '_ {
        self.moves
            .iter()
            .filter_map(|mv| Some((mv.square, mv.outside()?)))
    }

    /// Games played through this position.
    pub fn games(&self) -> Games {
        let mut all = Games::default();
        self.moves.iter().for_each(|mv| all.add_all(mv.games));
        all
    }

    /// The score of a position that another program searched without naming a move.
    pub(super) fn score_without_move(&self) -> Option<Score> {
        let searched = self
            .searched
            .filter(|searched| searched.level.origin.is_some())?;
        searched.rest.filter(|_| self.best_score().is_none())
    }

    /// Sets the bound on the moves without a score, and with it which scores are from looks.
    pub(super) fn set_rest(&mut self, rest: Option<Score>, is_looked: bool) {
        let Some(searched) = &mut self.searched else {
            return;
        };
        (searched.rest, searched.is_looked) = (rest, is_looked && rest.is_some());
        for mv in &mut self.moves {
            if let Some(score) = mv.outside() {
                let is_look = rest.is_some_and(|rest| score < rest);
                mv.score = Some(if is_look {
                    MoveScore::Look(score)
                } else {
                    MoveScore::Searched(score)
                });
            }
        }
    }

    /// The value and bounds of a plain position with these moves.
    fn plain_value(&self, error: Score) -> Option<Value> {
        self.best_score()
            .or(self.score_without_move())
            .map(|score| Value::around(score, error))
    }

    fn least_outside(&self) -> Option<Score> {
        self.outside().map(|(_, score)| score).min()
    }

    pub(super) fn encode(&self, usual: Usual, out: &mut Vec<u8>) {
        let level = self
            .searched
            .map(|searched| searched.level)
            .filter(|&level| level != usual.level);
        let rest = self.searched.map(|searched| searched.rest);
        let rest = rest.filter(|&rest| rest.is_none() || rest != self.least_outside());
        let is_plain =
            |value| self.searched.is_some() && Some(value) == self.plain_value(usual.error);
        let value = self.value.filter(|&value| !is_plain(value));
        let is_looked = self.searched.is_some_and(|searched| searched.is_looked);
        let few = if is_looked {
            MANY
        } else {
            self.moves.len().min(usize::from(MANY)) as u8
        };
        let flags = [
            self.searched.is_some(),
            level.is_some(),
            rest.is_some(),
            value.is_some(),
        ];
        out.push((0..).zip(flags).fold(few << 4, |bits, (bit, is_set)| {
            bits | u8::from(is_set) << bit
        }));
        if few == MANY {
            bytes::put_varint(
                self.moves.len() as u128 | u128::from(is_looked) << LOOKED_BIT,
                out,
            );
        }
        if let Some(level) = level {
            put_level(level, out);
        }
        if let Some(rest) = rest {
            put_score(rest.unwrap_or(NO_REST), out);
        }
        if let Some(Value {
            value,
            lower,
            upper,
        }) = value
        {
            put_score(value, out);
            bytes::put_varint((value - lower).units().max(0) as u128, out);
            bytes::put_varint((upper - value).units().max(0) as u128, out);
        }
        for mv in &self.moves {
            mv.encode(out);
        }
    }

    /// Reads an entry; `None` for bytes that no entry has.
    pub(super) fn decode(cursor: &mut Cursor<'_>, usual: Usual) -> Option<Self> {
        let flags = cursor.byte()?;
        let number = match flags >> 4 {
            MANY => usize::try_from(cursor.varint()?)
                .ok()
                .filter(|&number| number < 2 << LOOKED_BIT)?,
            few => usize::from(few),
        };
        let count = number & ((1 << LOOKED_BIT) - 1);
        let is_looked = number >> LOOKED_BIT != 0;
        let level = if flags & 2 != 0 {
            get_level(cursor)?
        } else {
            usual.level
        };
        let rest = if flags & 4 != 0 {
            Some(get_score(cursor)?)
        } else {
            None
        };
        let mut value = None;
        if flags & 8 != 0 {
            let score = get_score(cursor)?;
            let below = i32::try_from(cursor.varint()?).ok()?;
            let above = i32::try_from(cursor.varint()?).ok()?;
            let lower = Score::from_units(score.units().checked_sub(below)?);
            let upper = Score::from_units(score.units().checked_add(above)?);
            value = Some(Value {
                value: score,
                lower,
                upper,
            });
        }
        let moves = (0..count)
            .map(|_| BookMove::decode(cursor))
            .collect::<Option<Vec<_>>>()?;
        let mut entry = Self {
            searched: None,
            value,
            moves,
        };
        if flags & 1 != 0 {
            let rest = rest.or_else(|| entry.least_outside())?;
            let rest = Some(rest).filter(|&rest| rest != NO_REST);
            entry.searched = Some(Searched {
                level,
                rest,
                is_looked,
            });
            entry.set_rest(rest, is_looked);
            entry.value = entry.value.or_else(|| entry.plain_value(usual.error));
        }
        Some(entry)
    }

    /// Skips an entry; `None` for bytes that no entry has.
    pub(super) fn skip(cursor: &mut Cursor<'_>) -> Option<()> {
        let flags = cursor.byte()?;
        let count = match flags >> 4 {
            MANY => cursor.varint()? as usize & ((1 << LOOKED_BIT) - 1),
            few => usize::from(few),
        };
        if flags & 2 != 0 {
            get_level(cursor)?;
        }
        cursor.take(2 * usize::from(flags >> 2 & 1))?;
        if flags & 8 != 0 {
            cursor.take(2)?;
            cursor.skip_varints(2)?;
        }
        for _ in 0..count {
            let byte = cursor.byte()?;
            cursor.take(2 * usize::from(byte >> 6 & 1))?;
            if byte & 0x80 != 0 {
                cursor.skip_varints(3)?;
            }
        }
        Some(())
    }

    /// The fault of the entry as one of `board`, in a few words.
    pub fn fault(&self, board: Board) -> Option<&'static str> {
        let legal = board.moves();
        let best = self.best_score().or(self.score_without_move());
        let faults = [
            (
                self.moves.iter().any(|mv| !legal.contains(mv.square)),
                "an illegal move",
            ),
            (
                self.moves
                    .windows(2)
                    .any(|pair| pair[0].square >= pair[1].square),
                "moves out of order",
            ),
            (
                self.value
                    .is_some_and(|v| v.lower > v.value || v.value > v.upper),
                "a value outside its bounds",
            ),
            (
                self.value
                    .is_some_and(|v| best.is_none_or(|best| best > v.value)),
                "a value below the best move's",
            ),
        ];
        faults
            .into_iter()
            .find_map(|(is_broken, fault)| is_broken.then_some(fault))
    }
}

impl BookMove {
    fn encode(&self, out: &mut Vec<u8>) {
        let is_played = self.games.count() > 0;
        out.push(
            self.square.index() as u8
                | u8::from(self.score.is_some()) << 6
                | u8::from(is_played) << 7,
        );
        if let Some(score) = self.score {
            let units = score.score().units();
            let zigzag = (units << 1 ^ units >> 31) as u16;
            out.extend((zigzag << 1 | u16::from(self.is_linked())).to_le_bytes());
        }
        if is_played {
            for count in [self.games.wins, self.games.draws, self.games.losses] {
                bytes::put_varint(u128::from(count), out);
            }
        }
    }

    /// A score outside the book is one of the search until [`Entry::set_rest`].
    fn decode(cursor: &mut Cursor<'_>) -> Option<Self> {
        let byte = cursor.byte()?;
        let mut score = None;
        if byte & 0x40 != 0 {
            let bits = cursor.u16()?;
            let zigzag = i32::from(bits >> 1);
            let units = Score::from_units(zigzag >> 1 ^ -(zigzag & 1));
            score = Some(if bits & 1 != 0 {
                MoveScore::Linked(units)
            } else {
                MoveScore::Searched(units)
            });
        }
        let mut games = Games::default();
        if byte & 0x80 != 0 {
            for count in [&mut games.wins, &mut games.draws, &mut games.losses] {
                *count = u32::try_from(cursor.varint()?).ok()?;
            }
        }
        Some(Self {
            square: Square::new(byte & 63)?,
            score,
            games,
        })
    }
}

pub(super) fn put_score(score: Score, out: &mut Vec<u8>) {
    out.extend((score.units() as i16).to_le_bytes());
}

pub(super) fn get_score(cursor: &mut Cursor<'_>) -> Option<Score> {
    cursor
        .i16()
        .map(|units| Score::from_units(i32::from(units)))
}

#[cfg(test)]
pub(super) mod tests;
