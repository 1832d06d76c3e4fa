//! The fit of the chances to win to samples of scores and results.
//!
//! Each game of the archive gives a position, which is searched to every depth. From there both sides play by searches;
//! the last empties are solved, first with selective cuts. A sample is a score with the result of its game. Later
//! positions give no samples: they are tamer than those of people's games, and share one result.

mod bfgs;
pub mod margins;
pub mod samples;

use std::collections::HashMap;
use std::fmt;

use self::bfgs::minimize;
use self::margins::{pairs, surprise_of_margins};
use self::samples::{SOLVED, Sample};
use crate::board::Board;
use crate::engine::chances::{BIAS_FEATURES, Evidence, Model};
use crate::search::{Info, Limits, Proof, Search, Selectivity, Stop, Task};
use crate::util::rng::Rng;

/// Depth of the searches that play.
const PLAY_DEPTH: u8 = 10;
const DEPTHS: [u8; 10] = [1, 2, 3, 4, 6, 8, 10, 12, 14, 16];

/// The scores of the iterations of a cleared search.
fn scores_of(search: &mut Search, board: Board, limits: Limits) -> Vec<(Evidence, f64)> {
    let mut scores = Vec::new();
    let empties = board.empty_count();
    search.clear();
    search.run_with(
        &Task::new(board, limits),
        &Stop::new(),
        &mut |info: &Info| {
            if let Some(line) = info.lines.first().filter(|line| line.proof == Proof::None) {
                let evidence = Evidence {
                    empties,
                    depth: line.depth,
                    selectivity: line.selectivity,
                };
                if evidence.is_to_the_end() || DEPTHS.contains(&line.depth) {
                    scores.push((evidence, line.bound.discs()));
                }
            }
        },
    );
    scores
}

/// The samples of one game that is played on from `start`, which must not be over.
pub fn play(search: &mut Search, start: Board, game: u64, seed: u64) -> Vec<Sample> {
    let mut rng = Rng::new(Rng::new(seed).next() ^ Rng::new(game).next());
    let mut board = start;
    // Scores with the number of plies played before.
    let mut scores: Vec<(u32, Evidence, f64)> = Vec::new();
    if !board.moves().is_empty() {
        let found = [
            look_surely(search, board, game),
            look(search, board, &mut rng),
        ]
        .concat();
        scores.extend(
            found
                .into_iter()
                .map(|(evidence, score)| (0, evidence, score)),
        );
    }
    let mut plies = 0;
    let result = loop {
        if board.is_over() {
            break board.final_score();
        }
        if board.empty_count() <= SOLVED {
            let end = solve_selectively(search, board, &mut rng);
            scores.extend(end.map(|(evidence, score)| (plies, evidence, score)));
            let solved = search.run(&Task::new(board, Limits::exact()));
            break solved
                .info
                .lines
                .first()
                .map_or(0, |line| line.bound.round_discs());
        }
        let limits = Limits {
            exact_empties: 0,
            ..Limits::depth(PLAY_DEPTH)
        };
        let best = search.run(&Task::new(board, limits)).best;
        board = best
            .and_then(|best| board.play_move(best))
            .expect("the search plays legal moves");
        plies += 1;
    };
    let sample = |(before, evidence, score): (u32, Evidence, f64)| {
        let result = if (plies - before).is_multiple_of(2) {
            result
        } else {
            -result
        };
        Sample {
            game,
            evidence,
            score,
            result,
        }
    };
    scores.into_iter().map(sample).collect()
}

/// The scores of a search with surer cuts than usual, for one game in four.
fn look_surely(search: &mut Search, board: Board, game: u64) -> Vec<(Evidence, f64)> {
    let levels = [
        Selectivity::P87,
        Selectivity::P95,
        Selectivity::P98,
        Selectivity::P99,
    ];
    let mut rng = Rng::new(game);
    let selectivity = levels[rng.below(levels.len() as u32) as usize];
    match rng.below(4) {
        0 => iterations(search, board, 12, selectivity),
        _ => Vec::new(),
    }
}

/// The scores of a search to each depth up to 16, or 8 for one game in four, whose search leaves nothing out.
fn look(search: &mut Search, board: Board, rng: &mut Rng) -> Vec<(Evidence, f64)> {
    match rng.below(4) {
        0 => iterations(search, board, 8, Selectivity::Full),
        _ => iterations(search, board, 16, Selectivity::P73),
    }
}

/// The scores of a cleared search's iterations up to `depth`, or to the deepest that would not solve.
fn iterations(
    search: &mut Search,
    board: Board,
    depth: u8,
    selectivity: Selectivity,
) -> Vec<(Evidence, f64)> {
    let empties = board.empty_count();
    let looks_ahead = |&depth: &u8| u32::from(Limits::depth(depth).exact_empties) < empties;
    let depth = (1..=depth).rev().find(looks_ahead).unwrap_or(1);
    scores_of(
        search,
        board,
        Limits {
            exact_empties: 0,
            selectivity,
            ..Limits::depth(depth)
        },
    )
}

/// The score of a search to the end at a level of selectivity drawn at random, if its cuts left it unproven.
fn solve_selectively(search: &mut Search, board: Board, rng: &mut Rng) -> Option<(Evidence, f64)> {
    let selectivity = Selectivity::ALL[rng.below(Selectivity::ALL.len() as u32 - 1) as usize];
    let limits = Limits {
        exact_empties: 0,
        selectivity,
        ..Limits::depth(60)
    };
    scores_of(search, board, limits)
        .into_iter()
        .rev()
        .find(|(evidence, _)| evidence.is_to_the_end())
}

/// The model that makes the samples most likely; `None` without samples of both kinds.
pub fn fit(samples: &[Sample]) -> Option<Model> {
    let (ends, open): (Vec<&Sample>, Vec<&Sample>) = samples
        .iter()
        .partition(|sample| sample.evidence.is_to_the_end());
    if open.is_empty() || ends.is_empty() {
        return None;
    }
    let mut model = Model {
        error: [1.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        width: [0.8, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        shape: 0.1,
        draw: [0.0; 2],
        bias: [0.0; BIAS_FEATURES],
        margin: [1.0, 0.0, 0.0, 0.0, 0.0],
        margin_growth: 1.0,
        end_error: 0.0,
        end_slip: 0.5,
        end_width: 0.0,
        end_bias: 0.0,
    };
    let pairs = pairs(open.iter().copied());
    let groups: [(Group, Cost); 5] = [
        (|model| model.error.iter_mut().collect(), &|model| {
            surprise_of_errors(model, &open)
        }),
        (chances, &|model| surprise(model, &open)),
        (
            |model| {
                model
                    .margin
                    .iter_mut()
                    .chain([&mut model.margin_growth])
                    .collect()
            },
            &|model| surprise_of_margins(model, &pairs),
        ),
        (|model| vec![&mut model.end_error], &|model| {
            surprise_of_errors(model, &ends)
        }),
        (
            |model| {
                vec![
                    &mut model.end_slip,
                    &mut model.end_width,
                    &mut model.end_bias,
                ]
            },
            &|model| surprise(model, &ends),
        ),
    ];
    for (group, cost) in groups {
        let set = |model: &mut Model, to: &[f64]| {
            group(model)
                .into_iter()
                .zip(to)
                .for_each(|(constant, to)| *constant = *to);
        };
        let mut tried = model;
        let start = group(&mut tried)
            .into_iter()
            .map(|constant| *constant)
            .collect();
        let found = minimize(start, |x| {
            set(&mut tried, x);
            cost(&tried)
        });
        set(&mut model, &found);
    }
    Some(model)
}

/// The cost of a model on samples.
type Cost<'s> = &'s dyn Fn(&Model) -> f64;

/// The constants of a model that are fitted together.
type Group = fn(&mut Model) -> Vec<&mut f64>;

fn chances(model: &mut Model) -> Vec<&mut f64> {
    let Model {
        width,
        draw,
        bias,
        shape,
        ..
    } = model;
    width
        .iter_mut()
        .chain(draw)
        .chain(bias)
        .chain([shape])
        .collect()
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

/// One row of a reliability table: positions with a stated chance to win in the same tenth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decile {
    pub count: u32,
    pub stated: f64,
    pub won: f64,
    /// Standard error of the difference between the two, by games: the positions of one game go together.
    pub noise: f64,
}

/// The reliability of chances at one depth, by games outside the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Reliability {
    /// By the stated chance to win, a tenth each.
    pub deciles: [Decile; 10],
    /// Mean squared difference between the stated chance to win and the result (Brier).
    pub brier: f64,
    /// Root mean square of the errors of the scores, and of the errors that the model states; discs.
    pub errors: [f64; 2],
}

impl Reliability {
    /// Judges models by samples outside their fits; `None` without samples.
    pub fn of<'a>(judged: impl IntoIterator<Item = (&'a Model, &'a Sample)>) -> Option<Self> {
        let mut deciles = [Decile::default(); 10];
        let mut brier = 0.0;
        let mut seen = 0.0;
        let mut said = 0.0;
        let mut count = 0.0;
        // By tenth and game, wins more than stated.
        let mut surplus: HashMap<(usize, u64), f64> = HashMap::new();
        for (model, sample) in judged {
            let stated = model.chances(sample.score, sample.evidence).win;
            let won = if sample.result > 0 { 1.0 } else { 0.0 };
            let tenth = ((stated * 10.0) as usize).min(9);
            *surplus.entry((tenth, sample.game)).or_default() += won - stated;
            let decile = &mut deciles[tenth];
            decile.count += 1;
            decile.stated += stated;
            decile.won += won;
            brier += (stated - won).powi(2);
            seen += (sample.score - f64::from(sample.result)).powi(2);
            said += model.error(sample.evidence).powi(2);
            count += 1.0;
        }
        for ((tenth, _), surplus) in surplus {
            deciles[tenth].noise += surplus * surplus;
        }
        for decile in &mut deciles {
            let count = f64::from(decile.count.max(1));
            decile.stated /= count;
            decile.won /= count;
            decile.noise = decile.noise.sqrt() / count;
        }
        let errors = [seen, said].map(|sum: f64| (sum / count).sqrt());
        (count > 0.0).then_some(Self {
            deciles,
            brier: brier / count,
            errors,
        })
    }
}

impl fmt::Display for Reliability {
    /// Rows of a Markdown table, in percent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| stated | positions | mean stated | won | difference | ± |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        for (index, decile) in self.deciles.iter().enumerate() {
            let Decile {
                count,
                stated,
                won,
                noise,
            } = *decile;
            let stated = 100.0 * stated;
            let won = 100.0 * won;
            let noise = 100.0 * noise;
            let low = 10 * index;
            let high = 10 * index + 10;
            let off = won - stated;
            writeln!(
                f,
                "| {low}-{high} % | {count} | {stated:.1} | {won:.1} | {off:+.1} | {noise:.1} |"
            )?;
        }
        writeln!(
            f,
            "\nBrier score {:.4}; error of the score {:.2} discs, stated {:.2}",
            self.brier, self.errors[0], self.errors[1]
        )
    }
}

/// The model as a line of the program, for rustfmt to break.
pub fn to_source(model: &Model) -> String {
    format!("pub const MODEL: Model = {model:.4?};\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUTH: Model = Model {
        error: [1.0, 0.5, 0.0, -0.3, -0.2, 0.1, 0.0],
        width: [0.7, 0.5, 0.0, -0.3, -0.2, 0.1, 0.1],
        shape: 0.2,
        draw: [-0.5, 0.4],
        bias: [0.2, -0.3, 0.1, 0.5, -0.4, 0.8],
        margin: [1.0, -1.0, 0.0, -0.2, 0.5],
        margin_growth: 0.8,
        end_error: 1.0,
        end_slip: 1.0,
        end_width: 0.5,
        end_bias: -0.5,
    };

    /// Samples with results by the model, drawn evenly, so that a thousand suffice.
    fn drawn(count: u64) -> Vec<Sample> {
        const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
        let mut rng = Rng::new(3);
        let sample = |game: u64| {
            // One in four ends near the end of the game, where a constant is about no others.
            let empties = 10 + rng.below(if game % 8 < 2 { 6 } else { 45 });
            let to_end = game.is_multiple_of(3);
            let depth = if to_end {
                empties as u8
            } else {
                DEPTHS[rng.below(6) as usize]
            };
            let selectivity = if rng.below(2) == 0 {
                Selectivity::P73
            } else {
                Selectivity::P95
            };
            let evidence = Evidence {
                empties,
                depth,
                selectivity,
            };
            let score = if to_end {
                f64::from(2 * rng.below(5)) - 4.0
            } else {
                rng.unit() * 16.0 - 8.0
            };
            let chances = TRUTH.chances(score, evidence);
            let luck = (game as f64 * GOLDEN_RATIO).fract();
            let sign = if luck < chances.win {
                1
            } else if luck < chances.win + chances.loss {
                -1
            } else {
                0
            };
            Sample {
                game,
                evidence,
                score,
                result: 2 * sign,
            }
        };
        (0..count).map(sample).collect()
    }

    #[test]
    fn the_fit_finds_the_model_that_drew_the_results() {
        let samples = drawn(3_600);
        let fitted: Vec<Sample> = samples
            .iter()
            .copied()
            .filter(|sample| sample.game % 2 == 1)
            .collect();
        let model = fit(&fitted).expect("there are samples of both kinds");
        for sample in &samples[..500] {
            let found = model.chances(sample.score, sample.evidence);
            let truth = TRUTH.chances(sample.score, sample.evidence);
            assert!(
                (found.win - truth.win).abs() < 0.12,
                "{sample}: {found:?} {truth:?}"
            );
        }
        let open =
            |sample: &&Sample| sample.game.is_multiple_of(2) && !sample.evidence.is_to_the_end();
        let of = |model: &Model| {
            Reliability::of(samples.iter().filter(open).map(|sample| (model, sample))).unwrap()
        };
        let judged = of(&model);
        // Three standard deviations of chance, and a little for the fit.
        let fits =
            |d: &Decile| (d.stated - d.won).abs() < 0.05 + 1.5 / f64::from(d.count.max(1)).sqrt();
        assert!(judged.deciles.iter().all(fits), "{judged}");
        let wrong = Model {
            width: [3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            ..model
        };
        let judged = of(&wrong);
        assert!(!judged.deciles.iter().all(fits), "{judged}");
    }

    #[test]
    fn samples_survive_as_text() {
        for sample in drawn(50) {
            assert_eq!(Sample::parse(&sample.to_string()), Some(sample));
        }
        for line in [
            "",
            "1 2 3",
            "1 2 3 74 5 6",
            "1 99 3 73 5 6",
            "1 2 3 73 nan 6",
            "1 2 3 73 5 6 7",
        ] {
            assert_eq!(Sample::parse(line), None, "{line}");
        }
    }

    #[test]
    fn results_are_told_for_the_side_that_was_to_move() {
        let evaluator = std::sync::Arc::new(crate::eval::Evaluator::Classic);
        let mut search = Search::new(
            &crate::search::Options {
                threads: 1,
                hash_mib: 1,
            },
            evaluator,
        );
        // One move is played, then the game is solved.
        let fits = |board: &Board| board.empty_count() == SOLVED + 1 && !board.moves().is_empty();
        for board in crate::board::testing::game_boards(5, 40)
            .filter(fits)
            .take(2)
        {
            let samples = play(&mut search, board, 1, 1);
            let result = |empties: u32| {
                let of = |sample: &&Sample| sample.evidence.empties == empties;
                samples
                    .iter()
                    .find(of)
                    .expect("there are samples before and after the move")
                    .result
            };
            assert_eq!(result(SOLVED + 1), -result(SOLVED));
        }
    }
}
