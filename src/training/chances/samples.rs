//! Scores of searches and the results that came: the samples that chances and margins are fitted to.

use std::fmt;
use std::str::FromStr;

use crate::engine::chances::Evidence;
use crate::search::Selectivity;

/// From so many empties on the games of samples are solved.
pub const SOLVED: u32 = 18;

/// A score and the result that came, both for the same side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Number of the game.
    pub game: u64,
    /// The search.
    pub evidence: Evidence,
    /// Its score in discs.
    pub score: f64,
    /// The result in discs.
    pub result: i32,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evidence { empties, depth, selectivity } = self.evidence;
        let percent = selectivity.percent();
        write!(f, "{} {empties} {depth} {percent} {} {}", self.game, self.score, self.result)
    }
}

/// A line that is no sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected six numbers: game empties depth percent score result")]
pub struct ParseSampleError;

impl FromStr for Sample {
    type Err = ParseSampleError;

    fn from_str(line: &str) -> Result<Self, ParseSampleError> {
        fn number<T: FromStr>(text: &str) -> Result<T, ParseSampleError> {
            text.parse().map_err(|_| ParseSampleError)
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [game, empties, depth, percent, score, result] = words[..] else { return Err(ParseSampleError) };
        let selectivity = Selectivity::from_percent(number(percent)?).ok_or(ParseSampleError)?;
        let evidence = Evidence { empties: number(empties)?, depth: number(depth)?, selectivity };
        let score: f64 = number(score)?;
        if evidence.empties > 64 || !score.is_finite() {
            return Err(ParseSampleError);
        }
        Ok(Self { game: number(game)?, evidence, score, result: number(result)? })
    }
}
