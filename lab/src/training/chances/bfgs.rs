//! The least of a smooth function of a few arguments: quasi-Newton steps after Broyden, Fletcher, Goldfarb and Shanno.
//!
//! Slopes are taken from differences, so that a cost needs no derivative written out.
//!
//! Source: Nocedal and Wright, "Numerical Optimization", 2006, chapters 3 and 6.

use crate::training::equations::dot;

/// Half the distance over which a slope is taken.
const DIFFERENCE: f64 = 1e-5;
/// A step shorter than this in every argument ends the search.
const SHORTEST: f64 = 1e-7;
/// Steps at most; fits of a dozen constants take some fifty.
const STEPS: usize = 500;
/// The part of the fall expected from the slope that a step must bring.
const ENOUGH: f64 = 1e-4;

/// The arguments that make `cost` least, searched downhill from `x`.
pub fn minimize(mut x: Vec<f64>, mut cost: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let mut inverse = identity(x.len());
    let mut least = cost(&x);
    let mut slope = gradient(&x, &mut cost);
    for _ in 0..STEPS {
        let mut direction: Vec<f64> = inverse.iter().map(|row| -dot(row, &slope)).collect();
        if dot(&direction, &slope) >= 0.0 {
            // The estimated curvature is useless here.
            inverse = identity(x.len());
            direction = slope.iter().map(|slope| -slope).collect();
        }
        let Some((next, value)) =
            downhill(&x, least, &direction, dot(&direction, &slope), &mut cost)
        else {
            break;
        };
        let next_slope = gradient(&next, &mut cost);
        let moved = difference(&next, &x);
        learn(&mut inverse, &moved, &difference(&next_slope, &slope));
        (x, least, slope) = (next, value, next_slope);
        if moved.iter().all(|step| step.abs() < SHORTEST) {
            break;
        }
    }
    x
}

/// The first of ever shorter steps along `direction` that brings enough, and the cost there.
fn downhill(
    x: &[f64],
    least: f64,
    direction: &[f64],
    slope: f64,
    cost: &mut impl FnMut(&[f64]) -> f64,
) -> Option<(Vec<f64>, f64)> {
    // No argument moves by more than one: most of them are exponents.
    let longest = direction
        .iter()
        .fold(1.0, |longest: f64, step| longest.max(step.abs()));
    let mut length = 1.0 / longest;
    while length * longest > SHORTEST / 10.0 {
        let next: Vec<f64> = x
            .iter()
            .zip(direction)
            .map(|(x, step)| x + length * step)
            .collect();
        let value = cost(&next);
        if value <= least + ENOUGH * length * slope {
            return Some((next, value));
        }
        length /= 2.0;
    }
    None
}

fn gradient(x: &[f64], cost: &mut impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let mut at = x.to_vec();
    let mut slope = |index: usize| {
        let mut beside = |by: f64| {
            at[index] = x[index] + by;
            cost(&at)
        };
        let slope = (beside(DIFFERENCE) - beside(-DIFFERENCE)) / (2.0 * DIFFERENCE);
        at[index] = x[index];
        slope
    };
    (0..x.len()).map(&mut slope).collect()
}

/// Takes the curvature between two points into the inverse of the matrix of second derivatives.
fn learn(inverse: &mut [Vec<f64>], moved: &[f64], turned: &[f64]) {
    let along = dot(moved, turned);
    if along <= 1e-12 {
        return;
    }
    let shift: Vec<f64> = inverse.iter().map(|row| dot(row, turned)).collect();
    let weight = (along + dot(turned, &shift)) / (along * along);
    for (i, row) in inverse.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry +=
                weight * moved[i] * moved[j] - (shift[i] * moved[j] + moved[i] * shift[j]) / along;
        }
    }
}

fn identity(size: usize) -> Vec<Vec<f64>> {
    (0..size)
        .map(|i| (0..size).map(|j| if i == j { 1.0 } else { 0.0 }).collect())
        .collect()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valleys_are_followed_to_their_lowest_point() {
        // Rosenbrock's curved valley, once and twice.
        let valley = |x: &[f64]| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2);
        let two = |x: &[f64]| valley(&x[..2]) + 0.01 * valley(&x[2..]);
        for found in [
            minimize(vec![-1.2, 1.0], valley),
            minimize(vec![-1.2, 1.0, 3.0, -2.0], two),
        ] {
            assert!(found.iter().all(|x| (x - 1.0).abs() < 1e-3), "{found:?}");
        }
    }

    #[test]
    fn a_lowest_point_is_left_alone_and_a_plain_ends() {
        let found = minimize(vec![2.0], |x| (x[0] - 2.0).powi(2));
        assert!((found[0] - 2.0).abs() < 1e-6, "{found:?}");
        assert_eq!(minimize(vec![2.0, 3.0], |_| 1.0), [2.0, 3.0]);
    }
}
