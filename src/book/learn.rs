//! How entries take in what searches and games told, and other books.

use super::GAME_PLIES;
use super::entry::{Entry, MoveScore, Searched, Value};
use super::journal::{Answer, LearnedGame};
use super::key::{BookKey, Canonical, representative};
use crate::board::{Board, Game, Move, Score, Square};

impl LearnedGame {
    /// What a book learns of a game; `None` while the game goes on.
    pub fn of(game: &Game) -> Option<Self> {
        let start = game.start();
        let result = game.final_score(start.side)?;
        let moves = game.moves().iter().filter_map(|mv| match mv {
            Move::Place(square) => Some(*square),
            Move::Pass => None,
        });
        // What a book never counts need not lie in its journal.
        let moves = moves.take(GAME_PLIES).collect();
        Some(Self { start: start.board, moves, result: i8::try_from(result).ok()? })
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
    /// Takes in the answer of a search of this position, `board`.
    ///
    /// Answers of one level may come in any order and more than once; of several levels the worthiest counts.
    pub fn absorb(&mut self, board: Board, answer: &Answer) {
        let legal = board.moves();
        let moves: Vec<(Square, Score)> = answer
            .moves
            .iter()
            .filter(|(square, _)| legal & square.bit() != 0)
            .map(|&(square, score)| (representative(board, square), score))
            .collect();
        let Some(least) = moves.iter().map(|(_, score)| *score).min() else { return };
        let old = self.searched.filter(|old| old.level.worth() >= answer.level.worth());
        if old.is_some_and(|old| old.level.worth() > answer.level.worth()) {
            return;
        }
        if old.is_none() {
            // A better search: the scores of a lesser one stand only where this one did not look.
            for mv in &mut self.moves {
                let seen = answer.avoid & mv.square.bit() == 0;
                mv.score = mv.score.filter(|score| score.linked || !seen);
            }
        }
        for (square, score) in moves {
            let mv = self.move_mut(square);
            if mv.score.is_none_or(|old| !old.linked && old.score < score) {
                mv.score = Some(MoveScore { score, linked: false });
            }
        }
        let rest = old.map_or(least, |old| old.rest.min(least));
        self.searched = Some(Searched { level: answer.level, rest });
        self.value = self.leaf_value(board);
    }

    /// Value and bounds from the moves' scores alone, as far as they are known.
    fn leaf_value(&self, board: Board) -> Option<Value> {
        let best = self.best()?.score?.score;
        let searched = self.searched?;
        let error = searched.level.error();
        let all_scored =
            self.moves.iter().filter(|mv| mv.score.is_some()).count() == board.moves().count_ones() as usize;
        let top = if all_scored { best } else { best.max(searched.rest) };
        Some(Value { upper: Value::around(top, error).upper, ..Value::around(best, error) })
    }

    /// Takes in what another book knows of this position, `board`: the worthier search, of equal ones both.
    ///
    /// Games are added if `with_games`: two books that counted the same games would count them twice.
    pub fn merge(&mut self, board: Board, other: &Self, with_games: bool) {
        let worth = |entry: &Self| entry.searched.map(|searched| searched.level.worth());
        if let Some(theirs) = other.searched.filter(|_| worth(other) >= worth(self)) {
            let same = worth(other) == worth(self);
            for mv in &mut self.moves {
                mv.score = mv.score.filter(|score| same || score.linked);
            }
            for (square, score) in other.outside() {
                let mv = self.move_mut(square);
                if mv.score.is_none_or(|old| !old.linked && old.score < score) {
                    mv.score = Some(MoveScore { score, linked: false });
                }
            }
            let rest = self.searched.filter(|_| same).map_or(theirs.rest, |own| own.rest.min(theirs.rest));
            self.searched = Some(Searched { rest, ..theirs });
        }
        if with_games {
            for mv in &other.moves {
                self.move_mut(mv.square).games.add_all(mv.games);
            }
        }
        self.moves.retain(|mv| mv.score.is_some() || mv.games.count() > 0);
        self.value = self.leaf_value(board);
    }

    /// The scored moves that lead out of the book.
    fn outside(&self) -> impl Iterator<Item = (Square, Score)> + '_ {
        self.moves
            .iter()
            .filter_map(|mv| mv.score.filter(|score| !score.linked).map(|score| (mv.square, score.score)))
    }
}
