//! How often ProbCut is right: the counts behind "73 %".
//!
//! Each level of selectivity cuts if a score misses the window by its number of deviations. The level's name is the share
//! of normal scores within that number of deviations. Here both searches run, and the scores within are counted.

use std::fmt;

use crate::search::{Forecast, Selectivity};

use super::Sample;
use crate::board::Score;

/// The levels that are counted; at 100 % nothing is believed.
const LEVELS: [Selectivity; 6] = *Selectivity::ALL
    .first_chunk()
    .expect("there are seven levels");

/// The differences of one kind of pairs: deep score minus shallow score.
#[derive(Clone, Debug, Default)]
struct Reliability {
    count: u32,
    /// Sums of differences and of their squares, and of the table's deviations, discs.
    sums: [f64; 3],
    within: [u32; LEVELS.len()],
}

impl Reliability {
    /// Counts one pair: by how much the deep score, in 1/128 disc, is above the shallow one.
    fn add(&mut self, difference: i32, forecast: Forecast) {
        let [discs, sigma] =
            [difference, forecast.sigma].map(|units| f64::from(units) / f64::from(Score::DISC));
        self.count += 1;
        self.sums
            .iter_mut()
            .zip([discs, discs * discs, sigma])
            .for_each(|(sum, part)| *sum += part);
        for (within, level) in self.within.iter_mut().zip(LEVELS) {
            *within += u32::from(
                forecast
                    .margin(level)
                    .is_some_and(|margin| difference.abs() <= margin),
            );
        }
    }

    /// Shares of pairs within the margin of each level from 52 to 99 %, percent.
    fn shares(&self) -> [f64; LEVELS.len()] {
        self.within
            .map(|within| 100.0 * f64::from(within) / f64::from(self.count.max(1)))
    }

    /// Mean of the differences, their deviation from it, and the mean deviation of the table; discs.
    fn moments(&self) -> [f64; 3] {
        let [mean, squares, table] = self.sums.map(|sum| sum / f64::from(self.count.max(1)));
        [mean, (squares - mean * mean).max(0.0).sqrt(), table]
    }
}

/// The pairs of a kind of searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Midgame searches of this depth, plies.
    Midgame(u8),
    /// Solves with this number of empties.
    Solving(u8),
}

/// A table of counts by kind of search.
#[derive(Clone, Debug, Default)]
pub struct ReliabilityTable(Vec<(Kind, u8, Reliability)>);

impl ReliabilityTable {
    /// Counts the pairs of `samples` for these kinds of searches; skips kinds without pairs.
    pub fn of(samples: &[Sample], kinds: &[Kind]) -> Self {
        let row = |&kind: &Kind| {
            let mut reliability = Reliability::default();
            let mut shallow = 0;
            for sample in samples {
                let Some((deep, forecast)) = kind.of(sample) else {
                    continue;
                };
                let Some(score) = sample.by_depth.get(usize::from(forecast.shallow)) else {
                    continue;
                };
                shallow = forecast.shallow;
                reliability.add(deep - score, forecast);
            }
            (reliability.count > 0).then_some((kind, shallow, reliability))
        };
        Self(kinds.iter().filter_map(row).collect())
    }
}

impl Kind {
    /// Depth in plies of the deepest midgame search that a pair of this kind needs.
    pub fn depth(self) -> u8 {
        match self {
            Self::Midgame(depth) => depth,
            Self::Solving(empties) => Forecast::depth_for_solving(empties),
        }
    }

    /// The deep score of a sample and its forecast.
    fn of(self, sample: &Sample) -> Option<(i32, Forecast)> {
        match self {
            Self::Midgame(depth) => {
                let score = sample.by_depth.get(usize::from(depth))?;
                Some((*score, Forecast::midgame(sample.board, depth)))
            }
            Self::Solving(empties) if sample.board.empty_count() == u32::from(empties) => {
                Some((sample.exact?, Forecast::solving(sample.board)))
            }
            Self::Solving(_) => None,
        }
    }
}

impl fmt::Display for ReliabilityTable {
    /// A row per kind of search: shares in percent, mean and deviations in discs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>9} {:>7} {:>9} {:>6} {:>9} {:>6}",
            "deep", "shallow", "positions", "mean", "deviation", "table"
        )?;
        for level in LEVELS {
            write!(f, " {:>5} %", level.percent())?;
        }
        for (kind, shallow, reliability) in &self.0 {
            let name = match kind {
                Kind::Midgame(depth) => format!("{depth} plies"),
                Kind::Solving(empties) => format!("solve {empties}"),
            };
            let [mean, deviation, table] = reliability.moments();
            let count = reliability.count;
            write!(
                f,
                "\n{name:>9} {shallow:>7} {count:>9} {mean:>+6.2} {deviation:>9.2} {table:>6.2}"
            )?;
            for share in reliability.shares() {
                write!(f, " {share:>7.1}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_position;
    use crate::util::rng::Rng;

    /// A sum of twelve uniform numbers is nearly normal, with deviation 1.
    fn normal(rng: &mut Rng) -> f64 {
        (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
    }

    #[test]
    fn a_true_deviation_gives_the_shares_that_the_levels_are_named_after() {
        // Those of solving are the thresholds of a normal distribution.
        let mut rng = Rng::new(3);
        let forecast = Forecast::solving(random_position(&mut rng, 60 - 20));
        let sigma = f64::from(forecast.sigma);
        let mut right = Reliability::default();
        let mut wide = Reliability::default();
        for _ in 0..20_000 {
            let difference = normal(&mut rng) * sigma + 64.0;
            right.add((difference - 64.0) as i32, forecast);
            wide.add((difference * 0.5) as i32, forecast);
        }
        for (share, level) in right.shares().into_iter().zip(LEVELS) {
            assert!(
                (share - f64::from(level.percent())).abs() < 2.0,
                "{share} at {}",
                level.percent()
            );
        }
        assert!(
            wide.shares()
                .iter()
                .zip(right.shares())
                .all(|(wide, right)| *wide > right)
        );
        let [mean, deviation, table] = wide.moments();
        assert!(
            (mean - 0.25).abs() < 0.05 && (deviation - sigma / 256.0).abs() < 0.05,
            "{mean} {deviation}"
        );
        assert_eq!(table, sigma / 128.0);
    }

    #[test]
    fn samples_searched_as_deep_as_their_kind_asks_count() {
        for kind in [
            Kind::Midgame(9),
            Kind::Solving(14),
            Kind::Solving(20),
            Kind::Solving(28),
        ] {
            let empties = if let Kind::Solving(empties) = kind {
                empties.into()
            } else {
                30
            };
            let board = random_position(&mut Rng::new(4), 60 - empties);
            let sample = |depth: u8| Sample {
                board,
                by_depth: vec![0; usize::from(depth) + 1],
                exact: Some(0),
            };
            let count = |depth| ReliabilityTable::of(&[sample(depth)], &[kind]).0.len();
            assert_eq!(
                (count(kind.depth()), count(kind.depth() - 1)),
                (1, 0),
                "{kind:?}"
            );
        }
    }

    #[test]
    fn only_pairs_that_were_searched_count() {
        let mut rng = Rng::new(5);
        let mut sample = |empties: u32, exact| {
            let board = random_position(&mut rng, 60 - empties);
            Sample {
                board,
                by_depth: (0..=12).map(|d| 10 * d).collect(),
                exact,
            }
        };
        let samples = [sample(40, None), sample(14, Some(500)), sample(14, None)];
        let kinds = [
            Kind::Midgame(12),
            Kind::Midgame(18),
            Kind::Solving(14),
            Kind::Solving(16),
        ];
        let table = ReliabilityTable::of(&samples, &kinds);
        let counts: Vec<(Kind, u32)> = table
            .0
            .iter()
            .map(|(kind, _, row)| (*kind, row.count))
            .collect();
        assert_eq!(counts, [(Kind::Midgame(12), 3), (Kind::Solving(14), 1)]);
        let text = table.to_string();
        assert!(
            text.lines().count() == 3 && text.contains("solve 14"),
            "{text}"
        );
    }
}
