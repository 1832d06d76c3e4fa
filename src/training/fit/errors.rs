//! How far an evaluation is from the labels, by number of empties.

use std::fmt;

use crate::training::labels::records::Record;

/// Errors in discs of a set of positions, one row per number of empties.
#[derive(Clone, Debug, Default)]
pub struct ErrorTable {
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    count: u64,
    squared: f64,
    absolute: f64,
    signed: f64,
}

impl Row {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.squared += other.squared;
        self.absolute += other.absolute;
        self.signed += other.signed;
    }
}

/// One line of an error table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorLine {
    /// Positions.
    pub count: u64,
    /// Root of the mean squared error, discs.
    pub rmse: f64,
    /// Mean absolute error, discs.
    pub mae: f64,
    /// Mean of evaluation minus label, discs.
    pub bias: f64,
}

impl ErrorTable {
    /// Compares `evaluate` (discs for the side to move) with the labels.
    pub fn measure(records: &[Record], mut evaluate: impl FnMut(&Record) -> f64) -> Self {
        let mut table = Self { rows: vec![Row::default(); 65] };
        for record in records {
            let error = evaluate(record) - record.score.discs();
            table.rows[record.board.empty_count() as usize].add(&Row {
                count: 1,
                squared: error * error,
                absolute: error.abs(),
                signed: error,
            });
        }
        table
    }

    /// The errors of positions whose number of empties lies in `empties`; `None` without positions.
    pub fn line(&self, empties: std::ops::RangeInclusive<usize>) -> Option<ErrorLine> {
        let mut sum = Row::default();
        for row in self.rows.get(empties).unwrap_or_default() {
            sum.add(row);
        }
        let count = sum.count as f64;
        (sum.count > 0).then(|| ErrorLine {
            count: sum.count,
            rmse: (sum.squared / count).sqrt(),
            mae: sum.absolute / count,
            bias: sum.signed / count,
        })
    }
}

impl fmt::Display for ErrorTable {
    /// A row per group of four numbers of empties, and one for all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>8} {:>9} {:>7} {:>7} {:>7}", "empties", "positions", "RMSE", "MAE", "bias")?;
        let groups = (0..64).step_by(4).map(|low| (format!("{low}-{}", low + 3), low..=low + 3));
        for (name, empties) in groups.chain([("all".to_owned(), 0..=64)]) {
            if let Some(line) = self.line(empties) {
                let ErrorLine { count, rmse, mae, bias } = line;
                writeln!(f, "{name:>8} {count:>9} {rmse:>7.3} {mae:>7.3} {bias:>+7.3}")?;
            }
        }
        Ok(())
    }
}
