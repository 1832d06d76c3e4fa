//! How well shallow searches predict deep ones: the statistics behind ProbCut, measured and fitted.
//!
//! The deviation of a deep search from a shallow one, `sigma(d, D)`, is fitted as
//! `ln sigma = a + b d + c D + e ln(D - d)` for each phase of the game, from its positions and its neighbors', over
//! pairs of equal parity; a table of integers is written for the search. Beyond the measured
//! depths and empties the table repeats its last value. The form is that of
//! neural-reversi's fit but for the last term, without which pairs of few plies come out 10 to 18 % too wide (32 to 46
//! empties) and searches to 24 plies take 38 % more nodes; numbers and code are our own.
//!
//! Source of the idea: Buro, "ProbCut" (1995) and "Experiments with Multi-ProbCut" (1997).

pub mod reliability;

use super::equations::{Equations, dot};
use crate::board::{Board, Score};
use crate::eval::Evaluator;
use crate::search::{Forecast, Info, Limits, Search, Selectivity, Stop, Task};

/// Empties per phase.
const PHASE: usize = 4;
const PHASES: usize = 15;
/// Shallow depths that are fitted; ProbCut's deeper ones have the deviation of the last.
const SHALLOW: usize = 11;
/// Deep depths in the midgame table; deeper ones have the deviation of the last.
const DEEP: usize = 31;
/// Numbers of empties in the solving table.
const EMPTIES: usize = 41;
const TERMS: usize = 4;
/// Fewest empties whose solves are fitted: with fewer the search hardly cuts.
pub const FEWEST_SOLVED: usize = 13;
/// Fewest positions that a deviation is taken from.
pub const ENOUGH: usize = 20;
/// A depth that reaches the end of any game, plies.
const WHOLE_GAME: u8 = 60;
/// Least deviation written, 1/128 disc.
const LEAST: f64 = 32.0;

/// One position: its static score, then its score by searches of depth 1, 2, …, and if solved the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub board: Board,
    /// Score by depth, 1/128 disc.
    pub by_depth: Vec<i32>,
    /// The score at the end of the game, as sure as the searches are, 1/128 disc.
    pub exact: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    pub depth: u8,
    /// Its selectivity, that of the shallower ones and that of solving.
    pub selectivity: Selectivity,
    /// Most empties of a position that is solved as well.
    pub solve: u32,
}

impl Sample {
    /// Searches `board` by `effort`, to a depth below the end of the game.
    ///
    /// The board must have a legal move.
    pub fn take(search: &mut Search, evaluator: &Evaluator, board: Board, effort: Effort) -> Self {
        let Effort {
            depth,
            selectivity,
            solve,
        } = effort;
        let depth = depth
            .min((board.empty_count() as u8).saturating_sub(1))
            .max(1);
        let score = evaluator
            .evaluate(board, &evaluator.features(board))
            .units();
        let mut by_depth = vec![score; usize::from(depth) + 1];
        // The iterations of a search are as odd or as even as its depth, but for the first.
        for depth in [depth - 1, depth].into_iter().filter(|&depth| depth > 0) {
            let limits = Limits {
                selectivity,
                exact_empties: 0,
                ..Limits::depth(depth)
            };
            search.clear();
            search.run_with(
                &Task::new(board, limits),
                &Stop::new(),
                &mut |info: &Info| {
                    if let Some(line) = info.lines.first() {
                        by_depth[usize::from(line.depth)] = line.bound.units();
                    }
                },
            );
        }
        let exact = (board.empty_count() <= solve).then(|| {
            let limits = match selectivity {
                Selectivity::Full => Limits::exact(),
                _ => Limits {
                    selectivity,
                    exact_empties: 0,
                    ..Limits::depth(WHOLE_GAME)
                },
            };
            let result = search.run(&Task::new(board, limits));
            result.info.lines[0].bound.units()
        });
        Self {
            board,
            by_depth,
            exact,
        }
    }
}

/// A fit of `ln sigma = a + b d + c D + e ln(D - d)`.
#[derive(Clone, Debug, PartialEq)]
struct Law {
    /// In the order of the formula.
    coefficients: [f64; TERMS],
    /// The deepest search, or the most empties of a solve, that was measured.
    deepest: usize,
}

impl Law {
    /// The terms of a pair of depths. A difference of one ply counts as two, the least that is fitted.
    fn terms(shallow: usize, deep: usize) -> [f64; TERMS] {
        let between = deep.saturating_sub(shallow).max(2);
        [1.0, shallow as f64, deep as f64, (between as f64).ln()]
    }

    /// Least squares over `(shallow, deep, sigma)`; `None` without independent points for all terms.
    fn of(points: &[(usize, usize, f64)]) -> Option<Self> {
        let mut equations = Equations::new(TERMS, 0.0);
        for &(shallow, deep, sigma) in points {
            equations.add(&Self::terms(shallow, deep), sigma.max(LEAST).ln());
        }
        let coefficients = equations
            .solve()?
            .try_into()
            .expect("as many as there are terms");
        Some(Self {
            coefficients,
            deepest: points.iter().map(|point| point.1).max()?,
        })
    }

    /// Deviation in 1/128 disc between searches of `shallow` and `deep` plies by the formula.
    fn formula(&self, shallow: usize, deep: usize) -> f64 {
        dot(&self.coefficients, &Self::terms(shallow, deep)).exp()
    }

    /// As [`Self::formula`]; beyond the measured depths the value at their end.
    fn sigma(&self, shallow: usize, deep: usize) -> f64 {
        self.formula(shallow, deep.min(self.deepest))
    }

    /// The deviations for deep depths below `len`, from the shallow depths that ProbCut takes.
    fn row(&self, len: usize, shallow: fn(u8) -> u8) -> Vec<u16> {
        let sigma =
            |deep: usize| self.sigma(usize::from(shallow(deep as u8)).min(SHALLOW - 1), deep);
        (0..len)
            .map(|deep| {
                sigma(deep)
                    .clamp(LEAST, 40.0 * f64::from(Score::DISC))
                    .round() as u16
            })
            .collect()
    }

    /// Whether deeper shallow searches predict better; a few short pairs may say otherwise by chance.
    fn falls(&self) -> bool {
        self.formula(SHALLOW - 1, SHALLOW + 1) < self.formula(0, SHALLOW + 1)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    midgame: Vec<Law>,
    solving: Law,
}

impl Statistics {
    /// Whether searches of `boards`, solved up to `solve` empties, suffice for [`Self::of`], unless chance is against it.
    pub fn can_be_of(boards: &[Board], solve: u32) -> bool {
        let with = |empties: usize| {
            boards
                .iter()
                .filter(|board| board.empty_count() as usize == empties)
                .count()
        };
        (FEWEST_SOLVED..EMPTIES.min(solve as usize + 1))
            .filter(|&empties| with(empties) >= ENOUGH)
            .count()
            >= 2
    }

    /// Fits `samples`; `None` if there are too few to fit every phase from some neighbor.
    pub fn of(samples: &[Sample]) -> Option<Self> {
        let laws: Vec<Option<Law>> = (0..PHASES)
            .map(|phase| {
                let near = |sample: &&Sample| {
                    (sample.board.empty_count() as usize / PHASE).abs_diff(phase) <= 1
                };
                Law::of(&pairs(&samples.iter().filter(near).collect::<Vec<_>>())).filter(Law::falls)
            })
            .collect();
        // A phase with too few positions for a fit takes that of the nearest one.
        let nearest = |phase: usize| {
            let known = (0..PHASES).filter(|&other| laws[other].is_some());
            known
                .min_by_key(|other| other.abs_diff(phase))
                .and_then(|other| laws[other].clone())
        };
        let midgame: Vec<Law> = (0..PHASES).map(nearest).collect::<Option<_>>()?;
        Some(Self {
            midgame,
            solving: Law::of(&endings(samples))?,
        })
    }

    /// The deviations as a source file for the search.
    pub fn to_source(&self, how: &str) -> String {
        let row = |law: &Law| format!("    {:?},\n", law.row(DEEP, Forecast::depth_for_midgame));
        let midgame: String = self.midgame.iter().map(row).collect();
        format!(
            "//! Deviations of deep searches from shallow ones: the table behind ProbCut. Generated; do not edit.\n\
             //!\n//! {how}\n\n\
             /// Midgame: by band of {PHASE} empties, deep depth; 1/128 disc.\n\
             #[rustfmt::skip]\n\
             pub(super) const MIDGAME: [[u16; {DEEP}]; {PHASES}] = [\n{midgame}];\n\n\
             /// Solving: by empties; 1/128 disc.\n\
             #[rustfmt::skip]\n\
             pub(super) const SOLVING: [u16; {EMPTIES}] =\n    {:?};\n",
            self.solving.row(EMPTIES, Forecast::depth_for_solving)
        )
    }
}

/// `(shallow, deep, sigma)` from the differences of the scores; `None` for fewer than [`ENOUGH`].
fn point(
    shallow: usize,
    deep: usize,
    differences: impl Iterator<Item = i32>,
) -> Option<(usize, usize, f64)> {
    let squares: Vec<f64> = differences
        .map(|difference| f64::from(difference).powi(2))
        .collect();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    (squares.len() >= ENOUGH).then(|| (shallow, deep, mean.sqrt()))
}

/// The points of all pairs of depths of equal parity.
fn pairs(samples: &[&Sample]) -> Vec<(usize, usize, f64)> {
    let deepest = samples
        .iter()
        .map(|sample| sample.by_depth.len())
        .max()
        .unwrap_or(0);
    let depths = (2..deepest).flat_map(|deep| {
        (deep % 2..deep.min(SHALLOW))
            .step_by(2)
            .map(move |s| (s, deep))
    });
    let of = |(shallow, deep): (usize, usize)| {
        let difference =
            |sample: &&Sample| Some(sample.by_depth.get(deep)? - sample.by_depth[shallow]);
        point(shallow, deep, samples.iter().filter_map(difference))
    };
    depths.filter_map(of).collect()
}

/// The points of shallow depths and the scores at the end of the game, by empties.
fn endings(samples: &[Sample]) -> Vec<(usize, usize, f64)> {
    let depths = (FEWEST_SOLVED..EMPTIES)
        .flat_map(|n| (0..SHALLOW.min(n - 4)).map(move |shallow| (shallow, n)));
    let of = |(shallow, empties): (usize, usize)| {
        let solved = samples
            .iter()
            .filter(|sample| sample.board.empty_count() as usize == empties);
        let difference = |sample: &Sample| Some(sample.exact? - sample.by_depth.get(shallow)?);
        point(shallow, empties, solved.filter_map(difference))
    };
    depths.filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_that_rises_with_the_shallow_depth_is_dropped() {
        let falls = |coefficients| {
            Law {
                coefficients,
                deepest: 30,
            }
            .falls()
        };
        assert!(falls([4.0, -0.1, 0.05, 0.2]) && !falls([4.0, 0.02, 0.05, 0.0]));
    }

    #[test]
    fn a_fit_finds_the_law_behind_its_points_and_ends_where_it_was_measured() {
        let law = Law {
            coefficients: [5.0, -0.1, 0.03, 0.2],
            deepest: 13,
        };
        let points: Vec<_> = (0..8)
            .flat_map(|shallow| (shallow + 2..14).map(move |deep| (shallow, deep)))
            .map(|(shallow, deep)| (shallow, deep, law.formula(shallow, deep)))
            .collect();
        let found = Law::of(&points).expect("enough points");
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
        assert!(
            found.coefficients.iter().zip(&law.coefficients).all(close),
            "{found:?}"
        );
        assert!(found.sigma(0, 12) < found.sigma(0, 13));
        assert_eq!(
            [14, 30].map(|deep| found.sigma(1, deep)),
            [found.sigma(1, 13); 2]
        );
        assert_eq!(Law::of(&points[..1]), None);
    }

    #[test]
    fn every_depth_has_the_score_of_its_own_search() {
        let evaluator = std::sync::Arc::new(Evaluator::Classic);
        let mut search = Search::new(
            &crate::search::Options {
                threads: 1,
                hash_mib: 1,
            },
            evaluator.clone(),
        );
        let effort = Effort {
            depth: 5,
            selectivity: Selectivity::Full,
            solve: 0,
        };
        let board = crate::board::testing::random_position(&mut crate::util::rng::Rng::new(5), 30);
        let sample = Sample::take(&mut search, &evaluator, board, effort);
        assert_eq!(
            (sample.board, sample.by_depth.len(), sample.exact),
            (board, 6, None)
        );
        for depth in 1..=5u8 {
            search.clear();
            let limits = Limits {
                selectivity: Selectivity::Full,
                exact_empties: 0,
                ..Limits::depth(depth)
            };
            let result = search.run(&Task::new(board, limits));
            assert_eq!(
                sample.by_depth[usize::from(depth)],
                result.info.lines[0].bound.units(),
                "{depth}"
            );
        }
    }
}
