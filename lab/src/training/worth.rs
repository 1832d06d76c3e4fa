//! The values of the facts of [`crate::sentences`]: the difference of the network's values after moves with and without a
//! fact, for equal other facts, by least squares over the moves of a position less their mean.

use std::fmt::Write as _;

use super::equations::Equations;
use crate::board::Board;
use crate::eval::Evaluator;
use crate::sentences::facts;
use crate::sentences::{KNOTS, knots};
use crate::sentences::{WORTH, row};

/// A kind that is rarer near a knot has no value there.
const ENOUGH: u32 = 300;

/// Facts by kind; how often each was seen.
pub struct Worths {
    equations: Equations,
    seen: [[u32; N]; KNOTS.len()],
}

impl Default for Worths {
    fn default() -> Self {
        Self {
            equations: Equations::new(N * KNOTS.len(), RIDGE),
            seen: [[0; N]; KNOTS.len()],
        }
    }
}

impl Worths {
    /// Adds the moves of a position.
    pub fn add(&mut self, board: Board, evaluator: &Evaluator) {
        let rows: Vec<([f64; N], f64)> = board
            .moves()
            .iter()
            .map(|square| {
                let mut has = [0.0; N];
                facts(board, square)
                    .into_iter()
                    .filter_map(row)
                    .for_each(|row| has[row] = 1.0);
                (
                    has,
                    -evaluator.discs(board.after(square, board.flip(square))),
                )
            })
            .collect();
        let count = rows.len().max(1) as f64;
        let mean_value = rows.iter().map(|(_, value)| value).sum::<f64>() / count;
        let means: [f64; N] =
            std::array::from_fn(|kind| rows.iter().map(|(row, _)| row[kind]).sum::<f64>() / count);
        let empties = board.empty_count();
        let distance = |&knot: &usize| KNOTS[knot].abs_diff(empties);
        let knot = (0..KNOTS.len())
            .min_by_key(distance)
            .expect("there are knots");
        for (row, value) in rows {
            row.iter()
                .zip(&mut self.seen[knot])
                .for_each(|(&has, seen)| *seen += has as u32);
            let differences: [f64; N] = std::array::from_fn(|kind| row[kind] - means[kind]);
            self.equations
                .add(&terms(empties, &differences), value - mean_value);
        }
    }

    /// The table as a source file; `how` names its origin.
    pub fn into_source(self, how: &str) -> String {
        let mut text = format!(
            "//! Measured by {how}\n\nuse super::stages::KNOTS;\n\n\
             /// By kind of fact, in discs for the mover; a column per knot, from few empties to many.\n#[rustfmt::skip]\n\
             pub const WORTH: [(&str, [f64; KNOTS.len()]); {N}] = [\n"
        );
        let found = self
            .equations
            .solve()
            .expect("the ridge leaves no worth open");
        for (kind, (name, _)) in WORTH.iter().enumerate() {
            let is_seen = |knot: usize| self.seen[knot][kind] >= ENOUGH;
            // A rare kind has the value of the nearest knot.
            let nearest = |knot: usize| {
                (0..KNOTS.len())
                    .filter(|&at| is_seen(at))
                    .min_by_key(|at| at.abs_diff(knot))
            };
            let worth = |knot: usize| {
                nearest(knot).map_or(0.0, |nearest| {
                    (10.0 * found[nearest * N + kind]).round() / 10.0
                })
            };
            let row: String = (0..KNOTS.len())
                .map(|knot| format!(" {:>5.1},", worth(knot) + 0.0))
                .collect();
            let seen: Vec<String> = self
                .seen
                .iter()
                .map(|knot| knot[kind].to_string())
                .collect();
            let _ = writeln!(
                text,
                "    (\"{name}\", [{}]), // seen {}",
                row.trim_end_matches(',').trim_start(),
                seen.join(" ")
            );
        }
        text + "];\n"
    }
}

/// Added to each square sum, so that a kind never seen near a knot is worth nothing there.
const RIDGE: f64 = 1.0;
/// Kinds of facts: the unknowns at each knot.
const N: usize = WORTH.len();

/// A sample's terms of the worths at all knots.
fn terms(empties: u32, parts: &[f64; N]) -> Vec<f64> {
    let mut terms = vec![0.0; N * KNOTS.len()];
    for (knot, share) in knots(empties) {
        terms[knot * N..]
            .iter_mut()
            .zip(parts)
            .for_each(|(term, part)| *term += share * part);
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::equations::dot;
    use crate::util::rng::Rng;

    #[test]
    fn the_fit_finds_the_worths_that_made_the_values() {
        let mut rng = Rng::new(5);
        let truth: Vec<f64> = (0..N * KNOTS.len())
            .map(|_| rng.unit() * 4.0 - 2.0)
            .collect();
        let mut equations = Equations::new(truth.len(), RIDGE);
        for sample in 0..20_000 {
            let parts: [f64; N] = std::array::from_fn(|_| f64::from(rng.below(3)) - 1.0);
            let terms = terms(2 + sample % 55, &parts);
            equations.add(&terms, dot(&terms, &truth));
        }
        for (found, truth) in equations.solve().expect("a ridge").iter().zip(&truth) {
            assert!((found - truth).abs() < 0.05, "{found} {truth}");
        }
    }
}
