//! Fitting the network: minibatches, Adagrad on the rows a batch touches, Adam on the heads.
//!
//! Within a batch every thread first takes its share of the positions forward and backward, then
//! updates its share of the rows from all of them, and last its share of their parts, so that nothing is written by two
//! threads and the same seed and number of threads give the same weights.
//!
//! Sources: Adam, Kingma and Ba 2015; cosine schedule, Loshchilov and Hutter 2017.

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::parameters::{FIRST_BOUNDS, NetworkParameters};
use crate::board::Board;
use crate::eval::network::inputs::Dense;
use crate::eval::network::shape::{STAGES, TABLES, stage, table};
use crate::eval::patterns::{PLACEMENT_COUNT, ROWS};
use crate::util::rng::Rng;

use super::head::{Head, Trace, WIDTH};
use super::orbits::TiedRow;
use super::tables::{Layout, RowRate, RowUpdate, Shard, Table};
use crate::training::labels::records::Record;

/// Discs of error that count as one in the loss: keeps gradients near 1.
const ERROR_SCALE: f32 = 16.0;
/// Adam's memory of gradients and of their squares.
const ADAM: (f32, f32) = (0.9, 0.999);
const ADAM_EPSILON: f32 = 1e-8;

#[derive(Clone, Debug)]
pub struct Schedule {
    pub epochs: u32,
    /// The first passes fit one table to all positions; each stage's table begins with it, so that rows which are rare in
    /// a stage are similar to those of the other stages.
    pub shared_epochs: u32,
    pub batch: usize,
    /// Row step at the start; falls to 0 along a cosine.
    pub row_rate: f32,
    /// Squared gradient that every row starts with.
    pub row_prior: f32,
    /// The same of a part, if rows have parts.
    pub part_prior: Option<f32>,
    /// Rows that a stage meets less often in a pass take the numbers of the stage before, so that the file is small.
    pub least_met: u32,
    /// Adam's step at the start; falls with the row step.
    pub head_rate: f32,
    /// Share of its gradient that a clipped unit passes. Weights that have converged first move away with it.
    pub leak: f32,
    /// Order of positions and first weights depend on it.
    pub seed: u64,
    pub threads: usize,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            epochs: 4,
            shared_epochs: 1,
            batch: 128,
            row_rate: 0.02,
            row_prior: 0.036,
            part_prior: Some(0.003),
            least_met: 16,
            head_rate: 0.001,
            leak: 0.2,
            seed: 1,
            threads: 1,
        }
    }
}

impl Schedule {
    /// The schedule of a fit that goes on with weights which have learned.
    pub fn continued() -> Self {
        Self {
            // Full steps would undo the weights before the fit has seen how much each of them still moves.
            row_rate: 0.002,
            row_prior: 0.003,
            part_prior: None,
            least_met: 0,
            leak: 0.0,
            ..Self::default()
        }
    }
}

pub struct Model {
    bounds: [u32; TABLES - 1],
    /// One table for all parts of the game, or one for each.
    tables: Vec<Table>,
    heads: Vec<Head>,
    leak: f32,
    least_met: u32,
    layout: Layout,
}

struct Prepared {
    table: usize,
    stage: usize,
    dense: Dense,
    tied: [TiedRow; PLACEMENT_COUNT],
}

/// One thread's part of a batch after the backward pass.
struct Share {
    updates: Vec<(usize, RowUpdate)>,
    gradients: Vec<Head>,
    counts: Vec<u32>,
    squared_error: f64,
}

impl Model {
    /// Rows 0; the heads random, but the same in all stages, so that lanes mean the same to all.
    pub fn new(schedule: &Schedule) -> Self {
        let head = Head::random(&mut Rng::new(schedule.seed));
        let layout = Layout::default();
        let parts = schedule.part_prior.map_or(0, |_| layout.parts.count);
        let tables = if schedule.shared_epochs > 0 {
            1
        } else {
            TABLES
        };
        Self {
            bounds: FIRST_BOUNDS,
            tables: (0..tables)
                .map(|_| Table::new(schedule.threads, parts))
                .collect(),
            heads: vec![head; STAGES],
            leak: schedule.leak,
            least_met: schedule.least_met,
            layout,
        }
    }

    /// A network that has learned already; its stages have parted.
    pub fn of(parameters: &NetworkParameters, schedule: &Schedule) -> Self {
        let mut model = Self::new(&Schedule {
            shared_epochs: 0,
            ..schedule.clone()
        });
        model.bounds = parameters.bounds;
        model.heads.clone_from(&parameters.heads);
        for (table, numbers) in model.tables.iter_mut().zip(&parameters.tables) {
            for (row, blocks) in (0..).zip(numbers.as_chunks::<WIDTH>().0) {
                if model.layout.orbits.least(row).0 == row {
                    table.set_own(row, blocks);
                }
            }
        }
        model
    }

    fn prepare(&self, board: Board) -> Prepared {
        let empties = board.empty_count();
        Prepared {
            table: if self.is_shared() {
                0
            } else {
                table(&self.bounds, empties)
            },
            stage: stage(empties),
            dense: Dense::of(board, true),
            tied: self.layout.orbits.tied(board),
        }
    }

    /// The value of a position in discs for the side to move.
    #[cfg(test)]
    pub fn evaluate(&self, board: Board) -> f32 {
        let position = self.prepare(board);
        let accumulator = self.tables[position.table].accumulate(&self.layout, &position.tied);
        self.heads[position.stage].forward(
            &self.layout.product,
            &accumulator,
            &position.dense,
            &mut Trace::default(),
        )
    }

    /// Whether all stages share one table.
    fn is_shared(&self) -> bool {
        self.tables.len() < TABLES
    }

    /// Gives each stage a copy of the table that all have shared.
    fn part(&mut self) {
        self.tables[0].loosen();
        self.tables.resize(TABLES, self.tables[0].clone());
    }

    fn share(&self, records: &[Record]) -> Share {
        let mut share = Share {
            updates: Vec::with_capacity(records.len()),
            gradients: vec![Head::zero(); STAGES],
            counts: vec![0; STAGES],
            squared_error: 0.0,
        };
        let mut trace = Trace::default();
        for record in records {
            let position = self.prepare(record.board);
            let accumulator = self.tables[position.table].accumulate(&self.layout, &position.tied);
            let head = &self.heads[position.stage];
            let value = head.forward(
                &self.layout.product,
                &accumulator,
                &position.dense,
                &mut trace,
            );
            let error = value - record.score.discs() as f32;
            share.squared_error += f64::from(error * error);
            share.counts[position.stage] += 1;
            let slope = error / (ERROR_SCALE * ERROR_SCALE);
            let gradients = &mut share.gradients[position.stage];
            let gradient = head.backward(
                &self.layout.product,
                &accumulator,
                &trace,
                slope,
                self.leak,
                gradients,
            );
            share.updates.push((
                position.table,
                RowUpdate {
                    tied: position.tied,
                    gradient,
                },
            ));
        }
        share
    }

    /// One step over a batch; the sum of squared errors in discs before it.
    fn step(&mut self, adam: &mut [Adam], schedule: &Schedule, rate: f32, batch: &[Record]) -> f64 {
        let threads = schedule.threads;
        let size = batch.len().div_ceil(threads);
        // Step 1. Forward and backward, positions split among threads.
        let shares: Vec<Share> = thread::scope(|scope| {
            let model = &*self;
            let mut parts = batch.chunks(size);
            let own = parts.next().unwrap_or_default();
            // If the system refuses a thread, this one does its part.
            let spawn = |part| {
                let thread = thread::Builder::new().spawn_scoped(scope, move || model.share(part));
                thread.map_err(|_| part)
            };
            let others: Vec<_> = parts.map(spawn).collect();
            let joined = others.into_iter().map(|part| match part {
                Ok(thread) => thread.join().expect("no share panics"),
                Err(part) => model.share(part),
            });
            std::iter::once(model.share(own)).chain(joined).collect()
        });
        // Step 2. Rows, then their parts, split among threads.
        let layout = &self.layout;
        let updates = || shares.iter().flat_map(|share| &share.updates);
        let row_rate = RowRate {
            rate: rate * schedule.row_rate,
            prior: schedule.row_prior,
        };
        let mut jobs: Vec<Vec<(&mut Shard, &[Shard])>> = (0..threads).map(|_| Vec::new()).collect();
        for Table { rows, parts } in &mut self.tables {
            jobs.iter_mut()
                .zip(rows)
                .for_each(|(job, shard)| job.push((shard, parts)));
        }
        side_by_side(jobs, |mut tables| {
            for (table, update) in updates() {
                let (shard, parts) = &mut tables[*table];
                shard.update_rows(parts, layout, row_rate, update);
            }
        });
        if let Some(prior) = schedule.part_prior {
            let mut jobs: Vec<Vec<&mut Shard>> = (0..threads).map(|_| Vec::new()).collect();
            for table in &mut self.tables {
                jobs.iter_mut()
                    .zip(&mut table.parts)
                    .for_each(|(job, shard)| job.push(shard));
            }
            side_by_side(jobs, |mut tables| {
                for (table, update) in updates() {
                    tables[*table].update_parts(layout, RowRate { prior, ..row_rate }, update);
                }
            });
        }
        // Step 3. Heads that the batch has touched.
        for (stage, adam) in adam.iter_mut().enumerate() {
            let count: u32 = shares.iter().map(|share| share.counts[stage]).sum();
            if count > 0 {
                let mut parts: Vec<Head> = shares
                    .iter()
                    .map(|share| share.gradients[stage].clone())
                    .collect();
                adam.step(
                    &mut self.heads[stage],
                    &mut parts,
                    count,
                    rate * schedule.head_rate,
                );
            }
        }
        shares.iter().map(|share| share.squared_error).sum()
    }

    /// Fits to `records`, which are shuffled before every epoch.
    ///
    /// After each epoch `report` gets its number from 1, the training error (RMSE in discs, each position before it was
    /// learned from) and the model; `false` ends the fit.
    pub fn fit(
        &mut self,
        records: &mut [Record],
        schedule: &Schedule,
        report: &mut dyn FnMut(u32, f64, &Self) -> bool,
    ) {
        let mut adam = vec![Adam::new(); STAGES];
        let mut rng = Rng::new(schedule.seed ^ 0x5EED);
        let steps = records.len().div_ceil(schedule.batch) as f64 * f64::from(schedule.epochs);
        let mut step = 0.0;
        for epoch in 1..=schedule.epochs {
            if self.is_shared() && epoch > schedule.shared_epochs {
                self.part();
            }
            self.tables.iter_mut().for_each(Table::begin_pass);
            rng.shuffle(records);
            let mut squared_error = 0.0;
            for batch in records.chunks(schedule.batch) {
                let rate = 0.5 * (1.0 + (std::f64::consts::PI * step / steps).cos());
                squared_error += self.step(&mut adam, schedule, rate as f32, batch);
                step += 1.0;
            }
            if !report(
                epoch,
                (squared_error / records.len().max(1) as f64).sqrt(),
                self,
            ) {
                return;
            }
        }
    }

    /// Whether a table has its numbers for a row: the first one for all rows that were met, the others for those that they
    /// met often.
    fn is_written(&self, table: usize, row: u32) -> bool {
        let met = |table: &Table| table.met(self.layout.orbits.least(row).0);
        match table {
            0 => self.least_met == 0 || self.tables.iter().any(|table| met(table) > 0),
            _ => met(&self.tables[table]) >= self.least_met,
        }
    }

    /// The weights in the order of the evaluation, rows of an orbit equal to the bit.
    pub fn parameters(&self) -> NetworkParameters {
        let mut tables: Vec<Vec<f32>> = Vec::with_capacity(TABLES);
        for table in &self.tables {
            let mut numbers = Vec::with_capacity(ROWS * WIDTH);
            for row in 0..ROWS as u32 {
                let before = tables.last().map_or(&[0.0; WIDTH][..], |before| {
                    &before[numbers.len()..][..WIDTH]
                });
                let own = table.expanded_row(&self.layout, row);
                numbers.extend_from_slice(if self.is_written(tables.len(), row) {
                    &own
                } else {
                    before
                });
            }
            tables.push(numbers);
        }
        while tables.len() < TABLES {
            tables.push(tables[0].clone());
        }
        NetworkParameters {
            bounds: self.bounds,
            tables,
            heads: self.heads.clone(),
        }
    }
}

/// Does `work` on each of `jobs`, on as many threads as the system gives.
fn side_by_side<T: Send>(jobs: Vec<T>, work: impl Fn(T) + Sync) {
    let threads = jobs.len();
    let jobs = Mutex::new(jobs);
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let work_some = || {
        while let Some(job) = next() {
            work(job);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            drop(thread::Builder::new().spawn_scoped(scope, work_some));
        }
        work_some();
    });
}

#[derive(Clone)]
struct Adam {
    mean: Head,
    square: Head,
    steps: i32,
}

impl Adam {
    fn new() -> Self {
        Self {
            mean: Head::zero(),
            square: Head::zero(),
            steps: 0,
        }
    }

    /// Moves `head` against the mean of gradients that are given as sums over `count` positions.
    fn step(&mut self, head: &mut Head, gradients: &mut [Head], count: u32, rate: f32) {
        self.steps += 1;
        let correction = (1.0 - ADAM.0.powi(self.steps), 1.0 - ADAM.1.powi(self.steps));
        let (first, rest) = gradients.split_first_mut().expect("at least one thread");
        for other in rest {
            for (sum, part) in first.parts_mut().into_iter().zip(other.parts_mut()) {
                sum.iter_mut()
                    .zip(part)
                    .for_each(|(sum, part)| *sum += *part);
            }
        }
        let moments = self
            .mean
            .parts_mut()
            .into_iter()
            .zip(self.square.parts_mut());
        for ((weights, gradients), (means, squares)) in head
            .parts_mut()
            .into_iter()
            .zip(first.parts_mut())
            .zip(moments)
        {
            for i in 0..weights.len() {
                let gradient = gradients[i] / count as f32;
                means[i] += (1.0 - ADAM.0) * (gradient - means[i]);
                squares[i] += (1.0 - ADAM.1) * (gradient * gradient - squares[i]);
                let size = (squares[i] / correction.1).sqrt() + ADAM_EPSILON;
                weights[i] -= rate * means[i] / correction.0 / size;
            }
        }
        head.clamp();
    }
}

#[cfg(test)]
mod tests;
