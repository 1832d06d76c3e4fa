//! Variety where the book ends: among moves that the search thinks equally good within a bound, one at random.
//!
//! A book knows few lines of moves that all lie near the best, so games that only chose there would soon repeat
//! each other. Where an earlier game has been, the choice goes on until the game is a new one.

use crate::board::{Board, Move, Score};
use crate::search::{Line, SearchResult};
use crate::util::rng::Rng;

/// Moves of its own that a side still chooses among after the book's last.
const MOVES: u32 = 6;
/// Of so many of the best moves.
const LINES: usize = 3;

/// A bound below which it is not worth to compare moves, in discs: few are so near each other.
const LEAST: f64 = 0.1;

/// While a game repeats an earlier one, the bound grows by so many discs with each move of a side after the book's last.
const GROWTH: f64 = 0.5;

/// Chooses among the best moves of searches, for the first moves out of the book.
#[derive(Debug)]
pub struct Spread {
    /// Searches of this game since the book's last move.
    searched: u32,
    /// At the last search: more of them are another game.
    empties: u32,
}

impl Spread {
    /// At the start of a game.
    pub fn new() -> Self {
        Self { searched: 0, empties: 64 }
    }

    /// The book had a move.
    pub fn in_book(&mut self) {
        self.searched = 0;
    }

    /// By how many discs the bound is wider where an earlier game has been.
    fn widened(&self) -> f64 {
        GROWTH * f64::from(self.searched.saturating_sub(1))
    }

    /// How many of the best moves of `board` a search for the move to play should compare, when moves so many discs
    /// behind the best will do, and earlier games went on from there by so many moves.
    pub fn lines(&mut self, board: Board, reach: f64, tried: usize) -> usize {
        let empties = board.empty_count();
        if empties > self.empties {
            self.searched = 0;
        }
        self.empties = empties;
        self.searched += 1;
        if reach < LEAST || self.searched > MOVES && tried == 0 {
            return 1;
        }
        LINES.max(tried + 1).min(board.moves().count_ones() as usize).max(1)
    }

    /// Puts a move at most `reach` discs behind the best in its place: a new one if there is one, at random. A game
    /// that repeats an earlier one takes the best new move within its wider bound. Says what that loses.
    pub fn draw(
        &self,
        result: &mut SearchResult,
        reach: f64,
        rng: &mut Rng,
        is_new: impl Fn(Move) -> bool,
    ) -> Score {
        let lines = &mut result.info.lines;
        let Some(best) = lines.first() else { return Score::ZERO };
        // An iteration that was cut short may have left lines of the one before it.
        let (depth, highest) = (best.depth, best.score);
        let moves = lines.iter().enumerate().filter(|(_, line)| line.depth == depth);
        let lost = |line: &Line| highest.discs() - line.score.discs();
        let (new, old): (Vec<_>, Vec<_>) = moves
            .filter(|(_, line)| lost(line) <= reach + self.widened())
            .partition(|(_, line)| line.pv.first().is_some_and(|&mv| is_new(mv)));
        let near = |moves: &[(usize, &Line)]| -> Vec<usize> {
            moves.iter().filter(|(_, line)| lost(line) <= reach).map(|&(at, _)| at).collect()
        };
        let choice = match (near(&new), new.first()) {
            (near, Some(&(first, _))) if near.is_empty() => vec![first],
            (near, Some(_)) => near,
            (_, None) => near(&old),
        };
        if choice.is_empty() {
            return Score::ZERO;
        }
        lines.swap(0, choice[rng.below(choice.len() as u32) as usize]);
        result.best = lines[0].pv.first().copied();
        highest - lines[0].score
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Square;
    use crate::search::{Info, Proof, Selectivity};

    fn result(scores: &[(f64, u8)]) -> SearchResult {
        let line = |(index, &(discs, depth)): (usize, &(f64, u8))| Line {
            pv: vec![Move::Place(Square::new(index as u8).unwrap())],
            score: Score::from_units((discs * 128.0) as i32),
            depth,
            selectivity: Selectivity::P73,
            proof: Proof::None,
        };
        let lines: Vec<Line> = scores.iter().enumerate().map(line).collect();
        let best = lines[0].pv.first().copied();
        SearchResult { best, info: Info { lines, nodes: 1, time: Duration::ZERO }, stopped: false }
    }

    #[test]
    fn moves_within_the_bound_are_equally_likely_and_others_never_come() {
        let mut rng = Rng::new(1);
        let mut counts = [0; 4];
        for _ in 0..2_000 {
            let mut result = result(&[(1.0, 8), (0.5, 8), (0.4, 8), (1.0, 7)]);
            let lost = Spread::new().draw(&mut result, 0.5, &mut rng, |_| true);
            let Some(Move::Place(square)) = result.best else { unreachable!() };
            assert_eq!(result.info.lines[0].pv, [Move::Place(square)]);
            assert_eq!(lost.discs(), [0.0, 0.5][square.index()]);
            counts[square.index()] += 1;
        }
        assert!((900..1_100).contains(&counts[0]) && counts[0] + counts[1] == 2_000, "{counts:?}");
    }

    #[test]
    fn a_new_move_comes_first_and_a_long_repetition_widens_the_bound() {
        let mut rng = Rng::new(1);
        let mut spread = Spread::new();
        let mut drawn = |spread: &Spread, tried: &[usize]| {
            let mut result = result(&[(1.0, 8), (0.6, 8), (0.0, 8), (-3.0, 8)]);
            let place = |index: usize| Move::Place(Square::new(index as u8).unwrap());
            let is_new = |mv| tried.iter().all(|&index| place(index) != mv);
            spread.draw(&mut result, 0.5, &mut rng, is_new);
            (0..4).find(|&index| result.best == Some(place(index))).unwrap()
        };
        for _ in 0..50 {
            assert_eq!(drawn(&spread, &[0]), 1, "the only new one within the bound");
            assert!(drawn(&spread, &[0, 1]) < 2, "none");
        }
        for _ in 0..3 {
            spread.lines(Board::START, 0.5, 2);
        }
        assert_eq!(drawn(&spread, &[0, 1]), 2, "within half a disc more a move");
        assert_eq!(drawn(&spread, &[0]), 1);
        assert!(drawn(&spread, &[0, 1, 2]) < 2);
    }

    #[test]
    fn it_ends_some_moves_after_the_book_and_begins_with_each_game() {
        let mut spread = Spread::new();
        let counts =
            |spread: &mut Spread| (0..9).map(|_| spread.lines(Board::START, 0.5, 0)).collect::<Vec<_>>();
        assert_eq!(counts(&mut spread), [3, 3, 3, 3, 3, 3, 1, 1, 1]);
        spread.in_book();
        assert_eq!(counts(&mut spread)[5..], [3, 1, 1, 1]);
        let later = Board::START.play("f5".parse().unwrap()).unwrap();
        assert_eq!(
            (spread.lines(later, 0.5, 0), spread.lines(Board::START, 0.5, 0)),
            (1, 3),
            "more empties: another game"
        );
        assert_eq!(Spread::new().lines(Board::START, 0.05, 5), 1);
    }

    #[test]
    fn it_goes_on_where_an_earlier_game_has_been() {
        let mut spread = Spread::new();
        for _ in 0..MOVES {
            spread.lines(Board::START, 0.5, 0);
        }
        assert_eq!((spread.lines(Board::START, 0.5, 0), spread.lines(Board::START, 0.5, 1)), (1, 3));
        assert_eq!(spread.lines(Board::START, 0.5, 3), 4, "one more than was tried, if there are so many");
        assert_eq!((spread.lines(Board::START, 0.5, 9), spread.lines(Board::START, 0.5, 0)), (4, 1));
    }
}
