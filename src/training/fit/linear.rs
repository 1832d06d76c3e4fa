//! Fitting the linear evaluation: Adagrad, one weight per row and stage; first one stage for all.

use super::linear_parameters::LinearParameters;
use crate::board::Symmetry;
use crate::eval::patterns::{self, PLACEMENT_COUNT, ROWS};
use crate::eval::stage::{STAGES, stage};
use crate::util::rng::Rng;

use super::orbits::{Orbits, TiedRow};
use super::tables::KEPT_SQUARES;
use crate::training::labels::records::Record;

/// How the linear evaluation is fitted.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Passes over the training positions.
    pub epochs: u32,
    /// The first passes fit one stage to all positions; then each stage goes on from it.
    pub shared_epochs: u32,
    /// Step at the start; falls to 0 along a cosine.
    pub rate: f32,
    /// Squared gradient that every weight starts with: damps rows seen rarely.
    pub prior: f32,
    /// The order of the positions depends on it.
    pub seed: u64,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { epochs: 4, shared_epochs: 1, rate: 1.0, prior: 100.0, seed: 1 }
    }
}

/// Inputs besides the rows: a constant 1 and mobility of both sides.
const DENSE: usize = 3;

/// One stage in training.
#[derive(Clone)]
struct Stage {
    weights: Vec<f32>,
    squares: Vec<f32>,
}

impl Stage {
    fn new(prior: f32) -> Self {
        let mut stage = Self { weights: vec![0.0; ROWS + DENSE], squares: vec![prior; ROWS + DENSE] };
        // The dense inputs are seen by every position: let them find their place at once.
        stage.squares[ROWS..].fill(prior * 10.0);
        stage
    }

    /// Forgets most of its past gradients, so that it moves again.
    fn loosen(&mut self) {
        self.squares.iter_mut().for_each(|square| *square *= KEPT_SQUARES);
    }

    /// One position: the error in discs before its step.
    fn step(
        &mut self,
        rows: &[TiedRow; PLACEMENT_COUNT],
        dense: [f32; DENSE],
        target: f32,
        rate: f32,
    ) -> f32 {
        let sum: f32 = rows.iter().map(|tied| self.weights[tied.row as usize]).sum();
        let dense_sum: f32 = (0..DENSE).map(|i| self.weights[ROWS + i] * dense[i]).sum();
        let error = sum + dense_sum - target;
        for tied in rows {
            self.learn(tied.row as usize, error, rate);
        }
        for (i, input) in dense.iter().enumerate() {
            self.learn(ROWS + i, error * input, rate);
        }
        error
    }

    #[inline(always)]
    fn learn(&mut self, at: usize, gradient: f32, rate: f32) {
        self.squares[at] += gradient * gradient;
        self.weights[at] -= rate * gradient / self.squares[at].sqrt();
    }
}

/// Where a fit of the linear evaluation begins.
fn begin(schedule: &Schedule, start: Option<&[LinearParameters]>) -> Vec<Stage> {
    let mut stages: Vec<Stage> = (0..STAGES).map(|_| Stage::new(schedule.prior)).collect();
    for (stage, parameters) in stages.iter_mut().zip(start.into_iter().flatten()) {
        stage.weights[..ROWS].copy_from_slice(&parameters.rows);
        stage.weights[ROWS..].copy_from_slice(&[
            parameters.constant,
            parameters.own_mobility,
            parameters.opponent_mobility,
        ]);
    }
    stages
}

/// Fits all stages to `records`, which are shuffled before every epoch.
///
/// The weights begin at 0, or at those of `start`, whose stages have parted: there are no shared passes then. After
/// each epoch `report` gets its number from 1, the training error (RMSE in discs, each position before it was learned
/// from) and the weights by stage; `false` ends the fit.
pub fn fit(
    records: &mut [Record],
    schedule: &Schedule,
    start: Option<&[LinearParameters]>,
    report: &mut dyn FnMut(u32, f64, &[LinearParameters]) -> bool,
) {
    let orbits = Orbits::new();
    let mut stages = begin(schedule, start);
    let shared_epochs = if start.is_some() { 0 } else { schedule.shared_epochs };
    let mut rng = Rng::new(schedule.seed);
    let total = records.len() as f64 * f64::from(schedule.epochs);
    let mut seen = 0.0;
    for epoch in 1..=schedule.epochs {
        let shared = epoch <= shared_epochs;
        if epoch == shared_epochs + 1 && start.is_none() {
            stages.iter_mut().for_each(Stage::loosen);
        }
        rng.shuffle(records);
        let mut squared_error = 0.0;
        for record in &*records {
            let mut rows = [0; PLACEMENT_COUNT];
            let mut tied = [TiedRow { row: 0, symmetry: Symmetry::IDENTITY }; PLACEMENT_COUNT];
            patterns::rows(record.board, &mut rows);
            orbits.tie(&rows, &mut tied);
            let board = record.board;
            let dense = [1.0, board.moves().count_ones() as f32, board.opponent_moves().count_ones() as f32];
            let rate = 0.5 * (1.0 + (std::f64::consts::PI * seen / total).cos()) as f32 * schedule.rate;
            let target = record.score.discs() as f32;
            let stage = if shared { 0 } else { stage(board.empty_count()) };
            let error = stages[stage].step(&tied, dense, target, rate);
            squared_error += f64::from(error * error);
            seen += 1.0;
        }
        let rmse = (squared_error / records.len().max(1) as f64).sqrt();
        if shared {
            stages = vec![stages[0].clone(); STAGES];
        }
        if !report(epoch, rmse, &parameters(&stages, &orbits)) {
            return;
        }
    }
}

fn parameters(stages: &[Stage], orbits: &Orbits) -> Vec<LinearParameters> {
    let expand = |stage: &Stage| LinearParameters {
        rows: (0..ROWS as u32).map(|row| stage.weights[orbits.least(row).0 as usize]).collect(),
        constant: stage.weights[ROWS],
        own_mobility: stage.weights[ROWS + 1],
        opponent_mobility: stage.weights[ROWS + 2],
    };
    stages.iter().map(expand).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Score;
    use crate::training::labels::dataset::tests::random_records;

    #[test]
    fn a_fit_learns_mobility_and_ties_the_rows() {
        let mut records = random_records(3000);
        for record in &mut records {
            let (own, other) = (record.board.moves(), record.board.opponent_moves());
            record.score = Score::from_discs(own.count_ones() as i32 - other.count_ones() as i32);
        }
        let mut errors = Vec::new();
        let mut last = Vec::new();
        fit(
            &mut records,
            &Schedule { prior: 10.0, ..Schedule::default() },
            None,
            &mut |_, training, stages| {
                errors.push(training);
                last = stages.to_vec();
                true
            },
        );
        assert!(errors[3] < 0.5 * errors[0], "{errors:?}");
        let mut again = Vec::new();
        // Large first steps would undo what was learned.
        let once = Schedule { epochs: 1, rate: 0.1, prior: 10.0, ..Schedule::default() };
        fit(&mut records, &once, Some(&last), &mut |_, training, _| {
            again.push(training);
            true
        });
        assert!(again[0] < 0.75 * errors[0], "{again:?} after {errors:?}");
        for row in (0..ROWS as u32).step_by(97) {
            for (other, _) in patterns::orbit(row) {
                assert_eq!(last[5].rows[row as usize], last[5].rows[other as usize]);
            }
        }
    }

    #[test]
    fn stages_are_one_in_the_shared_passes_and_part_after_them() {
        let mut records = random_records(2000);
        for record in &mut records {
            record.score = Score::from_discs(record.board.empty_count() as i32 % 8);
        }
        let schedule = Schedule { epochs: 2, ..Schedule::default() };
        let mut alike = Vec::new();
        fit(&mut records, &schedule, None, &mut |_, _, stages| {
            alike.push(stages.iter().all(|stage| *stage == stages[0]));
            true
        });
        assert_eq!(alike, [true, false]);
    }
}
