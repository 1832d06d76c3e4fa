//! Whether sampled moves can be told from people's, by a classifier of 20 moves of one side; how games differ; and how well
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
use crate::eval::Evaluator;
use crate::util::rng::Rng;

/// Moves of a side that the classifier sees, the first after so many moves of the game.
const MOVES: usize = 20;
const FIRST_PLY: u32 = 8;
/// Games of a player.
const PER_PLAYER: usize = 5;
/// Players, and games played by the model.
const PLAYERS: usize = 300;
const OWN_GAMES: usize = 500;
/// Numbers of a side: mean and spread of each input of its moves, and of the discs lost.
const FEATURES: usize = 2 * (MOVE_INPUTS + 1);

/// What a measure needs.
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
        let _ = writeln!(
            text,
            "AUC after {MOVES} moves, positions of people's games: {:.3} ({} sides)",
            auc(&people, &sampled),
            people.len()
        );
        let own = self.own_games();
        let own: Vec<[f64; FEATURES]> = own
            .iter()
            .filter_map(|record| self.features(record, None))
            .collect();
        let _ = writeln!(
            text,
            "AUC after {MOVES} moves, whole games of the model: {:.3} ({} sides)",
            auc(&people, &own),
            own.len()
        );
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
        text + &self.estimates(&records)
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
                }
            })
            .collect()
    }

    /// Games of the model against itself with the ratings of held-out games.
    fn own_games(&self) -> Vec<Record> {
        let mut rng = Rng::new(47);
        let mut scorer = Scorer::new(self.evaluator);
        let all = sides(self.games, true);
        all.iter()
            .filter(|side| self.games[side.game].counts == [true; 2])
            .take(OWN_GAMES)
            .map(|&side| self.own_game(side, &mut scorer, &mut rng))
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
        Record { samples, player: 0 }
    }

    fn draw_day(&self, rng: &mut Rng) -> i32 {
        let sum: f64 = (0..4).map(|_| rng.unit()).sum();
        ((sum - 2.0) * 3f64.sqrt() * self.day) as i32
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
fn auc(people: &[[f64; FEATURES]], others: &[[f64; FEATURES]]) -> f64 {
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
            .map(|(number, (mean, spread))| (number - mean) / spread)
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
