//! The rules: boards, moves, flips, scores, symmetries and games. Knows no evaluation.
//!
//! Bit order: a1 = bit 0, h1 = bit 7, a8 = bit 56, h8 = bit 63.
//!
//! ```
//! use emilia_engine::board::{Board, Game};
//!
//! assert_eq!(Board::START.moves().to_string(), "d3 c4 f5 e6");
//! let mut game = Game::default();
//! game.play_square("f5".parse()?)?;
//! assert_eq!(game.position().board.moves().len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bitboard;
mod color;
pub(crate) mod diagram;
pub(crate) mod flip;
mod game;
#[allow(missing_docs, reason = "the room exports the items for users")]
pub(crate) mod level;
pub(crate) mod mobility;
pub mod perft;
mod position;
#[allow(dead_code, reason = "each kernel uses a part of them")]
pub(crate) mod rays;
mod score;
mod square;
mod square_set;
pub mod stability;
mod symmetry;
pub(crate) mod testing;
pub(crate) mod zobrist;

pub use color::Color;
pub use game::{Game, IllegalMove};
pub use level::KERNEL;
pub use position::{IllegalReason, Position};
pub use score::Score;
pub use square::{Move, ParseSquareError, Square};
pub use square_set::{SquareSet, Squares};
pub use symmetry::Symmetry;
pub use zobrist::Key;

use level::Level;

/// A position seen from the side to move: 16 bytes, no colors.
///
/// ```
/// use emilia_engine::board::Board;
///
/// let board = Board { player: 0b0110, opponent: 0b1000 };
/// assert_eq!(board.pass().player, 0b1000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side; disjoint from `player`.
    pub opponent: u64,
}

impl Board {
    /// The usual start: Black (to move) on e4 and d5, White on d4 and e5.
    pub const START: Self = Self {
        player: 0x0000_0008_1000_0000,
        opponent: 0x0000_0010_0800_0000,
    };

    /// Squares without a disc.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    /// assert_eq!(Board::START.empties().count_ones(), 60);
    /// ```
    #[inline(always)]
    pub fn empties(self) -> u64 {
        !(self.player | self.opponent)
    }

    /// Number of squares without a disc, `0..=64`.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    /// assert_eq!(Board::START.empty_count(), 60);
    /// ```
    #[inline(always)]
    pub fn empty_count(self) -> u32 {
        self.empties().count_ones()
    }

    /// Legal moves of the side to move; empty when it must pass or the game is over.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    /// assert_eq!(Board::START.moves().to_string(), "d3 c4 f5 e6");
    /// ```
    #[inline(always)]
    pub fn moves(self) -> SquareSet {
        SquareSet(mobility::moves(self.player, self.opponent))
    }

    /// [`Self::moves`] at a level.
    #[inline(always)]
    pub(crate) fn moves_at<L: Level>(self, level: L) -> u64 {
        mobility::moves_at(level, self.player, self.opponent)
    }

    /// Squares on which the other side could move if it were its turn.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    /// assert_eq!(Board::START.opponent_moves(), Board::START.pass().moves());
    /// ```
    #[inline(always)]
    pub fn opponent_moves(self) -> SquareSet {
        SquareSet(mobility::moves(self.opponent, self.player))
    }

    /// Discs turned by playing on `square`, which must be empty; 0 when illegal.
    ///
    /// ```
    /// use emilia_engine::board::{Board, Square};
    ///
    /// let f5 = Square::at(5, 4);
    /// let e5 = Square::at(4, 4);
    /// assert_eq!(Board::START.flip(f5), e5.bit());
    /// assert_eq!(Board::START.flip(Square::at(0, 0)), 0);
    /// ```
    #[inline(always)]
    pub fn flip(self, square: Square) -> u64 {
        flip::flip(square.index() as u8, self.player, self.opponent)
    }

    /// [`Self::flip`] at a level.
    #[inline(always)]
    pub(crate) fn flip_at<L: Level>(self, level: L, square: Square) -> u64 {
        flip::flip_at(level, square.index() as u8, self.player, self.opponent)
    }

    /// The position after a move on `square` that turned `flipped`, seen from the other side.
    ///
    /// ```
    /// use emilia_engine::board::{Board, Square};
    ///
    /// let f5 = Square::at(5, 4);
    /// let next = Board::START.after(f5, Board::START.flip(f5));
    /// assert_eq!(Some(next), Board::START.play(f5));
    /// ```
    #[inline(always)]
    pub fn after(self, square: Square, flipped: u64) -> Self {
        debug_assert!(flipped & !self.opponent == 0);
        Self {
            player: self.opponent ^ flipped,
            opponent: self.player ^ flipped | square.bit(),
        }
    }

    /// The position after the legal move `square`, or `None` if it is not legal.
    ///
    /// ```
    /// use emilia_engine::board::{Board, Square};
    ///
    /// let next = Board::START.play(Square::at(5, 4)).expect("f5 is legal");
    /// assert_eq!(next.moves().to_string(), "f4 d6 f6");
    /// assert_eq!(Board::START.play(Square::at(0, 0)), None);
    /// ```
    pub fn play(self, square: Square) -> Option<Self> {
        if self.empties() & square.bit() == 0 {
            return None;
        }
        match self.flip(square) {
            0 => None,
            flipped => Some(self.after(square, flipped)),
        }
    }

    /// The position after a move or a pass; `None` if it is not legal.
    ///
    /// ```
    /// use emilia_engine::board::{Board, Move};
    /// // A side with a legal move may not pass.
    /// assert_eq!(Board::START.play_move(Move::Pass), None);
    /// ```
    pub fn play_move(self, mv: Move) -> Option<Self> {
        match mv {
            Move::Place(square) => self.play(square),
            Move::Pass => {
                (self.moves().is_empty() && !self.opponent_moves().is_empty()).then(|| self.pass())
            }
        }
    }

    /// The same discs with the other side to move.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    /// assert_eq!(Board::START.pass().pass(), Board::START);
    /// ```
    #[inline(always)]
    pub fn pass(self) -> Self {
        Self {
            player: self.opponent,
            opponent: self.player,
        }
    }

    /// Neither side can move.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    ///
    /// assert!(!Board::START.is_over());
    /// let wiped_out = Board { player: 0b111, opponent: 0 };
    /// assert!(wiped_out.is_over());
    /// ```
    pub fn is_over(self) -> bool {
        self.moves().is_empty() && self.opponent_moves().is_empty()
    }

    /// Final result in discs for the side to move; the empties go to the winner.
    ///
    /// Meaningful only when the game is over.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    /// // Three discs against none: the 61 empty squares count for the winner.
    /// let wiped_out = Board { player: 0b111, opponent: 0 };
    /// assert_eq!(wiped_out.final_score(), 64);
    /// ```
    #[inline(always)]
    pub fn final_score(self) -> i32 {
        let player = self.player.count_ones() as i32;
        let opponent = self.opponent.count_ones() as i32;
        let empties = 64 - player - opponent;
        let difference = player - opponent;
        difference + difference.signum() * empties
    }
}
