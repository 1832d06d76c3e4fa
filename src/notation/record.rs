//! A game together with what every game notation can say about it.

use super::tags::{DATE_TEXT, clean, date_in, day_and_time, is_time};
use super::{GameResult, How, Outcome, Tags};
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
    /// When it was played: `2020.05.01 10:00`, less of it, or the words of the source; may be empty.
    pub date: String,
    /// The result that the text gives, where the moves do not give the same; see [`NamedGame::result`].
    pub stated: GameResult,
    /// All else that the text tells of the game.
    pub tags: Tags,
    /// What of the text was not kept: comments on moves, variations and the like.
    pub left_out: Vec<&'static str>,
    /// What had to be assumed to understand the text.
    pub assumed: Vec<&'static str>,
}

/// Left out by readers that meet comments on moves.
pub const MOVE_COMMENTS: &str = "comments on moves";
/// Left out by readers that meet other lines of play.
pub const VARIATIONS: &str = "variations";
/// Left out by readers that meet signs such as `!` or marked squares.
pub const MARKS: &str = "marks and signs at moves";

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

    /// The tournament or whatever it was played in; may be empty.
    pub fn event(&self) -> &str {
        self.tags.get("Event").unwrap_or_default()
    }

    /// Sets what PGN calls `name`.
    pub(super) fn put(&mut self, name: &str, value: &str) {
        match name {
            "Black" => self.black = clean(value),
            "White" => self.white = clean(value),
            "Site" => self.place = clean(value),
            "Date" | DATE_TEXT => self.date = date_in(value),
            "Time" if is_time(&clean(value)) && matches!(day_and_time(&self.date), Some((_, ""))) => {
                self.date = date_in(&format!("{} {value}", self.date));
            }
            "Result" | "FEN" | "SetUp" => {}
            _ => self.tags.set(name, value),
        }
    }

    /// The same game with the result that its text gives and the reason that its tag `Termination` gives.
    #[must_use]
    pub(super) fn concluded(mut self, stated: GameResult) -> Self {
        let words = self.tags.get("Termination").unwrap_or_default();
        let stated = match self.game.final_score(Color::Black) {
            Some(score)
                if stated == GameResult::default() && How::of_termination(words) != Some(How::Void) =>
            {
                GameResult::discs(score, How::Stated)
            }
            _ => stated,
        };
        let stated = stated.with_termination(words);
        let means = |how| how == Some(stated.how) || stated == GameResult::VOID && how == Some(How::Forfeit);
        match stated.how.termination() {
            // What the result says by itself need not stand there twice.
            Some(word) if word == words => self.tags.remove("Termination"),
            // Words that say another thing than the result are none of ours.
            Some(_) if !words.is_empty() && !means(How::of_termination(words)) => {
                let words = words.to_owned();
                self.tags.remove("Termination");
                self.tags.set("TerminationText", &words);
            }
            _ => {}
        }
        self.with_stated(stated)
    }

    /// The tag `Termination`: as it stands in the text, else the word for how the game ended.
    pub(super) fn termination(&self) -> Option<&str> {
        self.tags.get("Termination").or_else(|| self.result().how.termination())
    }

    /// Notes once what was not kept.
    pub(super) fn leave_out(&mut self, what: &'static str) {
        if !self.left_out.contains(&what) {
            self.left_out.push(what);
        }
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
