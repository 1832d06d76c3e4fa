//! Sentences: what each move does, and how good the one played was.

use super::answer::Judged;
use crate::board::Square;
use crate::sentences::{Found, Language, name, of_move, of_played};

impl Judged {
    /// Discs that the move played is worse than the best one, from 0 to 128; `None` where that is not known.
    pub fn loss(&self) -> Option<f64> {
        self.played.as_ref()?.loss.map(|loss| loss.clamp(0.0, 128.0))
    }

    /// Whether that is proven.
    pub fn is_loss_exact(&self) -> bool {
        let played = self.played.as_ref().and_then(|played| played.line.as_ref());
        self.line.exact && played.is_some_and(|line| line.exact)
    }

    /// Adds sentences to its moves, and to the one played.
    pub fn explain(&mut self, language: Language) {
        let (position, found) = (self.position, self.found());
        let passes = || vec![language.fill("passes-turn", &[("own", name(language, position.side).into())])];
        for judged in &mut self.moves {
            judged.why =
                judged.mv.square().map_or_else(passes, |square| of_move(language, &position, square));
        }
        if let Some(played) = &mut self.played {
            let of_square = |square| of_played(language, &position, square, &found);
            played.why = played.mv.square().map_or_else(passes, of_square);
        }
    }

    /// The facts about the move played, for sentences about it.
    pub fn found(&self) -> Found {
        // A move that was read from a file may be illegal.
        let is_legal = |square: &Square| self.position.board.moves() & square.bit() != 0;
        Found {
            best: self.pv().first().and_then(|mv| mv.square()).filter(is_legal),
            loss: self.loss(),
            is_exact: self.is_loss_exact(),
            reply: self.played.as_ref().and_then(|played| played.pv.get(1)).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::PlayedMove;
    use super::super::testing;
    use super::*;
    use crate::board::{Move, Position};

    #[test]
    fn a_move_that_is_not_legal_is_no_better_one() {
        let square = |name: &str| Move::Place(name.parse().unwrap());
        let mut judged = testing::judged(Position::START, 1.0, Some(square("a1")));
        judged.played = Some(PlayedMove { loss: Some(8.0), ..PlayedMove::of(square("f5")) });
        judged.moves.clear();
        judged.explain(Language::En);
        let why = &judged.played.as_ref().unwrap().why;
        assert!(why.iter().all(|sentence| !sentence.contains("a1")), "{why:?}");
    }
}
