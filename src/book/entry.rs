//! What a book knows of one position, and its form in bytes.
//!
//! ```text
//! flags      1  bit 0 searched · 1 level follows · 2 rest follows · 3 value and bounds follow
//!               bits 4-7 number of moves, 15: a number follows
//! [number]   varint, plus 64 where all moves were looked at
//! [level]    2  depth in plies, then percent with bit 7 for an exact score; 4 where `level` says so
//! [rest]     2  i16, 1/128 disc
//! [value]    2  i16, then varints: value - lower, upper - value
//! moves         square with bit 6 for a score and bit 7 for games
//!               [score] 2: zigzag, shifted left by one, bit 0 for a move within the book
//!               [games] varints: won, drawn, lost by the side to move
//! ```
//!
//! `rest`: by the search, no move without a score is better. A score outside the book that is below `rest` is from a
//! look, a much shallower search: it decides which moves get positions of their own, and is not played by.
//! The position with only a search of the book's usual level behind it is plain: four bytes.

use super::level::{SearchLevel, get_level, put_level};
use crate::board::{Board, Score, Square};
use crate::util::bytes::{self, Cursor};

/// In the flags: the number of moves follows.
const MANY: u8 = 15;
/// Of that number: the moves were looked at. No position has 64 moves.
const LOOKED_BIT: u32 = 6;

/// What a search of the position told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// The search.
    pub level: SearchLevel,
    /// No move without a score of its own is better than this, by that search.
    pub rest: Score,
    /// A look, a much shallower search, compared all moves: those within [`LOOK_REACH`] of the best then have a
    /// score outside the book, below `rest` as the deep search says; the others have none.
    pub looked: bool,
}

/// How far behind the best a look still keeps a move, in discs.
pub const LOOK_REACH: i32 = 3;
/// What a move that nobody looked at is thought to be worth less than the best by the search, in discs.
const UNSEEN_LOSS: i32 = 1;

/// A value and between what bounds the truth lies, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The score of the best move; more where a move that is not looked at is thought to be better.
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

/// What is known of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// On the canonical board; the lowest of squares that its symmetry makes equal.
    pub square: Square,
    /// Its score for the side to move.
    pub score: Option<MoveScore>,
    /// Games in which it was played.
    pub games: Games,
}

/// A move's score and where it is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveScore {
    /// For the side that moves.
    pub score: Score,
    /// The move leads to a position of the book, whose value this is; else the search before the move gave it.
    pub linked: bool,
}

/// What a book knows of a position. Everything is seen from the side to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The search of the position itself, if there was one.
    pub searched: Option<Searched>,
    /// `None` while the position is not searched itself and not all of its moves have scores.
    pub value: Option<Value>,
    /// By square, each at most once.
    pub moves: Vec<BookMove>,
}

/// What is the same for most entries of a file, so that they need not say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usual {
    /// Level of the search.
    pub level: SearchLevel,
    /// Distance of the bounds from the value of a plain position.
    pub error: Score,
}

impl Usual {
    /// What entries of this level have in common.
    pub fn of(level: SearchLevel) -> Self {
        Self { level, error: level.error() }
    }
}

impl Games {
    /// Whether one of them ended with this winner: `result` is in discs for the side to move.
    pub fn include(self, result: i32) -> bool {
        let count = match result {
            0 => self.draws,
            1.. => self.wins,
            _ => self.losses,
        };
        count > 0
    }

    /// How many.
    pub fn count(self) -> u64 {
        u64::from(self.wins) + u64::from(self.draws) + u64::from(self.losses)
    }

    /// Adds a game that ended in `result` discs for the side to move.
    pub fn add(&mut self, result: i32) {
        let counter = match result.signum() {
            1 => &mut self.wins,
            0 => &mut self.draws,
            _ => &mut self.losses,
        };
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
    /// The `rest` of a search that says nothing of other moves, since all are in the book: below every score.
    pub(super) const UNTOLD: Score = Score::from_units(Score::MIN.units() - 1);

    /// What a move without a score is thought to be worth at most.
    ///
    /// Another program's word is taken as it is.
    pub fn unseen(self) -> Score {
        if self.level.origin.is_some() && !self.looked {
            return self.rest;
        }
        self.rest - Score::from_discs(if self.looked { LOOK_REACH } else { UNSEEN_LOSS })
    }
}

impl Value {
    /// A score with its error either way.
    pub fn around(score: Score, error: Score) -> Self {
        Self { value: score, lower: clamp(score - error), upper: clamp(score + error) }
    }

    /// The same seen from the other side.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { value: -self.value, lower: -self.upper, upper: -self.lower }
    }
}

/// Within what a game can end in.
fn clamp(score: Score) -> Score {
    score.clamp(Score::MIN, Score::MAX)
}

impl Entry {
    /// The move on `square`, put in if it is not there.
    pub fn move_mut(&mut self, square: Square) -> &mut BookMove {
        let at = match self.moves.binary_search_by_key(&square, |mv| mv.square) {
            Ok(at) => at,
            Err(at) => {
                self.moves.insert(at, BookMove { square, score: None, games: Games::default() });
                at
            }
        };
        &mut self.moves[at]
    }

    /// The move on `square`, if anything is known of it.
    pub fn move_at(&self, square: Square) -> Option<&BookMove> {
        self.moves.binary_search_by_key(&square, |mv| mv.square).ok().map(|at| &self.moves[at])
    }

    /// The best of the moves that are more than looked at: of equals the lowest square.
    pub fn best(&self) -> Option<BookMove> {
        let known = self.moves.iter().filter(|mv| mv.score.is_some() && !self.is_look(mv));
        known.rev().max_by_key(|mv| mv.score.map(|score| score.score)).copied()
    }

    /// Whether the score of a move is from a look alone: good for deciding what to search, not for playing.
    pub fn is_look(&self, mv: &BookMove) -> bool {
        let outside = mv.score.filter(|score| !score.linked);
        outside.zip(self.searched).is_some_and(|(score, searched)| score.score < searched.rest)
    }

    /// The scored moves that lead out of the book.
    pub fn outside(&self) -> impl Iterator<Item = (Square, Score)> + '_ {
        let outside = |mv: &BookMove| mv.score.filter(|score| !score.linked);
        self.moves.iter().filter_map(move |mv| outside(mv).map(|score| (mv.square, score.score)))
    }

    /// Games played through this position.
    pub fn games(&self) -> Games {
        let mut all = Games::default();
        self.moves.iter().for_each(|mv| all.add_all(mv.games));
        all
    }

    /// What a search of another program says of the position where it names no move.
    pub(super) fn moveless(&self) -> Option<Searched> {
        let told = |searched: &Searched| searched.level.origin.is_some() && searched.rest != Searched::UNTOLD;
        self.searched.filter(told).filter(|_| self.best().is_none())
    }

    /// The value and bounds that a plain position would have.
    fn plain_value(&self, error: Score) -> Option<Value> {
        let best = self.best().and_then(|mv| mv.score).map(|score| score.score);
        best.or(self.moveless().map(|searched| searched.rest)).map(|score| Value::around(score, error))
    }

    /// The lowest score of the moves that lead out of the book.
    fn least_outside(&self) -> Option<Score> {
        self.outside().map(|(_, score)| score).min()
    }

    /// Appends the entry's bytes.
    pub(super) fn encode(&self, usual: Usual, out: &mut Vec<u8>) {
        let level = self.searched.map(|searched| searched.level).filter(|&level| level != usual.level);
        let rest =
            self.searched.map(|searched| searched.rest).filter(|&rest| Some(rest) != self.least_outside());
        let is_plain = |value| self.searched.is_some() && Some(value) == self.plain_value(usual.error);
        let value = self.value.filter(|&value| !is_plain(value));
        let looked = self.searched.is_some_and(|searched| searched.looked);
        let few = if looked { MANY } else { self.moves.len().min(usize::from(MANY)) as u8 };
        out.push(
            u8::from(self.searched.is_some())
                | u8::from(level.is_some()) << 1
                | u8::from(rest.is_some()) << 2
                | u8::from(value.is_some()) << 3
                | few << 4,
        );
        if few == MANY {
            bytes::put_varint(self.moves.len() as u128 | u128::from(looked) << LOOKED_BIT, out);
        }
        if let Some(level) = level {
            put_level(level, out);
        }
        if let Some(rest) = rest {
            put_score(rest, out);
        }
        if let Some(Value { value, lower, upper }) = value {
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
            MANY => usize::try_from(cursor.varint()?).ok().filter(|&number| number < 2 << LOOKED_BIT)?,
            few => usize::from(few),
        };
        let (count, looked) = (number & ((1 << LOOKED_BIT) - 1), number >> LOOKED_BIT != 0);
        let level = if flags & 2 != 0 { get_level(cursor)? } else { usual.level };
        let rest = if flags & 4 != 0 { Some(get_score(cursor)?) } else { None };
        let value = if flags & 8 != 0 {
            let value = get_score(cursor)?;
            let below = i32::try_from(cursor.varint()?).ok()?;
            let above = i32::try_from(cursor.varint()?).ok()?;
            Some(Value {
                value,
                lower: Score::from_units(value.units().checked_sub(below)?),
                upper: Score::from_units(value.units().checked_add(above)?),
            })
        } else {
            None
        };
        let moves = (0..count).map(|_| BookMove::decode(cursor)).collect::<Option<Vec<_>>>()?;
        let mut entry = Self { searched: None, value, moves };
        if flags & 1 != 0 {
            let rest = rest.or_else(|| entry.least_outside())?;
            entry.searched = Some(Searched { level, rest, looked });
            entry.value = entry.value.or_else(|| entry.plain_value(usual.error));
        }
        Some(entry)
    }

    /// Passes over an entry; `None` for bytes that no entry has.
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

    /// What is wrong with the entry as one of `board`, in a few words.
    pub fn fault(&self, board: Board) -> Option<&'static str> {
        let legal = board.moves();
        if self.moves.iter().any(|mv| legal & mv.square.bit() == 0) {
            return Some("an illegal move");
        }
        if self.moves.windows(2).any(|pair| pair[0].square >= pair[1].square) {
            return Some("moves out of order");
        }
        if self.value.is_some_and(|value| value.lower > value.value || value.value > value.upper) {
            return Some("a value outside its bounds");
        }
        let best = self.best().and_then(|mv| mv.score).map(|score| score.score);
        let best = best.or(self.moveless().map(|searched| searched.rest));
        if self.value.is_some_and(|value| best.is_none_or(|best| best > value.value)) {
            return Some("a value below the best move's");
        }
        None
    }
}

impl BookMove {
    fn encode(&self, out: &mut Vec<u8>) {
        let played = self.games.count() > 0;
        let scored = self.score.is_some();
        out.push(self.square.index() as u8 | u8::from(scored) << 6 | u8::from(played) << 7);
        if let Some(MoveScore { score, linked }) = self.score {
            let units = score.units();
            let zigzag = (units << 1 ^ units >> 31) as u16;
            out.extend((zigzag << 1 | u16::from(linked)).to_le_bytes());
        }
        if played {
            for count in [self.games.wins, self.games.draws, self.games.losses] {
                bytes::put_varint(u128::from(count), out);
            }
        }
    }

    fn decode(cursor: &mut Cursor<'_>) -> Option<Self> {
        let byte = cursor.byte()?;
        let score = if byte & 0x40 != 0 {
            let bits = cursor.u16()?;
            let zigzag = i32::from(bits >> 1);
            let score = Score::from_units(zigzag >> 1 ^ -(zigzag & 1));
            Some(MoveScore { score, linked: bits & 1 != 0 })
        } else {
            None
        };
        let mut games = Games::default();
        if byte & 0x80 != 0 {
            for count in [&mut games.wins, &mut games.draws, &mut games.losses] {
                *count = u32::try_from(cursor.varint()?).ok()?;
            }
        }
        Some(Self { square: Square::new(byte & 63)?, score, games })
    }
}

pub(super) fn put_score(score: Score, out: &mut Vec<u8>) {
    out.extend((score.units() as i16).to_le_bytes());
}

pub(super) fn get_score(cursor: &mut Cursor<'_>) -> Option<Score> {
    let units = cursor.i16()?;
    Some(Score::from_units(i32::from(units)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::level::{Origin, Program};
    use super::*;
    use crate::board::squares;
    use crate::util::rng::Rng;

    pub(crate) const LEVEL: SearchLevel = SearchLevel::own(22, 73);

    pub(crate) fn usual() -> Usual {
        Usual::of(LEVEL)
    }

    /// An entry as books have them, of the kinds that the form tells apart.
    pub(crate) fn random_entry(rng: &mut Rng, board: Board) -> Entry {
        let mut entry = Entry::default();
        for square in squares(board.moves()) {
            let kind = rng.below(8);
            let score = Score::from_units(rng.below(4000) as i32 - 2000);
            let score = (kind < 3).then_some(MoveScore { score, linked: kind == 1 });
            let count = if (2..5).contains(&kind) { rng.below(400) } else { 0 };
            let games = Games { wins: count, draws: count / 9, losses: rng.below(count + 1) };
            if score.is_some() || games.count() > 0 {
                *entry.move_mut(square) = BookMove { square, score, games };
            }
        }
        if let Some(best) = entry.best().and_then(|mv| mv.score) {
            let error = Score::from_units(rng.below(400) as i32);
            entry.value = Some(Value::around(best.score, error));
            let exact = rng.below(4) == 0;
            let origin = (rng.below(3) == 0).then_some(Origin { program: Program::Zebra, level: -1 });
            let level = if rng.below(2) == 0 {
                LEVEL
            } else {
                SearchLevel { depth: 30, percent: 100, exact, origin }
            };
            let looked = rng.below(3) == 0;
            entry.searched = (rng.below(5) > 0).then_some(Searched { level, rest: best.score, looked });
        }
        entry
    }

    #[test]
    fn entries_survive_their_bytes() {
        let mut rng = Rng::new(5);
        for _ in 0..20_000 {
            let board = Board { player: rng.next() & rng.next(), opponent: 0 };
            let board = Board { opponent: rng.next() & !board.player, ..board };
            let entry = random_entry(&mut rng, board);
            let mut out = Vec::new();
            entry.encode(usual(), &mut out);
            let mut cursor = Cursor::new(&out);
            assert_eq!(Entry::decode(&mut cursor, usual()), Some(entry));
            assert!(cursor.is_at_end());
            let mut cursor = Cursor::new(&out);
            assert!(Entry::skip(&mut cursor).is_some() && cursor.is_at_end());
            assert_eq!(Entry::skip(&mut Cursor::new(&out[..out.len() - 1])), None);
        }
    }

    #[test]
    fn a_plain_entry_takes_four_bytes() {
        let mut entry = Entry::default();
        let score = Score::from_units(-321);
        entry.move_mut(Square::at(3, 2)).score = Some(MoveScore { score, linked: false });
        entry.searched = Some(Searched { level: LEVEL, rest: score, looked: false });
        entry.value = Some(Value::around(score, LEVEL.error()));
        let mut out = Vec::new();
        entry.encode(usual(), &mut out);
        assert_eq!(out.len(), 4);
        assert_eq!(Entry::decode(&mut Cursor::new(&out), usual()), Some(entry));
    }

    #[test]
    fn no_bytes_panic() {
        let mut rng = Rng::new(6);
        for _ in 0..100_000 {
            let bytes: Vec<u8> = (0..rng.below(40)).map(|_| rng.next() as u8).collect();
            let mut cursors = [Cursor::new(&bytes), Cursor::new(&bytes)];
            if Entry::decode(&mut cursors[0], usual()).is_some() {
                assert!(Entry::skip(&mut cursors[1]).is_some(), "what can be read can be passed over");
                assert_eq!(cursors[0].rest().len(), cursors[1].rest().len());
            }
        }
    }
}
