//! A game together with what every game notation can say about it.

use crate::board::{Color, Game};

/// A game with its players, for notations that know no more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedGame {
    /// The moves.
    pub game: Game,
    /// Who played Black; may be empty.
    pub black: String,
    /// Who played White; may be empty.
    pub white: String,
    /// Where it was played; may be empty.
    pub place: String,
    /// When it was played, in the words of the source; may be empty.
    pub date: String,
}

impl NamedGame {
    /// Final result in discs for Black, or `None` while the game goes on.
    pub fn score(&self) -> Option<i32> {
        self.game.final_score(Color::Black)
    }
}

impl From<Game> for NamedGame {
    fn from(game: Game) -> Self {
        Self { game, ..Self::default() }
    }
}
