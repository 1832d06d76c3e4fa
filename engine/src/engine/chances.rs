//! The chances to win, draw and lose by a score, and the error of the score.
//!
//! The result is that of strong play by both sides from the position on: searches of ten plies, then the exact solution.
//! The model is an ordered logit of the score `s` in discs: `P(win) = S((s + b - t) / k)`, `P(loss) = S((-s - b - t) / k)`.
//! The width `k` falls with depth; `t` is half the width of a draw. The bias `b` of the side to move differs by tenths of
//! a disc for even and odd depths and empties, and by more if the search ends with few and odd empties. `S` is the
//! logistic function with lighter tails, `S(x) = L(x sqrt(1 + (shape x)²))`: large errors are rarer.
//! A selective search to the end of the game is right, or it slipped, with a logit for its error; surer cuts slip less.
//! The error is the root of the mean squared difference between score and result. A search six plies deeper changes the
//! score by at most the margin, with the certainty of the selectivity. The logarithms of `k`, error and margin are linear
//! in the features of the search. `emilia-lab calibrate` fits the constants; the documentation of `emilia analyze`
//! has its report on games held out.

use crate::search::{Line, Proof, Selectivity};

/// Chances of the side to move, together 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// To win.
    pub win: f64,
    /// To draw.
    pub draw: f64,
    /// To lose.
    pub loss: f64,
}

/// The features of a search that its chances depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Empties of the position.
    pub empties: u32,
    /// Plies searched.
    pub depth: u8,
    /// How sure the cuts were.
    pub selectivity: Selectivity,
}

/// Number of features of an unfinished search.
pub const FEATURES: usize = 7;
/// Number of features that the margin of its score depends on.
pub const MARGIN_FEATURES: usize = 5;
/// Number of features of the bias.
pub const BIAS_FEATURES: usize = 6;
/// The further plies of the search that margins predict.
pub const DEEPER: u32 = 6;
/// The certainty of the margin at a selectivity of 100 %, percent.
const SUREST: u32 = 99;
/// `k` of a search to the end that did not slip: final scores are even, so one disc is far.
const SHARP: f64 = 0.1;

/// The fitted constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Weights of the logarithm of the error in discs.
    pub error: [f64; FEATURES],
    /// Weights of the logarithm of `k`.
    pub width: [f64; FEATURES],
    /// Lightness of the tails; 0 is the logistic function.
    pub shape: f64,
    /// Weights of the logarithm of `t`: a constant and the share of empty squares.
    pub draw: [f64; 2],
    /// Discs to add to a score for the side to move, see [`Evidence::bias_features`].
    pub bias: [f64; BIAS_FEATURES],
    /// Weights of the logarithm of the margin.
    pub margin: [f64; MARGIN_FEATURES],
    /// How fast margins grow with certainty `p`: the power of `-ln(1 - p)`, 1 if differences fall off exponentially.
    pub margin_growth: f64,
    /// The logarithm of the error in discs after a selective search to the end with only unsure cuts.
    pub end_error: f64,
    /// The share of such searches that slip, per unsure cut.
    pub end_slip: f64,
    /// The logarithm of `k` after a slip.
    pub end_width: f64,
    /// Discs to add to the score for the side to move after a slip.
    pub end_bias: f64,
}

impl Evidence {
    /// Whether the search reached the end of the game, perhaps with selective cuts.
    pub fn is_to_the_end(self) -> bool {
        u32::from(self.depth) >= self.empties
    }

    /// The probability that a cut is wrong, `0.0..=0.48`.
    fn unsure(self) -> f64 {
        f64::from(100 - self.selectivity.percent()) / 100.0
    }

    /// The features of an unfinished search.
    pub fn features(self) -> [f64; FEATURES] {
        let empties = f64::from(self.empties);
        let depth = f64::from(self.depth);
        let open = empties / 60.0;
        let deep = (1.0 + depth).ln();
        [
            1.0,
            open,
            open * open,
            deep,
            depth / empties.max(1.0),
            self.unsure() / 0.27,
            open * deep,
        ]
    }

    /// The features of [`Model::bias`]. The last grows to 1 if the search ends with few and odd empties: the network did
    /// not learn from positions with fewer than six.
    pub fn bias_features(self) -> [f64; BIAS_FEATURES] {
        let empties = f64::from(self.empties);
        let depth = f64::from(self.depth);
        let is_odd = |number: u32| f64::from(number % 2);
        let left = self.empties.saturating_sub(self.depth.into());
        let near = (1.0 - f64::from(left) / 8.0).max(0.0);
        let [odd_depth, odd_empties] = [self.depth.into(), self.empties].map(is_odd);
        [
            1.0,
            odd_depth,
            (1.0 + depth).ln(),
            odd_empties,
            empties / 60.0,
            is_odd(left) * near,
        ]
    }

    /// The features of the margin; the last grows from 0 to 1 as a search six plies deeper nears the end of the game.
    pub fn margin_features(self) -> [f64; MARGIN_FEATURES] {
        let empties = f64::from(self.empties);
        let depth = f64::from(self.depth);
        let open = empties / 60.0;
        let ahead = f64::from(DEEPER);
        let near = ((depth + 2.0 * ahead - empties) / ahead).clamp(0.0, 1.0);
        [1.0, open, open * open, (1.0 + depth).ln(), near]
    }
}

fn dot<const N: usize>(weights: &[f64; N], features: &[f64; N]) -> f64 {
    weights
        .iter()
        .zip(features)
        .map(|(weight, feature)| weight * feature)
        .sum()
}

impl Model {
    /// The expected error of an unproven score, in discs: root mean square.
    pub fn error(&self, evidence: Evidence) -> f64 {
        match evidence.is_to_the_end() {
            true => self.end_error.exp() * evidence.unsure().sqrt(),
            false => dot(&self.error, &evidence.features()).exp(),
        }
    }

    /// Half the width in discs of the range around an unproven score: the same search six plies deeper is inside with the
    /// certainty of the selectivity, at most 99 %.
    ///
    /// 0 for searches to the end: more of them than stated are right.
    pub fn margin(&self, evidence: Evidence) -> f64 {
        if evidence.is_to_the_end() {
            return 0.0;
        }
        self.margin_for(
            evidence,
            f64::from(evidence.selectivity.percent().min(SUREST)) / 100.0,
        )
    }

    /// The margin of an unfinished search for a certainty in `0.0..1.0`.
    pub fn margin_for(&self, evidence: Evidence, certainty: f64) -> f64 {
        let rare = -(1.0 - certainty).ln();
        dot(&self.margin, &evidence.margin_features()).exp() * rare.powf(self.margin_growth)
    }

    /// The chances by an unproven score in discs.
    pub fn chances(&self, score: f64, evidence: Evidence) -> Chances {
        if evidence.is_to_the_end() {
            return self.end_chances(score, evidence);
        }
        let open = f64::from(evidence.empties) / 60.0;
        let width = dot(&self.width, &evidence.features()).exp();
        let bias = dot(&self.bias, &evidence.bias_features());
        logit(
            score + bias,
            dot(&self.draw, &[1.0, open]).exp(),
            width,
            self.shape,
        )
    }

    /// The chances by a search to the end that cut selectively.
    fn end_chances(&self, score: f64, evidence: Evidence) -> Chances {
        // Final scores are even: one disc separates a draw from the smallest win.
        let right = logit(score, 1.0, SHARP, 0.0);
        let slipped = logit(score + self.end_bias, 1.0, self.end_width.exp(), 0.0);
        let share = (self.end_slip * evidence.unsure()).clamp(0.0, 1.0);
        let mix = |right: f64, slipped: f64| (1.0 - share) * right + share * slipped;
        Chances {
            win: mix(right.win, slipped.win),
            draw: mix(right.draw, slipped.draw),
            loss: mix(right.loss, slipped.loss),
        }
    }
}

/// The ordered logit of a score with a width and half the width of a draw, and the shape of its tails.
fn logit(score: f64, half: f64, width: f64, shape: f64) -> Chances {
    let logistic = |x: f64| 1.0 / (1.0 + (-x * (shape * x).hypot(1.0)).exp());
    let win = logistic((score - half) / width);
    let loss = logistic((-score - half) / width);
    Chances {
        win,
        draw: 1.0 - win - loss,
        loss,
    }
}

/// The chances of the side to move by a line of a search, with this number of empties.
pub fn chances(line: &Line, empties: u32) -> Chances {
    if !line.proof.is_proven() {
        return MODEL.chances(line.bound.discs(), evidence(line, empties));
    }
    decided(line.bound.units())
}

/// The chances when the result is known, by its sign.
pub fn decided(score: i32) -> Chances {
    let share = |holds: bool| if holds { 1.0 } else { 0.0 };
    Chances {
        win: share(score > 0),
        draw: share(score == 0),
        loss: share(score < 0),
    }
}

/// The expected error of a line's score, in discs; `None` if only its sign is proven.
pub fn error(line: &Line, empties: u32) -> Option<f64> {
    spread(line, empties, Model::error)
}

/// The margin of a line's score in discs, see [`Model::margin`]; `None` if only the sign is proven.
pub fn margin(line: &Line, empties: u32) -> Option<f64> {
    spread(line, empties, Model::margin)
}

fn spread(line: &Line, empties: u32, of: fn(&Model, Evidence) -> f64) -> Option<f64> {
    match line.proof {
        Proof::None => Some(of(&MODEL, evidence(line, empties))),
        Proof::AtLeast | Proof::AtMost | Proof::WinLossDraw => None,
        Proof::Exact => Some(0.0),
    }
}

/// The probability that the first line's true score is at least the second's, for normal and independent errors; those
/// of one position's moves correlate, which makes it likelier.
pub fn better(first: &Line, second: &Line, empties: u32) -> f64 {
    let gap = (first.bound - second.bound).discs();
    let [one, two] = [first, second].map(|line| error(line, empties).unwrap_or(0.0));
    let spread = one.hypot(two);
    if spread == 0.0 {
        return if gap >= 0.0 { 1.0 } else { 0.0 };
    }
    // The logistic function with this slope is within a hundredth of the normal distribution.
    1.0 / (1.0 + (-1.702 * gap / spread).exp())
}

fn evidence(line: &Line, empties: u32) -> Evidence {
    Evidence {
        empties,
        depth: line.depth,
        selectivity: line.selectivity,
    }
}

/// The constants of the embedded network.
pub const MODEL: Model = Model {
    error: [2.0579, 0.1039, -0.3906, -0.3610, -0.3390, -0.0117, 0.4876],
    width: [1.5205, 0.0242, -0.7632, -0.3819, -0.4069, 0.0196, 0.5307],
    draw: [0.3794, -0.7221],
    bias: [0.0661, -0.2578, -0.0158, 0.5008, -0.3025, 3.1709],
    margin: [2.3081, -1.6875, -0.0818, -0.3971, 0.1895],
    shape: -0.0551,
    margin_growth: 0.8259,
    end_error: 0.6153,
    end_slip: 0.2915,
    end_width: 0.3380,
    end_bias: -0.2228,
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches of every kind.
    fn every_evidence() -> impl Iterator<Item = Evidence> {
        let of = |empties: u32, depth: u8| {
            Selectivity::ALL
                .into_iter()
                .map(move |selectivity| Evidence {
                    empties,
                    depth,
                    selectivity,
                })
        };
        (1..=60)
            .flat_map(move |empties| (1..=empties as u8).flat_map(move |depth| of(empties, depth)))
    }

    #[test]
    fn chances_are_shares_and_grow_with_the_score() {
        for evidence in every_evidence() {
            let mut before = 0.0;
            for score in -64..=64 {
                let Chances { win, draw, loss } = MODEL.chances(f64::from(score), evidence);
                assert!(
                    [win, draw, loss]
                        .iter()
                        .all(|chance| (-1e-9..=1.0).contains(chance)),
                    "{evidence:?}"
                );
                assert!((win + draw + loss - 1.0).abs() < 1e-9, "{evidence:?}");
                assert!(win >= before, "{evidence:?}, {score}: {win} after {before}");
                before = win;
            }
        }
    }

    #[test]
    fn margins_grow_with_certainty() {
        for evidence in every_evidence().filter(|evidence| !evidence.is_to_the_end()) {
            let margins = Selectivity::ALL.map(|selectivity| {
                MODEL.margin(Evidence {
                    selectivity,
                    ..evidence
                })
            });
            assert!(
                margins.iter().all(|margin| (0.2..64.0).contains(margin)),
                "{evidence:?}: {margins:?}"
            );
            assert!(margins.is_sorted(), "{evidence:?}: {margins:?}");
        }
    }

    #[test]
    fn a_search_to_the_end_is_the_surer_the_less_it_cut() {
        let ends = Selectivity::ALL.map(|selectivity| Evidence {
            empties: 20,
            depth: 20,
            selectivity,
        });
        let draws = ends.map(|end| MODEL.chances(0.0, end).draw);
        let errors = ends.map(|end| MODEL.error(end));
        assert!(
            draws.is_sorted() && errors.iter().rev().is_sorted(),
            "{draws:?} {errors:?}"
        );
        assert!(draws[6] > 0.999 && errors[6] == 0.0);
        assert!(ends.iter().all(|&end| MODEL.margin(end) == 0.0));
    }
}
