//! What each side may still give away for the sake of variety: one bound for all its choices in a game.
//!
//! A bound for each move would add up: half a disc at each of twenty moves is ten. `books/README.md` has the matches.

use crate::board::{Board, Score};

/// What the two sides of a game have left. Sides are told apart by whether the empties are even or odd, which holds
/// until the first pass: openings have none.
#[derive(Debug)]
pub struct Allowance {
    total: Score,
    sides: [Side; 2],
    /// At the last question: more of them are another game.
    empties: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// By choices that were played.
    spent: i32,
    /// By the last choice, which counts once the side is asked for another.
    last: i32,
    empties: u32,
}

impl Allowance {
    /// Of so much for each side and game.
    pub fn of(total: Score) -> Self {
        Self { total, sides: [Side::default(); 2], empties: 0 }
    }

    /// Whether a question about `board` would be the first of a game.
    pub fn is_new_game(&self, board: Board) -> bool {
        board.empty_count() > self.empties
    }

    /// What the side to move has left, and the other.
    pub fn left(&mut self, board: Board) -> [Score; 2] {
        let empties = board.empty_count();
        if self.is_new_game(board) {
            self.sides = [Side::default(); 2];
        }
        self.empties = empties;
        let own = self.side(board);
        if own.empties != empties {
            *own = Side { spent: own.spent + own.last, last: 0, empties };
        }
        let (own, other) = (*own, self.sides[(empties as usize + 1) % 2]);
        [own.spent, other.spent + other.last].map(|spent| {
            let left = self.total.units() - spent;
            Score::from_units(left.max(0))
        })
    }

    /// The move chosen at `board` loses so much.
    pub fn pay(&mut self, board: Board, cost: Score) {
        self.side(board).last = cost.units().max(0);
    }

    fn side(&mut self, board: Board) -> &mut Side {
        &mut self.sides[board.empty_count() as usize % 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_pays_once_for_each_choice_and_a_new_game_is_free() {
        let mut board = Board::START;
        let mut game = vec![board];
        for name in ["f5", "d6", "c3"] {
            board = board.play(name.parse().unwrap()).unwrap();
            game.push(board);
        }
        let units = |left: [Score; 2]| left.map(Score::units);
        let mut allowance = Allowance::of(Score::from_units(64));
        assert_eq!(units(allowance.left(game[0])), [64, 64]);
        allowance.pay(game[0], Score::from_units(40));
        assert_eq!(units(allowance.left(game[0])), [64, 64], "asked again: not played yet");
        allowance.pay(game[0], Score::from_units(30));
        assert_eq!(units(allowance.left(game[1])), [64, 34]);
        allowance.pay(game[1], Score::from_units(5));
        assert_eq!(units(allowance.left(game[2])), [34, 59]);
        allowance.pay(game[2], Score::from_units(50));
        assert_eq!(units(allowance.left(game[3])), [59, 0], "never less than nothing");
        assert_eq!(units(allowance.left(game[0])), [64, 64], "another game");
    }
}
