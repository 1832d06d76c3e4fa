//! The game as GTP clients tell it: passes said, unsaid or said twice, and undo by command.

use crate::board::{Color, Game, Move, Position};

/// The game behind a session.
///
/// Every successful `play`, `genmove` or pass is one step of [`History::undo`], together with the
/// pass it may have implied.
#[derive(Clone, Debug, Default)]
pub struct History {
    game: Game,
    /// Length of the game before each step.
    steps: Vec<usize>,
    /// The last step's pass was not said by the client.
    implied_pass: bool,
    /// The last step was made by the engine, and the client has not repeated it.
    is_generated: bool,
}

/// The rules forbid the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Illegal;

impl From<Illegal> for String {
    /// What the standard says to it.
    fn from(_: Illegal) -> Self {
        "illegal move".into()
    }
}

impl History {
    /// The history of a game told at once: every move is a step.
    pub fn of(game: Game) -> Self {
        let steps = (0..game.moves().len()).collect();
        Self { game, steps, implied_pass: false, is_generated: false }
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    pub fn position(&self) -> Position {
        self.game.position()
    }

    pub fn moves(&self) -> &[Move] {
        self.game.moves()
    }

    /// Hands the turn to `color`: implies the pass of a side that cannot move.
    ///
    /// At the end of the game it is everybody's turn, to pass.
    ///
    /// # Errors
    /// When the other side is to move and can; the history is then unchanged.
    pub fn turn_to(&mut self, color: Color) -> Result<(), Illegal> {
        if self.position().side == color || self.position().is_over() || self.game.pass_if_forced() {
            return Ok(());
        }
        Err(Illegal)
    }

    /// The side whose turn it would be for a move of `color`, without changing anything.
    pub fn position_for(&self, color: Color) -> Result<Position, Illegal> {
        let mut copy = self.clone();
        copy.turn_to(color)?;
        Ok(copy.position())
    }

    /// Plays the move that the engine found for `color`.
    pub fn generate(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        self.play(color, mv)?;
        self.is_generated = true;
        Ok(())
    }

    /// Plays for `color`; a pass that only repeats one already recorded is taken as said, and so is the move that the
    /// engine has just made: some clients tell it again.
    ///
    /// # Errors
    /// When the rules forbid it; the history is then unchanged.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        if let Some((position, last)) = self.game.steps().next_back()
            && self.is_generated
            && last == mv
            && mv != Move::Pass
            && position.side == color
        {
            self.is_generated = false;
            return Ok(());
        }
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
        self.is_generated = false;
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
    /// When there are fewer; the history is then unchanged.
    pub fn undo(&mut self, count: usize) -> Result<(), Illegal> {
        let kept = self.steps.len().checked_sub(count).ok_or(Illegal)?;
        if let Some(&length) = self.steps.get(kept) {
            self.cut(length);
        }
        self.steps.truncate(kept);
        self.implied_pass = false;
        self.is_generated = false;
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
    fn before_pass() -> History {
        let mut history = History::default();
        for (i, name) in ["f5", "f6", "d3", "g5", "h5", "h4", "f7", "h6"].into_iter().enumerate() {
            history.play([BLACK, WHITE][i % 2], place(name)).unwrap();
        }
        history
    }

    #[test]
    fn a_move_just_generated_may_be_told_again() {
        let mut history = History::default();
        history.generate(BLACK, place("f5")).unwrap();
        assert_eq!(history.play(WHITE, place("f5")), Err(Illegal));
        assert_eq!(history.play(BLACK, place("d3")), Err(Illegal));
        history.play(BLACK, place("f5")).unwrap();
        assert_eq!(history.moves().len(), 1);
        assert_eq!(history.play(BLACK, place("f5")), Err(Illegal), "once");
        history.undo(1).unwrap();
        assert_eq!(history.position(), Position::START);
        history.play(BLACK, place("f5")).unwrap();
        assert_eq!(history.play(BLACK, place("f5")), Err(Illegal), "only what was generated");
    }

    #[test]
    fn wrong_moves_change_nothing() {
        let mut history = before_pass();
        for (color, mv) in [
            (BLACK, place("a1")),
            (WHITE, place("a1")),
            (WHITE, place("f5")),
            (WHITE, Move::Pass),
            (BLACK, place("e7")),
        ] {
            let before = history.clone();
            assert_eq!(history.play(color, mv), Err(Illegal), "{color} {mv}");
            assert_eq!(history.position(), before.position());
            assert_eq!(history.moves(), before.moves());
        }
        let mut history = History::default();
        assert_eq!(history.play(WHITE, place("f5")), Err(Illegal));
        assert_eq!(history.play(BLACK, Move::Pass), Err(Illegal));
        assert_eq!(history.undo(1), Err(Illegal));
    }

    #[test]
    fn as_many_undos_as_plays_lead_to_the_start() {
        let mut rng = Rng::new(11);
        for _ in 0..100 {
            let mut history = History::default();
            let mut steps = 0;
            while !history.position().is_over() {
                let position = history.position();
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
                history.play(color, mv).unwrap();
                steps += 1;
            }
            history.undo(steps).unwrap();
            assert_eq!(history.position(), Position::START);
        }
    }
}
