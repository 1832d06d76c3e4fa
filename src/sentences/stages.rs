//! Weights that depend on the number of empties: measured at a few numbers, blended between them.

/// Numbers of empties at which a weight is measured. Between two of them the weight changes linearly; outside it is constant.
pub const KNOTS: [u32; 7] = [4, 12, 20, 28, 36, 44, 52];

/// The two knots around a number of empties, by index, with their shares.
pub fn knots(empties: u32) -> [(usize, f64); 2] {
    let upper = KNOTS
        .iter()
        .position(|&knot| empties <= knot)
        .unwrap_or(KNOTS.len() - 1)
        .max(1);
    let low = KNOTS[upper - 1];
    let high = KNOTS[upper];
    let share = f64::from(empties.clamp(low, high) - low) / f64::from(high - low);
    [(upper - 1, 1.0 - share), (upper, share)]
}

/// The weight at a number of empties.
pub fn blend(empties: u32, weights: &[f64; KNOTS.len()]) -> f64 {
    knots(empties)
        .into_iter()
        .map(|(knot, share)| share * weights[knot])
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_between_knots_is_a_mean_of_both() {
        assert_eq!(knots(4), [(0, 1.0), (1, 0.0)]);
        assert_eq!(knots(0), knots(4));
        assert_eq!(knots(12), [(0, 0.0), (1, 1.0)]);
        assert_eq!(knots(14), [(1, 0.75), (2, 0.25)]);
        assert_eq!(knots(60), [(5, 0.0), (6, 1.0)]);
        assert_eq!(blend(14, &[0.0, 4.0, 8.0, 0.0, 0.0, 0.0, 0.0]), 5.0);
    }
}
