//! Linear equations, as least squares leave them.

/// The products of two lists' members, added up.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves equations by Gaussian elimination, each row its coefficients and the right side; `None` where they leave an
/// unknown open.
pub fn solve(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
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
                row.iter_mut().zip(&lead).skip(column).for_each(|(cell, above)| *cell -= factor * above);
            }
        }
    }
    Some(rows.iter().enumerate().map(|(index, row)| row[unknowns] / row[index]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved_or_seen_to_be_too_few() {
        // The first pivot is 0: rows change places.
        let rows = vec![vec![0.0, 2.0, 6.0], vec![4.0, 1.0, 7.0]];
        assert_eq!(solve(rows), Some(vec![1.0, 3.0]));
        assert_eq!(solve(vec![vec![1.0, 2.0, 3.0], vec![2.0, 4.0, 6.0]]), None);
    }
}
