//! What tables say of strength: the Elo of a meeting and the ratings of all players, each with its ±, or the word that
//! the games do not tell yet.
//!
//! The rule: fewer than [`LEAST_GAMES`] games that count are "too few games". Where all points went to one side only
//! one end of the interval is known, `over +190` or `under -190`. All else is an estimate with the 95 % interval of
//! [`super::stats`], which the simulations there and here hold to 95 % from [`LEAST_GAMES`] games on.

use std::fmt;

use super::stats::{Tally, WIDTH, score_of_elo};

/// So many games at least make an Elo.
pub const LEAST_GAMES: u64 = 10;

/// A difference in playing strength as far as games tell it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct EloEstimate {
    /// From the points per game.
    pub estimate: Option<f64>,
    /// Lower end of the 95 % interval.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub high: Option<f64>,
    /// Why something is not known.
    pub note: Option<String>,
}

impl EloEstimate {
    /// What these results tell.
    pub fn of(tally: &Tally) -> Self {
        let nothing = Self { estimate: None, low: None, high: None, note: None };
        if let Some(note) = too_few(tally.games()) {
            return Self { note: Some(note), ..nothing };
        }
        let elo = tally.elo();
        let [estimate, low, high] =
            [elo.estimate, elo.low, elo.high].map(|number| Some(number).filter(|number| number.is_finite()));
        let note = estimate.is_none().then(|| one_sided(tally).to_owned());
        Self { estimate, low, high, note }
    }
}

impl fmt::Display for EloEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.estimate, self.low, self.high) {
            (Some(estimate), Some(low), Some(high)) => write!(f, "{estimate:+.1} [{low:+.1}, {high:+.1}]"),
            // The interval of a nearly one-sided result may be open.
            (Some(estimate), Some(low), None) => write!(f, "{estimate:+.1} [{low:+.1} or more]"),
            (Some(estimate), None, Some(high)) => write!(f, "{estimate:+.1} [{high:+.1} or less]"),
            (None, Some(low), None) => write!(f, "over {low:+.1}"),
            (None, None, Some(high)) => write!(f, "under {high:+.1}"),
            _ => f.write_str(self.note.as_deref().unwrap_or("unknown")),
        }
    }
}

fn too_few(games: u64) -> Option<String> {
    (games < LEAST_GAMES).then(|| format!("too few games ({games} of {LEAST_GAMES})"))
}

fn one_sided(tally: &Tally) -> &'static str {
    if tally.losses == 0 { "all games were won" } else { "all games were lost" }
}

/// A player's rating in Elo; the mean of all players is 0.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Rating {
    /// What explains all results best; nothing where too few games tell it.
    pub rating: Option<f64>,
    /// The true rating is that far away at most, with 95 %; nothing where it is not known.
    pub rating_error: Option<f64>,
    /// Why something is not known.
    pub rating_note: Option<String>,
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.rating, self.rating_error, &self.rating_note) {
            (Some(rating), Some(error), _) => write!(f, "{rating:+.0} ± {error:.0}"),
            (Some(rating), None, Some(note)) => write!(f, "{rating:+.0} ({note})"),
            (Some(rating), None, None) => write!(f, "{rating:+.0}"),
            (None, _, note) => f.write_str(note.as_deref().unwrap_or("unknown")),
        }
    }
}

/// The ratings that explain best who beat whom.
///
/// `results[i][j]` is what player `i` did against `j`, as far as it is evidence. Between any two that met, half a
/// drawn game is added, which keeps a player who won everything at a finite rating, without a ±.
pub fn ratings(results: &[Vec<Tally>]) -> Vec<Rating> {
    let strengths = strengths(results);
    let errors = errors(results, &strengths);
    let rate = |(index, strength): (usize, f64)| {
        let mut all = Tally::default();
        results[index].iter().for_each(|tally| all.add(tally));
        let one_sided =
            (all.points() == 0.0 || all.turned().points() == 0.0).then(|| one_sided(&all).to_owned());
        match (too_few(all.games()), one_sided, errors.as_ref().map(|errors| errors[index])) {
            (Some(note), ..) => Rating { rating: None, rating_error: None, rating_note: Some(note) },
            (None, None, Some(error)) => {
                Rating { rating: Some(strength), rating_error: Some(error), rating_note: None }
            }
            (None, note, _) => Rating {
                rating: Some(strength),
                rating_error: None,
                rating_note: Some(note.unwrap_or_else(|| "not all have met".to_owned())),
            },
        }
    };
    strengths.iter().copied().enumerate().map(rate).collect()
}

/// The fit: Elo with the mean 0. Source: D. Hunter, "MM algorithms for generalized Bradley-Terry models" (2004).
fn strengths(results: &[Vec<Tally>]) -> Vec<f64> {
    let n = results.len();
    let points = |i: usize, j: usize| results[i][j].points();
    let met = |i: usize, j: usize| i != j && results[i][j].games() > 0;
    let mut strength = vec![1.0f64; n];
    // Each round multiplies the likelihood up; this many are far more than needed.
    for _ in 0..5_000 {
        let before = strength.clone();
        for i in 0..n {
            let opponents = || (0..n).filter(|&j| met(i, j));
            let won: f64 = opponents().map(|j| points(i, j) + 0.25).sum();
            let shared: f64 =
                opponents().map(|j| (results[i][j].games() as f64 + 0.5) / (strength[i] + strength[j])).sum();
            if shared > 0.0 {
                strength[i] = won / shared;
            }
        }
        let mean = strength.iter().map(|s| s.ln()).sum::<f64>() / n.max(1) as f64;
        strength.iter_mut().for_each(|s| *s = (s.ln() - mean).exp());
        if strength.iter().zip(&before).all(|(now, before)| (now / before - 1.0).abs() < 1e-9) {
            break;
        }
    }
    strength.iter().map(|s| 400.0 * s.log10()).collect()
}

/// The ± of each rating: the inverse of the information that the meetings give, each by the variance of its own pairs.
/// `None` where the players fall into groups that never met.
fn errors(results: &[Vec<Tally>], ratings: &[f64]) -> Option<Vec<f64>> {
    let n = results.len();
    let mut information = vec![vec![1.0 / n.max(1) as f64; n]; n];
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i && results[i][j].games() > 0) {
            // Points per game rise so fast with Elo.
            let score = score_of_elo(ratings[i] - ratings[j]);
            let slope = score * (1.0 - score) * std::f64::consts::LN_10 / 400.0;
            let weight = slope * slope / results[i][j].variance(score);
            information[i][i] += weight;
            information[i][j] -= weight;
        }
    }
    // The ones above stand for the mean, which is known: their part of the inverse is 1 / n.
    let inverse = inverse(information)?;
    let error = |i: usize| WIDTH * (inverse[i][i] - 1.0 / n as f64).max(0.0).sqrt();
    Some((0..n).map(error).collect())
}

/// By Gauss and Jordan; `None` for a singular matrix.
fn inverse(mut rows: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = rows.len();
    for (i, row) in rows.iter_mut().enumerate() {
        row.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    for column in 0..n {
        let size = |row: usize| rows[row][column].abs();
        let pivot = (column..n).max_by(|&a, &b| size(a).total_cmp(&size(b)))?;
        if size(pivot) < 1e-12 {
            return None;
        }
        rows.swap(column, pivot);
        let scale = rows[column][column];
        rows[column].iter_mut().for_each(|value| *value /= scale);
        let pivot_row = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != column) {
            let factor = row[column];
            row.iter_mut().zip(&pivot_row).for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::matches::stats::tests::synthetic;
    use crate::util::rng::Rng;

    fn won(wins: u64, losses: u64) -> Tally {
        Tally { wins, losses, ..Tally::default() }
    }

    #[test]
    fn a_handful_of_games_is_no_elo() {
        for (tally, text) in [
            (won(0, 0), "too few games (0 of 10)"),
            (won(4, 0), "too few games (4 of 10)"),
            (won(5, 4), "too few games (9 of 10)"),
        ] {
            let claim = EloEstimate::of(&tally);
            assert_eq!(claim.to_string(), text);
            assert_eq!((claim.estimate, claim.low, claim.high), (None, None, None));
        }
        let text = EloEstimate::of(&won(12, 0)).to_string();
        assert!(text.starts_with("over +"), "{text}");
        let text = EloEstimate::of(&won(0, 600)).to_string();
        assert!(text.starts_with("under -"), "{text}");
        assert_eq!(EloEstimate::of(&won(0, 600)).note.as_deref(), Some("all games were lost"));
        for wins in 0..=40 {
            for losses in 0..=40 {
                let text = EloEstimate::of(&won(wins, losses)).to_string();
                assert!(!text.contains("inf") && !text.contains("NaN"), "{wins} {losses}: {text}");
            }
        }
    }

    #[test]
    fn the_least_games_are_enough() {
        // As in `stats`, but with the fewest games that are shown.
        for (seed, elo) in [0.0, 35.0, -80.0, 150.0, 300.0].into_iter().enumerate() {
            for draws in [0.0, 0.3] {
                let mut engines = synthetic(elo, draws, 100.0, seed as u64);
                let claims = (0..1_000).map(|_| EloEstimate::of(&engines.play(LEAST_GAMES as usize / 2)));
                let covered = claims
                    .filter(|claim| {
                        claim.low.is_none_or(|low| low <= elo) && claim.high.is_none_or(|high| elo <= high)
                    })
                    .count();
                assert!(covered >= 950, "{elo} Elo, draws {draws}: {covered} of 1,000");
            }
        }
    }

    fn table(points: &[&[Tally]]) -> Vec<Vec<Tally>> {
        points.iter().map(|row| row.to_vec()).collect()
    }

    #[test]
    fn ratings_explain_the_scores() {
        // 0 beats 1 by 3 to 1, 1 beats 2 by 3 to 1: 191 Elo apart each, a little less by the half draw.
        let none = Tally::default();
        let r = ratings(&table(&[
            &[none, won(300, 100), none],
            &[won(100, 300), none, won(300, 100)],
            &[none, won(100, 300), none],
        ]));
        let numbers: Vec<f64> = r.iter().map(|rating| rating.rating.unwrap()).collect();
        assert!((numbers[0] - numbers[1] - 190.8).abs() < 1.0, "{r:?}");
        assert!((numbers[1] - numbers[2] - 190.8).abs() < 1.0, "{r:?}");
        assert!(r[1].rating_error.unwrap() < r[0].rating_error.unwrap(), "the middle is known best: {r:?}");
        let shutout = ratings(&table(&[&[none, won(50, 0)], &[won(0, 50), none]]));
        assert!(shutout[0].rating.unwrap() - shutout[1].rating.unwrap() > 700.0);
        assert!(shutout[0].to_string().ends_with(" (all games were won)"), "{}", shutout[0]);
        let few = ratings(&table(&[&[none, won(3, 1)], &[won(1, 3), none]]));
        assert_eq!(few[0].to_string(), "too few games (4 of 10)");
        assert!(ratings(&[]).is_empty());
    }

    #[test]
    fn groups_that_never_met_have_no_common_scale() {
        let none = Tally::default();
        let r = ratings(&table(&[
            &[none, won(20, 10), none, none],
            &[won(10, 20), none, none, none],
            &[none, none, none, won(5, 15)],
            &[none, none, won(15, 5), none],
        ]));
        assert!(r.iter().all(|rating| rating.rating_note.as_deref() == Some("not all have met")), "{r:?}");
    }

    #[test]
    fn the_error_of_two_is_half_that_of_their_difference() {
        let (tally, none) = (won(600, 400), Tally::default());
        let r = ratings(&table(&[&[none, tally], &[tally.turned(), none]]));
        let claim = EloEstimate::of(&tally);
        let half = (claim.high.unwrap() - claim.low.unwrap()) / 4.0;
        assert!((r[0].rating_error.unwrap() - half).abs() < 0.5, "{r:?} {half}");
    }

    #[test]
    fn known_ratings_lie_within_their_error() {
        let truth = [120.0, 20.0, -140.0];
        for pairs in [5, 50] {
            let (mut covered, mut rng) = (0, Rng::new(pairs as u64));
            for _ in 0..400 {
                let mut results = vec![vec![Tally::default(); 3]; 3];
                for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                    let tally = synthetic(truth[i] - truth[j], 0.2, 100.0, rng.next()).play(pairs);
                    (results[i][j], results[j][i]) = (tally, tally.turned());
                }
                let within = |(rating, truth): (Rating, f64)| {
                    rating.rating_error.is_none_or(|error| (rating.rating.unwrap() - truth).abs() <= error)
                };
                covered +=
                    ratings(&results).into_iter().zip(truth).map(within).filter(|&within| within).count();
            }
            assert!(covered >= 1_140, "{pairs} pairs: {covered} of 1,200");
        }
    }
}
