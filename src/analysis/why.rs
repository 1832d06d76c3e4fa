//! The move played, and sentences: what each move does, and of the one played how good it was and why.

use super::answer::{Judged, JudgedMove, PlayedMove};
use crate::board::{Move, Square};
use crate::sentences::{Found, Language, name, of_move, of_played};

impl Judged {
    /// Discs that the move played is worse than the best one, from 0 to 128; `None` where that is not known.
    pub fn loss(&self) -> Option<f64> {
        let played = self.played.as_ref()?;
        // The best move loses nothing, whether or not losses were asked for.
        let is_best = self.value.score().is_some() && self.line().first() == Some(&played.mv);
        played.loss.or(is_best.then_some(0.0)).map(|loss| loss.clamp(0.0, 128.0))
    }

    /// Whether that is proven.
    pub fn is_loss_exact(&self) -> bool {
        let is_exact =
            |played: &PlayedMove| played.exact || self.line_of(played.mv).is_some_and(|line| line.exact);
        self.exact && self.played.as_ref().is_some_and(is_exact)
    }

    /// The line expected behind the move played; empty where it was not searched.
    pub fn played_line(&self) -> &[Move] {
        let Some(played) = &self.played else { return &[] };
        let among = || self.line_of(played.mv).map_or(&[][..], |line| &line.pv);
        if played.pv.is_empty() { among() } else { &played.pv }
    }

    fn line_of(&self, mv: Move) -> Option<&JudgedMove> {
        self.moves.iter().find(|line| line.mv == mv)
    }

    /// Puts sentences to its moves, and to the one played.
    pub fn tell(&mut self, language: Language) {
        let (position, found) = (self.position, self.found());
        let passes = || vec![language.fill("passes-turn", &[("own", name(language, position.side).into())])];
        for judged in &mut self.moves {
            judged.why = match judged.mv {
                Move::Place(square) => of_move(language, &position, square),
                Move::Pass => passes(),
            };
        }
        if let Some(played) = &mut self.played {
            played.why = match played.mv {
                Move::Place(square) => of_played(language, &position, square, &found),
                Move::Pass => passes(),
            };
        }
    }

    /// What is known of the move played, for sentences about it.
    pub fn found(&self) -> Found {
        // What is read from a file need not be legal.
        let is_legal = |square: &Square| self.position.board.moves() & square.bit() != 0;
        Found {
            best: self.line().first().and_then(|mv| mv.square()).filter(is_legal),
            loss: self.loss(),
            is_exact: self.is_loss_exact(),
            reply: self.played_line().get(1).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use crate::board::Position;
    use crate::search::Known;

    #[test]
    fn a_move_that_is_not_legal_is_no_better_one() {
        let square = |name: &str| Move::Place(name.parse().unwrap());
        let mut judged = testing::judged(Position::START, 1.0, Some(square("a1")));
        let lost =
            PlayedMove { value: Some(Known::Score(-7.0)), loss: Some(8.0), ..PlayedMove::of(square("f5")) };
        judged.played = Some(lost);
        judged.moves.clear();
        judged.tell(Language::En);
        let why = &judged.played.as_ref().unwrap().why;
        assert!(why.iter().all(|sentence| !sentence.contains("a1")), "{why:?}");
    }
}
