//! How well a classifier of 20 moves of one side separates sampled moves from people's, how games differ, and how well
//! ratings are estimated.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::games::{Choice, RatedGame};
use super::opening::Counts;
use super::report::shares;
use super::samples::{Sample, Side, sample, sides, view};
use crate::board::{Board, Color};
use crate::engine::people::inputs::MOVE_INPUTS;
use crate::engine::people::judge::Evidence;
use crate::engine::people::net::Weights;
use crate::engine::people::scores::Scorer;
use crate::engine::people::share;
use crate::eval::Evaluator;
use crate::util::rng::Rng;

/// Moves of a side that the classifier sees, and the ply of the first.
const MOVES: usize = 20;
const FIRST_PLY: u32 = 8;
/// Games of a player.
const PER_PLAYER: usize = 5;
/// Players, and games played by the model.
const PLAYERS: usize = 300;
const OWN_GAMES: usize = 600;
/// Numbers of a side: mean and spread of each input of its moves, and of the discs lost.
const FEATURES: usize = 2 * (MOVE_INPUTS + 1);

/// The input of a measure.
pub struct Measure<'a> {
    /// The games of the base.
    pub games: &'a [RatedGame],
    /// The model.
    pub weights: &'a Weights,
    /// Openings of the games of the fit.
    pub counts: &'a Counts,
    /// Emilia's evaluation.
    pub evaluator: &'a Evaluator,
    /// Threads.
    pub jobs: usize,
    /// Spread of a game's rating.
    pub day: f64,
}

/// The positions of a side of a game.
struct Record {
    samples: Vec<Sample>,
    player: u16,
    side: Side,
}

impl Measure<'_> {
    /// All measures as text.
    pub fn report(&self) -> String {
        let records = self.records();
        let mut text = String::new();
        let mut rng = Rng::new(41);
        let people: Vec<[f64; FEATURES]> = records
            .iter()
            .filter_map(|record| self.features(record, None))
            .collect();
        let sampled: Vec<[f64; FEATURES]> = records
            .iter()
            .filter_map(|record| self.features(record, Some(&mut rng)))
            .collect();
        let own_games = self.own_games(&records);
        let own: Vec<[f64; FEATURES]> = own_games
            .iter()
            .filter_map(|record| self.features(record, None))
            .collect();
        // The model's own games are its own distribution: no other model does better here.
        let redrawn: Vec<[f64; FEATURES]> = own_games
            .iter()
            .filter_map(|record| self.features(record, Some(&mut rng)))
            .collect();
        for (subject, people, others) in [
            ("moves drawn in people's positions", &people, &sampled),
            ("whole games of the model", &people, &own),
            ("moves drawn in the model's own positions", &own, &redrawn),
        ] {
            let _ = writeln!(
                text,
                "AUC after {MOVES} moves, {subject}: {:.3} by means, {:.3} with spreads ({} and {} sides)",
                auc(people, others, true),
                auc(people, others, false),
                people.len(),
                others.len()
            );
        }
        let lost = |sides: &[[f64; FEATURES]]| {
            mean_and_spread(sides.iter().map(|side| side[2 * MOVE_INPUTS]))
        };
        let _ = writeln!(
            text,
            "discs lost a move, mean and spread between sides: people {:?}, sampled {:?}, own games {:?}",
            lost(&people),
            lost(&sampled),
            lost(&own)
        );
        text + &self.spreads(&records) + &self.estimates(&records)
    }

    /// The spread between games of the discs lost a move beyond those expected at the rating: of people, and of moves drawn
    /// with several spreads of a game's rating.
    fn spreads(&self, records: &[Record]) -> String {
        let spread = |rng: Option<f64>| {
            let mut luck = Rng::new(53);
            let sides = records
                .iter()
                .filter(|record| record.samples.len() >= MOVES);
            let numbers: Vec<f64> = sides
                .map(|record| {
                    let day = rng.map(|day| (normal(&mut luck) * day) as i32);
                    let lost = |sample: &Sample| self.lost_beyond(sample, day, &mut luck);
                    record.samples.iter().map(lost).sum::<f64>() / record.samples.len() as f64
                })
                .collect();
            mean_and_spread(numbers.into_iter()).1
        };
        let people = spread(None);
        let drawn: Vec<String> = [0.0, 60.0, 90.0, 120.0, 150.0, 180.0]
            .map(|day| format!("{day}: {:.3}", spread(Some(day))))
            .into();
        format!(
            "spread between games of the discs lost a move beyond expectation: people {people:.3}, drawn {}\n",
            drawn.join(", ")
        )
    }

    /// Discs that the move played loses more than expected at the player's rating; of a move drawn with a day, if there is one.
    fn lost_beyond(&self, sample: &Sample, day: Option<i32>, luck: &mut Rng) -> f64 {
        let index = day.map_or(sample.played, |day| self.draw(sample, day, luck));
        let lost = |index: usize| f64::from(sample.view.lost[index]) / 128.0;
        let shares = shares(self.weights, sample, sample.rating, Some(self.counts));
        let expected: f64 = shares
            .iter()
            .enumerate()
            .map(|(index, &part)| share(part) * lost(index))
            .sum();
        lost(index) - expected
    }

    /// Five held-out games each of some players, every one of their moves.
    fn records(&self) -> Vec<Record> {
        let mut of_player: HashMap<u16, usize> = HashMap::new();
        let mut chosen: Vec<Side> = Vec::new();
        let all = sides(self.games, true);
        let player = |side: &Side| self.games[side.game].player(side.side);
        for side in &all {
            *of_player.entry(player(side)).or_default() += 1;
        }
        let mut players: Vec<u16> = of_player
            .iter()
            .filter(|(_, count)| **count >= PER_PLAYER)
            .map(|(&player, _)| player)
            .collect();
        players.sort_unstable();
        Rng::new(43).shuffle(&mut players);
        players.truncate(PLAYERS);
        let mut taken: HashMap<u16, usize> =
            players.into_iter().map(|player| (player, 0)).collect();
        for side in all {
            if let Some(count) = taken
                .get_mut(&player(&side))
                .filter(|count| **count < PER_PLAYER)
            {
                *count += 1;
                chosen.push(side);
            }
        }
        let positions: Vec<(Side, Choice)> = chosen
            .iter()
            .flat_map(|&side| {
                let choices = self.games[side.game].choices().into_iter();
                choices
                    .filter(move |choice| {
                        choice.side == side.side && choice.board.moves().len() > 1
                    })
                    .map(move |choice| (side, choice))
            })
            .collect();
        let mut samples = view(self.games, &positions, self.evaluator, self.jobs)
            .into_iter()
            .peekable();
        chosen
            .iter()
            .map(|side| {
                let mut own = Vec::new();
                while let Some(next) =
                    samples.next_if(|next| next.game == side.game && next.choice.side == side.side)
                {
                    own.push(next);
                }
                Record {
                    samples: own,
                    player: player(side),
                    side: *side,
                }
            })
            .collect()
    }

    /// Games of the model against itself with the ratings of the games of `records`.
    fn own_games(&self, records: &[Record]) -> Vec<Record> {
        let mut rng = Rng::new(47);
        let mut scorer = Scorer::new(self.evaluator);
        let sides = records.iter().step_by(records.len().div_ceil(OWN_GAMES));
        sides
            .map(|record| self.own_game(record.side, &mut scorer, &mut rng))
            .collect()
    }

    /// The moves of one side of a game of the model.
    fn own_game(&self, side: Side, scorer: &mut Scorer, rng: &mut Rng) -> Record {
        let days = [self.draw_day(rng), self.draw_day(rng)];
        let mut board = Board::START;
        let mut color = Color::Black;
        let mut last = None;
        let mut samples = Vec::new();
        while !board.is_over() {
            let Some(first) = board.moves().first() else {
                board = board.pass();
                color = color.other();
                last = None;
                continue;
            };
            let choice = Choice {
                board,
                last,
                square: first,
                side: color,
            };
            let mut seen = sample(
                self.games,
                Side {
                    side: color,
                    ..side
                },
                choice,
                scorer,
            );
            seen.played = self.draw(&seen, days[color as usize], rng);
            let square = seen.view.moves[seen.played].square;
            if color == side.side && seen.view.moves.len() > 1 {
                samples.push(seen);
            }
            board = board.after(square, board.flip(square));
            color = color.other();
            last = Some(square);
        }
        Record {
            samples,
            player: 0,
            side,
        }
    }

    fn draw_day(&self, rng: &mut Rng) -> i32 {
        (normal(rng) * self.day) as i32
    }

    /// The place of a move drawn by its probability.
    fn draw(&self, sample: &Sample, day: i32, rng: &mut Rng) -> usize {
        let shares = shares(self.weights, sample, sample.rating + day, Some(self.counts));
        let mut left = (rng.unit() * f64::from(1 << 24)) as u32;
        for (index, share) in shares.iter().enumerate() {
            if left < *share {
                return index;
            }
            left -= share;
        }
        0
    }

    /// The numbers of a side's moves, or of moves drawn in their place; `None` if there are too few.
    fn features(&self, record: &Record, mut drawn: Option<&mut Rng>) -> Option<[f64; FEATURES]> {
        let day = drawn.as_mut().map_or(0, |rng| self.draw_day(rng));
        let samples = record
            .samples
            .iter()
            .filter(|sample| 60 - sample.view.empties >= FIRST_PLY);
        let samples: Vec<&Sample> = samples.take(MOVES).collect();
        if samples.len() < MOVES {
            return None;
        }
        let mut sums = [[0.0; 2]; MOVE_INPUTS + 1];
        for sample in samples {
            let index = match &mut drawn {
                Some(rng) => self.draw(sample, day, rng),
                None => sample.played,
            };
            let inputs = sample.view.moves[index]
                .inputs
                .iter()
                .map(|&input| f64::from(input) / 64.0);
            let lost = f64::from(sample.view.lost[index]) / 128.0;
            for (sum, input) in sums.iter_mut().zip(inputs.chain([lost])) {
                sum[0] += input;
                sum[1] += input * input;
            }
        }
        let mut features = [0.0; FEATURES];
        for (pair, [sum, squares]) in features.chunks_exact_mut(2).zip(sums) {
            let mean = sum / MOVES as f64;
            pair[0] = mean;
            pair[1] = (squares / MOVES as f64 - mean * mean).max(0.0).sqrt();
        }
        Some(features)
    }

    /// Correlation and error of ratings estimated from one game and from five.
    fn estimates(&self, records: &[Record]) -> String {
        let mut of_player: HashMap<u16, Vec<(Evidence, f64)>> = HashMap::new();
        for record in records.iter().filter(|record| !record.samples.is_empty()) {
            let mut evidence = Evidence::default();
            for sample in &record.samples {
                evidence.add(sample.played, |rating| {
                    shares(self.weights, sample, rating, Some(self.counts))
                });
            }
            of_player
                .entry(record.player)
                .or_default()
                .push((evidence, f64::from(record.samples[0].rating)));
        }
        let mut text = String::new();
        for count in [1, PER_PLAYER] {
            let mut pairs = Vec::new();
            let mut persons = 0;
            let mut errors = 0.0;
            let mut players: Vec<_> = of_player.iter().collect();
            players.sort_by_key(|(player, _)| **player);
            for chunk in players
                .iter()
                .flat_map(|(_, games)| games.chunks_exact(count))
            {
                let mut all = Evidence::default();
                chunk.iter().for_each(|(evidence, _)| all.add_all(evidence));
                let truth = chunk.iter().map(|(_, rating)| rating).sum::<f64>() / count as f64;
                if let Some(estimate) = all.estimate() {
                    pairs.push((estimate.rating, truth));
                    persons += usize::from(estimate.is_person);
                    errors += estimate.error;
                }
            }
            let number = pairs.len() as f64;
            let error = (pairs.iter().map(|(a, b)| (a - b).powi(2)).sum::<f64>() / number).sqrt();
            let _ = writeln!(
                text,
                "rating from {count} game(s): correlation {:.3}, rmse {error:.0}, stated {:.0}, like a person {:.1} %, bias {:+.0} ({number})",
                correlation(&pairs),
                errors / number,
                100.0 * persons as f64 / number,
                pairs.iter().map(|(a, b)| a - b).sum::<f64>() / number,
            );
        }
        text
    }
}

/// Nearly normal, with the deviation 1: the sum of four uniform numbers.
fn normal(rng: &mut Rng) -> f64 {
    let sum: f64 = (0..4).map(|_| rng.unit()).sum();
    (sum - 2.0) * 3f64.sqrt()
}

fn mean_and_spread(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = numbers.clone().count() as f64;
    let mean = numbers.clone().sum::<f64>() / count;
    let square = numbers.map(|number| (number - mean).powi(2)).sum::<f64>() / count;
    (
        (mean * 1e3).round() / 1e3,
        (square.sqrt() * 1e3).round() / 1e3,
    )
}

fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let means = (
        pairs.iter().map(|p| p.0).sum::<f64>() / count,
        pairs.iter().map(|p| p.1).sum::<f64>() / count,
    );
    let sum = |of: fn(f64, f64) -> f64| {
        pairs
            .iter()
            .map(|p| of(p.0 - means.0, p.1 - means.1))
            .sum::<f64>()
    };
    sum(|a, b| a * b) / (sum(|a, _| a * a) * sum(|_, b| b * b)).sqrt()
}

/// The area under the curve of a logistic regression between two kinds, fitted to one half and measured on the other.
fn auc(people: &[[f64; FEATURES]], others: &[[f64; FEATURES]], only_means: bool) -> f64 {
    let all: Vec<(&[f64; FEATURES], f64)> = people
        .iter()
        .map(|side| (side, 0.0))
        .chain(others.iter().map(|side| (side, 1.0)))
        .collect();
    let scale: Vec<(f64, f64)> = (0..FEATURES)
        .map(|index| {
            let (mean, spread) = mean_and_spread(all.iter().map(|(side, _)| side[index]));
            (mean, spread.max(1e-3))
        })
        .collect();
    let scaled = |side: &[f64; FEATURES]| -> Vec<f64> {
        side.iter()
            .zip(&scale)
            .enumerate()
            .map(|(index, (number, (mean, spread)))| {
                let counts = !only_means || index % 2 == 0;
                if counts {
                    (number - mean) / spread
                } else {
                    0.0
                }
            })
            .collect()
    };
    let halves: [Vec<(Vec<f64>, f64)>; 2] = [0, 1].map(|half| {
        let own = all
            .iter()
            .enumerate()
            .filter(|(index, _)| index % 2 == half);
        own.map(|(_, (side, kind))| (scaled(side), *kind)).collect()
    });
    let areas = [0, 1].map(|half| area(&logistic(&halves[half]), &halves[1 - half]));
    (areas[0] + areas[1]) / 2.0
}

/// Weights of a logistic regression with a ridge, by gradient descent; the last is the constant.
fn logistic(samples: &[(Vec<f64>, f64)]) -> Vec<f64> {
    const STEPS: usize = 400;
    const STEP: f64 = 0.3;
    const RIDGE: f64 = 0.01;
    let mut weights = vec![0.0; FEATURES + 1];
    for _ in 0..STEPS {
        let mut slopes = vec![0.0; FEATURES + 1];
        for (side, kind) in samples {
            let off = 1.0 / (1.0 + (-value(&weights, side)).exp()) - kind;
            slopes
                .iter_mut()
                .zip(side.iter().chain([&1.0]))
                .for_each(|(slope, number)| *slope += off * number);
        }
        for (weight, slope) in weights.iter_mut().zip(slopes) {
            *weight -= STEP * (slope / samples.len() as f64 + RIDGE * *weight);
        }
    }
    weights
}

fn value(weights: &[f64], side: &[f64]) -> f64 {
    weights
        .iter()
        .zip(side.iter().chain([&1.0]))
        .map(|(weight, number)| weight * number)
        .sum()
}

/// The probability that one of the second kind has a larger value than one of the first.
fn area(weights: &[f64], samples: &[(Vec<f64>, f64)]) -> f64 {
    let mut ranked: Vec<(f64, f64)> = samples
        .iter()
        .map(|(side, kind)| (value(weights, side), *kind))
        .collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut people = 0.0;
    let mut pairs = 0.0;
    for (_, kind) in &ranked {
        if *kind == 0.0 {
            people += 1.0;
        } else {
            pairs += people;
        }
    }
    pairs / (people * (ranked.len() as f64 - people))
}
