//! One training run: positions in, weights out, errors by number of empties on the way.

#[cfg(test)]
mod definition;
pub mod errors;
pub mod head;
pub mod linear;
pub mod linear_parameters;
pub mod network;
pub mod orbits;
pub mod parameters;
mod quantize;
pub mod tables;

use std::time::Instant;

use anyhow::Result;

use crate::eval::linear::Linear;
use crate::eval::network::Network;
use crate::eval::stage::stage;
use crate::eval::{EvalKind, Weights};
use parameters::NetworkParameters;
use quantize::{linear_parameters, quantize_linear};

use crate::training::labels::dataset::Dataset;
use crate::training::labels::records::Record;
use errors::ErrorTable;

/// Epochs without progress on the held-out positions that end a fit.
const PATIENCE: u32 = 2;

/// What is fitted, and how.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// The linear evaluation.
    Linear(linear::Schedule),
    /// The network.
    Network(network::Schedule),
}

/// Fitted weights.
#[expect(clippy::large_enum_variant, reason = "there is one per epoch")]
pub enum Fitted {
    /// The linear evaluation.
    Linear(Linear),
    /// The network.
    Network(Network),
}

/// What an epoch has come to.
pub struct Epoch<'a> {
    /// From 1.
    pub number: u32,
    /// Error on the training positions in discs, each before it was learned from (RMSE).
    pub training: f64,
    /// Errors on the held-out positions, in floating point.
    pub held_out: &'a ErrorTable,
    /// Seconds since the fit began.
    pub seconds: f64,
    /// The weights, if they are the best so far: a checkpoint.
    pub best: Option<Fitted>,
}

impl Schedule {
    /// Which evaluation is fitted.
    pub fn kind(&self) -> EvalKind {
        match self {
            Self::Linear(_) => EvalKind::Linear,
            Self::Network(_) => EvalKind::Network,
        }
    }
}

/// Keeps the best epoch and ends a fit that no longer gains.
struct Watch<'a> {
    held_out: &'a [Record],
    start: Instant,
    best: f64,
    stale: u32,
    report: &'a mut dyn FnMut(Epoch) -> Result<()>,
    failed: Result<()>,
}

impl Watch<'_> {
    /// Whether the fit shall go on.
    fn epoch(
        &mut self,
        number: u32,
        training: f64,
        evaluate: impl Fn(&Record) -> f64,
        weights: impl Fn() -> Fitted,
    ) -> bool {
        let held_out = ErrorTable::measure(self.held_out, evaluate);
        let rmse = held_out.line(0..=64).map_or(training, |line| line.rmse);
        let improved = rmse < self.best;
        self.best = self.best.min(rmse);
        self.stale = if improved { 0 } else { self.stale + 1 };
        let best = improved.then(weights);
        let seconds = self.start.elapsed().as_secs_f64();
        self.failed = (self.report)(Epoch { number, training, held_out: &held_out, seconds, best });
        self.failed.is_ok() && self.stale < PATIENCE
    }
}

/// Fits, beginning with the weights of `from` where it holds what is fitted; `report` gets every epoch and
/// may keep the weights of the best one so far.
///
/// # Errors
/// The first error of `report`, which ends the fit at once.
pub fn run(
    dataset: &mut Dataset,
    schedule: &Schedule,
    from: Option<&Weights>,
    report: &mut dyn FnMut(Epoch) -> Result<()>,
) -> Result<()> {
    let Dataset { train, held_out, .. } = dataset;
    let (start, best) = (Instant::now(), f64::INFINITY);
    let mut watch = Watch { held_out, start, best, stale: 0, report, failed: Ok(()) };
    match schedule {
        Schedule::Linear(schedule) => {
            let known = from.and_then(|weights| weights.linear.as_ref()).map(linear_parameters);
            linear::fit(train, schedule, known.as_deref(), &mut |epoch, training, stages| {
                let value = |record: &Record| {
                    f64::from(stages[stage(record.board.empty_count())].evaluate(record.board))
                };
                watch.epoch(epoch, training, value, || Fitted::Linear(quantize_linear(stages)))
            });
        }
        Schedule::Network(schedule) => {
            let known = from.and_then(|weights| weights.network.as_ref()).map(NetworkParameters::of);
            let mut model = match &known {
                Some(parameters) => network::Model::of(parameters, schedule),
                None => network::Model::new(schedule),
            };
            model.fit(train, schedule, &mut |epoch, training, model| {
                let value = |record: &Record| f64::from(model.evaluate(record.board));
                watch.epoch(epoch, training, value, || Fitted::Network(model.parameters().quantize()))
            });
        }
    }
    watch.failed
}
