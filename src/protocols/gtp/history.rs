//! The game of a GTP client, which may send a pass, omit it or send it twice; and undo by command.

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
    /// The last step includes a pass that the client did not send.
    implied_pass: bool,
    /// The engine made the last step, and the client has not repeated it.
    is_generated: bool,
}

/// The standard's error for a move that the rules forbid.
const ILLEGAL: &str = "illegal move";

impl History {
    /// The history of a whole game: every move is a step.
    pub fn of(game: Game) -> Self {
        let steps = (0..game.moves().len()).collect();
        Self {
            game,
            steps,
            implied_pass: false,
            is_generated: false,
        }
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    pub fn position(&self) -> Position {
        self.game.position()
    }

    /// Gives the turn to `color`, with a pass of the other side if that is forced. At the end of the game both sides
    /// have the turn, to pass.
    ///
    /// # Errors
    /// When the other side is to move and can; the history is then unchanged.
    fn turn_to(&mut self, color: Color) -> Result<(), &'static str> {
        if self.position().side == color || self.position().is_over() || self.game.pass_if_forced()
        {
            return Ok(());
        }
        Err(ILLEGAL)
    }

    /// The position in which `color` would move.
    pub fn position_for(&self, color: Color) -> Result<Position, &'static str> {
        let mut copy = self.clone();
        copy.turn_to(color)?;
        Ok(copy.position())
    }

    /// Plays the move that the engine found for `color`.
    pub fn generate(&mut self, color: Color, mv: Move) -> Result<(), &'static str> {
        self.play(color, mv)?;
        self.is_generated = true;
        Ok(())
    }

    /// Plays for `color`. A repeated pass changes nothing, nor does the engine's last move: some clients send it again.
    ///
    /// # Errors
    /// When the rules forbid it; the history is then unchanged.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), &'static str> {
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
                    return Err(ILLEGAL);
                }
            }
        }
        self.steps.push(before);
        self.implied_pass = implied;
        self.is_generated = false;
        Ok(())
    }

    fn pass(&mut self, color: Color) -> Result<(), &'static str> {
        let over = self.position().is_over();
        let turn = self.position().side == color;
        if over || turn && self.game.pass_if_forced() {
            return Ok(());
        }
        let just_passed = !turn && self.game.moves().last() == Some(&Move::Pass);
        // A client that sends all passes learns of an implied one only from the move after it.
        if just_passed || turn && self.implied_pass {
            Ok(())
        } else {
            Err(ILLEGAL)
        }
    }

    /// Takes `count` steps back.
    ///
    /// # Errors
    /// When there are fewer; the history is then unchanged.
    pub fn undo(&mut self, count: usize) -> Result<(), &'static str> {
        let kept = self.steps.len().checked_sub(count).ok_or("cannot undo")?;
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
    use crate::util::rng::Rng;

    #[test]
    fn as_many_undos_as_plays_lead_to_the_start() {
        let mut rng = Rng::new(11);
        for _ in 0..100 {
            let mut history = History::default();
            let mut steps = 0;
            while !history.position().is_over() {
                let position = history.position();
                let moves: Vec<_> = position.board.moves().iter().collect();
                let (color, mv) = if moves.is_empty() {
                    // Half of the passes are left unsaid.
                    let other: Vec<_> = position.board.opponent_moves().iter().collect();
                    match rng.below(2) {
                        0 => (position.side, Move::Pass),
                        _ => (position.side.other(), Move::Place(other[0])),
                    }
                } else {
                    (
                        position.side,
                        Move::Place(moves[rng.below(moves.len() as u32) as usize]),
                    )
                };
                history.play(color, mv).unwrap();
                steps += 1;
            }
            history.undo(steps).unwrap();
            assert_eq!(history.position(), Position::START);
        }
    }
}
