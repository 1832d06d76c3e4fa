//! All games that are so many edits away from what is written.

use std::collections::HashMap;

use super::edit::{Edit, Turn};
use crate::board::{Move, Position, Square, squares};

/// A move of a repaired game, and the turn that it is written at.
pub type Ply = (Move, Option<usize>);

/// A legal game and the edits that lead to it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The errors that were made, if this is the game.
    pub edits: Vec<Edit>,
    /// The moves, passes included.
    pub plies: Vec<Ply>,
    /// The last position.
    pub end: Position,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// The games by their moves; of the ways to each the likeliest.
    pub games: HashMap<Vec<Move>, Candidate>,
    /// There were too many, so that some are left out.
    pub is_cut: bool,
}

/// Moves that a search tries at most: seconds, where games take milliseconds.
const MAX_TRIED: u64 = 20_000_000;
/// Games that are kept at most.
const MAX_GAMES: usize = 100_000;

/// Finds every game from `start` that is exactly `edits` edits away; of several ways to one game that of the least
/// `doubt` is kept.
pub fn search(start: Position, turns: &[Turn], edits: usize, doubt: &dyn Fn(&[Edit]) -> i32) -> Found {
    let moves: Vec<Option<Move>> = turns.iter().map(Turn::mv).collect();
    let mut search = Search {
        rest: rests(&moves),
        moves,
        edits: Vec::new(),
        plies: Vec::new(),
        tried: 0,
        doubt,
        found: Found::default(),
    };
    search.go(0, start, edits);
    search.found
}

/// The squares of the turns from one on.
#[derive(Clone, Copy, Default)]
struct Rest {
    /// Squares among them.
    squares: u64,
    /// How many turns have a square.
    placed: u32,
    /// How many turns have no move.
    unreadable: u32,
}

impl Rest {
    /// How many of the turns cannot be played as they stand, whatever comes before: their squares are taken or named twice.
    fn faults(self, taken: u64) -> usize {
        (self.unreadable + self.placed - (self.squares & !taken).count_ones()) as usize
    }
}

/// The rest from each turn on, and the empty one behind the last.
fn rests(moves: &[Option<Move>]) -> Vec<Rest> {
    let mut rests = vec![Rest::default(); moves.len() + 1];
    for (turn, mv) in moves.iter().enumerate().rev() {
        let mut rest = rests[turn + 1];
        match mv {
            Some(Move::Place(square)) => {
                (rest.squares, rest.placed) = (rest.squares | square.bit(), rest.placed + 1)
            }
            Some(Move::Pass) => {}
            None => rest.unreadable += 1,
        }
        rests[turn] = rest;
    }
    rests
}

struct Search<'a> {
    /// What is written, swapped as far as that is tried.
    moves: Vec<Option<Move>>,
    rest: Vec<Rest>,
    edits: Vec<Edit>,
    plies: Vec<Ply>,
    tried: u64,
    doubt: &'a dyn Fn(&[Edit]) -> i32,
    found: Found,
}

impl Search<'_> {
    /// Goes on from `turn` in `position` with so many edits left.
    fn go(&mut self, turn: usize, position: Position, left: usize) {
        let board = position.board;
        let faults = self.rest[turn].faults(!board.empties());
        // An edit removes one fault at most.
        if faults > left {
            return;
        }
        if self.tried > MAX_TRIED {
            self.found.is_cut = true;
            return;
        }
        let written = self.moves.get(turn).copied();
        if let Some(Some(mv)) = written {
            self.play(turn + 1, position, mv, Some(turn), left);
        }
        if left == 0 {
            if written.is_none() {
                self.keep(position);
            }
            return;
        }
        if let Some(was) = written {
            self.edit(Edit::Superfluous { turn, was }, |search| search.go(turn + 1, position, left - 1));
        }
        let legal = match board.moves() {
            0 => board.opponent_moves(),
            moves => moves,
        };
        for now in squares(legal) {
            let mv = Move::Place(now);
            self.edit(Edit::Missing { turn, now }, |search| search.play(turn, position, mv, None, left - 1));
            let Some(was) = written.filter(|was| *was != Some(mv)) else { continue };
            let misread = Edit::Misread { turn, was, now };
            self.edit(misread, |search| search.play(turn + 1, position, mv, Some(turn), left - 1));
            // A swap leaves the same squares behind, and so the same faults.
            if let Some(was) = was.filter(|_| faults < left) {
                self.swaps(turn, position, (was, now), left - 1);
            }
        }
    }

    /// Takes the move that is written here for that of a later turn, at which `now` is written.
    fn swaps(&mut self, turn: usize, position: Position, (was, now): (Move, Square), left: usize) {
        let mv = Move::Place(now);
        for later in turn + 1..self.moves.len() {
            if self.moves[later] != Some(mv) {
                continue;
            }
            self.moves.swap(turn, later);
            let rest = std::mem::replace(&mut self.rest, rests(&self.moves));
            let swapped = Edit::Swapped { first: (turn, was), second: (later, mv) };
            self.edit(swapped, |search| search.play(turn + 1, position, mv, Some(turn), left));
            self.rest = rest;
            self.moves.swap(turn, later);
        }
    }

    /// Plays a move as texts give it, see [`crate::notation::moves::replay`], and goes on from `turn`.
    fn play(&mut self, turn: usize, position: Position, mv: Move, from: Option<usize>, left: usize) {
        self.tried += 1;
        let length = self.plies.len();
        let mut next = position;
        if let (Move::Place(_), Ok(passed)) = (mv, next.play(Move::Pass)) {
            self.plies.push((Move::Pass, None));
            next = passed;
        }
        match next.play(mv) {
            Ok(after) => {
                self.plies.push((mv, from));
                self.go(turn, after, left);
            }
            Err(_) if mv == Move::Pass && position.is_over() => self.go(turn, position, left),
            Err(_) => {}
        }
        self.plies.truncate(length);
    }

    fn edit(&mut self, edit: Edit, go_on: impl FnOnce(&mut Self)) {
        self.edits.push(edit);
        go_on(self);
        self.edits.pop();
    }

    fn keep(&mut self, end: Position) {
        let moves: Vec<Move> = self.plies.iter().map(|(mv, _)| *mv).collect();
        let is_full = self.found.games.len() >= MAX_GAMES;
        let candidate = Candidate { edits: self.edits.clone(), plies: self.plies.clone(), end };
        match self.found.games.get_mut(&moves) {
            Some(known) if (self.doubt)(&known.edits) <= (self.doubt)(&self.edits) => {}
            Some(known) => *known = candidate,
            None if is_full => self.found.is_cut = true,
            None => drop(self.found.games.insert(moves, candidate)),
        }
    }
}
