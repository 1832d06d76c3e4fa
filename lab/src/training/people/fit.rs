//! The fit: Adam on the log-loss of the moves played. One order of all sums, so that it repeats.

use super::samples::Sample;
use crate::engine::people::inputs::{MOVE_INPUTS, ONE, PLACE_INPUTS};
use crate::engine::people::net::{
    BLENDS, DISCS, HIDDEN, LINEAR, OPENING, OUTPUTS, RATINGS, UNIT_INPUTS, UNITS, WEIGHTS, discs_of,
    rating_inputs, shares,
};
use crate::util::rng::Rng;

/// Positions of a step.
const BATCH: usize = 256;
/// Parts of a step, each summed by one thread.
const PARTS: usize = 2;
/// First step size; it falls to 0 by a cosine.
const STEP: f32 = 3e-3;
/// Averages of gradients and of their squares keep these shares.
const KEEP: (f32, f32) = (0.9, 0.999);
/// Weights that are no biases shrink by this share of a step.
const DECAY: f32 = 1e-3;

/// Fits weights in `passes` over the samples; `report` gets the mean log-loss of each.
pub fn fit(samples: &[Sample], passes: usize, mut report: impl FnMut(usize, f64)) -> Vec<f32> {
    let mut rng = Rng::new(31);
    let mut weights = first(&mut rng);
    let mut adam = Adam::new();
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let steps = passes * samples.len().div_ceil(BATCH);
    for pass in 0..passes {
        rng.shuffle(&mut order);
        let mut loss = 0.0;
        for batch in order.chunks(BATCH) {
            let (gradient, sum) = gradient(&weights, samples, batch);
            loss += sum;
            let progress = adam.steps as f32 / steps as f32;
            let step = STEP * 0.5 * (1.0 + (progress * std::f32::consts::PI).cos());
            adam.step(&mut weights, &gradient, step, batch.len());
        }
        report(pass, loss / samples.len() as f64);
    }
    weights
}

/// Small random weights of the hidden units, 0 elsewhere.
fn first(rng: &mut Rng) -> Vec<f32> {
    let mut weights = vec![0.0; WEIGHTS];
    let width = 1.0 / (UNIT_INPUTS as f32).sqrt();
    for weight in &mut weights[UNITS..OPENING] {
        *weight = (2.0 * rng.unit() as f32 - 1.0) * width;
    }
    weights
}

struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    fn new() -> Self {
        Self {
            mean: vec![0.0; WEIGHTS],
            square: vec![0.0; WEIGHTS],
            steps: 0,
        }
    }

    fn step(&mut self, weights: &mut [f32], gradient: &[f32], step: f32, count: usize) {
        self.steps += 1;
        let mean_share = 1.0 - KEEP.0.powi(self.steps);
        let square_share = 1.0 - KEEP.1.powi(self.steps);
        for (index, weight) in weights.iter_mut().enumerate().take(OPENING) {
            let slope = gradient[index] / count as f32;
            self.mean[index] = KEEP.0 * self.mean[index] + (1.0 - KEEP.0) * slope;
            self.square[index] = KEEP.1 * self.square[index] + (1.0 - KEEP.1) * slope * slope;
            let mean = self.mean[index] / mean_share;
            let square = self.square[index] / square_share;
            *weight -= step * (mean / (square.sqrt() + 1e-8) + DECAY * *weight);
        }
    }
}

/// The sum of the gradients of a batch and its log-loss.
fn gradient(weights: &[f32], samples: &[Sample], batch: &[usize]) -> (Vec<f32>, f64) {
    let part = |part: &[usize]| {
        let mut gradient = vec![0.0; WEIGHTS];
        let mut scratch = Scratch::default();
        let loss = part
            .iter()
            .map(|&index| scratch.learn(weights, &samples[index], &mut gradient))
            .sum::<f64>();
        (gradient, loss)
    };
    let halves: Vec<&[usize]> = batch.chunks(batch.len().div_ceil(PARTS)).collect();
    let mut sums = std::thread::scope(|scope| {
        let others: Vec<_> = halves[1..]
            .iter()
            .map(|half| scope.spawn(|| part(half)))
            .collect();
        let mut sums = vec![part(halves[0])];
        sums.extend(
            others
                .into_iter()
                .map(|other| other.join().expect("no thread panics")),
        );
        sums
    });
    let (mut gradient, mut loss) = sums.remove(0);
    for (other, sum) in sums {
        gradient
            .iter_mut()
            .zip(&other)
            .for_each(|(all, part)| *all += part);
        loss += sum;
    }
    (gradient, loss)
}

/// The inputs and units of each move of one position.
#[derive(Default)]
struct Scratch {
    inputs: Vec<[f32; UNIT_INPUTS]>,
    units: Vec<[f32; HIDDEN]>,
    shares: Vec<f32>,
}

impl Scratch {
    /// Adds a sample's gradient; returns its log-loss.
    fn learn(&mut self, weights: &[f32], sample: &Sample, gradient: &mut [f32]) -> f64 {
        self.forward(weights, sample);
        let loss = -f64::from(self.shares[sample.played].max(1e-9).ln());
        self.shares[sample.played] -= 1.0;
        self.backward(weights, sample, gradient);
        loss
    }

    /// The probabilities of the moves.
    fn forward(&mut self, weights: &[f32], sample: &Sample) {
        let view = &sample.view;
        let mut blend = [0.0; MOVE_INPUTS];
        for (index, share) in float_shares(sample) {
            let row = &weights[LINEAR + index * MOVE_INPUTS..][..MOVE_INPUTS];
            blend
                .iter_mut()
                .zip(row)
                .for_each(|(sum, weight)| *sum += share * weight);
        }
        let mut inputs = [0.0; UNIT_INPUTS];
        let float = |number: i32| number as f32 / ONE as f32;
        for (to, &from) in inputs[MOVE_INPUTS..].iter_mut().zip(&view.place) {
            *to = float(from.into());
        }
        let of_rating = rating_inputs(sample.rating).map(float);
        inputs[MOVE_INPUTS + PLACE_INPUTS..].copy_from_slice(&of_rating);
        self.inputs.clear();
        self.units.clear();
        self.shares.clear();
        for sight in &view.moves {
            for (to, &from) in inputs.iter_mut().zip(&sight.inputs) {
                *to = float(from.into());
            }
            let mut units = [0.0f32; HIDDEN];
            for (row, &input) in weights[UNITS..OUTPUTS].chunks_exact(HIDDEN).zip(&inputs) {
                if input != 0.0 {
                    units
                        .iter_mut()
                        .zip(row)
                        .for_each(|(unit, weight)| *unit += input * weight);
                }
            }
            units.iter_mut().for_each(|unit| *unit = unit.max(0.0));
            let linear: f32 = blend
                .iter()
                .zip(&inputs)
                .map(|(weight, input)| weight * input)
                .sum();
            let discs: f32 = discs_of(sight.kind, sight.turned)
                .map(|at| weights[DISCS + at])
                .sum();
            let hidden: f32 = units
                .iter()
                .zip(&weights[OUTPUTS..OPENING])
                .map(|(unit, weight)| unit * weight)
                .sum();
            self.inputs.push(inputs);
            self.units.push(units);
            self.shares.push(linear + discs + hidden);
        }
        let top = self.shares.iter().copied().fold(f32::MIN, f32::max);
        self.shares
            .iter_mut()
            .for_each(|share| *share = (*share - top).exp());
        let sum: f32 = self.shares.iter().sum();
        self.shares.iter_mut().for_each(|share| *share /= sum);
    }

    /// Adds the gradient; `shares` are the slopes of the logits.
    fn backward(&self, weights: &[f32], sample: &Sample, gradient: &mut [f32]) {
        let mut blend = [0.0f32; MOVE_INPUTS];
        for (at, sight) in sample.view.moves.iter().enumerate() {
            let slope = self.shares[at];
            let inputs = &self.inputs[at];
            let units = &self.units[at];
            blend
                .iter_mut()
                .zip(inputs)
                .for_each(|(sum, input)| *sum += slope * input);
            for index in discs_of(sight.kind, sight.turned) {
                gradient[DISCS + index] += slope;
            }
            let mut slopes = [0.0f32; HIDDEN];
            for (unit, to) in slopes.iter_mut().enumerate() {
                gradient[OUTPUTS + unit] += slope * units[unit];
                let is_active = if units[unit] > 0.0 { 1.0 } else { 0.0 };
                *to = slope * weights[OUTPUTS + unit] * is_active;
            }
            for (row, &input) in gradient[UNITS..OUTPUTS]
                .chunks_exact_mut(HIDDEN)
                .zip(inputs)
            {
                if input != 0.0 {
                    row.iter_mut()
                        .zip(&slopes)
                        .for_each(|(sum, slope)| *sum += input * slope);
                }
            }
        }
        for (index, share) in float_shares(sample) {
            let row = &mut gradient[LINEAR + index * MOVE_INPUTS..][..MOVE_INPUTS];
            row.iter_mut()
                .zip(&blend)
                .for_each(|(sum, slope)| *sum += share * slope);
        }
    }
}

const _: () = assert!(DISCS == LINEAR + BLENDS * MOVE_INPUTS);

fn float_shares(sample: &Sample) -> impl Iterator<Item = (usize, f32)> {
    let whole = (ONE * ONE) as f32;
    let rating = sample.rating.min(RATINGS[RATINGS.len() - 1]);
    shares(sample.view.empties, rating)
        .map(move |(index, share)| (index, share as f32 / whole))
}
