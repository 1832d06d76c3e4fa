//! The linear evaluation: one weight per pattern row and stage.
//!
//! The score is a constant, plus the weights of the rows that the placements show, plus a weight per
//! legal move of either side. All placements of a class share its weights, and rows of one orbit
//! have equal ones, so that the eight symmetric positions have one score.

use crate::board::{Board, Score};

use super::features::{ClassRows, OFFSETS};
use super::pattern::{self, PLACEMENT_COUNT, ROWS};

/// Number of stages.
pub const STAGES: usize = 16;

/// The stage of a position: four numbers of empties each; 60 and more share the last.
#[inline(always)]
pub const fn stage(empties: u32) -> usize {
    if empties < 60 { empties as usize / 4 } else { STAGES - 1 }
}

/// Row weights are in 1/128 disc, the others finer by this many bits.
const FINE_BITS: u32 = 3;
/// Fine units in one disc.
const FINE: f32 = (Score::DISC << FINE_BITS) as f32;

/// Features may in principle hold any 16-bit number: so many entries behind the last class's first
/// row make every index lie inside the table.
const PADDED_ROWS: usize = ROWS + (1 << 16);

/// The weights of one stage as the trainer knows them: float, in discs for the side to move.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearParameters {
    /// One weight per row of the pattern table, `ROWS` of them.
    pub rows: Vec<f32>,
    /// The worth of the position before any feature is looked at.
    pub constant: f32,
    /// Per legal move of the side to move.
    pub own_mobility: f32,
    /// Per square on which the other side could move; usually negative.
    pub opponent_mobility: f32,
}

/// The linear evaluation, all stages.
#[derive(Clone, PartialEq)]
pub struct Linear {
    stages: Vec<Stage>,
}

/// The integer weights of one stage.
#[derive(Clone, PartialEq)]
pub(super) struct Stage {
    /// In 1/128 disc; `PADDED_ROWS` of them.
    rows: Box<[i16]>,
    /// Constant, own and opponent's mobility in 1/1024 disc.
    pub(super) dense: [i32; 3],
}

impl LinearParameters {
    /// All weights 0.
    pub fn zero() -> Self {
        Self { rows: vec![0.0; ROWS], constant: 0.0, own_mobility: 0.0, opponent_mobility: 0.0 }
    }

    /// The score of `board` in discs, not clamped: what the integer evaluation approximates.
    ///
    /// Rows are read as they stand; they should be equal within an orbit.
    pub fn evaluate(&self, board: Board) -> f32 {
        let mut rows = [0; PLACEMENT_COUNT];
        pattern::rows(board, &mut rows);
        let sum: f32 = rows.iter().map(|&row| self.rows[row as usize]).sum();
        sum + self.constant
            + self.own_mobility * board.moves().count_ones() as f32
            + self.opponent_mobility * board.opponent_moves().count_ones() as f32
    }

    /// Makes the rows of every orbit equal: their mean.
    pub fn tie(&mut self) {
        for row in pattern::representatives() {
            let sum: f32 = pattern::orbit(row).map(|(other, _)| self.rows[other as usize]).sum();
            let mean = sum / pattern::orbit(row).len() as f32;
            pattern::orbit(row).for_each(|(other, _)| self.rows[other as usize] = mean);
        }
    }
}

impl Linear {
    /// Rounds the weights of the `STAGES` stages, tied first, to integers.
    ///
    /// # Panics
    /// If there are not `STAGES` stages of `ROWS` rows.
    pub fn quantize(stages: &[LinearParameters]) -> Self {
        assert_eq!(stages.len(), STAGES);
        Self { stages: stages.iter().map(Stage::quantize).collect() }
    }

    /// The evaluation with these integer weights; `None` unless there are `STAGES` stages.
    pub(super) fn from_stages(stages: Vec<Stage>) -> Option<Self> {
        (stages.len() == STAGES).then_some(Self { stages })
    }

    /// The integer weights by stage.
    pub(super) fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The score of `board` for the side to move; `rows` must be its rows.
    #[inline(always)]
    pub fn evaluate(&self, board: Board, rows: &ClassRows) -> Score {
        let stage = &self.stages[stage(board.empty_count())];
        let mobility = [board.moves().count_ones() as i32, board.opponent_moves().count_ones() as i32];
        let [constant, own, opponent] = stage.dense;
        let fine = constant + own * mobility[0] + opponent * mobility[1];
        let units = stage.sum(rows) + (fine >> FINE_BITS);
        Score::from_units(units).clamp(Score::MIN, Score::MAX)
    }
}

impl Stage {
    fn quantize(parameters: &LinearParameters) -> Self {
        let mut tied = parameters.clone();
        tied.tie();
        let unit = Score::DISC as f32;
        let rows: Vec<i16> = tied.rows.iter().map(|&weight| (weight * unit).round() as i16).collect();
        let half = 1 << (FINE_BITS - 1);
        let fine = |weight: f32| (weight * FINE).round() as i32;
        let dense = [fine(tied.constant) + half, fine(tied.own_mobility), fine(tied.opponent_mobility)];
        Self::new(&rows, dense).expect("quantized rows are complete and the dense weights small")
    }

    /// A stage of `ROWS` row weights and of dense weights below 2^24; `None` for others.
    pub(super) fn new(rows: &[i16], dense: [i32; 3]) -> Option<Self> {
        let fits = rows.len() == ROWS && dense.iter().all(|weight| weight.abs() < 1 << 24);
        let mut padded = rows.to_vec();
        padded.resize(PADDED_ROWS, 0);
        fits.then(|| Self { rows: padded.into(), dense })
    }

    /// The row weights.
    pub(super) fn rows(&self) -> &[i16] {
        &self.rows[..ROWS]
    }

    /// The sum of the weights of all rows shown, 1/128 disc.
    #[inline(always)]
    fn sum(&self, rows: &ClassRows) -> i32 {
        debug_assert_eq!(self.rows.len(), PADDED_ROWS);
        let mut sum = 0;
        for (&offset, &row) in OFFSETS.iter().zip(&rows.0).take(PLACEMENT_COUNT) {
            let index = offset as usize + row as usize;
            debug_assert!(index < PADDED_ROWS);
            // SAFETY: an offset is below `ROWS` and a row of a class below 2^16, whatever the features
            // hold; `Stage::new` makes every table `PADDED_ROWS` = `ROWS` + 2^16 long.
            sum += i32::from(unsafe { *self.rows.get_unchecked(index) });
        }
        sum
    }
}

impl std::fmt::Debug for Linear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Linear {{ {} stages of {ROWS} rows }}", self.stages.len())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::board::Symmetry;
    use crate::board::testing::random_positions;
    use crate::eval::features::Features;
    use crate::util::rng::Rng;

    pub(in crate::eval) fn random_parameters(seed: u64) -> Vec<LinearParameters> {
        let mut rng = Rng::new(seed);
        let mut number = |range: f32| (rng.unit() as f32 * 2.0 - 1.0) * range;
        (0..STAGES)
            .map(|_| LinearParameters {
                rows: (0..ROWS).map(|_| number(4.0)).collect(),
                constant: number(2.0),
                own_mobility: number(1.0),
                opponent_mobility: number(1.0),
            })
            .collect()
    }

    #[test]
    fn integers_follow_the_floats() {
        let mut parameters = random_parameters(1);
        parameters.iter_mut().for_each(LinearParameters::tie);
        let linear = Linear::quantize(&parameters);
        for board in random_positions(2, 20_000) {
            let float = parameters[stage(board.empty_count())].evaluate(board).clamp(-64.0, 64.0);
            let score = linear.evaluate(board, &Features::of(board).class_rows()).discs() as f32;
            assert!((score - float).abs() < 0.25, "{board:?}: {score} for {float}");
        }
    }

    #[test]
    fn symmetric_positions_have_one_score() {
        let linear = Linear::quantize(&random_parameters(3));
        for board in random_positions(4, 5_000) {
            let score = linear.evaluate(board, &Features::of(board).class_rows());
            for image in Symmetry::all().map(|symmetry| symmetry.apply(board)) {
                assert_eq!(linear.evaluate(image, &Features::of(image).class_rows()), score, "{board:?}");
            }
        }
    }

    #[test]
    fn stages_cover_all_numbers_of_empties() {
        assert_eq!((stage(0), stage(3), stage(4), stage(59), stage(60), stage(64)), (0, 0, 1, 14, 15, 15));
    }
}
