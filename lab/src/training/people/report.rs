//! Measures the model on held-out games.

use std::fmt::Write as _;

use super::opening::Counts;
use super::samples::{GROUPS, Sample};
use crate::engine::people::net::{Weights, softmax, with_games};
use crate::engine::people::share;

/// Sums over samples.
#[derive(Clone, Copy, Default)]
struct Sums {
    count: f64,
    loss: f64,
    top: f64,
    /// Discs lost by people, and expected of the model.
    lost: (f64, f64),
}

impl Sums {
    fn add(&mut self, sample: &Sample, chances: &[f64]) {
        let played = chances[sample.played].max(1e-7);
        let best = chances.iter().copied().fold(0.0, f64::max);
        let lost = |index: usize| f64::from(sample.view.lost[index]) / 128.0;
        self.count += 1.0;
        self.loss -= played.ln();
        self.top += if chances[sample.played] == best {
            1.0
        } else {
            0.0
        };
        self.lost.0 += lost(sample.played);
        self.lost.1 += (0..chances.len())
            .map(|index| chances[index] * lost(index))
            .sum::<f64>();
    }

    fn row(&self, name: &str) -> String {
        let mean = |sum: f64| sum / self.count;
        format!(
            "{name:<26} {:>6} {:>7.4} {:>6.1} {:>7.2} {:>6.2}\n",
            self.count,
            mean(self.loss),
            100.0 * mean(self.top),
            mean(self.lost.0),
            mean(self.lost.1)
        )
    }
}

/// Probabilities of a sample's moves at a rating in `1 / 2^24`, with the games of an opening if there are any.
pub fn shares(
    weights: &Weights,
    sample: &Sample,
    rating: i32,
    counts: Option<&Counts>,
) -> Vec<u32> {
    let shares = softmax(&weights.logits(&sample.view, rating));
    match counts.and_then(|counts| counts.of(&sample.choice)) {
        Some(games) => with_games(&shares, &games, weights.opening_weight(rating)),
        None => shares,
    }
}

/// The same at the player's rating, as numbers from 0 to 1.
fn chances(weights: &Weights, sample: &Sample, counts: Option<&Counts>) -> Vec<f64> {
    shares(weights, sample, sample.rating, counts)
        .into_iter()
        .map(share)
        .collect()
}

/// A table of log-loss, share of moves that were the likeliest, and discs lost; then the calibration.
pub fn table(weights: &Weights, samples: &[Sample], counts: &Counts) -> String {
    let mut text = format!(
        "{:<26} {:>6} {:>7} {:>6} {:>7} {:>6}\n",
        "held out", "moves", "loss", "top-1", "people", "model"
    );
    let names = [
        "below 1300",
        "1300-1449",
        "1450-1599",
        "1600-1749",
        "1750-1899",
        "1900 and more",
    ];
    let mut all = [Sums::default(); 2];
    let mut new = Sums::default();
    let mut opening = [Sums::default(); 2];
    let mut groups = [Sums::default(); GROUPS.len() + 1];
    let mut bins = [[0.0; 3]; 20];
    for sample in samples {
        let plain = chances(weights, sample, None);
        let full = chances(weights, sample, Some(counts));
        let ply = 60 - sample.view.empties;
        all[0].add(sample, &plain);
        all[1].add(sample, &full);
        groups[sample.group].add(sample, &full);
        if sample.is_new_player {
            new.add(sample, &full);
        }
        if (8..=19).contains(&ply) {
            opening[0].add(sample, &plain);
            opening[1].add(sample, &full);
        }
        for (index, chance) in full.iter().enumerate() {
            let bin = &mut bins[((chance * 20.0) as usize).min(19)];
            bin[0] += 1.0;
            bin[1] += chance;
            bin[2] += if index == sample.played { 1.0 } else { 0.0 };
        }
    }
    text += &all[1].row("all");
    text += &all[0].row("all, without counts");
    text += &new.row("new players");
    text += &opening[1].row("plies 8-19");
    text += &opening[0].row("plies 8-19, no counts");
    for (sums, name) in groups.iter().zip(names) {
        text += &sums.row(name);
    }
    text += "calibration: moves, predicted, played\n";
    for [count, predicted, played] in bins {
        let _ = writeln!(
            text,
            "{count:>8} {:.3} {:.3} {:+.3}",
            predicted / count,
            played / count,
            (predicted - played) / count
        );
    }
    text
}
