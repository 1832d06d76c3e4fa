//! A game together with what every game notation can say about it.

use super::{GameResult, How, Outcome};
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
    /// The result that the text gives, where the moves do not give the same; see [`NamedGame::result`].
    pub stated: GameResult,
}

impl NamedGame {
    /// The result: of a game that was played to its end that of the moves, unless the loser gave up or the like.
    pub fn result(&self) -> GameResult {
        match (self.stated.how, self.game.final_score(Color::Black)) {
            (How::Unknown | How::Stated | How::Played, Some(score)) => GameResult::discs(score, How::Played),
            _ => self.stated,
        }
    }

    /// The same game with the result that its text gives, which counts as far as it says more than the moves.
    #[must_use]
    pub fn with_stated(self, stated: GameResult) -> Self {
        let record = Self { stated, ..self };
        let is_told_by_moves = record.result().how == How::Played && !record.is_contradicted();
        if is_told_by_moves { Self { stated: GameResult::default(), ..record } } else { record }
    }

    /// The game was played to its end, and the result that its text gives is another.
    pub fn is_contradicted(&self) -> bool {
        let end = self.result();
        let count = |color| self.game.position().discs(color).count_ones() as i32;
        let counted = count(Color::Black) - count(Color::White);
        end.how == How::Played
            && match self.stated.outcome {
                Outcome::Open => false,
                Outcome::Won(winner) => end.winner() != Some(winner),
                // Some count the empties for nobody.
                Outcome::Discs(discs) => end.outcome != self.stated.outcome && discs != counted,
            }
    }

    /// Discs for Black that the game counts as; see [`GameResult::score`].
    pub fn score(&self) -> Option<i32> {
        self.result().score()
    }
}

impl From<Game> for NamedGame {
    fn from(game: Game) -> Self {
        Self { game, ..Self::default() }
    }
}
