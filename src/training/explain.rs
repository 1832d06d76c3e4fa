//! The fit behind `emilia show --terms`: the network's values as sums of terms that people know.
//!
//! Positions come in families: one, and those after each of its moves. The value of the first is fitted as it is; of
//! the others, by how much each differs from their mean. One game in four judges the fits and is not fitted.

use std::fmt::Write as _;

use super::equations::{dot, solve};
use crate::board::{Board, squares};
use crate::eval::Evaluator;
use crate::eval::explain::{
    KNOTS, NAMES, PARTS, Share, TERMS, TermWeights, blend, knots, nearest_knot, terms, value,
};

/// One game in so many judges the fit.
const HOLD_OUT: u64 = 4;
/// Added to each square sum, so that a term which never differs near a knot has no weight there.
const RIDGE: f64 = 1.0;

/// A value and the differences of the terms, both for the same side.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    differences: [f32; TERMS],
    /// Discs.
    value: f32,
}

/// A position and what its moves lead to, all for the side that is to move in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    game: u64,
    empties: u32,
    position: Row,
    /// After each move that does not end the game.
    moves: Vec<Row>,
}

impl Row {
    fn of(board: Board, evaluator: &Evaluator) -> Self {
        let [player, opponent] = terms::counts(board);
        let differences = std::array::from_fn(|term| (player[term] - opponent[term]) as f32);
        Self { differences, value: value(board, evaluator) as f32 }
    }

    /// The same seen from the other side.
    fn turned(self) -> Self {
        Self { differences: self.differences.map(|difference| -difference), value: -self.value }
    }

    /// The terms, then 1 for the turn.
    fn parts(&self) -> [f64; PARTS] {
        std::array::from_fn(|part| self.differences.get(part).map_or(1.0, |&difference| difference.into()))
    }

    fn terms(&self) -> [f64; TERMS] {
        self.differences.map(f64::from)
    }
}

impl Family {
    /// Counts and evaluates a position of this game; it must have a legal move.
    pub fn of(game: u64, board: Board, evaluator: &Evaluator) -> Self {
        let after = |square| board.after(square, board.flip(square));
        let moves = squares(board.moves()).map(after).filter(|after| !after.is_over());
        Self {
            game,
            empties: board.empty_count(),
            position: Row::of(board, evaluator),
            moves: moves.map(|after| Row::of(after, evaluator).turned()).collect(),
        }
    }

    fn is_held_out(&self) -> bool {
        self.game.is_multiple_of(HOLD_OUT)
    }

    /// The moves less their mean: differences and values.
    fn spread(&self) -> impl Iterator<Item = ([f64; TERMS], f64)> + '_ {
        let count = self.moves.len().max(1) as f64;
        let mut means = [0.0; TERMS];
        let mut mean = 0.0;
        for row in &self.moves {
            for (sum, term) in means.iter_mut().zip(row.terms()) {
                *sum += term / count;
            }
            mean += f64::from(row.value) / count;
        }
        self.moves.iter().map(move |row| {
            let terms = row.terms();
            (std::array::from_fn(|term| terms[term] - means[term]), f64::from(row.value) - mean)
        })
    }
}

/// The weights that make the squared errors least, but for the games held out.
pub fn fit(families: &[Family]) -> TermWeights {
    let mut positions = Equations::<PARTS>::new();
    let mut moves = Equations::<TERMS>::new();
    for family in families.iter().filter(|family| !family.is_held_out()) {
        positions.add(family.empties, &family.position.parts(), family.position.value.into());
        for (differences, value) in family.spread() {
            moves.add(family.empties - 1, &differences, value);
        }
    }
    TermWeights { positions: positions.solve(), moves: moves.solve() }
}

/// How much the weights explain near each knot in the games held out, and by how many positions that is judged.
pub fn judge(families: &[Family], weights: &TermWeights) -> [(Share, u32); KNOTS.len()] {
    std::array::from_fn(|knot| {
        let (mut positions, mut moves) = (Explained::default(), Explained::default());
        let is_near = |family: &&Family| family.is_held_out() && nearest_knot(family.empties) == knot;
        for family in families.iter().filter(is_near) {
            let value = family.position.value.into();
            let stated = dot(&blend(family.empties, &weights.positions), &family.position.parts());
            positions.add(value, stated);
            let of_moves = blend(family.empties - 1, &weights.moves);
            family.spread().for_each(|(differences, value)| moves.add(value, dot(&of_moves, &differences)));
        }
        (Share { positions: positions.share(), moves: moves.share() }, positions.count)
    })
}

/// Sums for `R²`.
#[derive(Default)]
struct Explained {
    count: u32,
    sum: f64,
    squares: f64,
    errors: f64,
}

impl Explained {
    fn add(&mut self, value: f64, stated: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
        self.errors += (value - stated).powi(2);
    }

    /// 1 less the squared errors by the squared differences from the mean; 0 of nothing.
    fn share(&self) -> f64 {
        let spread = self.squares - self.sum * self.sum / f64::from(self.count.max(1));
        if spread > 0.0 { 1.0 - self.errors / spread } else { 0.0 }
    }
}

/// Normal equations of the weights at all knots.
pub(super) struct Equations<const N: usize> {
    /// Coefficients, then the right side.
    rows: Vec<Vec<f64>>,
}

impl<const N: usize> Equations<N> {
    pub fn new() -> Self {
        let unknowns = N * KNOTS.len();
        let mut rows = vec![vec![0.0; unknowns + 1]; unknowns];
        rows.iter_mut().enumerate().for_each(|(index, row)| row[index] = RIDGE);
        Self { rows }
    }

    pub fn add(&mut self, empties: u32, parts: &[f64; N], value: f64) {
        for (knot, share) in knots(empties) {
            for (part, count) in parts.iter().enumerate() {
                let (row, left) = (knot * N + part, share * count);
                self.rows[row][N * KNOTS.len()] += left * value;
                for (other, other_share) in knots(empties) {
                    for (column, count) in self.rows[row][other * N..].iter_mut().zip(parts) {
                        *column += left * other_share * count;
                    }
                }
            }
        }
    }

    pub fn solve(self) -> [[f64; N]; KNOTS.len()] {
        let found = solve(self.rows).expect("the ridge leaves no weight open");
        std::array::from_fn(|knot| std::array::from_fn(|part| found[knot * N + part]))
    }
}

/// The weights as the source file that holds them; `how` tells where they are from.
pub fn to_source(weights: &TermWeights, judged: &[(Share, u32)], how: &str) -> String {
    let mut text = format!("//! Fitted by {how}\n\nuse super::{{KNOTS, Share, TermWeights}};\n\n");
    text.push_str(
        "/// In discs for one of difference; one row per knot, from few empties to many.\n#[rustfmt::skip]\n",
    );
    text.push_str("pub const WEIGHTS: TermWeights = TermWeights {\n");
    write_rows(&mut text, "positions", &weights.positions);
    write_rows(&mut text, "moves", &weights.moves);
    text.push_str("};\n\n/// By knot, with the number of positions that judged.\n#[rustfmt::skip]\n");
    text.push_str("pub const SHARES: [Share; KNOTS.len()] = [\n");
    for (Share { positions, moves }, count) in judged {
        let _ = writeln!(text, "    Share {{ positions: {positions:.3}, moves: {moves:.3} }}, // {count}");
    }
    text + "];\n"
}

/// To three decimals, and no zero with a minus.
fn rounded(weight: f64) -> f64 {
    (weight * 1e3).round() / 1e3 + 0.0
}

fn write_rows<const N: usize>(text: &mut String, name: &str, rows: &[[f64; N]]) {
    let headings = NAMES.iter().chain(&["turn"]).take(N);
    let short: String = headings.map(|name| format!(" {:>8.8}", name.replace(' ', "-"))).collect();
    let _ = writeln!(text, "    {name}: [\n    //   {}", short.trim_start());
    for row in rows {
        let numbers: String = row.iter().map(|&weight| format!(" {:>8.3},", rounded(weight))).collect();
        let _ = writeln!(text, "        [{}],", numbers.trim_end_matches(',').trim_start());
    }
    text.push_str("    ],\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::explain::WEIGHTS;
    use crate::util::rng::Rng;

    /// Families whose values follow known weights, with noise of so many discs (standard deviation).
    fn drawn(truth: &TermWeights, noise: f64) -> Vec<Family> {
        let mut rng = Rng::new(5);
        let mut normal = move || (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
        let mut rng = Rng::new(6);
        let mut row = |weights: &[f64], turn: f64| {
            let differences: [f32; TERMS] = std::array::from_fn(|_| rng.below(9) as f32 - 4.0);
            let sum: f64 = differences.iter().zip(weights).map(|(&a, b)| f64::from(a) * b).sum();
            Row { differences, value: (sum + turn + noise * normal()) as f32 }
        };
        let family = |game: u64| {
            let empties = 2 + (game % 55) as u32;
            let of_position = blend(empties, &truth.positions);
            let of_moves = blend(empties - 1, &truth.moves);
            Family {
                game,
                empties,
                position: row(&of_position, of_position[TERMS]),
                // What all moves have in common is not seen.
                moves: (0..6).map(|_| row(&of_moves, game as f64)).collect(),
            }
        };
        (0..8000).map(family).collect()
    }

    fn truth() -> TermWeights {
        let mut rng = Rng::new(9);
        let mut weight = || rng.unit() * 4.0 - 2.0;
        TermWeights {
            positions: std::array::from_fn(|_| std::array::from_fn(|_| weight())),
            moves: std::array::from_fn(|_| std::array::from_fn(|_| weight())),
        }
    }

    #[test]
    fn the_fit_finds_the_weights_that_made_the_values() {
        let truth = truth();
        let families = drawn(&truth, 0.5);
        let found = fit(&families);
        let pairs = found.positions.iter().flatten().zip(truth.positions.iter().flatten());
        let pairs = pairs.chain(found.moves.iter().flatten().zip(truth.moves.iter().flatten()));
        for (found, truth) in pairs {
            assert!((found - truth).abs() < 0.15, "{found} {truth}");
        }
        for (share, count) in judge(&families, &found) {
            assert!(count > 100 && share.positions > 0.95 && share.moves > 0.95, "{share:?}");
        }
    }

    #[test]
    fn what_is_noise_is_not_explained() {
        let nothing =
            TermWeights { positions: [[0.0; PARTS]; KNOTS.len()], moves: [[0.0; TERMS]; KNOTS.len()] };
        let families = drawn(&nothing, 5.0);
        for (share, _) in judge(&families, &fit(&families)) {
            assert!(share.positions.abs() < 0.1 && share.moves.abs() < 0.1, "{share:?}");
        }
    }

    /// Games of the network against itself, one move in four at random.
    fn games(count: u64, evaluator: &Evaluator) -> Vec<Family> {
        let mut rng = Rng::new(21);
        let mut families = Vec::new();
        for game in 0..count {
            let mut board = Board::START;
            while !board.is_over() {
                let moves: Vec<_> = squares(board.moves()).collect();
                if moves.is_empty() {
                    board = board.pass();
                    continue;
                }
                families.push(Family::of(game, board, evaluator));
                let worth = |&square: &_| value(board.after(square, board.flip(square)), evaluator);
                let best = moves.iter().min_by(|a, b| worth(a).total_cmp(&worth(b)));
                let any = &moves[rng.below(moves.len() as u32) as usize];
                let square = if rng.below(4) == 0 { any } else { best.unwrap_or(any) };
                board = board.after(*square, board.flip(*square));
            }
        }
        families
    }

    #[test]
    fn the_weights_in_use_explain_other_games_too() {
        let evaluator = Evaluator::default();
        let families = games(120, &evaluator);
        // At the beginning one game is like another.
        for (knot, (share, count)) in judge(&families, &WEIGHTS).into_iter().enumerate().take(6) {
            let stated = KNOTS[knot];
            assert!(count > 100, "{stated} empties: {count}");
            assert!(share.positions > 0.5 && share.moves > 0.4, "{stated} empties: {share:?}");
        }
    }

    #[test]
    fn the_source_holds_every_weight() {
        let judged = [(Share { positions: 0.5, moves: 0.25 }, 7); KNOTS.len()];
        let text = to_source(&WEIGHTS, &judged, "hand.");
        assert_eq!(text.matches("Share { positions: 0.500, moves: 0.250 }, // 7").count(), KNOTS.len());
        let first = format!("[{:.3},", WEIGHTS.positions[0][0]);
        assert!(text.contains(&first), "{text}");
    }
}
