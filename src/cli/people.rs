//! Options of play for people; flattened into the arguments of commands that play.
//!
//! A ladder from a player who moves nearly at random upwards: each rung against the one below, 400 games of
//! `emilia match a=emilia:level=1,vision=40,judgement=40 b=emilia:level=1,vision=0,judgement=0 --games 400` and so on
//! (share of the points, and Elo with its 95 % interval).
//!
//! ```text
//! level  vision  judgement   points   Elo over the rung below
//!     1       0          0
//!     1      40         40   71.4 %   +159 [+119, +199]
//!     1      60         60   69.5 %   +143 [+104, +183]
//!     1      75         75   80.0 %   +241 [+194, +288]
//!     1      85         85   81.1 %   +253 [+206, +301]
//!     1      93         92   81.6 %   +259 [+215, +303]
//!     1      98         97   76.5 %   +205 [+164, +246]
//!     1     100        100   61.1 %    +79 [ +42, +115]
//!     2     100        100   77.5 %   +215 [+171, +258]
//!     4     100        100   85.4 %   +307 [+255, +358]
//!     6     100        100   80.8 %   +249 [+201, +298]
//! ```

use crate::search::Handicap;

/// How weakly to play.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "For people")]
pub struct PeopleArgs {
    /// Share of the legal moves that play sees, in percent; the others are overlooked.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub vision: Option<u8>,
    /// How truly play values positions: 100 as they are, 0 with an error of 32 discs.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub judgement: Option<u8>,
    /// What is overlooked and misjudged depends on it; the same seed plays the same.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl PeopleArgs {
    /// The weakness asked for, if any.
    pub fn handicap(&self) -> Option<Handicap> {
        let (vision, judgement) = (self.vision.unwrap_or(100), self.judgement.unwrap_or(100));
        let is_weak = vision < 100 || judgement < 100;
        is_weak.then_some(Handicap { depth: u8::MAX, vision, judgement, seed: self.seed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_asked_for_is_no_weakness() {
        let args = |vision, judgement| PeopleArgs { vision, judgement, seed: 4 };
        assert_eq!(args(None, None).handicap(), None);
        assert_eq!(args(Some(100), Some(100)).handicap(), None);
        let handicap = args(Some(60), None).handicap().unwrap();
        assert_eq!((handicap.vision, handicap.judgement, handicap.seed), (60, 100, 4));
        assert!(args(None, Some(99)).handicap().is_some());
    }
}
