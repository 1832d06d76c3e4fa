//! How entries take in what searches and games told, and other books.

use super::entry::{BookMove, Entry, Games, LOOK_REACH, MoveScore, Searched, Value};
use super::journal::{Answer, GAME_PLIES, LearnedGame};
use super::key::{BookKey, Canonical, representative};
use crate::board::{Board, Color, Game, Score, Square, squares};
use crate::notation::{GameResult, Outcome};

impl LearnedGame {
    /// What a book learns of a game; `None` while the game goes on.
    pub fn of(game: &Game) -> Option<Self> {
        let start = game.start();
        Self::with_result(game, start.side, game.final_score(start.side)?)
    }

    /// What a book learns of a game with its result; `None` if nobody knows it in discs, or a side gave up or lost on
    /// time: how strong its moves were is not told by that.
    pub fn of_result(game: &Game, result: GameResult) -> Option<Self> {
        match result.outcome {
            Outcome::Discs(discs) if !result.how.is_forfeit() => Self::with_result(game, Color::Black, discs),
            _ => None,
        }
    }

    /// What a book learns of a game that ended, played out or not, with `result` discs for `side`.
    fn with_result(game: &Game, side: Color, result: i32) -> Option<Self> {
        let start = game.start();
        let result = if side == start.side { result } else { -result };
        let moves = game.moves().iter().filter_map(|mv| mv.square());
        // What a book never counts need not lie in its journal.
        let moves = moves.take(GAME_PLIES).collect();
        let result = i8::try_from(result).ok().filter(|result| (-64..=64).contains(result))?;
        Some(Self { start: start.board, moves, result })
    }

    /// Whether a book that knows such `games` of each move counts this game already: the same moves, as far as they
    /// count, and the same winner.
    ///
    /// By this rule a game counts once that is learned again, or imported into a book that had it.
    ///
    /// # Errors
    /// Those of `games`.
    pub fn is_counted<E>(
        &self,
        mut games: impl FnMut(BookKey, Square) -> Result<Games, E>,
    ) -> Result<bool, E> {
        let steps = self.steps();
        // The last moves first: most games differ there.
        for &(key, square, result) in steps.iter().rev() {
            if !games(key, square)?.include(result) {
                return Ok(false);
            }
        }
        Ok(!steps.is_empty())
    }

    /// The positions of the game that count: key, move on the canonical board, result for its side to move.
    ///
    /// Ends before an illegal move.
    pub fn steps(&self) -> Vec<(BookKey, Square, i32)> {
        let mut steps = Vec::with_capacity(self.moves.len());
        let (mut board, mut result) = (self.start, i32::from(self.result));
        for &square in self.moves.iter().take(GAME_PLIES) {
            let Some(canonical) = Canonical::of(board) else { break };
            if canonical.passed {
                (board, result) = (board.pass(), -result);
            }
            let Some(next) = board.play(square) else { break };
            steps.push((canonical.key(), canonical.forth(square), result));
            (board, result) = (next, -result);
        }
        steps
    }
}

impl Entry {
    /// The games in which a move, of the canonical board, was played.
    pub fn games_of(&self, square: Square) -> Games {
        self.moves.iter().find(|mv| mv.square == square).map_or(Games::default(), |mv| mv.games)
    }

    /// Takes in the answer of a search of this position, `board`.
    ///
    /// Answers of one level may come in any order and more than once; of several levels the worthiest counts.
    /// A lesser one that tells of all moves is kept as a look at the moves that the worthier says nothing of.
    pub fn absorb(&mut self, board: Board, answer: &Answer) {
        let legal = board.moves();
        let moves: Vec<(Square, Score)> = answer
            .moves
            .iter()
            .filter(|(square, _)| legal & square.bit() != 0)
            .map(|&(square, score)| (representative(board, square), score))
            .collect();
        let Some(least) = moves.iter().map(|(_, score)| *score).min() else { return };
        match self.searched.filter(|_| self.moveless().is_none()) {
            Some(old) if old.level.worth() > answer.level.worth() => {
                if answer.avoid == 0 && !old.looked && !old.level.exact && tells_of_all(board, &moves) {
                    let best = best_of(&moves).unwrap_or(least);
                    self.look(&moves, best);
                }
            }
            Some(old) if old.level == answer.level => {
                self.lower_rest(old.rest.min(least));
                self.put_outside(&moves);
            }
            _ => self.search_anew(board, answer, &moves, least),
        }
        self.value = self.leaf_value(board);
    }

    /// A first or a better search: what a lesser one told stands only where this one did not look, or as a look.
    fn search_anew(&mut self, board: Board, answer: &Answer, moves: &[(Square, Score)], rest: Score) {
        let before: Vec<(Square, Score)> = self.outside().collect();
        let old = self.searched.filter(|old| old.looked || tells_of_all(board, &before));
        for mv in &mut self.moves {
            let seen = answer.avoid & mv.square.bit() == 0;
            mv.score = mv.score.filter(|score| score.linked || !seen);
        }
        self.searched = Some(Searched { level: answer.level, rest, looked: false });
        self.put_outside(moves);
        if let Some(old) = old.filter(|_| answer.avoid == 0 && !answer.level.exact) {
            let best = if old.looked { old.rest } else { best_of(&before).unwrap_or(old.rest) };
            self.look(&before, best);
        }
    }

    /// Gives moves without a score what a look told of them: as far below `rest` as they are below its best.
    fn look(&mut self, moves: &[(Square, Score)], best: Score) {
        let Some(searched) = &mut self.searched else { return };
        searched.looked = true;
        let rest = searched.rest;
        for &(square, score) in
            moves.iter().filter(|(_, score)| best - *score <= Score::from_discs(LOOK_REACH))
        {
            let mv = self.move_mut(square);
            if mv.score.is_none() {
                let score = below(rest, rest - (best - score));
                mv.score = Some(MoveScore { score, linked: false });
            }
        }
        self.drop_the_unknown();
    }

    /// Scores of the position's own search: they count for more than looks and lower scores.
    fn put_outside(&mut self, moves: &[(Square, Score)]) {
        for &(square, score) in moves {
            let mv = self.move_mut(square);
            if mv.score.is_none_or(|old| !old.linked && old.score < score) {
                mv.score = Some(MoveScore { score, linked: false });
            }
        }
    }

    /// Lowers what the moves without a score are worth at most; looks stay below it.
    fn lower_rest(&mut self, rest: Score) {
        let looks: Vec<Square> =
            self.moves.iter().filter(|mv| self.is_look(mv)).map(|mv| mv.square).collect();
        for square in looks {
            if let Some(score) = &mut self.move_mut(square).score {
                score.score = below(rest, score.score);
            }
        }
        if let Some(searched) = &mut self.searched {
            searched.rest = rest;
        }
    }

    /// Value and bounds from the moves' scores alone, as far as they are known.
    fn leaf_value(&self, board: Board) -> Option<Value> {
        let searched = self.searched?;
        let error = searched.level.error();
        if self.moveless().is_some() {
            return Some(Value::around(searched.rest, error));
        }
        let best = self.best()?.score?.score;
        let known = self.moves.iter().filter(|mv| mv.score.is_some() && !self.is_look(mv)).count();
        let all_known = known == board.moves().count_ones() as usize;
        let top = if all_known { best } else { best.max(searched.rest) };
        let looks = self.outside().map(|(_, score)| score).max();
        let value = looks.map_or(best, |look| best.max(look));
        let around = Value::around(best, error);
        Some(Value { value, upper: Value::around(top, error).upper.max(value), ..around })
    }

    /// Takes in what another book knows of this position, `board`: the worthier search, of equal ones both.
    ///
    /// Games are added if `with_games`: two books that counted the same games would count them twice.
    pub fn merge(&mut self, board: Board, other: &Self, with_games: bool) {
        let worth = |entry: &Self| entry.searched.map(|searched| searched.level.worth());
        // Equal searches of two programs are not one search: the first stands.
        let is_same = |theirs: Searched| self.searched.is_some_and(|own| own.level == theirs.level);
        let counts = |theirs: &Searched| worth(other) > worth(self) || is_same(*theirs);
        if let Some(theirs) = other.searched.filter(counts) {
            let same = is_same(theirs);
            for mv in &mut self.moves {
                mv.score = mv.score.filter(|score| same || score.linked);
            }
            let own = self.searched.filter(|_| same);
            let rest = own.map_or(theirs.rest, |own| own.rest.min(theirs.rest));
            self.lower_rest(rest);
            let looked = theirs.looked || own.is_some_and(|own| own.looked);
            self.searched = Some(Searched { rest, looked, ..theirs });
            let of = |looks: bool| other.moves.iter().filter(move |mv| other.is_look(mv) == looks);
            let score =
                |mv: &BookMove| mv.score.filter(|score| !score.linked).map(|score| (mv.square, score.score));
            self.put_outside(&of(false).filter_map(score).collect::<Vec<_>>());
            for (square, score) in of(true).filter_map(score) {
                let mv = self.move_mut(square);
                mv.score = mv.score.or(Some(MoveScore { score: below(rest, score), linked: false }));
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

    /// Takes out moves of which nothing is known.
    pub(super) fn drop_the_unknown(&mut self) {
        self.moves.retain(|mv| mv.score.is_some() || mv.games.count() > 0);
    }
}

/// Whether scores say of every move how good it is, or that it is far behind.
fn tells_of_all(board: Board, scores: &[(Square, Score)]) -> bool {
    let told = |square| scores.iter().any(|(other, _)| *other == representative(board, square));
    let least = scores.iter().map(|(_, score)| *score).min();
    let reach =
        best_of(scores).zip(least).is_some_and(|(best, least)| best - least > Score::from_discs(LOOK_REACH));
    reach || squares(board.moves()).all(told)
}

fn best_of(scores: &[(Square, Score)]) -> Option<Score> {
    scores.iter().map(|(_, score)| *score).max()
}

/// A look's score: below `rest`, by which it is known again.
fn below(rest: Score, score: Score) -> Score {
    score.min(rest - Score::from_units(1)).max(Score::MIN)
}
