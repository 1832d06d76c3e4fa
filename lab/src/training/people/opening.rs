//! Counts of opening moves in the games of the fit, at the positions of the book inside the program.

use std::collections::HashMap;

use anyhow::Result;

use super::games::{Choice, RatedGame};
use super::samples::{Sample, is_held};
use crate::board::{Board, Square};
use crate::book::Book;
use crate::engine::people::net::{OPENING, RATINGS, WEIGHT_BITS, Weights, softmax, with_games};

/// Counts of moves by canonical position.
pub struct Counts(HashMap<Board, Vec<(Square, u32)>>);

impl Counts {
    /// Those of the games of the fit.
    pub fn new(games: &[RatedGame]) -> Result<Self> {
        let book = Book::inside()?;
        let mut counts = HashMap::new();
        for entry in book.iter() {
            let (key, entry) = entry?;
            if entry.games().count() > 0
                && let Some(board) = key.board()
            {
                counts.insert(board.canonical().0, Vec::new());
            }
        }
        for (_, game) in games.iter().enumerate().filter(|(game, _)| !is_held(*game)) {
            for choice in game.choices() {
                let (board, square) = canonical(choice.board, choice.square);
                let Some(moves) = counts.get_mut(&board) else {
                    continue;
                };
                match moves.iter_mut().find(|(known, _)| *known == square) {
                    Some((_, count)) => *count += 1,
                    None => moves.push((square, 1)),
                }
            }
        }
        Ok(Self(counts))
    }

    /// Games per legal move, by square; `None` without games.
    pub fn of(&self, choice: &Choice) -> Option<Vec<u32>> {
        let board = choice.board;
        let moves = self.0.get(&board.canonical().0)?;
        let images = board.own_symmetries().count() as u32;
        let count = |square| {
            let (_, square) = canonical(board, square);
            let found = moves.iter().find(|(known, _)| *known == square);
            found.map_or(0, |(_, count)| count / images)
        };
        let counts: Vec<u32> = board.moves().iter().map(count).collect();
        (counts.iter().sum::<u32>() > 0).then_some(counts)
    }
}

/// A move on the canonical board: the lowest of equal ones.
fn canonical(board: Board, square: Square) -> (Board, Square) {
    let (canonical, symmetry) = board.canonical();
    let square = symmetry.apply_square(square);
    let images = canonical
        .own_symmetries()
        .map(|own| own.apply_square(square));
    (canonical, images.min().unwrap_or(square))
}

/// Fits how much the model's own opinion counts beside games, in place, by the log-loss of samples of the fit, whose own
/// games are taken out of the counts.
pub fn fit(weights: &mut [f32], samples: &[Sample], counts: &Counts) {
    let model = Weights::rounded(weights).expect("weights of the fit");
    let known: Vec<(&Sample, Vec<u32>, Vec<u32>)> = samples
        .iter()
        .filter_map(|sample| {
            let mut games = counts.of(&sample.choice)?;
            games[sample.played] = games[sample.played].saturating_sub(1);
            let shares = softmax(&model.logits(&sample.view, sample.rating));
            Some((sample, shares, games))
        })
        .collect();
    let candidates: Vec<i64> = (4..32)
        .map(|half| (2f64.powf(f64::from(half) / 2.0)) as i64)
        .collect();
    for (knot, &rating) in RATINGS.iter().enumerate() {
        let loss = |weight: i64| -> f64 {
            known
                .iter()
                .map(|(sample, shares, games)| {
                    let nearness = 1.0 - f64::from((sample.rating - rating).abs()) / 400.0;
                    let share = with_games(shares, games, weight)[sample.played].max(1);
                    -nearness.max(0.0) * (f64::from(share) / f64::from(1 << 24)).ln()
                })
                .sum()
        };
        let best = candidates
            .iter()
            .copied()
            .min_by(|&a, &b| loss(a).total_cmp(&loss(b)));
        let best = best.expect("there are candidates").min(i64::from(i16::MAX));
        weights[OPENING + knot] = best as f32 / (1 << WEIGHT_BITS) as f32;
    }
}
