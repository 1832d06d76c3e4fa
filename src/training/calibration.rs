//! How far scores are from results, and the fit of what they say: the measure behind the chances to win.
//!
//! Each game of the archive gives a position; from there both sides play on by searches, and the last
//! empties are solved. Positions on the way are searched afresh to every depth, and each score is kept
//! together with the result. Every other game is held out of the fit and judges it.

use std::fmt::{self, Write as _};
use std::slice;
use std::str::FromStr;

use crate::board::{Board, Move};
use crate::engine::chances::{Evidence, FEATURES, Model};
use crate::search::{Info, Limits, Observer, Proof, Search, Selectivity, Silent, Stop, Task};
use crate::util::rng::Rng;

/// One game in so many judges the fit and is not fitted.
const HOLD_OUT: u64 = 2;
/// From so many empties on games are solved.
const SOLVED: u32 = 18;
/// Depth of the searches that play.
const PLAY_DEPTH: u8 = 10;
/// Depths whose scores are kept.
const DEPTHS: [u8; 10] = [1, 2, 3, 4, 6, 8, 10, 12, 14, 16];
/// One position in so many on the way is sampled.
const STEP: u32 = 6;

/// A score and the result it foretold, both for the same side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Number of the game.
    pub game: u64,
    /// The search.
    pub evidence: Evidence,
    /// Its score in discs.
    pub score: f64,
    /// The result in discs.
    pub result: i32,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evidence { empties, depth, selectivity } = self.evidence;
        let percent = selectivity.percent();
        write!(f, "{} {empties} {depth} {percent} {} {}", self.game, self.score, self.result)
    }
}

/// A line that is no sample: `game empties depth percent score result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseSampleError;

impl fmt::Display for ParseSampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected six numbers: game empties depth percent score result")
    }
}

impl std::error::Error for ParseSampleError {}

impl FromStr for Sample {
    type Err = ParseSampleError;

    fn from_str(line: &str) -> Result<Self, ParseSampleError> {
        fn number<T: FromStr>(text: &str) -> Result<T, ParseSampleError> {
            text.parse().map_err(|_| ParseSampleError)
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [game, empties, depth, percent, score, result] = words[..] else { return Err(ParseSampleError) };
        let selectivity = Selectivity::from_percent(number(percent)?).ok_or(ParseSampleError)?;
        let evidence = Evidence { empties: number(empties)?, depth: number(depth)?, selectivity };
        let score: f64 = number(score)?;
        if evidence.empties > 64 || !score.is_finite() {
            return Err(ParseSampleError);
        }
        Ok(Self { game: number(game)?, evidence, score, result: number(result)? })
    }
}

/// The scores of a search's iterations.
struct Scores(Vec<(Evidence, f64)>, u32);

impl Observer for Scores {
    fn iteration(&mut self, info: &Info) {
        if let Some(line) = info.lines.first().filter(|line| line.proof == Proof::None) {
            let evidence = Evidence { empties: self.1, depth: line.depth, selectivity: line.selectivity };
            if evidence.is_to_the_end() || DEPTHS.contains(&line.depth) {
                self.0.push((evidence, line.score.discs()));
            }
        }
    }
}

/// The samples of one game that is played on from `start`, which must not be over.
pub fn play(search: &mut Search, start: Board, game: u64, seed: u64) -> Vec<Sample> {
    let mut rng = Rng::new(Rng::new(seed).next() ^ Rng::new(game).next());
    let mut board = start;
    // Scores with the number of plies played before.
    let mut scores: Vec<(u32, Evidence, f64)> = Vec::new();
    let mut plies = 0;
    let result = loop {
        let empties = board.empty_count();
        if board.is_over() {
            break board.final_score();
        }
        if board.moves() != 0 && (plies == 0 || rng.below(STEP) == 0) {
            let found = look(search, board, if plies == 0 { 16 } else { PLAY_DEPTH }, &mut rng);
            scores.extend(found.into_iter().map(|(evidence, score)| (plies, evidence, score)));
        }
        if empties <= SOLVED {
            search.clear();
            let mut passes = Scores(Vec::new(), empties);
            let solved = search.run(&Task::new(board, Limits::exact()), &Stop::new(), &mut passes);
            let ends = passes.0.into_iter().filter(|(evidence, _)| evidence.is_to_the_end());
            scores.extend(ends.map(|(evidence, score)| (plies, evidence, score)));
            break solved.info.lines.first().map_or(0, |line| line.score.round_discs());
        }
        let limits = Limits { exact_empties: 0, ..Limits::depth(PLAY_DEPTH) };
        let best = search.run(&Task::new(board, limits), &Stop::new(), &mut Silent).best;
        board = match best {
            Some(Move::Place(square)) => board.play(square).expect("the search plays legal moves"),
            _ => board.pass(),
        };
        plies += 1;
    };
    let told = |(before, evidence, score): (u32, Evidence, f64)| {
        let result = if (plies - before).is_multiple_of(2) { result } else { -result };
        Sample { game, evidence, score, result }
    };
    scores.into_iter().map(told).collect()
}

/// The scores of a search of its own to each depth up to `depth`; one search in four leaves nothing out.
fn look(search: &mut Search, board: Board, depth: u8, rng: &mut Rng) -> Vec<(Evidence, f64)> {
    let empties = board.empty_count();
    let full = rng.below(4) == 0;
    let depth = if full { depth.min(8) } else { depth }.min(empties.saturating_sub(1) as u8).max(1);
    let selectivity = if full { Selectivity::Full } else { Selectivity::P73 };
    let limits = Limits { exact_empties: 0, selectivity, ..Limits::depth(depth) };
    let mut scores = Scores(Vec::new(), empties);
    search.clear();
    search.run(&Task::new(board, limits), &Stop::new(), &mut scores);
    scores.0
}

impl Sample {
    /// Whether its game judges the fit.
    pub fn is_held_out(&self) -> bool {
        self.game.is_multiple_of(HOLD_OUT)
    }
}

/// The model that makes the samples most likely, but for those held out; `None` without samples of both kinds.
pub fn fit(samples: &[Sample]) -> Option<Model> {
    let (ends, open): (Vec<&Sample>, Vec<&Sample>) = samples
        .iter()
        .filter(|sample| !sample.is_held_out())
        .partition(|sample| sample.evidence.is_to_the_end());
    if open.is_empty() || ends.is_empty() {
        return None;
    }
    let mut model = Model {
        error: [1.5, 0.0, 0.0, 0.0, 0.0, 0.0],
        width: [0.8, 0.0, 0.0, 0.0, 0.0, 0.0],
        draw: [0.0; 2],
        bias: [0.0; 3],
        end_error: 0.0,
        end_width: -1.0,
    };
    let groups: [(Group, &[&Sample], Cost); 4] = [
        (set_error, &open, surprise_of_errors),
        (set_chances, &open, surprise),
        (set_end_error, &ends, surprise_of_errors),
        (set_end_width, &ends, surprise),
    ];
    for (set, samples, cost) in groups {
        let mut tried = model;
        let start = set(&mut tried, None);
        let found = minimum(start, |x| {
            set(&mut tried, Some(x));
            cost(&tried, samples)
        });
        set(&mut model, Some(&found));
    }
    Some(model)
}

/// Constants of a model that are fitted together: sets them if there are any to set, and returns them.
type Group = fn(&mut Model, Option<&[f64]>) -> Vec<f64>;
/// What a model costs on samples; the fit makes it least.
type Cost = fn(&Model, &[&Sample]) -> f64;

fn set_error(model: &mut Model, to: Option<&[f64]>) -> Vec<f64> {
    set(&mut model.error, to)
}

fn set_chances(model: &mut Model, to: Option<&[f64]>) -> Vec<f64> {
    let (width, rest) = to.map(|to| to.split_at(FEATURES)).unzip();
    let (draw, bias) = rest.map(|to: &[f64]| to.split_at(model.draw.len())).unzip();
    [set(&mut model.width, width), set(&mut model.draw, draw), set(&mut model.bias, bias)].concat()
}

fn set_end_error(model: &mut Model, to: Option<&[f64]>) -> Vec<f64> {
    set(slice::from_mut(&mut model.end_error), to)
}

fn set_end_width(model: &mut Model, to: Option<&[f64]>) -> Vec<f64> {
    set(slice::from_mut(&mut model.end_width), to)
}

fn set(constants: &mut [f64], to: Option<&[f64]>) -> Vec<f64> {
    if let Some(to) = to {
        constants.copy_from_slice(to);
    }
    constants.to_vec()
}

/// Mean negative log-likelihood of the errors, taken for normal.
fn surprise_of_errors(model: &Model, samples: &[&Sample]) -> f64 {
    mean(samples, |sample| {
        let sigma = model.error(sample.evidence);
        let error = (sample.score - f64::from(sample.result)) / sigma;
        sigma.ln() + error * error / 2.0
    })
}

/// Mean negative log-likelihood of wins, draws and losses.
fn surprise(model: &Model, samples: &[&Sample]) -> f64 {
    mean(samples, |sample| {
        let chances = model.chances(sample.score, sample.evidence);
        let chance = match sample.result.signum() {
            1 => chances.win,
            0 => chances.draw,
            _ => chances.loss,
        };
        -chance.max(1e-12).ln()
    })
}

fn mean(samples: &[&Sample], value: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(|sample| value(sample)).sum::<f64>() / samples.len().max(1) as f64
}

/// The arguments that make `cost` least, by steps along each that grow with success and shrink without
/// (Rosenbrock's search without its rotation).
fn minimum(mut x: Vec<f64>, mut cost: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let mut steps = vec![0.25; x.len()];
    let mut least = cost(&x);
    for _ in 0..2000 {
        for index in 0..x.len() {
            let before = x[index];
            x[index] += steps[index];
            let tried = cost(&x);
            if tried < least {
                least = tried;
                steps[index] *= 2.0;
            } else {
                x[index] = before;
                steps[index] *= -0.5;
            }
        }
        if steps.iter().all(|step| step.abs() < 1e-5) {
            break;
        }
    }
    x
}

/// One row of a reliability table: positions whose stated chance to win lies in the same tenth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decile {
    /// Positions.
    pub count: u32,
    /// Mean of the chances stated.
    pub stated: f64,
    /// Share that was won.
    pub won: f64,
}

/// What games that were not fitted say of the chances stated at one depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Reliability {
    /// By the stated chance to win, a tenth each.
    pub deciles: [Decile; 10],
    /// Mean squared difference between the stated chance to win and what came (Brier).
    pub brier: f64,
    /// Root of the mean squared error of the scores, and the root mean of what the model says of it; discs.
    pub errors: [f64; 2],
}

impl Reliability {
    /// Judges the model by samples that were not fitted; `None` if there are none.
    pub fn of<'a>(model: &Model, samples: impl IntoIterator<Item = &'a Sample>) -> Option<Self> {
        let mut deciles = [Decile::default(); 10];
        let (mut brier, mut seen, mut said, mut count) = (0.0, 0.0, 0.0, 0.0);
        for sample in samples {
            let stated = model.chances(sample.score, sample.evidence).win;
            let won = if sample.result > 0 { 1.0 } else { 0.0 };
            let decile = &mut deciles[((stated * 10.0) as usize).min(9)];
            decile.count += 1;
            decile.stated += stated;
            decile.won += won;
            brier += (stated - won).powi(2);
            seen += (sample.score - f64::from(sample.result)).powi(2);
            said += model.error(sample.evidence).powi(2);
            count += 1.0;
        }
        for decile in &mut deciles {
            let count = f64::from(decile.count.max(1));
            decile.stated /= count;
            decile.won /= count;
        }
        let errors = [seen, said].map(|sum: f64| (sum / count).sqrt());
        (count > 0.0).then_some(Self { deciles, brier: brier / count, errors })
    }
}

impl fmt::Display for Reliability {
    /// Rows of a Markdown table, in percent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| stated | positions | mean stated | won | difference | ± |")?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        for (index, decile) in self.deciles.iter().enumerate() {
            let Decile { count, stated, won } = *decile;
            // Of positions that are independent; those of one game are less.
            let noise = (won * (1.0 - won) / f64::from(count.max(1))).sqrt();
            let (stated, won, noise) = (100.0 * stated, 100.0 * won, 100.0 * noise);
            let (low, high, off) = (10 * index, 10 * index + 10, won - stated);
            writeln!(f, "| {low}-{high} % | {count} | {stated:.1} | {won:.1} | {off:+.1} | {noise:.1} |")?;
        }
        writeln!(
            f,
            "\nBrier score {:.4}; error of the score {:.2} discs, stated {:.2}",
            self.brier, self.errors[0], self.errors[1]
        )
    }
}

/// The model as the lines of the program that hold it.
pub fn to_source(model: &Model) -> String {
    let mut text = "pub const MODEL: Model = Model {\n".to_owned();
    let lists: [(&str, &[f64]); 4] =
        [("error", &model.error), ("width", &model.width), ("draw", &model.draw), ("bias", &model.bias)];
    for (name, list) in lists {
        let numbers: Vec<String> = list.iter().map(|number| format!("{number:.4}")).collect();
        let _ = writeln!(text, "    {name}: [{}],", numbers.join(", "));
    }
    let _ = writeln!(text, "    end_error: {:.4},\n    end_width: {:.4},", model.end_error, model.end_width);
    text + "};\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUTH: Model = Model {
        error: [1.0, 0.5, 0.0, -0.3, -0.2, 0.1],
        width: [0.7, 0.5, 0.0, -0.3, -0.2, 0.1],
        draw: [-0.5, 0.4],
        bias: [0.2, -0.3, 0.1],
        end_error: -0.5,
        end_width: -1.0,
    };

    /// Samples whose results follow the model, drawn so evenly that a thousand say what many would.
    fn drawn(count: u64) -> Vec<Sample> {
        const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
        let mut rng = Rng::new(3);
        let sample = |game: u64| {
            let empties = 10 + rng.below(45);
            let to_end = game.is_multiple_of(3);
            let depth = if to_end { empties as u8 } else { DEPTHS[rng.below(6) as usize] };
            let selectivity = if rng.below(2) == 0 { Selectivity::P73 } else { Selectivity::P95 };
            let evidence = Evidence { empties, depth, selectivity };
            let score = if to_end { f64::from(2 * rng.below(5)) - 4.0 } else { rng.unit() * 16.0 - 8.0 };
            let chances = TRUTH.chances(score, evidence);
            let luck = (game as f64 * GOLDEN_RATIO).fract();
            let sign = if luck < chances.win {
                1
            } else if luck < chances.win + chances.loss {
                -1
            } else {
                0
            };
            Sample { game, evidence, score, result: 2 * sign }
        };
        (0..count).map(sample).collect()
    }

    #[test]
    fn the_fit_finds_the_model_that_drew_the_results() {
        let samples = drawn(1_500);
        let model = fit(&samples).expect("there are samples of both kinds");
        for sample in &samples[..500] {
            let (found, truth) =
                (model.chances(sample.score, sample.evidence), TRUTH.chances(sample.score, sample.evidence));
            assert!((found.win - truth.win).abs() < 0.12, "{sample}: {found:?} {truth:?}");
        }
        let open = |sample: &&Sample| sample.is_held_out() && !sample.evidence.is_to_the_end();
        let judged = Reliability::of(&model, samples.iter().filter(open)).unwrap();
        // Three standard deviations of what chance does, and a little for the fit.
        let fits = |d: &Decile| (d.stated - d.won).abs() < 0.05 + 1.5 / f64::from(d.count.max(1)).sqrt();
        assert!(judged.deciles.iter().all(fits), "{judged}");
        let wrong = Model { width: [3.0, 0.0, 0.0, 0.0, 0.0, 0.0], ..model };
        let judged = Reliability::of(&wrong, samples.iter().filter(open)).unwrap();
        assert!(!judged.deciles.iter().all(fits), "{judged}");
    }

    #[test]
    fn samples_survive_as_text() {
        for sample in drawn(50) {
            assert_eq!(sample.to_string().parse(), Ok(sample));
        }
        for line in ["", "1 2 3", "1 2 3 74 5 6", "1 99 3 73 5 6", "1 2 3 73 nan 6", "1 2 3 73 5 6 7"] {
            assert_eq!(line.parse::<Sample>(), Err(ParseSampleError), "{line}");
        }
    }

    #[test]
    fn results_are_told_for_the_side_that_was_to_move() {
        let evaluator = std::sync::Arc::new(crate::eval::Evaluator::classic());
        let mut search = Search::new(&crate::search::Options { threads: 1, hash_mib: 1 }, evaluator);
        // One move is played, then the game is solved.
        let fits = |board: &Board| board.empty_count() == SOLVED + 1 && board.moves() != 0;
        for board in crate::board::testing::game_boards(5, 40).filter(fits).take(2) {
            let samples = play(&mut search, board, 1, 1);
            let result = |empties: u32| {
                let of = |sample: &&Sample| sample.evidence.empties == empties;
                samples.iter().find(of).expect("there are samples before and after the move").result
            };
            assert_eq!(result(SOLVED + 1), -result(SOLVED));
        }
    }
}
