//! A board together with the color to move.

use thiserror::Error;

use super::{Board, Color, Move, Square};

/// A position: the board seen from the side to move, and which side that is.
///
/// ```
/// use emilia_engine::board::{Color, Move, Position, Square};
///
/// let position = Position::START.play(Move::Place(Square::at(5, 4)))?;
/// assert_eq!(position.side, Color::White);
/// assert_eq!(position.discs(Color::Black).count_ones(), 4);
/// # Ok::<(), emilia_engine::board::IllegalReason>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// Discs, from the side to move.
    pub board: Board,
    /// The side to move. It may lack a legal move, or the game may be over.
    pub side: Color,
}

impl Position {
    /// The usual start, Black to move.
    pub const START: Self = Self {
        board: Board::START,
        side: Color::Black,
    };

    /// The position with these discs and `side` to move.
    ///
    /// ```
    /// use emilia_engine::board::{Color, Position};
    ///
    /// let position = Position::from_discs(0b01, 0b10, Color::White);
    /// assert_eq!(position.board.player, 0b10);
    /// ```
    pub fn from_discs(black: u64, white: u64, side: Color) -> Self {
        let board = match side {
            Color::Black => Board {
                player: black,
                opponent: white,
            },
            Color::White => Board {
                player: white,
                opponent: black,
            },
        };
        Self { board, side }
    }

    /// Discs of `color`.
    pub fn discs(&self, color: Color) -> u64 {
        if color == self.side {
            self.board.player
        } else {
            self.board.opponent
        }
    }

    /// The color of the disc on `square`, if there is one.
    ///
    /// ```
    /// use emilia_engine::board::{Color, Position, Square};
    ///
    /// assert_eq!(Position::START.disc_at(Square::at(4, 3)), Some(Color::Black));
    /// assert_eq!(Position::START.disc_at(Square::at(0, 0)), None);
    /// ```
    pub fn disc_at(&self, square: Square) -> Option<Color> {
        let holds = |color| self.discs(color) & square.bit() != 0;
        [Color::Black, Color::White]
            .into_iter()
            .find(|&color| holds(color))
    }

    /// The position after a move or a pass.
    ///
    /// # Errors
    /// The reason why the move is illegal.
    ///
    /// ```
    /// use emilia_engine::board::{IllegalReason, Move, Position, Square};
    ///
    /// let a1 = Move::Place(Square::at(0, 0));
    /// assert_eq!(Position::START.play(a1), Err(IllegalReason::TurnsNothing));
    /// assert_eq!(Position::START.play(Move::Pass), Err(IllegalReason::CannotPass));
    /// ```
    pub fn play(&self, mv: Move) -> Result<Self, IllegalReason> {
        let board = match mv {
            Move::Place(square) => match self.board.play(square) {
                Some(board) => board,
                None => return Err(self.refusal(square)),
            },
            Move::Pass if !self.board.moves().is_empty() => return Err(IllegalReason::CannotPass),
            Move::Pass if self.board.opponent_moves().is_empty() => {
                return Err(IllegalReason::GameOver);
            }
            Move::Pass => self.board.pass(),
        };
        Ok(Self {
            board,
            side: self.side.other(),
        })
    }

    fn refusal(&self, square: Square) -> IllegalReason {
        if self.board.is_over() {
            IllegalReason::GameOver
        } else if self.board.empties() & square.bit() == 0 {
            IllegalReason::Occupied
        } else if self.board.moves().is_empty() {
            IllegalReason::MustPass
        } else {
            IllegalReason::TurnsNothing
        }
    }

    /// The same discs with the other side to move, by the rules or not.
    #[must_use]
    pub fn pass(&self) -> Self {
        Self {
            board: self.board.pass(),
            side: self.side.other(),
        }
    }

    /// Neither side can move.
    pub fn is_over(&self) -> bool {
        self.board.is_over()
    }

    /// Final result in discs for `color`; the empties go to the winner.
    ///
    /// Meaningful only when the game is over.
    ///
    /// ```
    /// use emilia_engine::board::{Color, Position};
    ///
    /// let white_wins = Position::from_discs(0, 0b1, Color::Black);
    /// assert_eq!(white_wins.final_score(Color::Black), -64);
    /// ```
    pub fn final_score(&self, color: Color) -> i32 {
        let score = self.board.final_score();
        if color == self.side { score } else { -score }
    }
}

/// The reason why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IllegalReason {
    /// Neither side can move.
    #[error("the game is over")]
    GameOver,
    /// The square has a disc.
    #[error("the square is occupied")]
    Occupied,
    /// The move would turn no disc.
    #[error("it turns no disc")]
    TurnsNothing,
    /// The side has no legal move and must pass.
    #[error("there is no legal move, only a pass")]
    MustPass,
    /// The side has a legal move and may not pass.
    #[error("there are legal moves, so no pass")]
    CannotPass,
}
