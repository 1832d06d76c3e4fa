//! Repairs games with illegal moves by the smallest change.
//!
//! A change is one of four: another square, two moves swapped, a move more, a move less; a missing pass is no change.
//! The search finds all games within one change and orders them by agreement with the known end, likelihood of the
//! error, and likelihood of the moves.
//!
//! ```
//! use emilia::notation::Outcome;
//! use emilia::notation::moves::parse_moves;
//! use emilia::notation::repair::{Turn, repairs};
//! use emilia_engine::board::Position;
//!
//! let written = parse_moves("f5d6c3d3c4f4e3f4")?;
//! let turns: Vec<Turn> = written.iter().map(|mv| Turn::of(Some(*mv))).collect();
//! let found = repairs(Position::START, &turns, Outcome::Open).expect("one f4 is wrong");
//! println!("{}", found.best[0].edit);
//! # Ok::<(), emilia::notation::ParseError>(())
//! ```

mod doubt;
mod edit;
mod search;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

pub use edit::{Edit, Turn};
pub use search::Ply;
use search::{Candidate, search};

use super::grammar::moves::replay;
use super::{GameResult, How, Outcome};
use crate::board::{Color, Move, Position};

/// Shorter games are not repaired: too little is certain.
const MIN_TURNS: usize = 4;
/// The most repairs that a search returns.
pub const MAX_NAMED: usize = 3;
/// Doubt of a move by the side that the text does not name, see [`doubt`].
const WRONG_SIDE: i32 = 200;

/// Agreement of a game with its known end; the greater the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    /// It has another end.
    Contradicts,
    /// It has no end.
    Open,
    /// It has this end, or the end is unknown.
    Agrees,
}

/// A legal game instead of the written one.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The error.
    pub edit: Edit,
    /// The moves, passes included.
    pub plies: Vec<Ply>,
}

/// The smallest repairs of a game.
#[derive(Clone, Debug)]
pub struct Repairs {
    /// The likeliest ones, likeliest first: one to [`MAX_NAMED`].
    pub best: Vec<Repair>,
    /// Number of repairs by one change, with any end.
    pub count: usize,
}

/// The outcome that the last board must show: open if a side gave up, or a judge ended the game.
pub fn counted(result: GameResult) -> Outcome {
    let is_counted = matches!(result.how, How::Unknown | How::Stated | How::Played);
    if is_counted {
        result.outcome
    } else {
        Outcome::Open
    }
}

fn agreement(outcome: Outcome, end: Position) -> Agreement {
    let [black, white] =
        [Color::Black, Color::White].map(|color| end.discs(color).count_ones() as i32);
    let score = end.final_score(Color::Black);
    let agrees = match outcome {
        _ if !end.is_over() => return Agreement::Open,
        Outcome::Open => true,
        // Some programs count the empties for neither side.
        Outcome::Discs(known) => known == score || known == black - white,
        Outcome::Won(winner) => score != 0 && (score > 0) == (winner == Color::Black),
    };
    if agrees {
        Agreement::Agrees
    } else {
        Agreement::Contradicts
    }
}

/// The changes that make the `turns` from `start` legal; `None` if the turns are legal, or if no single change makes them so.
///
/// Repairs that end with this outcome come first, then those without an end, then those that contradict it.
pub fn repairs(start: Position, turns: &[Turn], outcome: Outcome) -> Option<Repairs> {
    let moves: Vec<Option<Move>> = turns.iter().map(Turn::mv).collect();
    let is_legal = |moves: Vec<Move>| replay(start, moves).is_ok();
    if turns.len() < MIN_TURNS
        || moves
            .iter()
            .copied()
            .collect::<Option<Vec<Move>>>()
            .is_some_and(is_legal)
    {
        return None;
    }
    let doubt = |edit: &Edit| doubt::of_error(edit, &moves);
    let mut games: Vec<_> = search(start, turns, &doubt)
        .into_iter()
        .map(|(moves, candidate)| {
            let of_sides = WRONG_SIDE * wrong_sides(start, turns, &candidate.plies);
            let all = doubt(&candidate.edit) + of_sides + doubt::of_moves(start, &moves);
            (
                Reverse(agreement(outcome, candidate.end)),
                all,
                moves,
                candidate,
            )
        })
        .collect();
    games.sort_by(|one, other| (one.0, one.1, &one.2).cmp(&(other.0, other.1, &other.2)));
    let count = games.len();
    let named = games.into_iter().take(MAX_NAMED);
    let best: Vec<Repair> = named
        .map(|(.., Candidate { edit, plies, .. })| Repair { edit, plies })
        .collect();
    (count > 0).then_some(Repairs { best, count })
}

/// The number of moves that the text assigns to the wrong side.
fn wrong_sides(start: Position, turns: &[Turn], plies: &[Ply]) -> i32 {
    let sides = [start.side, start.side.other()].into_iter().cycle();
    let is_wrong = |(side, (_, turn)): &(Color, &Ply)| {
        turn.and_then(|turn| turns[turn].color)
            .is_some_and(|color| color != *side)
    };
    sides.zip(plies).filter(is_wrong).count() as i32
}
