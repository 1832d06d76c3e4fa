//! The network of the model: integer weights, and the probabilities of moves by them.

use super::inputs::{KINDS, MOVE_INPUTS, ONE, PLACE_INPUTS, View};
use super::table::{LOGIT_BITS, SHARE_BITS, exp_of};

/// Empties that have own weights; linear between.
pub const STAGES: [i32; 4] = [8, 22, 36, 50];
/// Ratings that have own weights; linear between.
pub const RATINGS: [i32; 3] = [1200, 1600, 2000];
/// How far the ratings go on above them, for the good days of the strongest; no game of the fit has such a rating.
const BEYOND: i32 = 200;
/// Pairs of them.
pub const BLENDS: usize = STAGES.len() * RATINGS.len();
/// Hidden units.
pub const HIDDEN: usize = 32;
/// Inputs of a hidden unit: of the move, of the position, two of the rating, and 1.
pub const UNIT_INPUTS: usize = MOVE_INPUTS + PLACE_INPUTS + 3;

/// First weight of each part; the last is their number.
pub const LINEAR: usize = 0;
/// First weight of the discs on kinds of squares.
pub const DISCS: usize = LINEAR + BLENDS * MOVE_INPUTS;
/// First weight of the inputs of the hidden units.
pub const UNITS: usize = DISCS + KINDS * 128;
/// First weight of the hidden units in the output.
pub const OUTPUTS: usize = UNITS + UNIT_INPUTS * HIDDEN;
/// First weight of the counts of the opening.
pub const OPENING: usize = OUTPUTS + HIDDEN;
/// The number of weights.
pub const WEIGHTS: usize = OPENING + RATINGS.len();

/// Fraction bits of a weight.
pub const WEIGHT_BITS: u32 = 10;
/// Fraction bits of an input.
const INPUT_BITS: u32 = ONE.ilog2();
/// Fraction bits of a share of knots.
const KNOT_BITS: u32 = 12;

/// The weights: see the constants for their order.
pub struct Weights(Box<[i16; WEIGHTS]>);

static SHIPPED: &[u8] = include_bytes!("weights.bin");

impl Weights {
    /// The weights inside the program.
    pub fn shipped() -> Self {
        Self::from_bytes(SHIPPED).expect("a test reads them")
    }

    /// Little-endian numbers of 16 bits; `None` if their number is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (pairs, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() {
            return None;
        }
        let weights: Vec<i16> = pairs.iter().map(|&pair| i16::from_le_bytes(pair)).collect();
        Some(Self(weights.try_into().ok()?))
    }

    /// The form that [`Self::from_bytes`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0
            .iter()
            .flat_map(|weight| weight.to_le_bytes())
            .collect()
    }

    /// Rounds floating-point weights; `None` if their number is wrong.
    pub fn rounded(weights: &[f32]) -> Option<Self> {
        let scale = (1 << WEIGHT_BITS) as f32;
        let round = |weight: &f32| (weight * scale).round() as i16;
        Some(Self(
            weights
                .iter()
                .map(round)
                .collect::<Vec<i16>>()
                .try_into()
                .ok()?,
        ))
    }

    /// The logits of the moves for a player of `rating`, in `1 / 2^16`.
    pub fn logits(&self, view: &View, rating: i32) -> Vec<i64> {
        let blend = self.blend(view.empties, rating);
        let mut unit_inputs = [0; UNIT_INPUTS];
        let place = &mut unit_inputs[MOVE_INPUTS..];
        place[..PLACE_INPUTS].copy_from_slice(&view.place.map(i64::from));
        place[PLACE_INPUTS..].copy_from_slice(&rating_inputs(rating).map(i64::from));
        let logit = |sight: &super::inputs::Sight| {
            unit_inputs[..MOVE_INPUTS].copy_from_slice(&sight.inputs.map(i64::from));
            let linear: i64 = dot(&blend, &unit_inputs[..MOVE_INPUTS]);
            let discs: i64 = discs_of(sight.kind, sight.turned)
                .map(|index| i64::from(self.0[DISCS + index]))
                .sum();
            linear + (discs << INPUT_BITS) + self.units(&unit_inputs)
        };
        view.moves.iter().map(logit).collect()
    }

    /// The linear weights for this number of empties and this rating.
    fn blend(&self, empties: u32, rating: i32) -> [i64; MOVE_INPUTS] {
        let mut blend = [0; MOVE_INPUTS];
        for (index, share) in shares(empties, rating) {
            let row = &self.0[LINEAR + index * MOVE_INPUTS..][..MOVE_INPUTS];
            for (sum, &weight) in blend.iter_mut().zip(row) {
                *sum += i64::from(share) * i64::from(weight);
            }
        }
        blend.map(|sum| sum >> KNOT_BITS)
    }

    /// The sum over the hidden units.
    fn units(&self, inputs: &[i64; UNIT_INPUTS]) -> i64 {
        let mut units = [0; HIDDEN];
        for (row, input) in self.0[UNITS..OUTPUTS].chunks_exact(HIDDEN).zip(inputs) {
            for (unit, &weight) in units.iter_mut().zip(row) {
                *unit += i64::from(weight) * input;
            }
        }
        let outputs = self.0[OUTPUTS..OPENING].iter();
        let sum: i64 = units
            .iter()
            .zip(outputs)
            .map(|(&unit, &output)| (unit.max(0) >> INPUT_BITS) * i64::from(output))
            .sum();
        sum >> (2 * WEIGHT_BITS - LOGIT_BITS)
    }

    /// How many games of a book the model's own opinion counts for, in 1/16.
    pub fn opening_weight(&self, rating: i32) -> i64 {
        let knots = knots(rating, &RATINGS, BEYOND);
        let weights = &self.0[OPENING..];
        let sum: i64 = knots
            .iter()
            .map(|&(at, share)| i64::from(share) * i64::from(weights[at]))
            .sum();
        (sum >> INPUT_BITS).max(1)
    }
}

/// The inputs of a rating and the constant 1.
pub fn rating_inputs(rating: i32) -> [i32; 3] {
    let r = (rating - 1600) * ONE / 300;
    [r, r * r / ONE, ONE]
}

/// The places among [`Weights`] of the discs on a turned board.
pub fn discs_of(kind: u8, board: crate::board::Board) -> impl Iterator<Item = usize> {
    let first = usize::from(kind) * 128;
    let own = crate::board::SquareSet(board.player).iter();
    let theirs = crate::board::SquareSet(board.opponent).iter();
    let own = own.map(move |square| first + square.index());
    own.chain(theirs.map(move |square| first + 64 + square.index()))
}

/// The pairs of knots that count, with their shares of `2^12`.
pub fn shares(empties: u32, rating: i32) -> impl Iterator<Item = (usize, i32)> {
    let ratings = knots(rating, &RATINGS, BEYOND);
    knots(empties as i32, &STAGES, 0)
        .into_iter()
        .flat_map(move |(stage, share)| {
            ratings.map(|(rating, part)| (stage * RATINGS.len() + rating, share * part))
        })
}

/// The two knots around a number, with their shares of 64: below all knots the lowest, above them the line through the last
/// two goes on as far as `beyond`.
fn knots(number: i32, knots: &[i32], beyond: i32) -> [(usize, i32); 2] {
    let number = number.clamp(knots[0], knots[knots.len() - 1] + beyond);
    let above = knots
        .partition_point(|&knot| knot <= number)
        .clamp(1, knots.len() - 1);
    let low = knots[above - 1];
    let high = knots[above];
    let share = (number - low) * ONE / (high - low);
    [(above - 1, ONE - share), (above, share)]
}

fn dot(weights: &[i64], inputs: &[i64]) -> i64 {
    weights.iter().zip(inputs).map(|(w, x)| w * x).sum()
}

/// Shares of 1 in proportion to the exponentials of logits, in `1 / 2^24`; they add to 1.
pub fn softmax(logits: &[i64]) -> Vec<u32> {
    let top = logits.iter().copied().max().unwrap_or(0);
    let weights: Vec<u64> = logits.iter().map(|logit| exp_of(logit - top)).collect();
    in_proportion(&weights)
}

/// Shares of 1 in proportion to `weights` below `2^38`, in `1 / 2^24`; the largest takes the rest of the rounding.
pub fn in_proportion(weights: &[u64]) -> Vec<u32> {
    let sum: u64 = weights.iter().sum();
    let share = |&weight: &u64| ((weight << SHARE_BITS) / sum.max(1)) as u32;
    let mut shares: Vec<u32> = weights.iter().map(share).collect();
    let rest = (1 << SHARE_BITS) - shares.iter().sum::<u32>();
    if let Some(largest) = shares.iter_mut().max() {
        *largest += rest;
    }
    shares
}

/// `shares` of the model after `games` of a book: a mean in which the model counts for `weight` sixteenths of a game.
pub fn with_games(shares: &[u32], games: &[u32], weight: i64) -> Vec<u32> {
    let weighted = |(&share, &games): (&u32, &u32)| {
        (u64::from(games) << 20) + weight as u64 * u64::from(share >> (SHARE_BITS - LOGIT_BITS))
    };
    in_proportion(&shares.iter().zip(games).map(weighted).collect::<Vec<u64>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_weights_are_whole_and_small() {
        assert_eq!(Weights::shipped().to_bytes(), SHIPPED);
        assert!(SHIPPED.len() <= 8192);
        assert!(Weights::from_bytes(&SHIPPED[1..]).is_none());
        assert!(Weights::from_bytes(&SHIPPED[2..]).is_none());
    }

    #[test]
    fn games_of_a_book_count_beside_the_model() {
        let half = 1 << (SHARE_BITS - 1);
        assert_eq!(with_games(&[half, half], &[0, 0], 160), [half, half]);
        // 30 games and 10 of the model's own: (0 + 5) / 40 and (30 + 5) / 40.
        let shares = with_games(&[half, half], &[0, 30], 160);
        assert_eq!(shares[0], 1 << (SHARE_BITS - 3));
        assert_eq!(shares.iter().sum::<u32>(), 1 << SHARE_BITS);
    }
}
