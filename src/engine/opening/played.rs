//! What was played from each position in a session, so that its next game can be another.

use std::collections::HashMap;

use crate::board::{Board, Game, Move, Square, squares};
use crate::book::{BookKey, Canonical};

/// How often moves were played, by either side, over all games of a session.
#[derive(Debug, Default)]
pub struct Played {
    times: HashMap<(BookKey, Square), u32>,
    /// The game that is being played, as far as it is counted.
    start: Option<Board>,
    counted: Vec<Move>,
}

impl Played {
    /// Counts the moves of a game that have been made since the last look.
    pub fn look(&mut self, game: &Game) {
        let start = Some(game.start().board);
        let is_same = self.start == start && game.moves().starts_with(&self.counted);
        let known = if is_same { self.counted.len() } else { 0 };
        for (position, mv) in game.positions().iter().zip(game.moves()).skip(known) {
            if let Some(place) = place(position.board, *mv) {
                *self.times.entry(place).or_default() += 1;
            }
        }
        (self.start, self.counted) = (start, game.moves().to_vec());
    }

    /// By how many moves games went on from a position.
    pub fn tried(&self, board: Board) -> usize {
        squares(board.moves()).filter(|&square| self.times(board, Move::Place(square)) > 0).count()
    }

    /// How often this move was played.
    pub fn times(&self, board: Board, mv: Move) -> u32 {
        place(board, mv).and_then(|place| self.times.get(&place)).copied().unwrap_or(0)
    }
}

/// A move in any image of its position.
fn place(board: Board, mv: Move) -> Option<(BookKey, Square)> {
    let Move::Place(square) = mv else { return None };
    let canonical = Canonical::of(board)?;
    Some((canonical.key(), canonical.forth(square)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_counts_once_however_often_it_is_looked_at() {
        let mut played = Played::default();
        let game = |moves: &str| {
            let mut game = Game::default();
            for name in moves.as_bytes().chunks(2) {
                game.play_square(std::str::from_utf8(name).unwrap().parse().unwrap()).unwrap();
            }
            game
        };
        for moves in ["", "f5", "f5d6", "f5d6", "f5d6c3"] {
            played.look(&game(moves));
        }
        let f5 = Move::Place("f5".parse().unwrap());
        let (first, second) = (Board::START, game("f5").position().board);
        assert_eq!(played.times(first, f5), 1);
        // Another game, its image: the same moves.
        played.look(&game("d3c5"));
        assert_eq!(played.times(first, f5), 2);
        assert_eq!(played.times(first, Move::Place("c4".parse().unwrap())), 2);
        assert_eq!(played.times(second, Move::Place("f6".parse().unwrap())), 0);
        assert_eq!(played.times(second, Move::Place("f4".parse().unwrap())), 0);
        assert_eq!(played.times(second, Move::Place("d6".parse().unwrap())), 2, "c5 after d3 is d6 after f5");
        assert_eq!(played.times(first, Move::Pass), 0);
        // All four first moves are images of one.
        assert_eq!(
            (played.tried(first), played.tried(second), played.tried(game("f5f6").position().board)),
            (4, 1, 0)
        );
    }
}
