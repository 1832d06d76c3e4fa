//! What a score is worth: chances to win, draw and lose, and the error of the score.
//!
//! The truth meant is the result of strong play by both sides from the position on: searches of ten plies
//! until few enough empties are left, then the exact solution; with those few empties it is the exact result.
//! A score `s` in discs is taken for an ordered logit: `P(win) = L((s + b - t) / k)`, `P(loss) = L((-s - b - t) / k)`
//! with `L` the logistic function, a width `k` that falls with depth, half the width `t` of a draw, and what
//! the side to move is really better off by, `b`, which differs for even and odd depths.
//! The error is the root of the mean squared difference between score and result. The logarithms of `k` and
//! of the error are linear in what is known of the search; the constants are fitted by `emilia calibrate`,
//! whose report on games held out stands in the documentation of `emilia analyze`.

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

/// What is known of a search when its score is judged.
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
pub const FEATURES: usize = 6;
/// The fitted constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Of the logarithm of the error in discs.
    pub error: [f64; FEATURES],
    /// Of the logarithm of `k`.
    pub width: [f64; FEATURES],
    /// Of the logarithm of `t`: a constant and the share of the board that is empty.
    pub draw: [f64; 2],
    /// Discs to add to a score for the side to move: always, at odd depths, and with the logarithm of depth.
    pub bias: [f64; 3],
    /// The logarithm of the error after a search to the end that cut selectively.
    pub end_error: f64,
    /// The logarithm of `k` after such a search.
    pub end_width: f64,
}

impl Evidence {
    /// Whether every line was followed to the end of the game, if with selective cuts.
    pub fn is_to_the_end(self) -> bool {
        u32::from(self.depth) >= self.empties
    }

    fn doubt(self) -> f64 {
        f64::from(100 - self.selectivity.percent()) / 27.0
    }

    /// The features of an unfinished search.
    pub fn features(self) -> [f64; FEATURES] {
        let (empties, depth) = (f64::from(self.empties), f64::from(self.depth));
        let open = empties / 60.0;
        [1.0, open, open * open, (1.0 + depth).ln(), depth / empties.max(1.0), self.doubt()]
    }
}

fn dot<const N: usize>(weights: &[f64; N], features: &[f64; N]) -> f64 {
    weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
}

impl Model {
    /// The error to expect of a score that is not proven, in discs: root mean square.
    pub fn error(&self, evidence: Evidence) -> f64 {
        let log = match evidence.is_to_the_end() {
            true => self.end_error,
            false => dot(&self.error, &evidence.features()),
        };
        log.exp()
    }

    /// The chances that a score in discs gives which is not proven.
    pub fn chances(&self, score: f64, evidence: Evidence) -> Chances {
        let (width, half, bias) = match evidence.is_to_the_end() {
            // Final scores are even: between a draw and the smallest win lies one disc.
            true => (self.end_width.exp(), 1.0, 0.0),
            false => {
                let open = f64::from(evidence.empties) / 60.0;
                let width = dot(&self.width, &evidence.features()).exp();
                let (odd, log) = (f64::from(evidence.depth % 2), evidence.features()[3]);
                (width, dot(&self.draw, &[1.0, open]).exp(), dot(&self.bias, &[1.0, odd, log]))
            }
        };
        let score = score + bias;
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        let (win, loss) = (logistic((score - half) / width), logistic((-score - half) / width));
        Chances { win, draw: 1.0 - win - loss, loss }
    }
}

/// The chances of the side to move by a line of a search at a position with so many empties.
pub fn chances(line: &Line, empties: u32) -> Chances {
    if line.proof == Proof::None {
        return MODEL.chances(line.score.discs(), evidence(line, empties));
    }
    decided(line.score.units())
}

/// The chances when the result is known, by its sign.
pub fn decided(score: i32) -> Chances {
    let share = |holds: bool| if holds { 1.0 } else { 0.0 };
    Chances { win: share(score > 0), draw: share(score == 0), loss: share(score < 0) }
}

/// The error to expect of a line's score, in discs; `None` if only its sign is proven.
pub fn error(line: &Line, empties: u32) -> Option<f64> {
    match line.proof {
        Proof::None => Some(MODEL.error(evidence(line, empties))),
        Proof::WinLossDraw => None,
        Proof::Exact => Some(0.0),
    }
}

/// How likely the first line's true score is at least the second's, their errors taken for normal and
/// independent; those of one position's moves go together, so that it is likelier still.
pub fn better(first: &Line, second: &Line, empties: u32) -> f64 {
    let gap = (first.score - second.score).discs();
    let [one, two] = [first, second].map(|line| error(line, empties).unwrap_or(0.0));
    let spread = one.hypot(two);
    if spread == 0.0 {
        return if gap >= 0.0 { 1.0 } else { 0.0 };
    }
    // The logistic function with this slope is within a hundredth of the normal distribution.
    1.0 / (1.0 + (-1.702 * gap / spread).exp())
}

fn evidence(line: &Line, empties: u32) -> Evidence {
    Evidence { empties, depth: line.depth, selectivity: line.selectivity }
}

/// The constants of the embedded network.
pub const MODEL: Model = Model {
    error: [1.511, 1.3284, -0.6414, -0.11, -0.1553, 0.0236],
    width: [0.995, 1.712, -1.12, -0.287, 0.376, 0.025],
    draw: [0.402, -1.178],
    bias: [-0.866, -0.018, 0.296],
    end_error: 0.4368,
    end_width: -0.4839,
};
