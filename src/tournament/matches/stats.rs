//! The statistics of a match: Elo with its interval, likelihood of superiority, SPRT.
//!
//! The two games of a pair, the same opening with colors swapped, are not independent: an opening can favor a color. So
//! the pair is the observation. Its half points, 0 to 4, fall in one of five classes, the *pentanomial*. A match without a
//! complete pair uses the three classes of single games.
//!
//! Sources: E. B. Wilson (1927) for intervals that stay inside 0 to 1; A. Wald (1945) for the sequential test;
//! M. Van den Bergh, "The generalized sequential probability ratio test for the multinomial distribution" (2018) for its
//! likelihood ratio.

#[cfg(test)]
mod tests;

use crate::util::refusal::Refusal;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Sum of the final disc differences.
    pub discs: i64,
    /// Pairs of games by their half points, 0 to 4.
    pub pairs: [u64; 5],
}

impl Tally {
    /// Counts a game that ended with this disc difference for the player.
    pub fn add_game(&mut self, discs: i32) {
        match discs.signum() {
            -1 => self.losses += 1,
            0 => self.draws += 1,
            _ => self.wins += 1,
        }
        self.discs += i64::from(discs);
    }

    /// Counts a pair whose two games were both counted by [`Self::add_game`].
    pub fn add_pair(&mut self, discs: [i32; 2]) {
        let half_points: i32 = discs.map(|discs| discs.signum() + 1).iter().sum();
        self.pairs[half_points as usize] += 1;
    }

    pub fn discs_per_game(&self) -> f64 {
        self.discs as f64 / self.games().max(1) as f64
    }

    pub fn add(&mut self, other: &Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.discs += other.discs;
        self.pairs
            .iter_mut()
            .zip(other.pairs)
            .for_each(|(sum, pairs)| *sum += pairs);
    }

    /// The same results seen from the other player.
    pub fn turned(&self) -> Self {
        let mut pairs = self.pairs;
        pairs.reverse();
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
            discs: -self.discs,
            pairs,
        }
    }

    pub fn complete_pairs(&self) -> u64 {
        self.pairs.iter().sum()
    }

    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points won, a draw counting one half.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points per game, 0 to 1; one half before the first game.
    pub fn score(&self) -> f64 {
        if self.games() == 0 {
            0.5
        } else {
            self.points() / self.games() as f64
        }
    }

    pub fn elo(&self) -> Elo {
        if self.games() < LEAST_GAMES {
            let note = Some(format!("too few games ({} of {LEAST_GAMES})", self.games()));
            return Elo {
                estimate: None,
                low: None,
                high: None,
                note,
            };
        }
        let sample = Sample::of(self);
        let (low, high) = sample.interval();
        let [estimate, low, high] = [sample.mean(), low, high].map(|score| {
            Some(score)
                .filter(|score| *score > 0.0 && *score < 1.0)
                .map(elo_of_score)
        });
        let one_sided = if sample.mean() > 0.5 {
            "all games were won"
        } else {
            "all games were lost"
        };
        let note = estimate.is_none().then(|| one_sided.to_owned());
        Elo {
            estimate,
            low,
            high,
            note,
        }
    }

    /// The lead over an even score in standard deviations of a game, times 800 / ln 10; `None` before ten games, or if all
    /// results are the same.
    ///
    /// Source: M. Van den Bergh, "Normalized Elo" (2020).
    pub fn normalized_elo(&self) -> Option<Elo> {
        let sample = Sample::of(self);
        let mean = sample.mean();
        let variance = sample
            .iter()
            .map(|(value, count)| count * (value - mean).powi(2));
        let games_of_a_value = if sample.values.len() == 5 { 2.0 } else { 1.0 };
        let deviation = (games_of_a_value * variance.sum::<f64>() / sample.total()).sqrt();
        if self.games() < LEAST_GAMES || deviation == 0.0 {
            return None;
        }
        let of_score = |score: f64| Some(800.0 / 10f64.ln() * (score - 0.5) / deviation);
        let (low, high) = sample.interval();
        Some(Elo {
            estimate: of_score(mean),
            low: of_score(low),
            high: of_score(high),
            note: None,
        })
    }

    /// The probability that the player is the stronger one, 0 to 1; one half before the first game.
    pub fn superiority(&self) -> f64 {
        let sample = Sample::of(self);
        match sample.total() {
            0.0 => 0.5,
            total => normal_below((sample.mean() - 0.5) / (0.25 * sample.spread() / total).sqrt()),
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}

pub const LEAST_GAMES: u64 = 10;

/// A strength difference in Elo points, with its 95 % interval.
///
/// The interval is open on a side without a lost or won point. If one player has all points, there is no estimate, and the
/// other end is a 95 % bound.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Elo {
    pub estimate: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Why there is no estimate.
    pub note: Option<String>,
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.estimate, self.low, self.high) {
            (Some(estimate), Some(low), Some(high)) => {
                write!(f, "{estimate:+.1} [{low:+.1}, {high:+.1}]")
            }
            // The interval of a nearly one-sided result may be open.
            (Some(estimate), Some(low), None) => write!(f, "{estimate:+.1} [{low:+.1} or more]"),
            (Some(estimate), None, Some(high)) => write!(f, "{estimate:+.1} [{high:+.1} or less]"),
            (None, Some(low), None) => write!(f, "over {low:+.1}"),
            (None, None, Some(high)) => write!(f, "under {high:+.1}"),
            _ => f.write_str(self.note.as_deref().unwrap_or("unknown")),
        }
    }
}

/// The points per game that a player `elo` points stronger is expected to score.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The strength difference at which these points per game, between 0 and 1, are expected.
fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Half the width of an interval, in standard deviations.
///
/// The statistic is only nearly normal. So 2.1 replaces the 1.96 of the normal law: at least 95 % of the simulated matches
/// of every length and strength (see the tests) cover the truth.
const WIDTH: f64 = 2.1;

/// The count of each observed value.
struct Sample {
    /// Points per game, evenly spaced from 0 to 1.
    values: &'static [f64],
    counts: [f64; 5],
}

impl Sample {
    /// The pairs if there are any, the single games otherwise.
    fn of(tally: &Tally) -> Self {
        if tally.pairs.iter().any(|&n| n > 0) {
            Self {
                values: &[0.0, 0.25, 0.5, 0.75, 1.0],
                counts: tally.pairs.map(|n| n as f64),
            }
        } else {
            let [l, d, w] = [tally.losses, tally.draws, tally.wins].map(|n| n as f64);
            Self {
                values: &[0.0, 0.5, 1.0],
                counts: [l, d, w, 0.0, 0.0],
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.values.iter().copied().zip(self.counts)
    }

    fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    fn mean(&self) -> f64 {
        match self.total() {
            0.0 => 0.5,
            total => self.iter().map(|(value, count)| value * count).sum::<f64>() / total,
        }
    }

    /// The variance as a share of the greatest possible at this mean. One observation of the greatest is mixed in, so that
    /// the result is never 0.
    fn spread(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self
            .iter()
            .map(|(value, count)| count * (value - mean).powi(2))
            .sum();
        (squares + 0.25) / (self.total() * mean * (1.0 - mean) + 0.25)
    }

    /// Wilson's 95 % interval for the true mean, for the number of trials that has this variance.
    fn interval(&self) -> (f64, f64) {
        let total = self.total();
        let mean = self.mean();
        // All observations on one side: the probability is below 5 % for a true mean beyond the bound.
        let bound = 0.05f64.powf(1.0 / total);
        if mean == 0.0 || mean == 1.0 {
            return if mean == 1.0 {
                (bound, 1.0)
            } else {
                (0.0, 1.0 - bound)
            };
        }
        // Student's quantile by its first term, because the variance is itself estimated.
        let z = WIDTH + (WIDTH.powi(3) + WIDTH) / (4.0 * total);
        let trials = total / self.spread();
        let step = self.values[1] / (2.0 * total);
        let bound = |mean: f64, sign: f64| {
            let root = (mean * (1.0 - mean) / trials + (z / (2.0 * trials)).powi(2)).sqrt();
            (mean + z * z / (2.0 * trials) + sign * z * root) / (1.0 + z * z / trials)
        };
        let low = (mean - step).max(0.0);
        let high = (mean + step).min(1.0);
        // At the ends the root is exact on paper only.
        (
            if low == 0.0 { 0.0 } else { bound(low, -1.0) },
            if high == 1.0 { 1.0 } else { bound(high, 1.0) },
        )
    }

    /// The log-likelihood of the nearest distribution to the counts that has this mean, strictly between 0 and 1; up to a
    /// constant that depends only on the counts.
    ///
    /// That distribution is `p = count / total / (1 + t (value - mean))` for the one `t` that makes its mean right, found by
    /// halvings. The likelihood is flat there, so 60 are enough.
    fn log_likelihood(&self, mean: f64) -> f64 {
        debug_assert!(self.total() > 0.0);
        let mut low = -1.0 / (1.0 - mean);
        let mut high = 1.0 / mean;
        for _ in 0..60 {
            let t = (low + high) / 2.0;
            let part =
                |(value, count): (f64, f64)| count * (value - mean) / (1.0 + t * (value - mean));
            if self.iter().map(part).sum::<f64>() > 0.0 {
                low = t
            } else {
                high = t
            }
        }
        -self
            .iter()
            .map(|(value, count)| count * (1.0 + low * (value - mean)).ln())
            .sum::<f64>()
    }
}

/// The share of the standard normal law below `x`.
///
/// Source: Abramowitz and Stegun 26.2.17, absolute error below 7.5e-8.
fn normal_below(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let poly = t
        * (0.319_381_530
            + t * (-0.356_563_782
                + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let tail = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * poly;
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// A sequential probability ratio test: is the gain `elo1` rather than `elo0`?
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Sprt {
    /// The strength difference to reject.
    pub elo0: f64,
    /// The strength difference to prove, above `elo0`.
    pub elo1: f64,
    /// Allowed probability of proving `elo1` when `elo0` is true.
    pub alpha: f64,
    /// Allowed probability of rejecting when `elo1` is true.
    pub beta: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtOutcome {
    Open,
    /// `elo1`: the gain is proven.
    Accepted,
    /// `elo0`.
    Rejected,
}

impl FromStr for Sprt {
    type Err = Refusal;

    /// `elo0,elo1[,alpha,beta]`; the error probabilities are 0.05 unless they are given.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[elo0, elo1]) => Self::new(elo0, elo1, 0.05, 0.05),
            Some(&[elo0, elo1, alpha, beta]) => Self::new(elo0, elo1, alpha, beta),
            _ => Err(format!("expected elo0,elo1[,alpha,beta], found {text:?}").into()),
        }
    }
}

impl Sprt {
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, Refusal> {
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(format!("elo0 {elo0} must be below elo1 {elo1}").into());
        }
        match [alpha, beta].into_iter().find(|p| !(*p > 0.0 && *p < 0.5)) {
            Some(p) => {
                Err(format!("expected an error probability between 0 and 0.5, found {p}").into())
            }
            None => Ok(Self {
                elo0,
                elo1,
                alpha,
                beta,
            }),
        }
    }

    /// The log-likelihood ratios at which the test rejects and accepts.
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    /// The log-likelihood ratio of `elo1` to `elo0`; finite for every tally.
    pub fn llr(&self, tally: &Tally) -> f64 {
        let mut sample = Sample::of(tally);
        if sample.total() == 0.0 {
            return 0.0;
        }
        // An empty class must stay possible: a match without a lost point would divide by 0.
        let classes = sample.values.len();
        for count in &mut sample.counts[..classes] {
            *count = count.max(1e-3);
        }
        // Scores of exactly 0 or 1 come from absurdly large Elo numbers; keep clear of them.
        let mean = |elo| score_of_elo(elo).clamp(1e-6, 1.0 - 1e-6);
        sample.log_likelihood(mean(self.elo1)) - sample.log_likelihood(mean(self.elo0))
    }

    pub fn verdict(&self, tally: &Tally) -> SprtOutcome {
        let (low, high) = self.bounds();
        match self.llr(tally) {
            llr if llr >= high => SprtOutcome::Accepted,
            llr if llr <= low => SprtOutcome::Rejected,
            _ => SprtOutcome::Open,
        }
    }
}
