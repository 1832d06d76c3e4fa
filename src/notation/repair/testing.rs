//! Errors as people make them, seeded.

use super::Turn;
use crate::board::{Move, Square};
use crate::util::rng::Rng;

/// An error: what it is called, and what it does to the moves of a game.
pub type Error = (&'static str, fn(&mut Vec<Move>, &mut Rng));

/// Errors of all kinds.
pub const ERRORS: [Error; 7] = [
    ("a letter or digit misread", |moves, rng| misread(moves, rng)),
    ("two neighbours swapped", |moves, rng| {
        let at = below(rng, moves.len() - 1);
        moves.swap(at, at + 1);
    }),
    ("any two swapped", |moves, rng| {
        let (one, other) = (below(rng, moves.len()), below(rng, moves.len()));
        moves.swap(one, other);
    }),
    ("a move missing", |moves, rng| {
        moves.remove(below(rng, moves.len()));
    }),
    ("a move doubled", |moves, rng| {
        let at = below(rng, moves.len());
        moves.insert(at, moves[at]);
    }),
    ("a move too much", |moves, rng| {
        let square = Square::new(below(rng, 64) as u8).expect("below 64");
        moves.insert(below(rng, moves.len() + 1), Move::Place(square));
    }),
    ("a pass too much", |moves, rng| moves.insert(below(rng, moves.len() + 1), Move::Pass)),
];

fn below(rng: &mut Rng, bound: usize) -> usize {
    rng.below(bound as u32) as usize
}

/// Another letter or another digit, each as likely.
fn misread(moves: &mut [Move], rng: &mut Rng) {
    let at = below(rng, moves.len());
    let Move::Place(square) = moves[at] else { return };
    let by = 1 + rng.below(7) as u8;
    let (file, rank) = match rng.below(2) {
        0 => ((square.file() + by) % 8, square.rank()),
        _ => (square.file(), (square.rank() + by) % 8),
    };
    moves[at] = Move::Place(Square::at(file, rank));
}

/// The turns of a text that says nothing but these moves.
pub fn turns(moves: &[Move]) -> Vec<Turn> {
    moves.iter().map(|mv| Turn::of(Some(*mv))).collect()
}
