//! Adding searches, games and other books to entries.

use super::BookError;
use super::entry::{BookMove, Entry, LOOK_REACH, MoveScore, Searched, Value};
use super::journal::{Answer, GAME_PLIES, LearnedGame};
use super::key::{BookKey, Canonical, representative};
use crate::board::{Board, Color, Game, Score, Square};

impl LearnedGame {
    /// The record of a game; `None` while it continues.
    pub fn of(game: &Game) -> Option<Self> {
        let start = game.start();
        Self::with_result(game, start.side, game.final_score(start.side)?)
    }

    /// The record of a game that ended, played out or not, with `result` discs for `side`; `None` for an impossible
    /// number of them.
    pub fn with_result(game: &Game, side: Color, result: i32) -> Option<Self> {
        let start = game.start();
        let result = if side == start.side { result } else { -result };
        let moves = game.moves().iter().filter_map(|mv| mv.square());
        let moves = moves.take(GAME_PLIES).collect();
        let result = i8::try_from(result)
            .ok()
            .filter(|result| (-64..=64).contains(result))?;
        Some(Self {
            start: start.board,
            moves,
            result,
        })
    }

    /// Whether a book with these entries counts this game already: the same counted moves and winner. So a game that is
    /// learned or imported again counts once.
    pub fn is_counted(
        &self,
        entry: impl Fn(BookKey) -> Result<Option<Entry>, BookError>,
    ) -> Result<bool, BookError> {
        let steps = self.steps();
        // The last moves first: most games differ there.
        for &(key, square, result) in steps.iter().rev() {
            let entry = entry(key)?.unwrap_or_default();
            if !entry
                .move_at(square)
                .is_some_and(|mv| mv.games.include(result))
            {
                return Ok(false);
            }
        }
        Ok(!steps.is_empty())
    }

    /// The counted positions up to an illegal move: key, move on the canonical board, result for its side to move.
    pub fn steps(&self) -> Vec<(BookKey, Square, i32)> {
        let mut steps = Vec::with_capacity(self.moves.len());
        let mut board = self.start;
        let mut result = i32::from(self.result);
        for &square in self.moves.iter().take(GAME_PLIES) {
            let Some(canonical) = Canonical::of(board) else {
                break;
            };
            if canonical.passed {
                (board, result) = (board.pass(), -result);
            }
            let Some(next) = board.play(square) else {
                break;
            };
            steps.push((canonical.key(), canonical.forth(square), result));
            (board, result) = (next, -result);
        }
        steps
    }
}

impl Entry {
    /// Adds the answer of a search of this position, `board`.
    ///
    /// Answers of one level count in any order and any number; of several levels the worthiest counts. A lesser answer
    /// that compares all moves becomes a look at the moves that the worthier one does not score.
    pub fn absorb(&mut self, board: Board, answer: &Answer) {
        let legal = board.moves();
        let moves = answer
            .moves
            .iter()
            .filter(|(square, _)| legal.contains(*square));
        let moves: Vec<(Square, Score)> = moves
            .map(|&(square, score)| (representative(board, square), score))
            .collect();
        let Some(least) = moves.iter().map(|(_, score)| *score).min() else {
            return;
        };
        match self
            .searched
            .filter(|_| self.score_without_move().is_none())
        {
            Some(old) if old.level.worth() > answer.level.worth() => {
                let is_new = answer.avoid.is_empty() && !old.is_looked && !old.level.exact;
                if is_new && compares_all(board, &moves) {
                    self.look(&moves, best_of(&moves).unwrap_or(least));
                }
            }
            Some(old) if old.level == answer.level => {
                self.lower_rest(old.rest.min(Some(least)), old.is_looked);
                self.put_outside(&moves);
            }
            _ => self.search_anew(board, answer, &moves, least),
        }
        self.value = self.leaf_value(board);
    }

    /// A first or a better search: a lesser one counts only for moves that this one excluded, or as a look.
    fn search_anew(
        &mut self,
        board: Board,
        answer: &Answer,
        moves: &[(Square, Score)],
        least: Score,
    ) {
        let before: Vec<(Square, Score)> = self.outside().collect();
        let old = self
            .searched
            .filter(|_| !answer.level.exact && answer.avoid.is_empty());
        for mv in &mut self.moves {
            let is_seen = !answer.avoid.contains(mv.square);
            mv.score = mv
                .score
                .filter(|score| matches!(score, MoveScore::Linked(_)) || !is_seen);
        }
        self.searched = Some(Searched {
            level: answer.level,
            rest: None,
            is_looked: false,
        });
        self.set_rest(Some(least), false);
        self.put_outside(moves);
        let seen = best_of(&before).filter(|_| compares_all(board, &before));
        if let Some(best) = old.and_then(|old| if old.is_looked { old.rest } else { seen }) {
            self.look(&before, best);
        }
    }

    /// Gives moves without a score the score of a look: below `rest` by their distance from the best.
    fn look(&mut self, moves: &[(Square, Score)], best: Score) {
        let Some(rest) = self.searched.and_then(|searched| searched.rest) else {
            return;
        };
        for &(square, score) in moves
            .iter()
            .filter(|(_, score)| best - *score <= Score::from_discs(LOOK_REACH))
        {
            let mv = self.move_mut(square);
            mv.score = mv
                .score
                .or(Some(MoveScore::Look(below(rest, rest - (best - score)))));
        }
        self.set_rest(Some(rest), true);
        self.drop_the_unknown();
    }

    /// Scores of the position's own search: they count for more than looks and lower scores.
    fn put_outside(&mut self, moves: &[(Square, Score)]) {
        for &(square, score) in moves {
            let mv = self.move_mut(square);
            if !mv.is_linked() && mv.outside().is_none_or(|old| old < score) {
                mv.score = Some(MoveScore::Searched(score));
            }
        }
    }

    /// Lowers the bound on the moves without a score; looks stay below it.
    fn lower_rest(&mut self, rest: Option<Score>, is_looked: bool) {
        for mv in &mut self.moves {
            if let (Some(MoveScore::Look(score)), Some(rest)) = (&mut mv.score, rest) {
                *score = below(rest, *score);
            }
        }
        self.set_rest(rest, is_looked);
    }

    /// Value and bounds from the moves' known scores.
    fn leaf_value(&self, board: Board) -> Option<Value> {
        let searched = self.searched?;
        let error = searched.level.error();
        if let Some(score) = self.score_without_move() {
            return Some(Value::around(score, error));
        }
        let best = self.best_score()?;
        let known = self.moves.iter().filter(|mv| mv.known().is_some()).count();
        let all_known = known == board.moves().len() as usize;
        let rest = searched.rest.filter(|_| !all_known);
        let top = rest.map_or(best, |rest| best.max(rest));
        let value = self
            .outside()
            .map(|(_, score)| score)
            .fold(best, Score::max);
        let around = Value::around(best, error);
        Some(Value {
            value,
            upper: Value::around(top, error).upper.max(value),
            ..around
        })
    }

    /// Adds the entry of another book for this position, `board`: the worthier search, of equal ones both.
    ///
    /// Games are added if `with_games`: two books that counted the same games would count them twice.
    pub fn merge(&mut self, board: Board, other: &Self, with_games: bool) {
        let worth = |entry: &Self| entry.searched.map(|searched| searched.level.worth());
        // Equal searches of two programs are not one search: the first counts.
        let own = self.searched.filter(|own| {
            other
                .searched
                .is_some_and(|theirs| own.level == theirs.level)
        });
        if let Some(theirs) = other
            .searched
            .filter(|_| own.is_some() || worth(other) > worth(self))
        {
            for mv in &mut self.moves {
                mv.score = mv
                    .score
                    .filter(|score| own.is_some() || matches!(score, MoveScore::Linked(_)));
            }
            let bound = own.map_or(theirs.rest, |own| own.rest.min(theirs.rest));
            let is_looked = theirs.is_looked || own.is_some_and(|own| own.is_looked);
            self.searched = Some(theirs);
            self.lower_rest(bound, is_looked);
            let outside = |mv: &BookMove| Some((mv.square, mv.outside().and(mv.known())?));
            self.put_outside(&other.moves.iter().filter_map(outside).collect::<Vec<_>>());
            for theirs in &other.moves {
                if let (Some(MoveScore::Look(score)), Some(rest)) = (theirs.score, bound) {
                    let mv = self.move_mut(theirs.square);
                    mv.score = mv.score.or(Some(MoveScore::Look(below(rest, score))));
                }
            }
        }
        if with_games {
            for mv in &other.moves {
                self.move_mut(mv.square).games.add_all(mv.games);
            }
        }
        self.drop_the_unknown();
        self.value = self.leaf_value(board);
    }

    /// Removes moves without score and games.
    pub(super) fn drop_the_unknown(&mut self) {
        self.moves
            .retain(|mv| mv.score.is_some() || mv.games.count() > 0);
    }
}

/// Whether the scores compare all moves: moves without one are beyond the reach of a look.
fn compares_all(board: Board, scores: &[(Square, Score)]) -> bool {
    let Some(best) = best_of(scores) else {
        return false;
    };
    let is_scored = |square| {
        scores
            .iter()
            .any(|(other, _)| *other == representative(board, square))
    };
    scores
        .iter()
        .any(|(_, score)| best - *score > Score::from_discs(LOOK_REACH))
        || board.moves().iter().all(is_scored)
}

fn best_of(scores: &[(Square, Score)]) -> Option<Score> {
    scores.iter().map(|(_, score)| *score).max()
}

/// A look's score: below `rest`, by which the file knows it.
fn below(rest: Score, score: Score) -> Score {
    score.min(rest - Score::from_units(1)).max(Score::MIN)
}
