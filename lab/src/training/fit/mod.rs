//! One training run: positions in, weights out, errors by number of empties on the way.

pub mod errors;
pub mod head;
pub mod network;
pub mod orbits;
pub mod parameters;
pub mod parts;
mod quantize;
pub mod tables;

use std::time::Instant;

use anyhow::Result;

use crate::eval::network::Network;
use crate::eval::patterns::features::Features;
use crate::training::labels::dataset::Dataset;
use errors::ErrorTable;
use network::{Model, Schedule};
use parameters::NetworkParameters;

/// Epochs without progress on the held-out positions that end a fit.
const PATIENCE: u32 = 2;

pub struct Epoch<'a> {
    /// From 1.
    pub number: u32,
    /// Error on the training positions in discs, each before it was learned from (RMSE).
    pub training: f64,
    /// Errors of the written weights on the held-out positions.
    pub held_out: &'a ErrorTable,
    /// Seconds since the fit began.
    pub seconds: f64,
    /// The weights, if they are the best so far: a checkpoint.
    pub best: Option<Network>,
}

/// Fits, from the weights of `init` on if there are any; `report` receives every epoch.
///
/// # Errors
/// The first error of `report`, which ends the fit at once.
pub fn run(
    dataset: &mut Dataset,
    schedule: &Schedule,
    init: Option<&Network>,
    report: &mut dyn FnMut(Epoch) -> Result<()>,
) -> Result<()> {
    let Dataset {
        train, held_out, ..
    } = dataset;
    let mut model = match init {
        Some(network) => Model::of(&NetworkParameters::of(network), schedule),
        None => Model::new(schedule),
    };
    let start = Instant::now();
    let mut least = f64::INFINITY;
    let mut stale = 0;
    let mut failed = Ok(());
    model.fit(train, schedule, &mut |number, training, model| {
        let network = model.parameters().quantize();
        let held_out = ErrorTable::measure(held_out, |record| {
            network
                .evaluate(record.board, &Features::of(record.board).class_rows())
                .discs()
        });
        // Weights that are no numbers are zeros as integers: no error of theirs counts.
        let rmse = if training.is_finite() {
            held_out.rmse().unwrap_or(training)
        } else {
            f64::INFINITY
        };
        let improved = rmse < least;
        least = least.min(rmse);
        stale = if improved { 0 } else { stale + 1 };
        let best = improved.then_some(network);
        let seconds = start.elapsed().as_secs_f64();
        failed = report(Epoch {
            number,
            training,
            held_out: &held_out,
            seconds,
            best,
        });
        failed.is_ok() && stale < PATIENCE
    });
    failed
}
