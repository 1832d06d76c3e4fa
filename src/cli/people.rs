//! Options of play: strength and book.

use anyhow::Result;

use super::book_args::BookFileArgs;
use crate::book::policy::Policy;
use crate::engine::{BookOptions, Elo, Level, Opening, Strength};
use crate::search::Handicap;

/// Strength and book; flattened into the arguments of commands that play.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Weaker play")]
pub struct PlayerArgs {
    /// Strength in Elo; 0 is random play. Sets level, vision and judgement [range: 191 to 2834].
    #[arg(long, value_name = "N", conflicts_with_all = ["level", "vision", "judgement"])]
    pub elo: Option<Elo>,
    /// Share of the legal moves to look at, in percent [default: 100].
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub vision: Option<u8>,
    /// Accuracy of the evaluation, in percent. 0 adds an error of 32 discs [default: 100].
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub judgement: Option<u8>,
    /// Random seed: the same seed makes the same choices.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Engine")]
    pub seed: u64,
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

    pub fn handicap(&self) -> Option<Handicap> {
        let percent = |asked: Option<u8>| asked.unwrap_or(100);
        let strength = self.elo.map_or(
            Strength {
                level: Level::MAX,
                vision: percent(self.vision),
                judgement: percent(self.judgement),
            },
            Elo::strength,
        );
        strength.handicap(self.seed)
    }

    /// The options of the book; `None` with --no-book.
    pub fn book(&self) -> Option<BookOptions> {
        self.book.options(self.book_policy, self.seed)
    }

    pub fn opening(&self) -> Result<Option<Opening>> {
        Ok(self
            .book()
            .map(|options| Opening::open(&options))
            .transpose()?)
    }
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
    fn the_help_names_the_range() {
        let command = PlayerArgs::augment_args(Command::new("x"));
        let elo = command
            .get_arguments()
            .find(|arg| arg.get_id() == "elo")
            .unwrap();
        let range = format!("[range: {} to {}]", Elo::MIN, Elo::MAX);
        assert!(
            elo.get_help().unwrap().to_string().ends_with(&range),
            "{range}"
        );
    }
}
