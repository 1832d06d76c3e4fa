//! The rating that a player's moves suggest, by their likelihood.

use super::table::{SHARE_BITS, logarithm};

/// The ratings that are compared: from the first, in steps.
pub const FIRST: i32 = 1000;
/// Distance of two.
pub const STEP: i32 = 50;
/// Their number.
pub const COUNT: usize = 23;
/// The ratings of the players of the base: mean and standard deviation.
const PRIOR: (f64, f64) = (1610.0, 190.0);
/// Moves of one game resemble each other: each counts for so much of an independent one.
const INDEPENDENT: f64 = 0.6;
/// The spread between games of a player.
const LEAST_ERROR: f64 = 60.0;
/// Fewer moves give no estimate.
pub const LEAST_MOVES: usize = 15;
/// How many standard deviations the likelihood of a person's moves stays within.
const MOST_DEVIATION: f64 = 3.5;

/// The likelihoods of a player's moves by rating.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    moves: usize,
    /// Per rating: the sum of the logarithms of the probabilities; the same as expected; the variance.
    sums: [[f64; 3]; COUNT],
}

/// A player's rating by the moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The rating, within the range of the comparison.
    pub rating: f64,
    /// Its standard error.
    pub error: f64,
    /// The moves fit the rating.
    pub is_person: bool,
}

impl Evidence {
    /// Adds a move of at least two legal ones: `chances` gives the probabilities at a rating, `played` is its place.
    pub fn add(&mut self, played: usize, chances: impl Fn(i32) -> Vec<u32>) {
        self.moves += 1;
        for (index, sums) in self.sums.iter_mut().enumerate() {
            let shares = chances(FIRST + STEP * index as i32);
            let logs: Vec<f64> = shares.iter().map(|&share| logarithm(share)).collect();
            let whole = f64::from(1u32 << SHARE_BITS);
            let mean_of = |power: i32| -> f64 {
                shares
                    .iter()
                    .zip(&logs)
                    .map(|(&share, log)| f64::from(share) / whole * log.powi(power))
                    .sum()
            };
            let mean = mean_of(1);
            sums[0] += logs[played];
            sums[1] += mean;
            sums[2] += mean_of(2) - mean * mean;
        }
    }

    /// Adds the evidence of other games.
    pub fn add_all(&mut self, other: &Self) {
        self.moves += other.moves;
        for (sums, others) in self.sums.iter_mut().zip(&other.sums) {
            sums.iter_mut()
                .zip(others)
                .for_each(|(sum, other)| *sum += other);
        }
    }

    /// The mean of the ratings, each weighted by its likelihood and by its share of players; `None` with fewer than
    /// [`LEAST_MOVES`] moves.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.moves < LEAST_MOVES {
            return None;
        }
        let ratings = (0..COUNT).map(|index| f64::from(FIRST + STEP * index as i32));
        let logs: Vec<f64> = ratings
            .clone()
            .zip(&self.sums)
            .map(|(rating, sums)| {
                let off = (rating - PRIOR.0) / PRIOR.1;
                INDEPENDENT * sums[0] - off * off / 2.0
            })
            .collect();
        let top = logs.iter().copied().fold(f64::MIN, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - top).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let rating = ratings
            .clone()
            .zip(&weights)
            .map(|(rating, weight)| rating * weight)
            .sum::<f64>()
            / sum;
        let square = ratings
            .zip(&weights)
            .map(|(at, weight)| (at - rating).powi(2) * weight)
            .sum::<f64>()
            / sum;
        let nearest = ((rating - f64::from(FIRST)) / f64::from(STEP)).round() as usize;
        let [found, expected, variance] = self.sums[nearest.min(COUNT - 1)];
        let deviation = (found - expected) / variance.max(1.0).sqrt();
        Some(Estimate {
            rating,
            error: square.sqrt().hypot(LEAST_ERROR),
            is_person: deviation.abs() <= MOST_DEVIATION,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::Rng;

    /// A game of two moves each time: the better one is found with a chance that grows with the rating.
    fn chances(rating: i32) -> Vec<u32> {
        let whole = 1 << SHARE_BITS;
        let found = (whole as f64 * (0.2 + 0.6 * f64::from(rating - FIRST) / 1100.0)) as u32;
        vec![found, whole - found]
    }

    #[test]
    fn moves_tell_the_rating() {
        let mut rng = Rng::new(2);
        for truth in [1200, 1800] {
            let mut evidence = Evidence::default();
            assert_eq!(evidence.estimate(), None);
            for _ in 0..300 {
                let found = f64::from(chances(truth)[0]) / f64::from(1 << SHARE_BITS);
                evidence.add(usize::from(rng.unit() >= found), chances);
            }
            let estimate = evidence.estimate().expect("enough moves");
            assert!(
                (estimate.rating - f64::from(truth)).abs() < 120.0,
                "{estimate:?}"
            );
            assert!(estimate.is_person);
        }
        let mut never = Evidence::default();
        (0..60).for_each(|_| never.add(1, chances));
        assert!(!never.estimate().expect("enough moves").is_person);
    }
}
