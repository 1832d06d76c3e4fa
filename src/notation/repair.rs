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

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;

use super::grammar::moves::{MoveToken, replay};
use super::{GameResult, How, Outcome};
use crate::board::{Board, Color, Move, Position, Square, SquareSet};

/// Shorter games are not repaired: too little is certain.
const MIN_TURNS: usize = 4;
/// The most repairs that a search returns.
pub const MAX_NAMED: usize = 3;
/// Doubt of a move by the side that the text does not name, see [`doubt_of_error`].
const WRONG_SIDE: i32 = 200;

/// Digits or letters that look alike, by their numbers from 0: 3 and 8, 1 and 7, 6 and 8, b and d.
const ALIKE: [(u8, u8); 4] = [(2, 7), (0, 6), (5, 7), (1, 3)];
/// Two distant moves swapped, or an unrelated move more: each has many forms.
const FAR: i32 = 400;

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
    let doubt = |edit: &Edit| doubt_of_error(edit, &moves);
    let mut games: Vec<_> = search(start, turns, &doubt)
        .into_iter()
        .map(|(moves, candidate)| {
            let of_sides = WRONG_SIDE * wrong_sides(start, turns, &candidate.plies);
            let all = doubt(&candidate.edit) + of_sides + doubt_of_moves(start, &moves);
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

/// A written turn, legal or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// The move with its value and time; `None` for another word.
    pub token: Option<MoveToken>,
    /// The side that the text names.
    pub color: Option<Color>,
}

/// One error, by the numbers of the turns that are written, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A wrong square.
    Misread {
        /// The turn.
        turn: usize,
        /// The written move; `None` for another word.
        was: Option<Move>,
        /// The right square.
        now: Square,
    },
    /// Two moves exchanged.
    Swapped {
        /// The earlier turn and its written move.
        first: (usize, Move),
        /// The later turn and its written move.
        second: (usize, Move),
    },
    /// A missing move.
    Missing {
        /// The turn behind it, or the number of turns.
        turn: usize,
        /// The right square.
        now: Square,
    },
    /// A superfluous move.
    Superfluous {
        /// The turn.
        turn: usize,
        /// The written move; `None` for another word.
        was: Option<Move>,
    },
}

impl Turn {
    /// A turn with only a move.
    pub fn of(mv: Option<Move>) -> Self {
        Self {
            token: mv.map(|mv| MoveToken {
                mv,
                eval: None,
                seconds: None,
            }),
            color: None,
        }
    }

    /// The move, if it is one.
    pub fn mv(&self) -> Option<Move> {
        self.token.map(|token| token.mv)
    }
}

impl fmt::Display for Edit {
    /// The written move and the right one; turns count from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written =
            |was: Option<Move>| was.map_or_else(|| "no move".to_owned(), |mv| mv.to_string());
        match *self {
            Self::Misread { turn, was, now } => {
                write!(f, "move {} was {}, now {now}", turn + 1, written(was))
            }
            Self::Swapped {
                first: (first, one),
                second: (second, other),
            } => {
                let (first, second) = (first + 1, second + 1);
                write!(
                    f,
                    "moves {first} and {second} were {one} and {other}, now {other} and {one}"
                )
            }
            Self::Missing { turn, now } => write!(f, "move {} was missing, now {now}", turn + 1),
            Self::Superfluous { turn, was } => {
                write!(f, "move {} was {}, now gone", turn + 1, written(was))
            }
        }
    }
}

/// A move of a repaired game, and the turn at which it is written.
pub type Ply = (Move, Option<usize>);

/// A legal game and the edit that leads to it.
#[derive(Clone, Debug)]
struct Candidate {
    /// The error, if this is the game.
    edit: Edit,
    /// The moves, passes included.
    plies: Vec<Ply>,
    /// The last position.
    end: Position,
}

/// Finds every game from `start` that is one edit away, each with its edit of least `doubt`.
fn search(
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

/// Doubt that this error was made; `moves` are the written ones.
///
/// Doubts are negative natural logarithms of likelihoods, in 1/100, good enough for an order. Factors that all kinds of errors
/// share, such as the choice of the turn, do not count.
fn doubt_of_error(edit: &Edit, moves: &[Option<Move>]) -> i32 {
    match *edit {
        Edit::Misread { was: None, .. } | Edit::Superfluous { was: None, .. } => 200,
        Edit::Misread {
            was: Some(Move::Pass),
            ..
        } => 700,
        Edit::Misread {
            was: Some(Move::Place(was)),
            now,
            ..
        } => misreading(was, now),
        Edit::Swapped {
            first: (first, _),
            second: (second, _),
        } if second - first == 1 => 70,
        Edit::Swapped { .. } => FAR,
        // The doubt is in the move.
        Edit::Missing { .. }
        | Edit::Superfluous {
            was: Some(Move::Pass),
            ..
        } => 0,
        Edit::Superfluous { turn, was } => {
            let beside =
                [turn.wrapping_sub(1), turn + 1].map(|turn| moves.get(turn).copied().flatten());
            if beside.contains(&was) { 70 } else { FAR }
        }
    }
}

/// A wrong letter or digit, next to the right one or like it; both exchanged; anything.
fn misreading(was: Square, now: Square) -> i32 {
    let is_near = |one: u8, other: u8| {
        one.abs_diff(other) == 1 || ALIKE.contains(&(one.min(other), one.max(other)))
    };
    let is_turned = (was.file(), was.rank()) == (now.rank(), now.file());
    match (was.file() == now.file(), was.rank() == now.rank()) {
        (true, _) if is_near(was.rank(), now.rank()) => 220,
        (_, true) if is_near(was.file(), now.file()) => 220,
        (false, false) if is_turned => 220,
        (false, false) => 600,
        _ => 350,
    }
}

/// Doubt that people play these moves from `start`: they leave few replies and turn few discs next to empty squares.
fn doubt_of_moves(start: Position, moves: &[Move]) -> i32 {
    let mut board = start.board;
    let mut sum = 0;
    for mv in moves {
        match *mv {
            Move::Pass => board = board.pass(),
            Move::Place(square) => {
                let flipped = board.flip(square);
                board = board.after(square, flipped);
                sum += board.moves().len() + open_beside(board, flipped);
            }
        }
    }
    25 * sum as i32
}

/// Empty squares next to these discs.
fn open_beside(board: Board, discs: u64) -> u32 {
    const NOT_FILE_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
    let row = discs | (discs << 1 & NOT_FILE_A) | (discs & NOT_FILE_A) >> 1;
    ((row | row << 8 | row >> 8) & board.empties()).count_ones()
}
