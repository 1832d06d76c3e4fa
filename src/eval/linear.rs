//! The linear evaluation: one weight per pattern row and stage.
//!
//! The score is a constant, plus the weights of the rows that the placements show, plus a weight per
//! legal move of either side. All placements of a class share its weights, and rows of one orbit
//! have equal ones, so that the eight symmetric positions have one score.

use crate::board::{Board, Score};

use super::patterns::features::{ClassRows, OFFSETS};
use super::patterns::{PLACEMENT_COUNT, ROWS};
use super::stage::{STAGES, stage};

/// Row weights are in 1/128 disc, the others finer by this many bits.
pub(crate) const FINE_BITS: u32 = 3;

/// Features may in principle hold any 16-bit number: so many entries behind the last class's first
/// row make every index lie inside the table.
const PADDED_ROWS: usize = ROWS + (1 << 16);

/// The linear evaluation, all stages.
#[derive(Clone, PartialEq)]
pub struct Linear {
    stages: Vec<Stage>,
}

/// The integer weights of one stage.
#[derive(Clone, PartialEq)]
pub(crate) struct Stage {
    /// In 1/128 disc; `PADDED_ROWS` of them.
    rows: Box<[i16]>,
    /// Constant, own and opponent's mobility in 1/1024 disc.
    pub(crate) dense: [i32; 3],
}

impl Linear {
    /// The evaluation with these integer weights; `None` unless there are `STAGES` stages.
    pub(crate) fn from_stages(stages: Vec<Stage>) -> Option<Self> {
        (stages.len() == STAGES).then_some(Self { stages })
    }

    /// The integer weights by stage.
    pub(crate) fn stages(&self) -> &[Stage] {
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
    /// A stage of `ROWS` row weights and of dense weights below 2^24; `None` for others.
    pub(crate) fn new(rows: &[i16], dense: [i32; 3]) -> Option<Self> {
        let fits = rows.len() == ROWS && dense.iter().all(|weight| weight.abs() < 1 << 24);
        let mut padded = rows.to_vec();
        padded.resize(PADDED_ROWS, 0);
        fits.then(|| Self { rows: padded.into(), dense })
    }

    /// The row weights.
    pub(crate) fn rows(&self) -> &[i16] {
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
    use crate::board::testing::{random_positions, samples};
    use crate::eval::patterns;
    use crate::eval::patterns::features::Features;
    use crate::util::rng::Rng;

    /// Weights of any size, the rows of an orbit equal.
    pub(in crate::eval) fn random_linear(seed: u64) -> Linear {
        let mut rng = Rng::new(seed);
        let mut number = |range: u32| rng.below(2 * range + 1) as i32 - range as i32;
        let representatives = patterns::representatives();
        let stages = (0..STAGES).map(|_| {
            let mut rows = vec![0; ROWS];
            for &row in &representatives {
                let weight = number(512) as i16;
                patterns::orbit(row).for_each(|(other, _)| rows[other as usize] = weight);
            }
            Stage::new(&rows, [number(2048), number(1024), number(1024)]).expect("small and complete")
        });
        Linear::from_stages(stages.collect()).expect("as many as there are stages")
    }

    #[test]
    fn symmetric_positions_have_one_score() {
        let linear = random_linear(3);
        for board in random_positions(4, samples(1_000) as usize) {
            let score = linear.evaluate(board, &Features::of(board).class_rows());
            for image in Symmetry::all().map(|symmetry| symmetry.apply(board)) {
                assert_eq!(linear.evaluate(image, &Features::of(image).class_rows()), score, "{board:?}");
            }
        }
    }
}
