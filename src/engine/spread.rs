//! Variety where the book ends: among moves that the search thinks equally good within a bound, one at random.
//!
//! A book knows few lines of moves that all lie near the best, so games that only chose there would soon repeat
//! each other. Where an earlier game has been, the choice goes on until the game is a new one.

use crate::board::{Board, Move, Score};
use crate::search::SearchResult;
use crate::util::rng::Rng;

/// Moves of its own that a side still chooses among after the book's last.
const MOVES: u32 = 6;
/// Of so many of the best moves.
const LINES: usize = 3;

/// A bound below which it is not worth to compare moves, in discs: few are so near each other.
const LEAST: f64 = 0.1;

/// Chooses among the best moves of searches, for the first moves out of the book.
#[derive(Debug)]
pub struct Spread {
    left: u32,
    /// At the last search: more of them are another game.
    empties: u32,
}

impl Spread {
    /// At the start of a game.
    pub fn new() -> Self {
        Self { left: MOVES, empties: 64 }
    }

    /// The book had a move.
    pub fn in_book(&mut self) {
        self.left = MOVES;
    }

    /// How many of the best moves of `board` a search for the move to play should compare, when moves so many discs
    /// behind the best will do, and earlier games went on from there by so many moves.
    pub fn lines(&mut self, board: Board, reach: f64, tried: usize) -> usize {
        let empties = board.empty_count();
        if empties > self.empties {
            self.left = MOVES;
        }
        self.empties = empties;
        if reach < LEAST || self.left == 0 && tried == 0 {
            return 1;
        }
        self.left = self.left.saturating_sub(1);
        LINES.max(tried + 1).min(board.moves().count_ones() as usize).max(1)
    }

    /// Puts one of the moves at most so many discs behind the best in its place, by their weights; what that loses.
    pub fn draw(result: &mut SearchResult, reach: f64, rng: &mut Rng, weight: impl Fn(Move) -> f64) -> Score {
        const NOTHING: Score = Score::from_units(0);
        let lines = &mut result.info.lines;
        let Some(best) = lines.first() else { return NOTHING };
        // An iteration that was cut short may have left lines of the one before it.
        let (depth, highest) = (best.depth, best.score);
        let least = highest.discs() - reach;
        let is_near = |at: &usize| lines[*at].depth == depth && lines[*at].score.discs() >= least;
        let weigh = |at: usize| Some((at, weight(*lines[at].pv.first()?)));
        let near: Vec<(usize, f64)> = (0..lines.len()).filter(is_near).filter_map(weigh).collect();
        if near.len() < 2 {
            return NOTHING;
        }
        let mut left = rng.unit() * near.iter().map(|(_, weight)| weight).sum::<f64>();
        let mut drawn = near[near.len() - 1].0;
        for (at, weight) in near {
            left -= weight;
            if left < 0.0 {
                drawn = at;
                break;
            }
        }
        lines.swap(0, drawn);
        result.best = lines[0].pv.first().copied();
        highest - lines[0].score
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Square;
    use crate::search::{Info, Line, Proof, Selectivity};

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
            let lost = Spread::draw(&mut result, 0.5, &mut rng, |_| 1.0);
            let Some(Move::Place(square)) = result.best else { unreachable!() };
            assert_eq!(result.info.lines[0].pv, [Move::Place(square)]);
            assert_eq!(lost.discs(), [0.0, 0.5][square.index()]);
            counts[square.index()] += 1;
        }
        assert!((900..1_100).contains(&counts[0]) && counts[0] + counts[1] == 2_000, "{counts:?}");
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
