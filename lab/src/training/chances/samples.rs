//! Scores of searches with results: the samples that chances and margins are fitted to.

use std::fmt;

use crate::engine::chances::Evidence;
use crate::search::Selectivity;

/// Most empties at which the games of samples are solved.
pub const SOLVED: u32 = 18;

/// A score and the result, both for the same side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub game: u64,
    pub evidence: Evidence,
    /// Its score in discs.
    pub score: f64,
    /// The result in discs.
    pub result: i32,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evidence {
            empties,
            depth,
            selectivity,
        } = self.evidence;
        let percent = selectivity.percent();
        write!(
            f,
            "{} {empties} {depth} {percent} {} {}",
            self.game, self.score, self.result
        )
    }
}

impl Sample {
    /// The sample of a line as `Display` writes it.
    pub fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [game, empties, depth, percent, score, result] = words[..] else {
            return None;
        };
        let selectivity = Selectivity::from_percent(percent.parse().ok()?)?;
        let evidence = Evidence {
            empties: empties.parse().ok()?,
            depth: depth.parse().ok()?,
            selectivity,
        };
        let score = score.parse::<f64>().ok()?;
        let result = result.parse().ok()?;
        let is_sound = evidence.empties <= 64 && score.is_finite();
        is_sound.then_some(Self {
            game: game.parse().ok()?,
            evidence,
            score,
            result,
        })
    }
}
