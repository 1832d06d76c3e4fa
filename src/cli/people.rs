//! Options of play: strength and book.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, ensure};

use super::book_args::BookFileArgs;
use crate::book::policy::Policy;
use crate::engine::people::Rating;
use crate::engine::{BookOptions, Elo, Level, Opening, Strength};
use crate::search::Handicap;

/// Strength and book; flattened into the arguments of commands that play.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Weaker play")]
pub struct PlayerArgs {
    /// Play like a person of this rating, for games against people: 1000 is a club's beginner, 1300 a club player, 1550 a
    /// strong one, 1800 an expert [range: 1000 to 2000].
    #[arg(long, value_name = "RATING", conflicts_with_all = ["elo", "level", "vision", "judgement"])]
    pub person: Option<Rating>,
    /// Strength in Elo, for other strengths and for engines; 0 is random play. Sets level, vision and judgement
    /// [range: 191 to 2834].
    #[arg(long, value_name = "N", conflicts_with_all = ["level", "vision", "judgement"])]
    pub elo: Option<Elo>,
    /// Share of the legal moves to look at, in percent [default: 100].
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub vision: Option<u8>,
    /// Accuracy of the evaluation, in percent. 0 adds an error of 32 discs [default: 100].
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub judgement: Option<u8>,
    /// Random seed: the same seed makes the same choices [default: 1, for --person a new one].
    #[arg(long, value_name = "N", help_heading = "Engine")]
    seed: Option<u64>,
    #[command(flatten)]
    book: BookFileArgs,
    /// Choice of book moves: best, within:DISCS, results, people or contempt:DISCS.
    #[arg(
        long,
        value_name = "POLICY",
        default_value = "best",
        conflicts_with = "no_book",
        help_heading = "Engine"
    )]
    book_policy: Policy,
}

impl PlayerArgs {
    /// The level of --elo.
    pub fn level(&self) -> Option<Level> {
        self.elo.map(|elo| elo.strength().level)
    }

    /// Refuses a person with another evaluation than the model was fitted to.
    pub fn check(&self, is_embedded: bool) -> Result<()> {
        ensure!(
            is_embedded || self.person.is_none(),
            "--person is known only for the embedded network: leave --eval out"
        );
        Ok(())
    }

    /// The seed of choices.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// The seed of people: a new one, unless the player names one.
    pub fn person_seed(&self) -> u64 {
        self.seed.unwrap_or_else(new_seed)
    }

    pub fn handicap(&self) -> Option<Handicap> {
        if let Some(rating) = self.person {
            return Some(Handicap::of_person(rating.number(), self.person_seed()));
        }
        let percent = |asked: Option<u8>| asked.unwrap_or(100);
        let strength = self.elo.map_or(
            Strength {
                level: Level::MAX,
                vision: percent(self.vision),
                judgement: percent(self.judgement),
            },
            Elo::strength,
        );
        strength.handicap(self.seed())
    }

    /// The options of the book; `None` with --no-book.
    pub fn book(&self) -> Option<BookOptions> {
        self.book.options(self.book_policy, self.seed())
    }

    pub fn opening(&self) -> Result<Option<Opening>> {
        Ok(self
            .book()
            .map(|options| Opening::open(&options))
            .transpose()?)
    }
}

/// A seed that differs between sessions.
fn new_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(1, |since| since.as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Args as _, Command, FromArgMatches};

    use super::*;

    fn args(line: &str) -> PlayerArgs {
        let command = PlayerArgs::augment_args(Command::new("x").no_binary_name(true));
        let command = command.arg(Arg::new("level").long("level"));
        PlayerArgs::from_arg_matches(&command.get_matches_from(line.split_whitespace())).unwrap()
    }

    #[test]
    fn options_choose_level_and_weakness() {
        let weakness = |Handicap {
                            vision,
                            judgement,
                            seed,
                            ..
                        }| (vision, judgement, seed);
        for (line, level, handicap) in [
            ("", None, None),
            ("--vision 100 --judgement 100", None, None),
            ("--vision 60 --seed 4", None, Some((60, 100, 4))),
            ("--judgement 99 --seed 4", None, Some((100, 99, 4))),
            ("--elo 1777", Level::new(2).ok(), None),
            (
                "--elo 383 --seed 4",
                args("--elo 383").level(),
                Some((40, 40, 4)),
            ),
        ] {
            assert_eq!(args(line).level(), level, "{line}");
            assert_eq!(args(line).handicap().map(weakness), handicap, "{line}");
        }
    }

    #[test]
    fn a_person_repeats_with_a_seed_only() {
        let person = |line| args(line).handicap().expect("a person");
        let first = person("--person 1450 --seed 3");
        assert_eq!(first, Handicap::of_person(1450, 3));
        assert_ne!(person("--person 1450").seed, person("--person 1450").seed);
    }

    #[test]
    fn the_help_names_the_range() {
        let command = PlayerArgs::augment_args(Command::new("x"));
        for (name, low, high) in [
            ("elo", Elo::MIN.to_string(), Elo::MAX.to_string()),
            ("person", Rating::MIN.to_string(), Rating::MAX.to_string()),
        ] {
            let mut found = command.get_arguments();
            let found = found.find(|arg| arg.get_id() == name).unwrap();
            let range = format!("[range: {low} to {high}]");
            assert!(
                found.get_help().unwrap().to_string().ends_with(&range),
                "{range}"
            );
        }
    }
}
