//! The linear evaluation in floating point, as it is learned.

use crate::board::Board;
use crate::eval::patterns::{self, PLACEMENT_COUNT};

/// The weights of one stage as the trainer knows them: float, in discs for the side to move.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearParameters {
    /// One weight per row of the pattern table, `ROWS` of them.
    pub rows: Vec<f32>,
    /// The worth of the position before any feature is looked at.
    pub constant: f32,
    /// Per legal move of the side to move.
    pub own_mobility: f32,
    /// Per square on which the other side could move; usually negative.
    pub opponent_mobility: f32,
}

impl LinearParameters {
    /// The score of `board` in discs, not clamped: what the integer evaluation approximates.
    ///
    /// Rows are read as they stand; they should be equal within an orbit.
    pub fn evaluate(&self, board: Board) -> f32 {
        let mut rows = [0; PLACEMENT_COUNT];
        patterns::rows(board, &mut rows);
        let sum: f32 = rows.iter().map(|&row| self.rows[row as usize]).sum();
        sum + self.constant
            + self.own_mobility * board.moves().count_ones() as f32
            + self.opponent_mobility * board.opponent_moves().count_ones() as f32
    }

    /// Makes the rows of every orbit equal: their mean.
    pub fn tie(&mut self) {
        for row in patterns::representatives() {
            let sum: f32 = patterns::orbit(row).map(|(other, _)| self.rows[other as usize]).sum();
            let mean = sum / patterns::orbit(row).len() as f32;
            patterns::orbit(row).for_each(|(other, _)| self.rows[other as usize] = mean);
        }
    }
}
