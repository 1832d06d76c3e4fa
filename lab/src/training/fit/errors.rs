//! How far an evaluation is from the labels, by number of empties.

use std::fmt;
use std::ops::RangeInclusive;

use crate::training::labels::records::Record;

/// Errors in discs, evaluation minus label: count, sum, sum of sizes and sum of squares for each number of empties.
#[derive(Clone, Debug)]
pub struct ErrorTable([[f64; 4]; 65]);

impl ErrorTable {
    /// Compares `evaluate` (discs for the side to move) with the labels.
    pub fn measure(records: &[Record], mut evaluate: impl FnMut(&Record) -> f64) -> Self {
        let mut rows = [[0.0; 4]; 65];
        for record in records {
            let error = evaluate(record) - record.score.discs();
            let row = &mut rows[record.board.empty_count() as usize];
            row.iter_mut()
                .zip([1.0, error, error.abs(), error * error])
                .for_each(|(sum, part)| *sum += part);
        }
        Self(rows)
    }

    /// Count, bias (mean), mean size and root of the mean square of the errors; `None` without positions.
    fn line(&self, empties: RangeInclusive<usize>) -> Option<[f64; 4]> {
        let sum = |part: usize| {
            self.0[empties.clone()]
                .iter()
                .map(|row| row[part])
                .sum::<f64>()
        };
        let count = sum(0);
        (count > 0.0).then(|| {
            [
                count,
                sum(1) / count,
                sum(2) / count,
                (sum(3) / count).sqrt(),
            ]
        })
    }

    /// Root of the mean squared error of all positions, discs.
    pub fn rmse(&self) -> Option<f64> {
        self.line(0..=64).map(|[.., rmse]| rmse)
    }

    /// Count, RMSE, MAE and bias of all positions, in the columns of the table; empty without positions.
    pub fn summary(&self) -> String {
        self.line(0..=64).map(columns).unwrap_or_default()
    }
}

fn columns([count, bias, mae, rmse]: [f64; 4]) -> String {
    format!("{count:>9} {rmse:>7.3} {mae:>7.3} {bias:>+7.3}")
}

impl fmt::Display for ErrorTable {
    /// A row per group of four numbers of empties, and one for all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>8} {:>9} {:>7} {:>7} {:>7}",
            "empties", "positions", "RMSE", "MAE", "bias"
        )?;
        let groups = (0..64)
            .step_by(4)
            .map(|low| (format!("{low}-{}", low + 3), low..=low + 3));
        for (name, empties) in groups.chain([("all".to_owned(), 0..=64)]) {
            if let Some(line) = self.line(empties) {
                writeln!(f, "{name:>8} {}", columns(line))?;
            }
        }
        Ok(())
    }
}
