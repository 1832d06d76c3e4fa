//! A game with its players, result and tags.

use std::borrow::Cow;

use super::tags::{DATE_TEXT, clean, date_in, day_and_time, is_time};
use super::{GameResult, How, Outcome, Tags};
use crate::board::{Color, Game};

/// A game with its players, result and tags, as all notations share it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedGame {
    /// The moves.
    pub game: Game,
    /// The name of Black; may be empty.
    pub black: String,
    /// The name of White; may be empty.
    pub white: String,
    /// The place; may be empty.
    pub place: String,
    /// The date: `2020.05.01 10:00`, less of it, or the words of the source; may be empty.
    pub date: String,
    /// The result in the text, if it differs from that of the moves; see [`NamedGame::result`].
    pub stated: GameResult,
    /// All other tags.
    pub tags: Tags,
    /// The kinds of content that the reader dropped, such as comments on moves.
    pub left_out: Vec<Cow<'static, str>>,
    /// The assumptions that the reader made.
    pub assumed: Vec<&'static str>,
}

/// For [`NamedGame::left_out`].
pub const MOVE_COMMENTS: &str = "comments on moves";
pub const VARIATIONS: &str = "variations";
/// Signs such as `!`, or marked squares.
pub const MARKS: &str = "marks and signs at moves";

impl NamedGame {
    /// The result of the moves if the game has ended, unless the text says that a side resigned or the like; else the
    /// stated result.
    pub fn result(&self) -> GameResult {
        match (self.stated.how, self.game.final_score(Color::Black)) {
            (How::Unknown | How::Stated | How::Played, Some(score)) => {
                GameResult::discs(score, How::Played)
            }
            _ => self.stated,
        }
    }

    /// The same game with the result in its text, if that says more than the moves.
    #[must_use]
    pub fn with_stated(self, stated: GameResult) -> Self {
        let record = Self { stated, ..self };
        let says_more = record.result().how != How::Played || record.is_contradicted();
        if says_more {
            record
        } else {
            Self {
                stated: GameResult::default(),
                ..record
            }
        }
    }

    /// The tournament; may be empty.
    pub fn event(&self) -> &str {
        self.tags.get("Event").unwrap_or_default()
    }

    /// Sets the tag that PGN calls `name`.
    pub(super) fn put(&mut self, name: &str, value: &str) {
        match name {
            "Black" => self.black = clean(value),
            "White" => self.white = clean(value),
            "Site" => self.place = clean(value),
            "Date" | DATE_TEXT => self.date = date_in(value),
            "Time"
                if is_time(&clean(value)) && matches!(day_and_time(&self.date), Some((_, ""))) =>
            {
                self.date = date_in(&format!("{} {value}", self.date));
            }
            "Result" | "FEN" | "SetUp" => {}
            _ => self.tags.set(name, value),
        }
    }

    /// The same game with the result in its text and the reason in its tag `Termination`.
    #[must_use]
    pub(super) fn concluded(mut self, stated: GameResult) -> Self {
        let words = self.tags.get("Termination").unwrap_or_default();
        let stated = match self.game.final_score(Color::Black) {
            Some(score)
                if stated == GameResult::default()
                    && How::of_termination(words) != Some(How::Void) =>
            {
                GameResult::discs(score, How::Stated)
            }
            _ => stated,
        };
        let stated = stated.with_termination(words);
        let means = |how| {
            how == Some(stated.how) || stated == GameResult::VOID && how == Some(How::Forfeit)
        };
        match stated.how.termination() {
            // The result already says it.
            Some(word) if word == words => self.tags.remove("Termination"),
            // The words contradict the result.
            Some(_) if !words.is_empty() && !means(How::of_termination(words)) => {
                let words = words.to_owned();
                self.tags.remove("Termination");
                self.tags.set("TerminationText", &words);
            }
            _ => {}
        }
        self.with_stated(stated)
    }

    /// The tag `Termination` of the text, else the word for how the game ended.
    pub(super) fn termination(&self) -> Option<&str> {
        self.tags
            .get("Termination")
            .or_else(|| self.result().how.termination())
    }

    /// Notes once that the reader dropped `what`.
    pub(super) fn leave_out(&mut self, what: impl Into<Cow<'static, str>>) {
        let what = what.into();
        if !self.left_out.contains(&what) {
            self.left_out.push(what);
        }
    }

    /// Whether the game has ended and the text states another result.
    pub fn is_contradicted(&self) -> bool {
        let end = self.result();
        let count = |color| self.game.position().discs(color).count_ones() as i32;
        let counted = count(Color::Black) - count(Color::White);
        end.how == How::Played
            && match self.stated.outcome {
                Outcome::Open => false,
                Outcome::Won(winner) => end.winner() != Some(winner),
                // Some programs count the empties for neither side.
                Outcome::Discs(discs) => end.outcome != self.stated.outcome && discs != counted,
            }
    }

    /// The score for Black, discs; see [`GameResult::score`].
    pub fn score(&self) -> Option<i32> {
        self.result().score()
    }
}

/// Whether two known results cannot both be true.
pub(super) fn differ(one: GameResult, other: GameResult) -> bool {
    match (one.outcome, other.outcome) {
        (Outcome::Open, _) | (_, Outcome::Open) => false,
        (Outcome::Discs(one), Outcome::Discs(other)) => one != other,
        _ => one.winner() != other.winner(),
    }
}

/// The one of two results that says more; `None` if they cannot both be true.
pub(super) fn agreed(one: GameResult, other: GameResult) -> Option<GameResult> {
    let says_less = matches!(one.outcome, Outcome::Open)
        || matches!(
            (one.outcome, other.outcome),
            (Outcome::Won(_), Outcome::Discs(_))
        );
    (!differ(one, other)).then_some(if says_less { other } else { one })
}

impl From<Game> for NamedGame {
    fn from(game: Game) -> Self {
        Self {
            game,
            ..Self::default()
        }
    }
}
