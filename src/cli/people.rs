//! Options of weaker play; flattened into the arguments of commands that play.

use crate::engine::{Elo, Level, Strength};
use crate::search::Handicap;

/// How weakly to play.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Weaker play")]
pub struct PeopleArgs {
    /// Strength in Elo, 0 being random moves. Sets level, vision and judgement [range: 191 to 2834].
    #[arg(long, value_name = "N", conflicts_with_all = ["level", "vision", "judgement"])]
    pub elo: Option<Elo>,
    /// Share of the legal moves that are seen, in percent [default: 100].
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub vision: Option<u8>,
    /// Accuracy of the evaluation, in percent. 0 adds an error of 32 discs [default: 100].
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub judgement: Option<u8>,
    /// Random seed, of book moves and of what weak play overlooks; the same seed plays the same.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Engine")]
    pub seed: u64,
}

impl PeopleArgs {
    /// The level that belongs to a strength in Elo, if one is asked for.
    pub fn level(&self) -> Option<Level> {
        self.elo.map(|elo| elo.strength().level)
    }

    /// The weakness asked for, if any.
    pub fn handicap(&self) -> Option<Handicap> {
        let percent = |asked: Option<u8>| asked.unwrap_or(100);
        let strength = self.elo.map_or(
            Strength { level: Level::MAX, vision: percent(self.vision), judgement: percent(self.judgement) },
            Elo::strength,
        );
        strength.handicap(self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_asked_for_is_no_weakness() {
        let args = |vision, judgement| PeopleArgs { elo: None, vision, judgement, seed: 4 };
        assert_eq!(args(None, None).handicap(), None);
        assert_eq!(args(Some(100), Some(100)).handicap(), None);
        let handicap = args(Some(60), None).handicap().unwrap();
        assert_eq!((handicap.vision, handicap.judgement, handicap.seed), (60, 100, 4));
        assert!(args(None, Some(99)).handicap().is_some());
        assert_eq!(args(None, None).level(), None);
    }

    #[test]
    fn a_strength_chooses_level_and_weakness() {
        let args = |elo: &str| PeopleArgs {
            elo: Some(elo.parse().unwrap()),
            vision: None,
            judgement: None,
            seed: 4,
        };
        assert_eq!(args("1777").level(), Level::new(2).ok());
        assert_eq!(args("1777").handicap(), None);
        assert_eq!(args("383").handicap().map(|handicap| (handicap.vision, handicap.seed)), Some((40, 4)));
    }

    #[test]
    fn the_help_tells_the_range() {
        use clap::Args;
        let command = PeopleArgs::augment_args(clap::Command::new("x"));
        let elo = command.get_arguments().find(|arg| arg.get_id() == "elo").unwrap();
        let range = format!("[range: {} to {}]", Elo::MIN, Elo::MAX);
        assert!(elo.get_help().unwrap().to_string().ends_with(&range), "{range}");
    }
}
