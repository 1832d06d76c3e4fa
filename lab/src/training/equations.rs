//! Least squares.

/// The products of two lists' members, added up.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The normal equations of a fit: a row for each unknown, its coefficients and the right side.
pub struct Equations(Vec<Vec<f64>>);

impl Equations {
    /// No sample yet. `ridge` is added to each sum of squares: with it, an unknown of no sample is 0.
    pub fn new(unknowns: usize, ridge: f64) -> Self {
        let mut rows = vec![vec![0.0; unknowns + 1]; unknowns];
        rows.iter_mut()
            .enumerate()
            .for_each(|(index, row)| row[index] = ridge);
        Self(rows)
    }

    /// Adds a sample: the sum of the unknowns times these terms should be `value`.
    pub fn add(&mut self, terms: &[f64], value: f64) {
        for (row, &left) in self
            .0
            .iter_mut()
            .zip(terms)
            .filter(|(_, left)| **left != 0.0)
        {
            row.iter_mut()
                .zip(terms.iter().chain([&value]))
                .for_each(|(cell, right)| *cell += left * right);
        }
    }

    /// The unknowns, by Gaussian elimination; `None` where the samples leave one open.
    pub fn solve(self) -> Option<Vec<f64>> {
        let Self(mut rows) = self;
        let unknowns = rows.len();
        for column in 0..unknowns {
            let size = |row: usize| rows[row][column].abs();
            let pivot = (column..unknowns).max_by(|&a, &b| size(a).total_cmp(&size(b)))?;
            rows.swap(column, pivot);
            if rows[column][column].abs() < 1e-9 {
                return None;
            }
            let lead = rows[column].clone();
            for (index, row) in rows.iter_mut().enumerate() {
                if index != column {
                    let factor = row[column] / lead[column];
                    row.iter_mut()
                        .zip(&lead)
                        .skip(column)
                        .for_each(|(cell, above)| *cell -= factor * above);
                }
            }
        }
        Some(
            rows.iter()
                .enumerate()
                .map(|(index, row)| row[unknowns] / row[index])
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved_or_seen_to_be_too_few() {
        // The first pivot is 0: rows change places.
        let rows = vec![vec![0.0, 2.0, 6.0], vec![4.0, 1.0, 7.0]];
        assert_eq!(Equations(rows).solve(), Some(vec![1.0, 3.0]));
        assert_eq!(
            Equations(vec![vec![1.0, 2.0, 3.0], vec![2.0, 4.0, 6.0]]).solve(),
            None
        );
    }
}
