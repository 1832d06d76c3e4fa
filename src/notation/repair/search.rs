//! All games that are one edit away from the written one.

use std::collections::HashMap;

use super::edit::{Edit, Turn};
use crate::board::{Move, Position, SquareSet};

/// A move of a repaired game, and the turn at which it is written.
pub type Ply = (Move, Option<usize>);

/// A legal game and the edit that leads to it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The error, if this is the game.
    pub edit: Edit,
    /// The moves, passes included.
    pub plies: Vec<Ply>,
    /// The last position.
    pub end: Position,
}

/// Finds every game from `start` that is one edit away, each with its edit of least `doubt`.
pub fn search(
    start: Position,
    turns: &[Turn],
    doubt: &dyn Fn(&Edit) -> i32,
) -> HashMap<Vec<Move>, Candidate> {
    let written: Vec<(Option<Move>, Option<usize>)> = turns
        .iter()
        .enumerate()
        .map(|(turn, written)| (written.mv(), Some(turn)))
        .collect();
    let mut games: HashMap<Vec<Move>, Candidate> = HashMap::new();
    let mut prefix = Line {
        position: start,
        plies: Vec::new(),
    };
    for turn in 0..=turns.len() {
        for (edit, rest) in edits(&written, turn, prefix.position) {
            let mut line = prefix.clone();
            if !rest
                .iter()
                .all(|&(mv, from)| mv.is_some_and(|mv| line.play(mv, from)))
            {
                continue;
            }
            let moves: Vec<Move> = line.plies.iter().map(|(mv, _)| *mv).collect();
            let candidate = Candidate {
                edit,
                plies: line.plies,
                end: line.position,
            };
            match games.get_mut(&moves) {
                Some(known) if doubt(&known.edit) <= doubt(&edit) => {}
                Some(known) => *known = candidate,
                None => drop(games.insert(moves, candidate)),
            }
        }
        // An edit must come before the first move that cannot be played.
        let Some(&(Some(mv), from)) = written.get(turn) else {
            break;
        };
        if !prefix.play(mv, from) {
            break;
        }
    }
    games
}

/// The turns that follow, each with its number in the text.
type Rest = Vec<(Option<Move>, Option<usize>)>;

/// The edits that can be made at `turn`, with the turns from there on as the edit makes them.
fn edits(written: &Rest, turn: usize, position: Position) -> Vec<(Edit, Rest)> {
    let rest = &written[turn..];
    let mut edits = Vec::new();
    if let Some(&(was, _)) = rest.first() {
        edits.push((Edit::Superfluous { turn, was }, rest[1..].to_vec()));
    }
    let legal = match position.board.moves() {
        SquareSet(0) => position.board.opponent_moves(),
        moves => moves,
    };
    for now in legal {
        let mv = Move::Place(now);
        let inserted = std::iter::once((Some(mv), None)).chain(rest.iter().copied());
        edits.push((Edit::Missing { turn, now }, inserted.collect()));
        let Some(&(was, _)) = rest.first().filter(|(was, _)| *was != Some(mv)) else {
            continue;
        };
        let mut changed = rest.to_vec();
        changed[0].0 = Some(mv);
        edits.push((Edit::Misread { turn, was, now }, changed.clone()));
        let Some(was) = was else { continue };
        for later in 1..rest.len() {
            if rest[later].0 == Some(mv) {
                let mut swapped = changed.clone();
                swapped[later].0 = Some(was);
                edits.push((
                    Edit::Swapped {
                        first: (turn, was),
                        second: (turn + later, mv),
                    },
                    swapped,
                ));
            }
        }
    }
    edits
}

#[derive(Clone)]
struct Line {
    position: Position,
    plies: Vec<Ply>,
}

impl Line {
    /// Plays a move as texts give it, see [`crate::notation::moves::replay`]; `false` if that is illegal.
    fn play(&mut self, mv: Move, from: Option<usize>) -> bool {
        if let (Move::Place(_), Ok(passed)) = (mv, self.position.play(Move::Pass)) {
            self.plies.push((Move::Pass, None));
            self.position = passed;
        }
        match self.position.play(mv) {
            Ok(after) => {
                self.plies.push((mv, from));
                self.position = after;
                true
            }
            Err(_) => mv == Move::Pass && self.position.is_over(),
        }
    }
}
