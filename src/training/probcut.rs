//! How well shallow searches predict deep ones: the statistics behind ProbCut, measured and fitted.
//!
//! The deviation of a deep search from a shallow one, `sigma(d, D)`, is fitted as
//! `ln sigma = a + b d + c D` for each phase of the game, from its positions and its neighbours', over
//! pairs of equal parity; a table of integers is written for the search. The form is that of
//! neural-reversi's fit; numbers and code are our own.
//!
//! Far from the depths that were measured the form says too much: at 36 empties 2.4 discs between 10 and 22 plies,
//! where 1.9 are seen. A form that says what is seen there, `a + b d + c ln(D - d)` and a constant more for
//! static scores, fitted to selective searches of up to 20 plies, was wider for the shallow pairs that most nodes
//! ask for: +3.5, +16 % nodes at 14 and 18 plies, and 46.8 % of 800 games at 40,000 nodes a move. The lesser of both
//! saved 1.3 and 1.8 % at 14 and 18 plies and nothing at 22.
//!
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
const SHALLOW: usize = 11;
/// Deep depths in the midgame table.
const DEEP: usize = 31;
/// Numbers of empties in the solving table.
const EMPTIES: usize = 41;
/// Least deviation written, 1/128 disc.
const LEAST: f64 = 32.0;

/// One position: its static score, then its score by searches of depth 1, 2, …, and if solved the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The position.
    pub board: Board,
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
        let exact = (board.empty_count() <= solve).then(|| {
            let result =
                search.run(&Task::new(board, Limits::exact()), &Stop::new(), &mut crate::search::Silent);
            result.info.lines[0].score.units()
        });
        Self { board, by_depth: scores.0, exact }
    }
}

/// `ln sigma = a + b d + c D`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit([f64; 3]);

impl Fit {
    /// Deviation in 1/128 disc between searches of `shallow` and `deep` plies.
    pub fn sigma(&self, shallow: usize, deep: usize) -> f64 {
        (self.0[0] + self.0[1] * shallow as f64 + self.0[2] * deep as f64).exp()
    }

    /// Whether deeper shallow searches foretell better; a few short pairs may say otherwise by chance.
    fn falls(&self) -> bool {
        self.0[1] < 0.0
    }

    /// Least squares over `(shallow, deep, sigma)`; `None` without three independent points.
    pub fn of(points: &[(usize, usize, f64)]) -> Option<Self> {
        let mut rows = [[0.0; 4]; 3];
        for &(shallow, deep, sigma) in points {
            let x = [1.0, shallow as f64, deep as f64, sigma.max(LEAST).ln()];
            for (row, &left) in rows.iter_mut().zip(&x) {
                for (cell, &right) in row.iter_mut().zip(&x) {
                    *cell += left * right;
                }
            }
        }
        solve(rows).map(Self)
    }
}

/// Solves three linear equations, each row the coefficients and the right side.
fn solve(mut rows: [[f64; 4]; 3]) -> Option<[f64; 3]> {
    for column in 0..3 {
        let pivot = (column..3).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
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
    Some([0, 1, 2].map(|index| rows[index][3] / rows[index][index]))
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
                let near =
                    |sample: &&Sample| (sample.board.empty_count() as usize / PHASE).abs_diff(phase) <= 1;
                let fit = Fit::of(&pairs(&samples.iter().filter(near).collect::<Vec<_>>()));
                fit.filter(Fit::falls)
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

/// `(shallow, empties, sigma)` against exact scores.
fn endings(samples: &[Sample]) -> Vec<(usize, usize, f64)> {
    let mut points = Vec::new();
    for empties in 8..EMPTIES {
        let solved = || samples.iter().filter(|sample| sample.board.empty_count() as usize == empties);
        for shallow in 0..SHALLOW.min(empties - 4) {
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
    fn a_fit_that_rises_with_the_shallow_depth_is_dropped() {
        assert!(Fit([4.0, -0.1, 0.05]).falls() && !Fit([4.0, 0.02, 0.05]).falls());
    }

    #[test]
    fn a_fit_finds_the_law_behind_its_points() {
        let law = Fit([5.0, -0.1, 0.03]);
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
        assert_eq!((sample.board, sample.by_depth.len(), sample.exact), (board, 6, None));
        for depth in 1..=5u8 {
            search.clear();
            let limits = Limits { selectivity: Selectivity::Full, exact_empties: 0, ..Limits::depth(depth) };
            let result = search.run(&Task::new(board, limits), &Stop::new(), &mut crate::search::Silent);
            assert_eq!(sample.by_depth[usize::from(depth)], result.info.lines[0].score.units(), "{depth}");
        }
    }
}
