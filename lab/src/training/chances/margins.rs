//! The differences of scores and those of searches six plies deeper, from which margins are fitted.
//!
//! The samples of one position at several depths make pairs. Near the end of the game the exact result replaces the
//! deeper search.

use std::collections::HashMap;
use std::fmt;

use super::samples::{SOLVED, Sample};
use crate::engine::chances::{DEEPER, Evidence, Model};

/// Certainties that are fitted and counted.
const CERTAINTIES: [f64; 5] = [0.52, 0.73, 0.87, 0.95, 0.99];
/// Differences below this many discs count as this, so that they have a logarithm.
const LEAST: f64 = 0.05;

/// A score and by how much one six plies deeper differs from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The evidence of the shallower search, which is not to the end.
    pub evidence: Evidence,
    /// The difference in discs, at least 0.
    pub off: f64,
}

pub fn pairs<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Vec<Pair> {
    let samples: Vec<&Sample> = samples
        .into_iter()
        .filter(|sample| !sample.evidence.is_to_the_end())
        .collect();
    let key = |sample: &Sample, depth: u32| {
        (
            sample.game,
            sample.evidence.empties,
            sample.evidence.selectivity,
            depth,
        )
    };
    let scores: HashMap<_, f64> = samples
        .iter()
        .map(|sample| (key(sample, sample.evidence.depth.into()), sample.score))
        .collect();
    let deeper = |sample: &Sample| {
        let empties = sample.evidence.empties;
        let depth = u32::from(sample.evidence.depth) + DEEPER;
        match depth >= empties {
            true => (empties <= SOLVED).then_some(f64::from(sample.result)),
            false => scores.get(&key(sample, depth)).copied(),
        }
    };
    let pair = |sample: &&Sample| {
        let off = (sample.score - deeper(sample)?).abs();
        Some(Pair {
            evidence: sample.evidence,
            off,
        })
    };
    samples.iter().filter_map(pair).collect()
}

/// The cost of a model's margins on pairs, least if each certainty's share is within: the quantile loss of the
/// logarithms, so that near and far differences count alike.
pub fn surprise_of_margins(model: &Model, pairs: &[Pair]) -> f64 {
    let cost = |pair: &Pair, certainty: f64| {
        let beyond = pair.off.max(LEAST).ln() - model.margin_for(pair.evidence, certainty).ln();
        beyond * (certainty - if beyond < 0.0 { 1.0 } else { 0.0 })
    };
    let sum: f64 = pairs
        .iter()
        .flat_map(|pair| CERTAINTIES.map(|certainty| cost(pair, certainty)))
        .sum();
    sum / pairs.len().max(1) as f64
}

/// The share of scores within their margins, by depth: a table of Markdown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Margins {
    /// Depth in plies, pairs, and those within the margin for each certainty.
    rows: Vec<(u8, u32, [u32; CERTAINTIES.len()])>,
}

impl Margins {
    /// Counts pairs that were not fitted.
    pub fn of(model: &Model, pairs: &[Pair]) -> Self {
        let mut depths: Vec<u8> = pairs.iter().map(|pair| pair.evidence.depth).collect();
        depths.sort_unstable();
        depths.dedup();
        let row = |depth: u8| {
            let mut row = (depth, 0, [0; CERTAINTIES.len()]);
            for pair in pairs.iter().filter(|pair| pair.evidence.depth == depth) {
                row.1 += 1;
                for (within, certainty) in row.2.iter_mut().zip(CERTAINTIES) {
                    *within += u32::from(pair.off <= model.margin_for(pair.evidence, certainty));
                }
            }
            row
        };
        Self {
            rows: depths.into_iter().map(row).collect(),
        }
    }
}

impl fmt::Display for Margins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = |cells: [String; CERTAINTIES.len()]| cells.join(" | ");
        writeln!(
            f,
            "| depth | pairs | {} |",
            cells(CERTAINTIES.map(|sure| format!("{:.0} %", 100.0 * sure)))
        )?;
        writeln!(f, "|---|---|{}", "---|".repeat(CERTAINTIES.len()))?;
        for &(depth, count, within) in &self.rows {
            let share =
                |within: u32| format!("{:.1}", 100.0 * f64::from(within) / f64::from(count));
            writeln!(f, "| {depth} | {count} | {} |", cells(within.map(share)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::chances::MODEL;
    use crate::search::Selectivity;

    fn sample(empties: u32, depth: u8, score: f64) -> Sample {
        let evidence = Evidence {
            empties,
            depth,
            selectivity: Selectivity::P73,
        };
        Sample {
            game: 1,
            evidence,
            score,
            result: 6,
        }
    }

    #[test]
    fn six_plies_deeper_is_another_sample_or_the_result() {
        let samples = [
            sample(30, 8, 1.5),
            sample(30, 12, 9.0),
            sample(30, 14, -1.0),
            sample(18, 12, 2.0),
            sample(19, 13, 2.0),
            Sample {
                game: 2,
                ..sample(31, 8, 0.0)
            },
        ];
        let found: Vec<(u8, f64)> = pairs(&samples)
            .iter()
            .map(|pair| (pair.evidence.depth, pair.off))
            .collect();
        assert_eq!(found, [(8, 2.5), (12, 4.0)]);
    }

    #[test]
    fn shares_are_counted_as_drawn() {
        let evidence = sample(30, 8, 0.0).evidence;
        let pairs: Vec<Pair> = (0..1000)
            .map(|number| Pair {
                evidence,
                off: MODEL.margin_for(evidence, (f64::from(number) + 0.5) / 1000.0),
            })
            .collect();
        let margins = Margins::of(&MODEL, &pairs);
        let [(8, 1000, within)] = margins.rows[..] else {
            panic!("{margins}")
        };
        for (within, certainty) in within.into_iter().zip(CERTAINTIES) {
            assert!(
                (f64::from(within) / 1000.0 - certainty).abs() < 0.0011,
                "{margins}"
            );
        }
        let narrow = crate::engine::chances::Model {
            margin: [0.0; 5],
            ..MODEL
        };
        assert!(surprise_of_margins(&narrow, &pairs) > surprise_of_margins(&MODEL, &pairs));
    }
}
