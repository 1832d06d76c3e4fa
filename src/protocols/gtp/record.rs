//! The game as GTP clients tell it: passes said, unsaid or said twice, and undo by command.

use crate::board::{Color, Game, Move, Position};

/// The game record behind a session.
///
/// Every successful `play`, `genmove` or pass is one step of [`Record::undo`], together with the
/// pass it may have implied.
#[derive(Clone, Debug, Default)]
pub struct Record {
    game: Game,
    /// Length of the game before each step.
    steps: Vec<usize>,
    /// The last step's pass was not said by the client.
    implied_pass: bool,
}

/// The rules forbid the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Illegal;

impl Record {
    /// The record of a game told at once: every move is a step.
    pub fn of(game: Game) -> Self {
        let steps = (0..game.moves().len()).collect();
        Self { game, steps, implied_pass: false }
    }

    /// The current position.
    pub fn position(&self) -> Position {
        self.game.position()
    }

    /// The moves so far, passes included.
    pub fn moves(&self) -> &[Move] {
        self.game.moves()
    }

    /// Hands the turn to `color`: implies the pass of a side that cannot move.
    ///
    /// At the end of the game it is everybody's turn, to pass.
    ///
    /// # Errors
    /// When the other side is to move and can; the record is then unchanged.
    pub fn turn_to(&mut self, color: Color) -> Result<(), Illegal> {
        if self.position().side == color || self.position().is_over() || self.game.pass_if_forced() {
            return Ok(());
        }
        Err(Illegal)
    }

    /// The side whose turn it would be for a move of `color`, without changing anything.
    ///
    /// # Errors
    /// As for [`Record::turn_to`].
    pub fn position_for(&self, color: Color) -> Result<Position, Illegal> {
        let mut copy = self.clone();
        copy.turn_to(color)?;
        Ok(copy.position())
    }

    /// Plays for `color`; a pass that only repeats one already recorded is taken as said.
    ///
    /// # Errors
    /// When the rules forbid it; the record is then unchanged.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        let before = self.game.moves().len();
        let mut implied = false;
        match mv {
            Move::Pass => self.pass(color)?,
            Move::Place(square) => {
                self.turn_to(color)?;
                implied = self.game.moves().len() > before;
                if self.position().side != color || self.game.play_square(square).is_err() {
                    self.cut(before);
                    return Err(Illegal);
                }
            }
        }
        self.steps.push(before);
        self.implied_pass = implied;
        Ok(())
    }

    fn pass(&mut self, color: Color) -> Result<(), Illegal> {
        let over = self.position().is_over();
        let turn = self.position().side == color;
        if over || turn && self.game.pass_if_forced() {
            return Ok(());
        }
        let just_passed = !turn && self.game.moves().last() == Some(&Move::Pass);
        // A client that tells all passes hears of an implied one only with the move after it.
        if just_passed || turn && self.implied_pass { Ok(()) } else { Err(Illegal) }
    }

    /// Takes `count` steps back.
    ///
    /// # Errors
    /// When there are fewer; the record is then unchanged.
    pub fn undo(&mut self, count: usize) -> Result<(), Illegal> {
        let kept = self.steps.len().checked_sub(count).ok_or(Illegal)?;
        if let Some(&length) = self.steps.get(kept) {
            self.cut(length);
        }
        self.steps.truncate(kept);
        self.implied_pass = false;
        Ok(())
    }

    fn cut(&mut self, length: usize) {
        while self.game.moves().len() > length {
            self.game.undo();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::squares;
    use crate::util::rng::Rng;

    const BLACK: Color = Color::Black;
    const WHITE: Color = Color::White;

    fn place(name: &str) -> Move {
        Move::Place(name.parse().unwrap())
    }

    /// After these moves Black must pass; White has c5 and e7.
    fn before_pass() -> Record {
        let mut record = Record::default();
        for (i, name) in ["f5", "f6", "d3", "g5", "h5", "h4", "f7", "h6"].into_iter().enumerate() {
            record.play([BLACK, WHITE][i % 2], place(name)).unwrap();
        }
        record
    }

    /// A game that ends with White wiped out.
    fn finished() -> Record {
        let mut record = Record::default();
        for (i, name) in ["f5", "d6", "c5", "f4", "e7", "f6", "g5", "e6", "e3"].into_iter().enumerate() {
            record.play([BLACK, WHITE][i % 2], place(name)).unwrap();
        }
        assert!(record.position().is_over());
        record
    }

    #[test]
    fn passes_may_be_said() {
        let mut record = before_pass();
        record.play(BLACK, Move::Pass).unwrap();
        assert_eq!(record.position().side, WHITE);
        record.play(WHITE, place("e7")).unwrap();
        record.undo(10).unwrap();
        assert_eq!(record.position(), Position::START);
    }

    #[test]
    fn passes_may_be_implied_and_undone_with_the_move() {
        let mut record = before_pass();
        let before = record.position();
        record.play(WHITE, place("e7")).unwrap();
        assert_eq!(record.moves().len(), 10);
        record.undo(1).unwrap();
        assert_eq!(record.position(), before);
    }

    #[test]
    fn a_pass_may_be_repeated() {
        let mut record = before_pass();
        record.play(BLACK, Move::Pass).unwrap();
        record.play(BLACK, Move::Pass).unwrap();
        assert_eq!(record.moves().len(), 9);
        let mut record = before_pass();
        record.play(WHITE, place("e7")).unwrap();
        record.play(BLACK, Move::Pass).unwrap();
        assert_eq!(record.position().side, BLACK);
        record.undo(10).unwrap();
        assert_eq!(record.position(), Position::START);
    }

    #[test]
    fn wrong_moves_change_nothing() {
        let mut record = before_pass();
        for (color, mv) in [
            (BLACK, place("a1")),
            (WHITE, place("a1")),
            (WHITE, place("f5")),
            (WHITE, Move::Pass),
            (BLACK, place("e7")),
        ] {
            let before = record.clone();
            assert_eq!(record.play(color, mv), Err(Illegal), "{color} {mv}");
            assert_eq!(record.position(), before.position());
            assert_eq!(record.moves(), before.moves());
        }
        let mut record = Record::default();
        assert_eq!(record.play(WHITE, place("f5")), Err(Illegal));
        assert_eq!(record.play(BLACK, Move::Pass), Err(Illegal));
        assert_eq!(record.undo(1), Err(Illegal));
    }

    #[test]
    fn at_the_end_everybody_may_pass() {
        let mut record = finished();
        for color in [WHITE, BLACK, WHITE, WHITE] {
            record.play(color, Move::Pass).unwrap();
            assert_eq!(record.play(color, place("a1")), Err(Illegal));
        }
        record.undo(4).unwrap();
        assert!(record.position().is_over());
        record.undo(9).unwrap();
        assert_eq!(record.position(), Position::START);
    }

    #[test]
    fn as_many_undos_as_plays_lead_to_the_start() {
        let mut rng = Rng::new(11);
        for _ in 0..100 {
            let mut record = Record::default();
            let mut steps = 0;
            while !record.position().is_over() {
                let position = record.position();
                let moves: Vec<_> = squares(position.board.moves()).collect();
                let (color, mv) = if moves.is_empty() {
                    // Half of the passes are left unsaid.
                    let other: Vec<_> = squares(position.board.opponent_moves()).collect();
                    match rng.below(2) {
                        0 => (position.side, Move::Pass),
                        _ => (position.side.other(), Move::Place(other[0])),
                    }
                } else {
                    (position.side, Move::Place(moves[rng.below(moves.len() as u32) as usize]))
                };
                record.play(color, mv).unwrap();
                steps += 1;
            }
            record.undo(steps).unwrap();
            assert_eq!(record.position(), Position::START);
        }
    }
}
