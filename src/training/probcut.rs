//! How well shallow searches predict deep ones: the statistics behind ProbCut, measured and fitted.
//!
//! The deviation of a deep search from a shallow one, `sigma(d, D)`, is fitted as
//! `ln sigma = a + b d + c ln(D - d)`, and a constant more for static scores, for each phase of the game, from
//! its positions and its neighbours', over pairs of equal parity; a table of integers is written for the search.
//! A power of the plies between the two, and no exponential of the deep one, since what a deep search adds to one
//! a little less deep is little: at 36 empties and 22 plies the latter said 2.6 discs where 1.7 were seen.
//! Source of the idea: Buro, "ProbCut" (1995) and "Experiments with Multi-ProbCut" (1997).

use std::fmt::Write;

use crate::board::{Board, Score};
use crate::eval::Evaluator;
use crate::search::{Info, Limits, Observer, Search, Selectivity, Stop, Task};

/// Empties per phase.
const PHASE: usize = 4;
/// Phases of the game.
const PHASES: usize = 15;
/// Shallow depths in the table.
const SHALLOW: usize = 17;
/// Deep depths in the midgame table.
const DEEP: usize = 31;
/// Numbers of empties in the solving table.
const EMPTIES: usize = 41;
/// Least deviation written, 1/128 disc.
const LEAST: f64 = 32.0;

/// One position: its static score, then its score by searches of depth 1, 2, …, and if solved the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Empties of the position.
    pub empties: u32,
    /// Score by depth, 1/128 disc.
    pub by_depth: Vec<i32>,
    /// The exact score, 1/128 disc.
    pub exact: Option<i32>,
}

/// How a sample is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Deepest midgame search, plies.
    pub depth: u8,
    /// Its selectivity, and that of the shallower ones.
    pub selectivity: Selectivity,
    /// Positions with at most so many empties are solved as well.
    pub solve: u32,
}

/// The score of each iteration, by its depth.
struct Scores(Vec<i32>);

impl Observer for Scores {
    fn iteration(&mut self, info: &Info) {
        if let Some(line) = info.lines.first() {
            self.0[usize::from(line.depth)] = line.score.units();
        }
    }
}

impl Sample {
    /// Searches `board` as `effort` asks, and so many plies at most that it is not solved.
    ///
    /// The board must have a legal move.
    pub fn take(search: &mut Search, evaluator: &Evaluator, board: Board, effort: Effort) -> Self {
        let Effort { depth, selectivity, solve } = effort;
        let depth = depth.min((board.empty_count() as u8).saturating_sub(1)).max(1);
        let score = evaluator.evaluate(board, &evaluator.features(board)).units();
        let mut scores = Scores(vec![score; usize::from(depth) + 1]);
        // The iterations of a search are as odd or as even as its depth, but for the first.
        for depth in [depth - 1, depth].into_iter().filter(|&depth| depth > 0) {
            let limits = Limits { selectivity, exact_empties: 0, ..Limits::depth(depth) };
            search.clear();
            search.run(&Task::new(board, limits), &Stop::new(), &mut scores);
        }
        let empties = board.empty_count();
        let exact = (empties <= solve).then(|| {
            let result =
                search.run(&Task::new(board, Limits::exact()), &Stop::new(), &mut crate::search::Silent);
            result.info.lines[0].score.units()
        });
        Self { empties, by_depth: scores.0, exact }
    }
}

/// Terms of a fit.
const TERMS: usize = 4;

/// What the logarithm of a deviation is made of: see the head of this file.
fn terms(shallow: usize, deep: usize) -> [f64; TERMS] {
    let between = deep.saturating_sub(shallow).max(1) as f64;
    let is_static = if shallow == 0 { 1.0 } else { 0.0 };
    [1.0, shallow as f64, between.ln(), is_static]
}

/// The coefficients of the terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit([f64; TERMS]);

impl Fit {
    /// Deviation in 1/128 disc between searches of `shallow` and `deep` plies.
    pub fn sigma(&self, shallow: usize, deep: usize) -> f64 {
        terms(shallow, deep).iter().zip(&self.0).map(|(term, factor)| term * factor).sum::<f64>().exp()
    }

    /// Whether deeper shallow searches foretell better, and what is further away worse; a few short pairs may
    /// say otherwise by chance.
    fn is_plausible(&self) -> bool {
        self.0[1] < 0.0 && self.0[2] > 0.0
    }

    /// Least squares over `(shallow, deep, sigma)`; `None` without as many independent points as terms.
    pub fn of(points: &[(usize, usize, f64)]) -> Option<Self> {
        let mut rows = [[0.0; TERMS + 1]; TERMS];
        for &(shallow, deep, sigma) in points {
            let [a, b, c, d] = terms(shallow, deep);
            let x = [a, b, c, d, sigma.max(LEAST).ln()];
            for (row, &left) in rows.iter_mut().zip(&x) {
                for (cell, &right) in row.iter_mut().zip(&x) {
                    *cell += left * right;
                }
            }
        }
        solve(rows).map(Self)
    }
}

/// Solves linear equations, each row the coefficients and the right side.
fn solve(mut rows: [[f64; TERMS + 1]; TERMS]) -> Option<[f64; TERMS]> {
    for column in 0..TERMS {
        let pivot =
            (column..TERMS).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        if rows[column][column].abs() < 1e-9 {
            return None;
        }
        let lead = rows[column];
        for (index, row) in rows.iter_mut().enumerate() {
            if index != column {
                let factor = row[column] / lead[column];
                row.iter_mut().zip(&lead).for_each(|(cell, above)| *cell -= factor * above);
            }
        }
    }
    Some(std::array::from_fn(|index| rows[index][TERMS] / rows[index][index]))
}

/// The measured deviations and their fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    midgame: [Fit; PHASES],
    solving: Fit,
}

impl Statistics {
    /// Fits `samples`; `None` if there are too few to fit every phase from some neighbour.
    pub fn of(samples: &[Sample]) -> Option<Self> {
        let fits: Vec<Option<Fit>> = (0..PHASES)
            .map(|phase| {
                let near = |sample: &&Sample| (sample.empties as usize / PHASE).abs_diff(phase) <= 1;
                let fit = Fit::of(&pairs(&samples.iter().filter(near).collect::<Vec<_>>()));
                fit.filter(Fit::is_plausible)
            })
            .collect();
        // A phase with too few positions for a fit takes that of the nearest one.
        let nearest = |phase: usize| {
            let known = (0..PHASES).filter(|&other| fits[other].is_some());
            known.min_by_key(|other| other.abs_diff(phase)).and_then(|other| fits[other])
        };
        let midgame: Vec<Fit> = (0..PHASES).map(nearest).collect::<Option<_>>()?;
        Some(Self { midgame: midgame.try_into().ok()?, solving: Fit::of(&endings(samples))? })
    }

    /// The deviations as a source file for the search.
    pub fn to_source(&self, how: &str) -> String {
        let mut text = format!(
            "//! Deviations of deep searches from shallow ones: the table behind ProbCut. Generated; do not edit.\n\
             //!\n//! {how}\n\n\
             /// Empties per band of the midgame table.\npub(super) const BAND: usize = {PHASE};\n\n\
             /// Midgame: by band of {PHASE} empties, shallow depth, deep depth; 1/128 disc.\n\
             #[rustfmt::skip]\n\
             pub(super) const MIDGAME: [[[u16; {DEEP}]; {SHALLOW}]; {PHASES}] = [\n"
        );
        for fit in &self.midgame {
            text.push_str("    [\n");
            (0..SHALLOW).for_each(|shallow| push_row(&mut text, 8, fit, shallow, DEEP));
            text.push_str("    ],\n");
        }
        let _ = write!(
            text,
            "];\n\n/// Solving: by shallow depth, empties; 1/128 disc.\n\
             #[rustfmt::skip]\n\
             pub(super) const SOLVING: [[u16; {EMPTIES}]; {SHALLOW}] = [\n"
        );
        (0..SHALLOW).for_each(|shallow| push_row(&mut text, 4, &self.solving, shallow, EMPTIES));
        text.push_str("];\n");
        text
    }
}

fn push_row(text: &mut String, indent: usize, fit: &Fit, shallow: usize, len: usize) {
    let cells: Vec<String> = (0..len)
        .map(|deep| fit.sigma(shallow, deep).clamp(LEAST, 40.0 * f64::from(Score::DISC)).round().to_string())
        .collect();
    let _ = writeln!(text, "{:indent$}[{}],", "", cells.join(", "));
}

/// Root mean square of the differences.
fn deviation(differences: &[f64]) -> f64 {
    (differences.iter().map(|d| d * d).sum::<f64>() / differences.len() as f64).sqrt()
}

/// `(shallow, deep, sigma)` for all pairs of equal parity that at least 20 samples have.
fn pairs(samples: &[&Sample]) -> Vec<(usize, usize, f64)> {
    let deepest = samples.iter().map(|sample| sample.by_depth.len()).max().unwrap_or(0);
    let mut points = Vec::new();
    for deep in 2..deepest {
        for shallow in (deep % 2..deep).step_by(2) {
            let differences: Vec<f64> = samples
                .iter()
                .filter_map(|sample| Some(f64::from(sample.by_depth.get(deep)? - sample.by_depth[shallow])))
                .collect();
            if differences.len() >= 20 && shallow < SHALLOW {
                points.push((shallow, deep, deviation(&differences)));
            }
        }
    }
    points
}

/// `(shallow, empties, sigma)` against exact scores: for static ones, and for searches of the parity of the end.
fn endings(samples: &[Sample]) -> Vec<(usize, usize, f64)> {
    let mut points = Vec::new();
    for empties in 8..EMPTIES {
        let solved = || samples.iter().filter(|sample| sample.empties as usize == empties);
        let alike = (1..SHALLOW.min(empties - 4)).filter(|shallow| shallow % 2 == empties % 2);
        for shallow in std::iter::once(0).chain(alike) {
            let differences: Vec<f64> = solved()
                .filter_map(|sample| Some(f64::from(sample.exact? - sample.by_depth.get(shallow)?)))
                .collect();
            if differences.len() >= 20 {
                points.push((shallow, empties, deviation(&differences)));
            }
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_that_says_nonsense_is_dropped() {
        assert!(Fit([4.0, -0.1, 0.5, 0.1]).is_plausible());
        assert!(!Fit([4.0, 0.02, 0.5, 0.1]).is_plausible() && !Fit([4.0, -0.1, -0.5, 0.1]).is_plausible());
    }

    #[test]
    fn a_fit_finds_the_law_behind_its_points() {
        let law = Fit([5.0, -0.1, 0.4, 0.2]);
        let points: Vec<_> = (0..8)
            .flat_map(|shallow| (shallow + 1..14).map(move |deep| (shallow, deep)))
            .map(|(shallow, deep)| (shallow, deep, law.sigma(shallow, deep)))
            .collect();
        let found = Fit::of(&points).expect("enough points");
        assert!(found.0.iter().zip(&law.0).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
        assert_eq!(Fit::of(&points[..1]), None);
    }

    #[test]
    fn every_depth_has_the_score_of_its_own_search() {
        let evaluator = std::sync::Arc::new(Evaluator::classic());
        let mut search = Search::new(&crate::search::Options { threads: 1, hash_mib: 1 }, evaluator.clone());
        let effort = Effort { depth: 5, selectivity: Selectivity::Full, solve: 0 };
        let board = crate::board::testing::random_position(&mut crate::util::rng::Rng::new(5), 30);
        let sample = Sample::take(&mut search, &evaluator, board, effort);
        assert_eq!((sample.empties, sample.by_depth.len(), sample.exact), (30, 6, None));
        for depth in 1..=5u8 {
            search.clear();
            let limits = Limits { selectivity: Selectivity::Full, exact_empties: 0, ..Limits::depth(depth) };
            let result = search.run(&Task::new(board, limits), &Stop::new(), &mut crate::search::Silent);
            assert_eq!(sample.by_depth[usize::from(depth)], result.info.lines[0].score.units(), "{depth}");
        }
    }
}
