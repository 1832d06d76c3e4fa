//! What the results of a match prove: Elo with its interval, likelihood of superiority, SPRT.
//!
//! Games are played in pairs, the same opening with the colours swapped. The two games of a pair are
//! not independent (an opening can favour a colour), so the pair is the observation: its points, 0 to
//! 4 half points, fall in one of five classes, the *pentanomial*. Without pairs the three classes of
//! single games serve.
//!
//! Sources: E. B. Wilson (1927) for intervals that stay inside 0 to 1; A. Wald (1945) for the
//! sequential test; M. Van den Bergh, "The generalized sequential probability ratio test for the
//! multinomial distribution" (2018) for its likelihood ratio.

#[cfg(test)]
pub(super) mod tests;

use std::fmt;
use std::str::FromStr;

/// A game's result for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GamePoints {
    /// Lost, 0 half points.
    Loss,
    /// Drawn, 1 half point.
    Draw,
    /// Won, 2 half points.
    Win,
}

impl GamePoints {
    /// The result with this final disc difference for the player.
    pub fn of_discs(difference: i32) -> Self {
        match difference.signum() {
            -1 => Self::Loss,
            0 => Self::Draw,
            _ => Self::Win,
        }
    }

    /// 0, 1 or 2 half points.
    pub fn half_points(self) -> usize {
        self as usize
    }
}

/// The results of one player against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Sum of the final disc differences.
    pub discs: i64,
    /// Pairs of games by their half points, 0 to 4.
    pub pairs: [u64; 5],
}

impl Tally {
    /// Counts a game that ended with this disc difference for the player.
    pub fn add_game(&mut self, outcome: GamePoints, discs: i32) {
        match outcome {
            GamePoints::Win => self.wins += 1,
            GamePoints::Draw => self.draws += 1,
            GamePoints::Loss => self.losses += 1,
        }
        self.discs += i64::from(discs);
    }

    /// Counts a pair whose two games were both counted by [`Self::add_game`].
    pub fn add_pair(&mut self, first: GamePoints, second: GamePoints) {
        self.pairs[first.half_points() + second.half_points()] += 1;
    }

    /// Discs won per game.
    pub fn discs_per_game(&self) -> f64 {
        self.discs as f64 / self.games().max(1) as f64
    }

    /// Adds all results of another tally.
    pub fn add(&mut self, other: &Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.discs += other.discs;
        self.pairs.iter_mut().zip(other.pairs).for_each(|(sum, pairs)| *sum += pairs);
    }

    /// The same results seen from the other player.
    pub fn turned(&self) -> Self {
        let mut pairs = self.pairs;
        pairs.reverse();
        Self { wins: self.losses, draws: self.draws, losses: self.wins, discs: -self.discs, pairs }
    }

    /// Pairs counted.
    pub fn complete_pairs(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points won, a draw counting one half.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points per game, 0 to 1; one half before the first game.
    pub fn score(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.points() / self.games() as f64 }
    }

    /// The strength difference with its interval.
    pub fn elo(&self) -> EloInterval {
        let sample = Sample::of(self);
        let (low, high) = sample.interval(WIDTH);
        EloInterval {
            estimate: elo_of_score(sample.mean()),
            low: elo_of_score(low),
            high: elo_of_score(high),
        }
    }

    /// The variance of the points per game that games between two of this true `score` have, as far as their spread tells.
    pub(super) fn variance(&self, score: f64) -> f64 {
        let sample = Sample::of(self);
        score * (1.0 - score) * sample.spread() / sample.total()
    }

    /// The probability that the player is the stronger one, 0 to 1, one half before the first game.
    ///
    /// It belongs to the interval: 97.5 % where the interval begins at an even score.
    pub fn superiority(&self) -> f64 {
        let sample = Sample::of(self);
        if sample.total() == 0.0 {
            return 0.5;
        }
        // The widest interval on one side of an even score.
        let sign = if sample.mean() < 0.5 { -1.0 } else { 1.0 };
        let is_beside = |width: f64| match sample.interval(width) {
            (low, _) if sign > 0.0 => low > 0.5,
            (_, high) => high < 0.5,
        };
        let (mut narrow, mut wide) = (0.0, MAX_WIDTH);
        while wide - narrow > 1e-9 {
            let middle = (narrow + wide) / 2.0;
            *(if is_beside(middle) { &mut narrow } else { &mut wide }) = middle;
        }
        normal_below(sign * narrow * NORMAL_WIDTH / WIDTH)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}

/// A difference in playing strength, in Elo points, and the interval that holds the true one.
///
/// Infinite on the side on which no point was lost or won; see [`super::rating::EloEstimate`] for what is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloInterval {
    /// From the points per game.
    pub estimate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The points per game that a player `elo` points stronger is expected to score.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The strength difference at which these points per game are expected; infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    match score {
        s if s <= 0.0 => f64::NEG_INFINITY,
        s if s >= 1.0 => f64::INFINITY,
        s => 400.0 * (s / (1.0 - s)).log10(),
    }
}

/// How far the ends of an interval lie from its middle, in standard deviations.
///
/// 1.96 is the 95 % point of the normal law. The statistic here is only nearly normal; 2.1 is what
/// keeps the share of matches that cover the truth at 95 % or more for every length and strength
/// simulated below.
pub(super) const WIDTH: f64 = 2.1;
/// The 97.5 % point of the normal law, in whose place [`WIDTH`] stands.
const NORMAL_WIDTH: f64 = 1.959_964;
/// No match is surer than an interval of this width.
const MAX_WIDTH: f64 = 40.0;

/// Observations: how often each value was seen.
struct Sample {
    /// Points per game, evenly spaced from 0 to 1.
    values: &'static [f64],
    /// As many as there are values.
    counts: [f64; 5],
}

impl Sample {
    /// The pairs if there are any, the single games otherwise.
    fn of(tally: &Tally) -> Self {
        if tally.pairs.iter().any(|&n| n > 0) {
            Self { values: &[0.0, 0.25, 0.5, 0.75, 1.0], counts: tally.pairs.map(|n| n as f64) }
        } else {
            let [l, d, w] = [tally.losses, tally.draws, tally.wins].map(|n| n as f64);
            Self { values: &[0.0, 0.5, 1.0], counts: [l, d, w, 0.0, 0.0] }
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

    /// The variance as a share of the greatest possible at this mean, with one observation's worth of
    /// the greatest mixed in, so that it is never 0.
    fn spread(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.iter().map(|(value, count)| count * (value - mean).powi(2)).sum();
        (squares + 0.25) / (self.total() * mean * (1.0 - mean) + 0.25)
    }

    /// The interval for the true mean: Wilson's, for as many trials as carry this variance. `width` in deviations.
    fn interval(&self, width: f64) -> (f64, f64) {
        let total = self.total();
        if total == 0.0 {
            return (0.0, 1.0);
        }
        // Student's quantile by its first term, because the variance is itself estimated.
        let z = width + (width.powi(3) + width) / (4.0 * total);
        let trials = total / self.spread();
        let step = self.values[1] / (2.0 * total);
        let bound = |mean: f64, sign: f64| {
            let root = (mean * (1.0 - mean) / trials + (z / (2.0 * trials)).powi(2)).sqrt();
            (mean + z * z / (2.0 * trials) + sign * z * root) / (1.0 + z * z / trials)
        };
        let (low, high) = ((self.mean() - step).max(0.0), (self.mean() + step).min(1.0));
        // At the ends the root is exact on paper only.
        let ends = (bound(low, -1.0).max(0.0), bound(high, 1.0).min(1.0));
        (if low == 0.0 { 0.0 } else { ends.0 }, if high == 1.0 { 1.0 } else { ends.1 })
    }

    /// The log-likelihood of the distribution nearest to the counts that has this mean, up to a
    /// constant that depends on the counts alone. `mean` lies strictly between 0 and 1.
    ///
    /// That distribution is `p = count / total / (1 + t (value - mean))` for the one `t` that makes its
    /// mean right; Newton's steps find it, halvings where they lead too far. Their number is bounded, so no sample can
    /// make this loop forever.
    fn log_likelihood(&self, mean: f64) -> f64 {
        debug_assert!(self.total() > 0.0);
        let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
        let mut t = 0.0;
        for _ in 0..100 {
            let (mut excess, mut slope) = (0.0, 0.0);
            for (value, count) in self.iter() {
                let part = (value - mean) / (1.0 + t * (value - mean));
                excess += count * part;
                slope += count * part * part;
            }
            if excess > 0.0 {
                low = t
            } else {
                high = t
            }
            let newton = t + excess / slope;
            let next = if low < newton && newton < high { newton } else { (low + high) / 2.0 };
            let step = (next - t).abs();
            t = next;
            if step <= 1e-13 * t.abs().max(1.0) {
                break;
            }
        }
        -self.iter().map(|(value, count)| count * (1.0 + t * (value - mean)).ln()).sum::<f64>()
    }
}

/// The share of the standard normal law below `x`.
///
/// Source: W. J. Cody's rational form of erfc is not needed here: Abramowitz and Stegun 26.2.17,
/// absolute error below 7.5e-8.
fn normal_below(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let poly = t
        * (0.319_381_530
            + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
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

/// Where a sequential test stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtOutcome {
    /// More games are needed.
    Open,
    /// `elo1` is taken as true: the gain is proven.
    Accepted,
    /// `elo0` is taken as true.
    Rejected,
}

/// Why numbers do not make a sequential test.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The two hypotheses are not finite numbers in rising order.
    #[error("elo0 {0} must be below elo1 {1}")]
    Hypotheses(f64, f64),
    /// An error probability is not strictly between 0 and one half.
    #[error("an error probability lies between 0 and 0.5, not at {0}")]
    Probability(f64),
    /// The text is not two or four numbers.
    #[error("expected elo0,elo1[,alpha,beta], found {0:?}")]
    Numbers(String),
}

impl FromStr for Sprt {
    type Err = SprtError;

    /// `elo0,elo1[,alpha,beta]`; the error probabilities are 0.05 unless they are given.
    fn from_str(text: &str) -> Result<Self, SprtError> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[elo0, elo1]) => Self::new(elo0, elo1, 0.05, 0.05),
            Some(&[elo0, elo1, alpha, beta]) => Self::new(elo0, elo1, alpha, beta),
            _ => Err(SprtError::Numbers(text.to_owned())),
        }
    }
}

impl Sprt {
    /// A test of `elo0` against `elo1` with these error probabilities.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(SprtError::Hypotheses(elo0, elo1));
        }
        match [alpha, beta].into_iter().find(|p| !(*p > 0.0 && *p < 0.5)) {
            Some(p) => Err(SprtError::Probability(p)),
            None => Ok(Self { elo0, elo1, alpha, beta }),
        }
    }

    /// The log-likelihood ratios at which the test rejects and accepts.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of `elo1` to `elo0`; finite for every tally.
    pub fn llr(&self, tally: &Tally) -> f64 {
        let mut sample = Sample::of(tally);
        if sample.total() == 0.0 {
            return 0.0;
        }
        // A class not yet seen must stay possible, or a match without a lost point would divide by 0.
        let classes = sample.values.len();
        for count in &mut sample.counts[..classes] {
            *count = count.max(1e-3);
        }
        // Scores of exactly 0 or 1 come from absurdly large Elo numbers; keep clear of them.
        let mean = |elo| score_of_elo(elo).clamp(1e-6, 1.0 - 1e-6);
        sample.log_likelihood(mean(self.elo1)) - sample.log_likelihood(mean(self.elo0))
    }

    /// What the games so far say.
    pub fn verdict(&self, tally: &Tally) -> SprtOutcome {
        let (low, high) = self.bounds();
        match self.llr(tally) {
            llr if llr >= high => SprtOutcome::Accepted,
            llr if llr <= low => SprtOutcome::Rejected,
            _ => SprtOutcome::Open,
        }
    }
}
