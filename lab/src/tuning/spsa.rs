//! SPSA, simultaneous perturbation stochastic approximation: optimizes many numbers at once with two noisy measurements an
//! iteration.
//!
//! One side moves each number up or down at random, the other side moves it the other way. The difference of their scores
//! moves every number. Over many iterations the errors cancel out.
//!
//! Sources: J. C. Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient
//! approximation" (1992), and for the gains "Implementation of the simultaneous perturbation algorithm for
//! stochastic optimization" (1998). Games between the two sides and random rounding: Stockfish's fishtest.

use crate::search::Tunable;
use crate::util::rng::Rng;

/// How fast steps and perturbations shrink: Spall's advice for runs of finite length.
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;

/// The sizes of perturbations and steps by iteration, in steps of each number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gains {
    a: f64,
    c: f64,
    /// Spall's A: iterations that damp the beginning.
    stability: f64,
}

impl Gains {
    /// For a run whose last perturbation has `spread` steps.
    ///
    /// A `rate` of 1 lets luck move a number by about one perturbation over the run: the deviation of an iteration's score per
    /// game is about 0.45 / √pairs, and the moves, `gain / (2 · spread)` times as large, add up to 0.9 · `spread`.
    pub fn of_run(iterations: u64, pairs: u64, spread: f64, rate: f64) -> Self {
        let iterations = iterations as f64;
        let pairs = pairs as f64;
        let stability = iterations / 10.0;
        let last = rate * 4.0 * spread * spread * (pairs / iterations).sqrt();
        Self {
            a: last * (stability + iterations).powf(ALPHA),
            c: spread * iterations.powf(GAMMA),
            stability,
        }
    }

    /// The move for a slope of one win a game and step, in the iteration after `done` others.
    fn gain(&self, done: u64) -> f64 {
        self.a / (self.stability + done as f64 + 1.0).powf(ALPHA)
    }

    /// The distance of tried values from the estimate, in the iteration after `done` others.
    fn perturbation(&self, done: u64) -> f64 {
        self.c / (done as f64 + 1.0).powf(GAMMA)
    }
}

/// Two sets of values to be measured against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// From 0.
    pub iteration: u64,
    /// The values of both sides, in the order of the numbers.
    pub sides: [Vec<i32>; 2],
    /// +1 where the first side's value is the larger one, else -1.
    signs: Vec<f64>,
}

/// The state of a run.
#[derive(Clone, Debug)]
pub struct Spsa {
    pub numbers: Vec<&'static Tunable>,
    /// The estimates in the numbers' own units; to a millionth, so that decimals are exact.
    pub theta: Vec<f64>,
    pub done: u64,
    gains: Gains,
    seed: u64,
}

impl Spsa {
    /// Begins at the values that the search is built with.
    pub fn new(numbers: Vec<&'static Tunable>, gains: Gains, seed: u64) -> Self {
        let theta = numbers
            .iter()
            .map(|number| f64::from(number.value))
            .collect();
        Self {
            numbers,
            theta,
            done: 0,
            gains,
            seed,
        }
    }

    /// The next measurement; it depends only on the estimates, the seed and the number of the iteration.
    pub fn trial(&self) -> Trial {
        let mut rng = Rng::new(Rng::new(self.done).next() ^ Rng::new(self.seed).next());
        let distance = self.gains.perturbation(self.done);
        let mut signs = Vec::new();
        let mut sides = [Vec::new(), Vec::new()];
        for (number, theta) in self.numbers.iter().zip(&self.theta) {
            let sign = if rng.below(2) == 0 { 1.0 } else { -1.0 };
            // The same luck keeps the average distance of both sides.
            let luck = rng.unit();
            let value = |steps: f64| on_grid(number, theta + steps * f64::from(number.step), luck);
            sides[0].push(value(sign * distance));
            sides[1].push(value(-sign * distance));
            signs.push(sign);
        }
        Trial {
            iteration: self.done,
            sides,
            signs,
        }
    }

    /// Moves the estimates by the lead of the first side's score, -1 to 1 a game.
    pub fn learn(&mut self, trial: &Trial, advantage: f64) {
        let steps =
            self.gains.gain(self.done) * advantage / (2.0 * self.gains.perturbation(self.done));
        for ((theta, number), sign) in self.theta.iter_mut().zip(&self.numbers).zip(&trial.signs) {
            let moved = *theta + sign * steps * f64::from(number.step);
            let kept = moved.clamp(number.low.into(), number.high.into());
            *theta = (kept * 1e6).round() / 1e6;
        }
        self.done += 1;
    }

    /// The values that are nearest to the estimates.
    pub fn values(&self) -> Vec<i32> {
        self.numbers
            .iter()
            .zip(&self.theta)
            .map(|(number, &theta)| on_grid(number, theta, 0.5))
            .collect()
    }
}

/// A value of the number's grid next to `theta`: the nearest with a `luck` of 0.5, `theta` on average with a random one from
/// 0 to 1.
fn on_grid(number: &Tunable, theta: f64, luck: f64) -> i32 {
    let inside = theta.clamp(number.low.into(), number.high.into());
    let steps = ((inside - f64::from(number.low)) / f64::from(number.step) + luck).floor() as i32;
    (number.low + steps * number.step).min(number.high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn number(value: i32, low: i32, high: i32, step: i32) -> Tunable {
        Tunable {
            name: "",
            value,
            low,
            high,
            step,
            doc: "",
        }
    }

    static NUMBERS: [Tunable; 4] = [
        number(16, 0, 256, 1),
        number(256, 0, 4096, 16),
        number(3, 1, 10, 1),
        number(30, 0, 62, 2),
    ];

    fn spsa(iterations: u64, seed: u64) -> Spsa {
        Spsa::new(
            NUMBERS.iter().collect(),
            Gains::of_run(iterations, 4, 1.0, 1.0),
            seed,
        )
    }

    /// How much the first side scores over the second in eight games, when strength falls with the square of the
    /// distance from `best`, in steps.
    fn eight_games(trial: &Trial, best: &[i32], rng: &mut Rng) -> f64 {
        let badness = |values: &[i32]| -> f64 {
            let steps = NUMBERS
                .iter()
                .zip(values)
                .zip(best)
                .map(|((n, v), b)| f64::from(v - b) / f64::from(n.step));
            steps.map(|steps| 0.002 * steps * steps).sum()
        };
        let edge = badness(&trial.sides[1]) - badness(&trial.sides[0]);
        let games = (0..8).map(|_| {
            if rng.unit() < 0.5 + edge / 2.0 {
                1.0
            } else {
                -1.0
            }
        });
        games.sum::<f64>() / 8.0
    }

    #[test]
    fn a_noisy_quadratic_is_climbed() {
        let best = [22, 192, 6, 40];
        for seed in 1..=3 {
            let mut spsa = spsa(4000, seed);
            let mut rng = Rng::new(seed);
            for _ in 0..4000 {
                let trial = spsa.trial();
                let advantage = eight_games(&trial, &best, &mut rng);
                spsa.learn(&trial, advantage);
            }
            for ((number, value), best) in NUMBERS.iter().zip(spsa.values()).zip(best) {
                let [from, to] =
                    [number.value, value].map(|value| (value - best).abs() / number.step);
                assert!(
                    to <= 2 && to < from,
                    "seed {seed}: {:?}, {best:?}",
                    spsa.theta
                );
            }
        }
    }

    #[test]
    fn luck_alone_moves_a_number_by_about_one_perturbation() {
        for iterations in [50, 2000] {
            let mut squares = 0.0;
            for seed in 0..50 {
                let mut spsa = spsa(iterations, seed);
                let mut rng = Rng::new(seed);
                for _ in 0..iterations {
                    let trial = spsa.trial();
                    // Four pairs with the results of equal players.
                    let pairs = (0..4)
                        .map(|_| [-1.0, -0.5, 0.0, 0.0, 0.0, 0.5, 1.0][rng.below(7) as usize]);
                    let advantage = pairs.sum::<f64>() / 4.0;
                    spsa.learn(&trial, advantage);
                }
                squares +=
                    (spsa.theta[0] - 16.0).powi(2) + ((spsa.theta[1] - 256.0) / 16.0).powi(2);
            }
            let deviation = (squares / 100.0).sqrt();
            assert!(
                (0.5..2.0).contains(&deviation),
                "{iterations} iterations: {deviation} steps"
            );
        }
    }

    #[test]
    fn nothing_leaves_its_range() {
        let mut spsa = spsa(10, 1);
        for (advantage, upwards) in [(1e3, true), (-1e3, false)] {
            for _ in 0..10 {
                let trial = spsa.trial();
                for (number, values) in NUMBERS
                    .iter()
                    .zip(trial.sides[0].iter().zip(&trial.sides[1]))
                {
                    for value in [values.0, values.1] {
                        assert!(
                            (number.low..=number.high).contains(value),
                            "{}",
                            number.name
                        );
                        assert_eq!((value - number.low) % number.step, 0);
                    }
                }
                // As if every number were the better the larger, or the smaller, it is.
                let all = Trial {
                    signs: vec![1.0; 4],
                    ..trial
                };
                spsa.learn(&all, advantage);
            }
            let ends: Vec<i32> = NUMBERS
                .iter()
                .map(|n| if upwards { n.high } else { n.low })
                .collect();
            assert_eq!(spsa.values(), ends);
        }
    }

    #[test]
    fn trials_average_to_the_estimate_and_repeat_with_the_seed() {
        let mut spsa = spsa(1000, 7);
        assert_eq!(spsa.trial(), spsa.trial());
        spsa.theta[1] = 250.0;
        let mut sum = 0;
        let mut apart = 0;
        for _ in 0..1000 {
            let Trial {
                sides: [first, second],
                signs,
                ..
            } = spsa.trial();
            sum += first[1] + second[1];
            apart += (first[1] - second[1]) * signs[1] as i32;
            spsa.done += 1;
        }
        assert!((f64::from(sum) / 2000.0 - 250.0).abs() < 1.0, "{sum}");
        // Two perturbations of one step of 16 or a little more.
        assert!((32..=48).contains(&(apart / 1000)), "{apart}");
    }
}
