//! The record of a game: a start, the moves with every pass, and the positions they lead to.

use thiserror::Error;

use super::{Color, IllegalReason, Move, Position, Square};

/// A game from any start: legal moves only, passes written out.
///
/// ```
/// use emilia_engine::board::{Color, Game, Position};
/// let mut game = Game::new(Position::START);
/// for square in ["f5", "d6", "c3"] {
///     game.play_square(square.parse().unwrap()).unwrap();
/// }
/// assert_eq!(game.position().side, Color::White);
/// assert_eq!(game.undo().unwrap().to_string(), "c3");
/// assert_eq!(game.moves().len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    moves: Vec<Move>,
    /// The start and the position after each move: one more than `moves`.
    positions: Vec<Position>,
}

/// A move that the rules forbid where it was tried.
///
/// ```
/// use emilia_engine::board::Game;
///
/// let mut game = Game::default();
/// let error = game.play_square("a1".parse()?).expect_err("it turns no disc");
/// assert_eq!(error.to_string(), "illegal move a1 by black after 0 moves: it turns no disc");
/// # Ok::<(), emilia_engine::board::ParseSquareError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("illegal move {mv} by {} after {ply} moves: {reason}", .position.side)]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
    /// Moves and passes played before it.
    pub ply: usize,
    /// The position before it.
    pub position: Position,
    /// The reason.
    pub reason: IllegalReason,
}

impl Game {
    /// A game without moves.
    pub fn new(start: Position) -> Self {
        Self {
            moves: Vec::new(),
            positions: vec![start],
        }
    }

    /// The game of these moves, passes included.
    ///
    /// # Errors
    /// The first illegal move.
    ///
    /// ```
    /// use emilia_engine::board::{Game, Move, Position, Square};
    ///
    /// let moves = [Square::at(5, 4), Square::at(3, 5)].map(Move::Place);
    /// let game = Game::from_moves(Position::START, moves)?;
    /// assert_eq!(game.positions().len(), 3);
    /// # Ok::<(), emilia_engine::board::IllegalMove>(())
    /// ```
    pub fn from_moves(
        start: Position,
        moves: impl IntoIterator<Item = Move>,
    ) -> Result<Self, IllegalMove> {
        let mut game = Self::new(start);
        for mv in moves {
            game.play(mv)?;
        }
        Ok(game)
    }

    /// The position before the first move.
    pub fn start(&self) -> Position {
        self.positions[0]
    }

    /// The position after the last move.
    pub fn position(&self) -> Position {
        *self.positions.last().expect("the start is never removed")
    }

    /// All moves, passes included.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The start and the position after each move: one more than there are moves.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Each move with the position in which it was played.
    ///
    /// ```
    /// use emilia_engine::board::{Color, Position};
    /// use emilia_engine::text::parse_game;
    ///
    /// let game = parse_game(Position::START, "f5d6c3")?;
    /// let black = game.steps().filter(|(position, _)| position.side == Color::Black);
    /// let squares: Vec<String> = black.map(|(_, mv)| mv.to_string()).collect();
    /// assert_eq!(squares, ["f5", "c3"]);
    /// # Ok::<(), emilia_engine::text::TextError>(())
    /// ```
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = (Position, Move)> + ExactSizeIterator {
        self.positions[..self.moves.len()]
            .iter()
            .copied()
            .zip(self.moves.iter().copied())
    }

    /// Plays a move or a pass.
    ///
    /// # Errors
    /// When the rules forbid it; the game is then unchanged.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let position = self.position();
        let next = position.play(mv).map_err(|reason| IllegalMove {
            mv,
            ply: self.moves.len(),
            position,
            reason,
        })?;
        self.moves.push(mv);
        self.positions.push(next);
        Ok(())
    }

    /// Plays on `square`.
    ///
    /// # Errors
    /// When the rules forbid it; the game is then unchanged.
    pub fn play_square(&mut self, square: Square) -> Result<(), IllegalMove> {
        self.play(Move::Place(square))
    }

    /// Plays on `square`, after a forced pass if necessary: most game texts omit passes.
    ///
    /// # Errors
    /// When neither the side to move nor, after a forced pass, the other side may play there; the
    /// game is then unchanged.
    pub fn play_implying_pass(&mut self, square: Square) -> Result<(), IllegalMove> {
        let passed = self.pass_if_forced();
        self.play_square(square).inspect_err(|_| {
            if passed {
                self.undo();
            }
        })
    }

    /// Passes if that is the only legal move; returns whether it did.
    pub fn pass_if_forced(&mut self) -> bool {
        self.play(Move::Pass).is_ok()
    }

    /// Takes the last move back and returns it; `None` at the start.
    ///
    /// ```
    /// use emilia_engine::board::Game;
    /// assert_eq!(Game::default().undo(), None);
    /// ```
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        Some(mv)
    }

    /// Neither side can move.
    pub fn is_over(&self) -> bool {
        self.position().is_over()
    }

    /// Result in discs for `color`, the empties to the winner; `None` while the game goes on.
    ///
    /// ```
    /// use emilia_engine::board::{Color, Game, Position};
    ///
    /// assert_eq!(Game::default().final_score(Color::Black), None);
    /// let over = Game::new(Position::from_discs(0b1, 0, Color::White));
    /// assert_eq!(over.final_score(Color::Black), Some(64));
    /// ```
    pub fn final_score(&self, color: Color) -> Option<i32> {
        self.is_over().then(|| self.position().final_score(color))
    }
}

impl Default for Game {
    /// A game without moves from the usual start.
    fn default() -> Self {
        Self::new(Position::START)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::play_on;
    use crate::util::rng::Rng;

    fn square(name: &str) -> Square {
        name.parse().unwrap()
    }

    /// The game of a transcript such as `f5d6`.
    fn game(text: &str) -> Game {
        let mut game = Game::default();
        for name in text.as_bytes().chunks(2) {
            game.play_implying_pass(square(std::str::from_utf8(name).unwrap()))
                .unwrap();
        }
        game
    }

    fn random_game(rng: &mut Rng) -> Game {
        play_on(Game::default(), u32::MAX, rng)
    }

    #[test]
    fn undo_returns_through_every_position() {
        let mut rng = Rng::new(3);
        for _ in 0..200 {
            let played = random_game(&mut rng);
            let mut game = played.clone();
            for (position, mv) in played.steps().rev() {
                assert_eq!(game.undo(), Some(mv));
                assert_eq!(game.position(), position);
            }
            assert_eq!(game.undo(), None);
            assert_eq!(game, Game::default());
            assert_eq!(
                Game::from_moves(played.start(), played.moves().iter().copied()),
                Ok(played)
            );
        }
    }

    #[test]
    fn colors_alternate_and_scores_mirror() {
        let mut rng = Rng::new(4);
        let mut passes = 0;
        for _ in 0..500 {
            let game = random_game(&mut rng);
            for pair in game.positions().windows(2) {
                assert_eq!(pair[1].side, pair[0].side.other());
            }
            passes += game.moves().iter().filter(|&&mv| mv == Move::Pass).count();
            let end = game.position();
            let black = end.discs(Color::Black).count_ones();
            let white = end.discs(Color::White).count_ones();
            let score = game.final_score(Color::Black).unwrap();
            assert_eq!(game.final_score(Color::White), Some(-score));
            assert_eq!(score.signum(), (black as i32 - white as i32).signum());
            assert!(score == 0 || score.unsigned_abs() + 2 * black.min(white) == 64);
        }
        assert!(passes > 0);
    }

    #[test]
    fn shortest_wipe_out_ends_after_nine_moves() {
        let game = game("e6f4e3f6g5d6e7f5c5");
        assert!(game.is_over());
        assert_eq!(game.moves().len(), 9);
        assert_eq!(game.final_score(Color::Black), Some(64));
        let error = game.clone().play(Move::Pass).unwrap_err();
        assert_eq!(error.reason, IllegalReason::GameOver);
    }

    #[test]
    fn illegal_moves_are_named_and_change_nothing() {
        let mut game = game("f5d6");
        let before = game.clone();
        let mut reason = |mv| game.play(mv).unwrap_err().reason;
        assert_eq!(reason(Move::Place(square("e4"))), IllegalReason::Occupied);
        assert_eq!(
            reason(Move::Place(square("a1"))),
            IllegalReason::TurnsNothing
        );
        assert_eq!(reason(Move::Pass), IllegalReason::CannotPass);
        assert_eq!(
            game.play_square(square("a1")).unwrap_err().to_string(),
            "illegal move a1 by black after 2 moves: it turns no disc"
        );
        assert_eq!(game, before);
    }

    #[test]
    fn a_forced_pass_is_written_out_or_rolled_back() {
        let corner = |name: &str| square(name).bit();
        // Black has only a1; White can take it by c1, Black cannot move.
        let start = Position::from_discs(corner("b1"), corner("a1"), Color::Black);
        let mut game = Game::new(start);
        assert_eq!(
            game.play_square(square("c1")).unwrap_err().reason,
            IllegalReason::MustPass
        );
        assert!(game.play_implying_pass(square("d1")).is_err());
        assert_eq!(game, Game::new(start));
        game.play_implying_pass(square("c1")).unwrap();
        assert_eq!(game.moves(), [Move::Pass, Move::Place(square("c1"))]);
        assert_eq!(game.final_score(Color::White), Some(64));
    }
}
