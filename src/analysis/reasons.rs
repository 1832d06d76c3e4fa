//! An explanation as it goes out.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::wire::{moves_of, rounded};
use crate::board::Move;
use crate::eval::explain::{Explanation, NAMES, Part};

/// Why a position is worth what the network says: see [`crate::eval::explain`]. Scores are in discs for the side to
/// move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reasons {
    /// The network's value without a search; of a finished game the result.
    value: f64,
    /// What the value is made of, the largest contributions first.
    terms: Vec<Term>,
    /// What it is worth to be the side to move.
    turn: f64,
    /// What is left of the value.
    rest: f64,
    /// The share of differences between positions that the terms explain at this stage of games.
    explained: f64,
    /// Regions of connected empty squares, the smallest first.
    regions: Vec<Vec<Move>>,
    /// Every legal move, the best first.
    moves: Vec<MoveReasons>,
    /// The share of differences between moves that the terms explain.
    moves_explained: f64,
}

/// A term of a position, or how a move changes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Term {
    name: Cow<'static, str>,
    player: i32,
    opponent: i32,
    weight: f64,
    discs: f64,
}

/// What a move gives and takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct MoveReasons {
    #[serde(rename = "move")]
    mv: Move,
    value: f64,
    gain: f64,
    terms: Vec<Term>,
    rest: f64,
}

impl Reasons {
    /// The form of an explanation that goes out.
    pub fn of(explanation: &Explanation) -> Self {
        let moves = explanation.moves.iter().map(|mv| MoveReasons {
            mv: Move::Place(mv.square),
            value: discs(mv.value),
            gain: discs(mv.gain),
            terms: terms(&mv.parts),
            rest: discs(mv.rest()),
        });
        Self {
            value: discs(explanation.value),
            terms: terms(&explanation.parts),
            turn: discs(explanation.turn),
            rest: discs(explanation.rest()),
            explained: explanation.share.positions,
            regions: explanation.regions.iter().map(|&region| moves_of(region)).collect(),
            moves: moves.collect(),
            moves_explained: explanation.share.moves,
        }
    }
}

fn terms(parts: &[Part]) -> Vec<Term> {
    let term = |part: &Part| Term {
        name: NAMES[part.term].into(),
        player: part.player,
        opponent: part.opponent,
        weight: rounded(part.weight, 1e3),
        discs: discs(part.discs),
    };
    parts.iter().map(term).collect()
}

/// To three decimals, and no zero with a minus: a unit of the evaluation is 0.008 discs.
fn discs(number: f64) -> f64 {
    rounded(number, 1e3) + 0.0
}
