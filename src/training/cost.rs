//! What solves took, and the constants of [`crate::engine::cost`] fitted to it.

use std::fmt;
use std::str::FromStr;

use super::equations::{dot, solve};
use crate::board::Board;
use crate::engine::cost::{Evidence, MODEL, Row, Stage, TERMS};
use crate::search::{Info, Limits, Observer, Search, Selectivity, Stop, Task};

/// Parts that the games are dealt to; each is judged by a fit to the others.
const PARTS: u64 = 5;
/// Fewest samples that a stage is fitted to.
const FEWEST: usize = 20;

/// The stages of a solve, in their order.
pub const STAGES: [Stage; 7] = [
    Stage::Before,
    Stage::Midgame,
    Stage::Pass(Selectivity::P52),
    Stage::Pass(Selectivity::P73),
    Stage::Pass(Selectivity::P87),
    Stage::Pass(Selectivity::P95),
    Stage::Pass(Selectivity::P98),
];

/// A solve: `game empties moves stage:nodes …`, a stage being 0 for the midgame, else the percent of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The number of the game that the position is of.
    pub game: u64,
    /// Empties of the position.
    pub empties: u32,
    /// Its legal moves.
    moves: u64,
    /// Nodes until the end of the midgame iterations and of each pass, by percent.
    nodes: Vec<(u32, u64)>,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.game, self.empties, self.moves)?;
        self.nodes.iter().try_for_each(|(percent, nodes)| write!(f, " {percent}:{nodes}"))
    }
}

impl FromStr for Sample {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let expected = || format!("expected a game, empties, moves and percent:nodes …, found {line:?}");
        let mut words = line.split_ascii_whitespace();
        let mut number = || words.next()?.parse::<u64>().ok();
        let (game, empties, moves) = (|| Some((number()?, number()?, number()?)))().ok_or_else(expected)?;
        let pair = |word: &str| {
            let (percent, nodes) = word.split_once(':')?;
            Some((percent.parse().ok()?, nodes.parse().ok()?))
        };
        let nodes = words.map(pair).collect::<Option<Vec<(u32, u64)>>>().ok_or_else(expected)?;
        let is_whole = nodes.last().is_some_and(|(percent, _)| *percent == 100) && empties <= 60;
        if is_whole { Ok(Self { game, empties: empties as u32, moves, nodes }) } else { Err(expected()) }
    }
}

impl Sample {
    /// What solving the position of a game takes.
    pub fn of(search: &mut Search, game: u64, board: Board) -> Self {
        let empties = board.empty_count();
        let mut passes = Passes { empties, nodes: Vec::new() };
        search.clear();
        search.run(&Task::new(board, Limits::exact()), &Stop::new(), &mut passes);
        Self { game, empties, moves: board.moves().count_ones().into(), nodes: passes.nodes }
    }

    /// The nodes of the solve.
    pub fn whole(&self) -> u64 {
        self.nodes.last().map_or(0, |(_, nodes)| *nodes)
    }

    /// The nodes until only the last pass is left, if others come before it.
    fn nearly(&self) -> Option<u64> {
        self.nodes.iter().rev().nth(1).filter(|(percent, _)| *percent > 0).map(|(_, nodes)| *nodes)
    }

    /// What is known of it at a stage, if it went through that.
    fn evidence(&self, stage: Stage) -> Option<Evidence> {
        let is_at = |percent: u32| match Selectivity::from_percent(percent) {
            Some(selectivity) => Stage::of_pass(selectivity) == stage,
            None => stage == Stage::Midgame,
        };
        let count = match stage {
            Stage::Before => self.moves,
            _ => self.nodes.iter().find(|(percent, _)| is_at(*percent))?.1,
        };
        Some(Evidence { stage, empties: self.empties, count })
    }

    /// Whether another pass than the last comes after this stage.
    fn is_before_nearly(&self, evidence: Evidence) -> bool {
        evidence.stage == Stage::Before || self.nearly().is_some_and(|nodes| nodes > evidence.count)
    }
}

/// Notes the nodes until the end of each part of a solve.
struct Passes {
    empties: u32,
    nodes: Vec<(u32, u64)>,
}

impl Observer for Passes {
    fn iteration(&mut self, info: &Info) {
        let Some(line) = info.lines.first() else { return };
        let is_pass = u32::from(line.depth) >= self.empties;
        let percent = if is_pass { line.selectivity.percent() } else { 0 };
        self.nodes.retain(|(other, _)| *other != percent);
        self.nodes.push((percent, info.nodes));
    }
}

/// Fits the constants to samples: least squares of logarithms. A stage that few solves went through is left out.
pub fn fit(samples: &[&Sample]) -> Vec<Row> {
    let row = |stage: Stage| {
        let known = || samples.iter().filter_map(move |sample| Some((*sample, sample.evidence(stage)?)));
        let whole = squares(known().map(|(sample, evidence)| (evidence.terms(), sample.whole())))?;
        let nearly = known().filter(|(sample, evidence)| sample.is_before_nearly(*evidence));
        let nearly =
            squares(nearly.filter_map(|(sample, evidence)| Some((evidence.terms(), sample.nearly()?))));
        Some((stage, whole, nearly))
    };
    STAGES.into_iter().filter_map(row).collect()
}

/// The weights of terms that are least far from the logarithms.
fn squares(known: impl Iterator<Item = ([f64; TERMS], u64)>) -> Option<[f64; TERMS]> {
    let mut rows = vec![vec![0.0; TERMS + 1]; TERMS];
    let mut count = 0;
    for (terms, nodes) in known {
        let right = (nodes.max(1) as f64).ln();
        for (row, term) in rows.iter_mut().zip(terms) {
            row.iter_mut()
                .zip(terms.into_iter().chain([right]))
                .for_each(|(cell, other)| *cell += term * other);
        }
        count += 1;
    }
    let weights = solve(rows).filter(|_| count >= FEWEST)?;
    weights.try_into().ok()
}

/// How far estimates are from what solves took, as factors.
#[derive(Clone, Debug, Default)]
pub struct Errors(Vec<f64>);

impl Errors {
    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The factor that so many percent of them keep within.
    pub fn within(&mut self, percent: usize) -> f64 {
        self.0.sort_by(f64::total_cmp);
        self.0
            .get((self.0.len() * percent / 100).min(self.0.len().saturating_sub(1)))
            .map_or(1.0, |error| error.exp())
    }
}

/// The errors at a stage for samples with so many empties: of the constants in use, or of those fitted to other games.
pub fn errors(
    samples: &[Sample],
    stage: Stage,
    empties: std::ops::RangeInclusive<u32>,
    in_use: bool,
) -> Errors {
    let mut errors = Vec::new();
    for part in 0..PARTS {
        let (held, others): (Vec<&Sample>, Vec<&Sample>) =
            samples.iter().partition(|sample| sample.game % PARTS == part);
        let rows = if in_use { MODEL.0.to_vec() } else { fit(&others) };
        let Some((_, weights, _)) = rows.iter().find(|(other, ..)| *other == stage) else { continue };
        let held = held.into_iter().filter(|sample| empties.contains(&sample.empties));
        errors.extend(held.filter_map(|sample| {
            let estimate = dot(weights, &sample.evidence(stage)?.terms());
            Some((estimate - (sample.whole().max(1) as f64).ln()).abs())
        }));
    }
    Errors(errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::cost::Model;
    use crate::eval::Evaluator;
    use crate::search::Options;

    /// Solves that take `e^(2 + 0.5 empties)` nodes, three times as many where there are eight moves as where there is one.
    fn made_up() -> Vec<Sample> {
        let nodes = |empties: u32, moves: u64| {
            (2.0 + 0.5 * f64::from(empties) + (moves as f64).ln() * 3f64.log(8.0)).exp().round() as u64
        };
        let sample = |game: u64| {
            let (empties, moves) = (15 + game as u32 % 9, 1 + game % 11);
            let whole = nodes(empties, moves);
            Sample { game, empties, moves, nodes: vec![(0, 30), (73, whole / 4), (100, whole)] }
        };
        (0..200).map(sample).collect()
    }

    #[test]
    fn what_samples_are_made_of_is_found() {
        let samples = made_up();
        let rows = fit(&samples.iter().collect::<Vec<_>>());
        let (stage, whole, nearly) = rows[0];
        assert_eq!(stage, Stage::Before);
        for (found, made) in whole.iter().zip([2.0, 0.5, 3f64.log(8.0)]) {
            assert!((found - made).abs() < 0.01, "{whole:?}");
        }
        assert!((nearly.unwrap()[0] - (2.0 - 4f64.ln())).abs() < 0.02);
        assert!(
            rows.iter().any(|(stage, _, nearly)| *stage == Stage::Pass(Selectivity::P73) && nearly.is_none())
        );
        assert!(rows.iter().all(|(stage, ..)| *stage != Stage::Pass(Selectivity::P87)));
        let mut errors = errors(&samples, Stage::Before, 15..=19, false);
        assert!(errors.len() > 100 && errors.within(100) < 1.02);
        let model = Model(Box::leak(rows.into_boxed_slice()));
        let (nodes, _) = model.nodes(samples[7].evidence(Stage::Before).unwrap()).unwrap();
        assert!((nodes / samples[7].whole() as f64 - 1.0).abs() < 0.02);
    }

    #[test]
    fn a_sample_is_what_a_solve_says_and_is_read_back() {
        let mut search = Search::new(&Options { threads: 1, hash_mib: 1 }, Evaluator::classic().into());
        let mut rng = crate::util::rng::Rng::new(2);
        let board = crate::board::testing::random_ending(&mut rng, 15);
        let sample = Sample::of(&mut search, 9, board);
        assert_eq!(sample.nodes.iter().map(|(percent, _)| *percent).collect::<Vec<_>>(), [0, 52, 100]);
        assert!(sample.nodes.is_sorted_by_key(|(_, nodes)| *nodes));
        assert_eq!(sample.to_string().parse(), Ok(sample));
        for line in ["", "1 2", "1 18 9", "1 18 9 52:7", "1 99 9 100:7", "1 18 9 100:x"] {
            assert!(line.parse::<Sample>().is_err(), "{line}");
        }
    }
}
