//! Corrects labels by searches, by the errors that exact scores show.
//!
//! Labels by searches of any depth inherit the errors of the evaluation at the leaves, and an evaluation that learns from
//! them passes the errors on. The errors that exact scores show can be removed from all labels, also those with too many
//! empties to solve.

use crate::board::Score;

use super::records::{Record, Source};

/// Values of a curve by steps of eight discs that a label is away from 0.
type Curve = [f64; 9];

/// Discs that labels are too near to 0, with 24 and more empties.
///
/// Each leaf's score is the mean of its possible results, so it is nearer to 0 than the truth by an unknown amount, except
/// near 64. Labels of WTHOR's positions with 24 empties (19,587) by the weights of
/// 2268336, means of two depths and of both sides being ahead: of 8 and 7 plies 0.55, 1.15, 1.24, 1.04, 0.29, -0.07, 0.09 and
/// -0.49 discs at 8, 16, … and 64, of 6 and 5 plies 0.48, 1.21, 1.11, 0.79, 0.47, -0.02, 0.33 and -0.46; each known to 0.04
/// to 0.2. With 20 empties two thirds of that (3,000 solved), with 16 a third (4,000).
const STRETCH: Curve = [0.0, 0.51, 1.18, 1.18, 0.92, 0.38, 0.0, 0.0, -0.48];
/// Discs that the last move is worth more than labels say, at odd empties to the side to move.
///
/// The same labels, 8 and 7 plies: -0.55, -0.54, -0.16, 0.18, 0.65, 1.0, 1.0 and 0.35 at 0, 8, … and 56 with 24 empties;
/// within 12 discs -0.60 ± 0.09 with 20, +0.64 ± 0.08 with 19, -0.64 ± 0.11 with 18, +0.52 ± 0.08 with 17, -0.59 ± 0.08 with 16.
const LAST_MOVE: Curve = [0.6, 0.53, 0.25, 0.0, -0.3, -0.5, -0.5, -0.3, 0.0];
/// Up to here the leaves behind a label were taught by exact scores.
const SOLVED_EMPTIES: u32 = 12;
/// From here on labels are stretched in full.
const STRETCHED_EMPTIES: u32 = 24;

/// Adds this share of the measured errors to the label of a record by search; other labels stay.
pub fn correct(record: &mut Record, measured: f64) {
    if let Source::Search(_) = record.source {
        let empties = record.board.empty_count();
        let discs = record.score.discs();
        let last_move = at(&LAST_MOVE, discs);
        let parity = if empties.is_multiple_of(2) {
            -last_move
        } else {
            last_move
        };
        let stretch = share(empties) * at(&STRETCH, discs) * discs.signum();
        record.score = (record.score + Score::nearest(measured * (parity + stretch)))
            .clamp(Score::MIN, Score::MAX);
    }
}

/// The share of the stretch for labels with this number of empties.
fn share(empties: u32) -> f64 {
    let above = empties.clamp(SOLVED_EMPTIES, STRETCHED_EMPTIES) - SOLVED_EMPTIES;
    f64::from(above) / f64::from(STRETCHED_EMPTIES - SOLVED_EMPTIES)
}

/// The curve at a number of discs, linear between its values.
fn at(curve: &Curve, discs: f64) -> f64 {
    let at = discs.abs().min(64.0) / 8.0;
    let below = (at as usize).min(curve.len() - 2);
    curve[below] + (curve[below + 1] - curve[below]) * (at - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    /// The score in discs of a record with this number of empties after a full correction.
    fn corrected(empties: u32, discs: f64, source: Source) -> f64 {
        let board = Board {
            player: !0 >> empties,
            opponent: 0,
        };
        let mut record = Record {
            board,
            score: Score::nearest(discs),
            source,
        };
        correct(&mut record, 1.0);
        record.score.discs()
    }

    #[test]
    fn labels_by_search_are_drawn_apart_as_exact_scores_ask_for() {
        for (empties, discs, expected) in [
            // The last move counts nothing at 24 discs.
            (24, 24.0, 25.18),
            (41, -24.0, -25.18),
            (18, 24.0, 24.59),
            (36, 0.0, -0.6),
            (35, 0.0, 0.6),
            (12, 40.0, 40.5),
        ] {
            let found = corrected(empties, discs, Source::Search(8));
            assert!(
                (found - expected).abs() < 0.01,
                "{empties} {discs}: {found} {expected}"
            );
        }
        assert_eq!(
            [Source::Exact, Source::Outcome].map(|source| corrected(24, 24.0, source)),
            [24.0; 2]
        );
    }

    #[test]
    fn no_label_overtakes_another_or_leaves_the_board() {
        for empties in [14, 23, 30] {
            let scores: Vec<f64> = (-512..=512)
                .map(|eighth| corrected(empties, f64::from(eighth) / 8.0, Source::Search(8)))
                .collect();
            assert!(
                scores.is_sorted() && scores[0] >= -64.0 && scores[1024] <= 64.0,
                "{scores:?}"
            );
        }
    }
}
